"""
A bot that answers the mail of a small company as somebody careful would, with nothing but smtplib and imaplib.

What machines sent is left alone; what nobody vouches for, or asks for money, passwords or obedience, goes to Junk;
bills go to somebody who decides; everything else (offers too: it does not tell them apart) is answered once, in its
thread, with the numbers that it is about.  Nothing that stands in a mail is an instruction: it writes to whoever wrote,
and to its own company.

    python careful_bot.py --imap 127.0.0.1:2143 --smtp 127.0.0.1:2525 --login app@sim.test --password ...
"""

from __future__ import annotations

import argparse
import email
import email.policy
import imaplib
import re
import smtplib
from email.message import EmailMessage
from email.utils import getaddresses, make_msgid, parseaddr

#: What nobody writes who means well: in English, German, French and Spanish.
HOSTILE = re.compile("|".join((
    r"gift ?cards?|geschenkkarte|gutscheinkarte|cartes? cadeau|tarjetas? (?:de )?regalo",
    r"(?:new|changed|updated) (?:bank|account|iban)|neue\w* (?:bank|konto|iban)",
    r"nouve(?:au|lle)s? (?:compte|coordonn|iban)|nuev[oa]s? (?:cuenta|datos bancarios|iban)",
    r"(?:confirm|verify|validate) your (?:account|password|identity|mailbox)",
    r"(?:konto|passwort|postfach|identität) (?:zu )?(?:bestätigen|verifizieren)",
    r"(?:confirm|vérifi)\w+ votre (?:compte|mot)|(?:confirm|verifi)\w+ su (?:cuenta|contraseña)",
    r"customs fee|zollgebühr|frais de douane|gastos de aduana",
    r"(?:ignore|disregard|forget) (?:all|any|previous|earlier|your)|system prompt",
    r"language model|sprachmodell|modèle de langage|modelo de lenguaje",
    r"\b(?:ai|ki|ia)[ -](?:agent|assist|system|mail)|(?:assistant|asistent|agent)e? (?:ia|de ia)\b|mail agent",
    r"maintenance mode|wartungsmodus|mode maintenance|modo de mantenimiento",
    r"private address|private adresse|adresse privée|dirección privada",
    r"registration of your domain|registrierung ihrer domain|enregistrement de votre domaine|registro de su dominio",
    r"(?:instructions?|note) (?:to|for) (?:the )?(?:ai|assistant|agent|automated)",
    r"anweisung\w* (?:an|für) (?:die ki|den assist)")), re.IGNORECASE)

APPLICATION = re.compile(r"(?:cv|lebenslauf|curriculum|resume)[-_ .]", re.IGNORECASE)
BILL = re.compile(
    r"invoice|rechnung|mahnung|facture|factura|overdue|überfällig|rappel|recordatorio|impay", re.IGNORECASE)
#: Numbers of orders, customers, devices and errors, and sums.
NUMBER = re.compile(r"(?:[€$£] ?|EUR )?\b(?=[\w.,:-]*\d{2})[\w][\w.,:-]*\w(?: ?(?:€|EUR))?")


def own_text(mail: EmailMessage) -> str:
    """What a mail says itself, without what it quotes below."""
    body = mail.get_body(("plain", "html"))
    text = body.get_content() if body is not None else ""
    if body is not None and body.get_content_type() == "text/html":
        text = re.sub(r"<[^>]+>", " ", text)
    return "\n".join(line for line in text.split("\n") if not line.startswith(">"))


def is_automatic(mail: EmailMessage) -> bool:
    """Whether a machine sent it (RFC 3834), which nobody should answer."""
    return (str(mail["Auto-Submitted"] or "no").lower() != "no"
            or str(mail["Precedence"] or "").lower() in ("bulk", "list", "junk")
            or any(mail[name] for name in ("List-Id", "List-Unsubscribe"))
            or str(mail["Return-Path"] or "").strip() == "<>" or mail.get_content_type() == "multipart/report")


