"""
A bot that answers the mail of a small company as somebody careful would, with nothing but smtplib and imaplib.

What machines sent is left alone; what nobody vouches for, or asks for money, passwords or obedience, goes to Junk;
bills go to somebody who decides; everything else (offers too: it does not tell them apart) is answered once, in its
thread, with the numbers that it is about.  Nothing that stands in a mail is an instruction: it writes to whoever wrote,
and to its own company; only its owner may ask it to send mail, and says so in a mail that is vouched for:

    Please send: <subject>                     Please send on 2026-03-31: <subject>
    <address>; <text>                          Please invite: <title> at 2026-03-10T15:00Z
    <address>; <text>                          <address>; <time zone>

What a server does not take it keeps and tries again; who bounced or has unsubscribed gets no more of that.

    python careful_bot.py --imap 127.0.0.1:2143 --smtp 127.0.0.1:2525 --login app@sim.test --password ...

As an application of C{simmail scenario} it has these from the environment.
"""

from __future__ import annotations

import argparse
import email
import email.policy
import imaplib
import json
import os
import re
import smtplib
from collections.abc import Container
from datetime import datetime
from email.message import EmailMessage
from email.utils import getaddresses, make_msgid, parseaddr
from pathlib import Path
from zoneinfo import ZoneInfo

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
UNSUBSCRIBE = re.compile(r"unsubscribe|take me off|no more (?:mail|newsletters)", re.IGNORECASE)
DATA = re.compile(r"personal data|data (?:do )?you (?:have|hold|keep) (?:about|on) me|gdpr", re.IGNORECASE)
#: What the owner asks for: when, what, and at which instant people shall meet.
ORDER = re.compile(r"Please (send|invite)(?: on (\d{4}-\d\d-\d\d))?: (.*?)(?: at (\d{4}-\d\d-\d\dT\d\d:\d\d)Z)?$")
LINE = re.compile(r"^(\S+@\S+); (.*)$", re.MULTILINE)
RECIPIENT = re.compile(r"^Final-Recipient: rfc822; *(\S+)", re.MULTILINE | re.IGNORECASE)
#: Answers that one conversation gets: two machines that thank each other would go on for ever.
MOST_ANSWERS = 3
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


def author_of(mail: EmailMessage) -> str:
    """The address it is from."""
    return parseaddr(str(mail["From"]))[1].lower()


def is_vouched_for(mail: EmailMessage, known: Container[str]) -> bool:
    """Whether the domain of its author vouches for it or nobody has asked and it is known, and answers go there."""
    results, author = mail["Authentication-Results"], author_of(mail)
    passed = author in known if results is None else "dmarc=pass" in " ".join(str(results).split())
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


def decide(mail: EmailMessage, known: Container[str] = ()) -> str:
    """C{junk}, C{leave}, C{pass_on} or C{answer}; C{known}: addresses that were written to."""
    if mail.get_content_type() == "multipart/report" and not mail["Authentication-Results"]:
        return "leave"
    if not is_vouched_for(mail, known) or HOSTILE.search(everything(mail)):
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
    answer = composed(address, to, subject, text)
    own = str(mail["Message-ID"]).strip()
    answer["In-Reply-To"], answer["References"] = own, " ".join([*str(mail["References"] or "").split(), own])
    return answer