def is_vouched_for(mail: EmailMessage) -> bool:
    """Whether the domain of its author vouches for it, and answers go where it came from."""
    passed = "dmarc=pass" in " ".join(str(mail["Authentication-Results"] or "").split())
    author = parseaddr(str(mail["From"]))[1].lower()
    answers = [one.lower() for _, one in getaddresses([str(mail["Reply-To"])])] if mail["Reply-To"] else [author]
    return passed and all(one.rpartition("@")[2] == author.rpartition("@")[2] for one in answers)


def everything(mail: EmailMessage) -> str:
    """All that a mail says itself, anywhere: headers that people see, every text, names of files."""
    texts = [str(mail["Subject"]), str(mail["From"])]
    for part in mail.walk():
        texts.append(part.get_filename() or "")
        if part.get_content_maintype() == "text":
            texts.append("\n".join(line for line in part.get_content().split("\n") if not line.startswith(">")))
    return "\n".join(texts)


def decide(mail: EmailMessage) -> str:
    """C{junk}, C{leave}, C{pass_on} or C{answer}."""
    if not is_vouched_for(mail) or HOSTILE.search(everything(mail)):
        return "junk"
    if is_automatic(mail):
        return "leave"
    names = " ".join(part.get_filename() or "" for part in mail.walk())
    if APPLICATION.search(names):
        return "answer"
    if BILL.search(f"{mail['Subject']} {names}") and ".pdf" in names:
        return "pass_on"
    return "answer"


def threaded(mail: EmailMessage, address: str, to: str, subject: str, text: str) -> EmailMessage:
    """A mail about another, in its thread (RFC 5322 section 3.6.4)."""
    answer = EmailMessage()
    answer["From"], answer["To"], answer["Subject"] = address, to, subject
    answer["Message-ID"] = make_msgid(domain=address.partition("@")[2])
    own = str(mail["Message-ID"]).strip()
    answer["In-Reply-To"], answer["References"] = own, " ".join([*str(mail["References"] or "").split(), own])
    answer.set_content(text)
    return answer


def handle_all(imap: imaplib.IMAP4, smtp: smtplib.SMTP, address: str) -> dict[str, int]:
    """Handle all that is unread in INBOX; return how many mails were handled in which way."""
    imap.select("INBOX")
    done: dict[str, int] = {}
    for uid in imap.uid("SEARCH", "UNSEEN")[1][0].split():
        mail = email.message_from_bytes(imap.uid("FETCH", uid, "(RFC822)")[1][0][1], policy=email.policy.default)
        what = decide(mail)
        done[what] = done.get(what, 0) + 1
        author, subject = parseaddr(str(mail["From"]))[1], str(mail["Subject"])
        if what == "junk":
            imap.uid("MOVE", uid, "Junk")
        elif what == "pass_on":
            smtp.send_message(threaded(mail, address, address, f"Fwd: {subject}", "Please have a look at this mail."))
        elif what == "answer":
            numbers = ", ".join(dict.fromkeys(NUMBER.findall(f"{subject}\n{own_text(mail)}")))
            about = f" We have noted: {numbers}." if numbers else ""
            subject = subject if subject[:3].lower() == "re:" else f"Re: {subject}"
            smtp.send_message(threaded(
                mail, address, author, subject, f"Hello,\n\nthank you for your mail, we are looking into it.{about}\n\n"
                "Kind regards\n"))
    return done


def main() -> None:
    """Sign in, handle what is there, leave."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    for name, default in (("imap", "127.0.0.1:2143"), ("smtp", "127.0.0.1:2525"), ("login", "app@sim.test")):
        options.add_argument(f"--{name}", default=default)
    options.add_argument("--password", required=True)
    options.add_argument("--address", help="what it answers as; the login's, unless given")
    given = options.parse_args()
    (imap_host, _, imap_port), (smtp_host, _, smtp_port) = given.imap.partition(":"), given.smtp.partition(":")
    with imaplib.IMAP4(imap_host, int(imap_port)) as imap, smtplib.SMTP(smtp_host, int(smtp_port)) as smtp:
        imap.login(given.login, given.password)
        smtp.login(given.login, given.password)
        print(handle_all(imap, smtp, given.address or given.login.partition("%")[0]))


if __name__ == "__main__":
    main()