def composed(address: str, to: str, subject: str, text: str) -> EmailMessage:
    """A mail."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = address, to, subject
    mail["Message-ID"] = make_msgid(domain=address.partition("@")[2])
    mail.set_content(text)
    return mail


class Desk:
    """
    What it does with mail, and what it remembers: whom it wrote to, what is still to be sent, who gets no more.

    @param file: where that is kept, C{None}: nowhere.
    """

    def __init__(self, imap: imaplib.IMAP4, smtp: smtplib.SMTP, address: str, owner: str, today: str,
                 file: Path | None) -> None:
        self._imap, self._smtp, self._address = imap, smtp, address
        self._owner, self._today, self._file = owner, today, file
        kept = json.loads(file.read_text(encoding="utf-8")) if file is not None and file.exists() else {}
        #: Mails to be sent: not before a day, to whom, and the mail.
        self._outbox: list[tuple[str, str, str]] = kept.get("outbox", [])
        self._known: list[str] = kept.get("known", [owner])
        self._refused: list[str] = kept.get("refused", [])
        self._answered: dict[str, int] = kept.get("answered", {})

    def handle_all(self) -> dict[str, int]:
        """Handle all that is unread in INBOX; return how many mails were handled in which way."""
        self._imap.select("INBOX")
        done: dict[str, int] = {}
        for uid in self._imap.uid("SEARCH", "UNSEEN")[1][0].split():
            octets = self._imap.uid("FETCH", uid, "(RFC822)")[1][0][1]
            mail = email.message_from_bytes(octets, policy=email.policy.default)
            what = decide(mail, self._known)
            done[what] = done.get(what, 0) + 1
            if what == "junk":
                self._imap.uid("MOVE", uid, "Junk")
            elif what == "leave" and mail.get_content_type() == "multipart/report":
                self._refused += set(RECIPIENT.findall(octets.decode("latin-1"))).intersection(self._known)
            elif what == "pass_on":
                self._pass_on(mail)
            elif what == "answer" and author_of(mail) == self._owner:
                self._obey(mail)
            elif what == "answer":
                self._answer(mail)
        self._send()
        return done

    def _pass_on(self, mail: EmailMessage) -> None:
        self._put(threaded(mail, self._address, self._owner, f"Fwd: {mail['Subject']}",
                           f"Please have a look at this mail of {author_of(mail)}."))

    def _answer(self, mail: EmailMessage) -> None:
        author, subject, said = author_of(mail), str(mail["Subject"]), own_text(mail)
        subject = subject if subject[:3].lower() == "re:" else f"Re: {subject}"
        conversation = f"{author} {subject}"
        self._answered[conversation] = self._answered.get(conversation, 0) + 1
        if self._answered[conversation] > MOST_ANSWERS:
            return
        numbers = ", ".join(dict.fromkeys(NUMBER.findall(f"{mail['Subject']}\n{said}")))
        text = "we are looking into it." + (f" We have noted: {numbers}." if numbers else "")
        if UNSUBSCRIBE.search(said):
            self._refused.append(author)
            text = "you get no more of it."
        elif DATA.search(said):
            self._pass_on(mail)
            text = f"you get all data that we have about {author} within a month."
        self._put(threaded(mail, self._address, author, subject,
                           f"Hello,\n\nthank you for your mail, {text}\n\nKind regards\n"))

    def _obey(self, mail: EmailMessage) -> None:
        """Do what the owner asks for, if it is an order."""
        order = ORDER.match(str(mail["Subject"]))
        for to, said in LINE.findall(own_text(mail)) if order else ():
            _, day, subject, instant = order.groups("")
            if to in self._refused:
                continue
            said = said.strip()
            if instant:
                there = datetime.fromisoformat(f"{instant}+00:00").astimezone(ZoneInfo(said))
                said = f"We meet on {there:%A, %d %B %Y at %H:%M} in your time ({said})."
            self._put(composed(self._address, to, subject, f"{said}\n"), day)

    def _put(self, mail: EmailMessage, day: str = "") -> None:
        self._outbox.append((day, str(mail["To"]), mail.as_string()))

    def _send(self) -> None:
        """Send what its day has come for; what the server does not take now is kept."""
        kept = []
        for day, to, text in self._outbox:
            try:
                if day > self._today:
                    kept.append((day, to, text))
                elif to not in self._refused or "In-Reply-To" in text:
                    self._smtp.send_message(email.message_from_string(text, policy=email.policy.default))
                    self._known.append(to)
            except (smtplib.SMTPException, OSError) as error:
                lasting = isinstance(error, smtplib.SMTPRecipientsRefused) and error.recipients[to][0] >= 500
                kept += [] if lasting else [(day, to, text)]
        self._outbox = kept
        if self._file is not None:
            self._file.write_text(json.dumps({
                "outbox": self._outbox, "known": sorted(set(self._known)), "refused": self._refused,
                "answered": self._answered}), encoding="utf-8")


def main() -> None:
    """Sign in, handle what is there, leave; where the servers are away, that is for next time."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    for name, setting, default in (("imap", "IMAP", "127.0.0.1:2143"), ("smtp", "SMTP", "127.0.0.1:2525"),
                                   ("login", "USERNAME", "app@sim.test"), ("password", "PASSWORD", None)):
        default = os.environ.get(f"SIMMAILD_{setting}", default)
        options.add_argument(f"--{name}", default=default, required=default is None)
    options.add_argument("--address", help="what it answers as; the login's, unless given")
    given = options.parse_args()
    address, folder = given.address or given.login.partition("%")[0], os.environ.get("SIMMAILD_FOLDER")
    (imap_host, _, imap_port), (smtp_host, _, smtp_port) = given.imap.partition(":"), given.smtp.partition(":")
    try:
        with imaplib.IMAP4(imap_host, int(imap_port)) as imap, smtplib.SMTP(smtp_host, int(smtp_port)) as smtp:
            imap.login(given.login, given.password)
            smtp.login(given.login, given.password)
            print(Desk(imap, smtp, address, os.environ.get("SIMMAILD_OWNER", address),
                       os.environ.get("SIMMAILD_NOW", datetime.now().isoformat())[:10],
                       Path(folder) / "desk.json" if folder else None).handle_all())
    except (imaplib.IMAP4.error, smtplib.SMTPException, OSError) as error:
        print(f"Later: {error}")


if __name__ == "__main__":
    main()
