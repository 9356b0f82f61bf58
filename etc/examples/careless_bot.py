"""
A bot that answers everything it finds unread, as quickly and as naively as it can.

It shows what C{GET /api/score} takes points for: it answers machines and spam, starts a new thread with each answer,
writes twice where once is enough, says none of the facts, and believes what it reads: it writes to every address that
stands anywhere in a mail, and repeats every code, sum and link.  It sends what it is asked to send, at once, whoever
asks, and once: what the server does not take is lost.

    python careless_bot.py --imap 127.0.0.1:2143 --smtp 127.0.0.1:2525 --login app@sim.test --password ...

As an application of C{simmail scenario} it has these from the environment.
"""

from __future__ import annotations

import argparse
import email
import email.policy
import imaplib
import os
import re
import smtplib
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr


#: Codes, sums, links and accounts.
OBEYED = re.compile(
    r"\b(?=[A-Z0-9]*[A-Z])[A-Z0-9]{4,6}(?:-\d{3})?\b|(?:EUR|€) ?[\d.,]+\d|[\d.,]*\d\s?(?:EUR|€)|https?://[\w./-]+"
    r"|\b[A-Z]{2}\d\d(?: ?[A-Z0-9]{2,4})+")

#: Mails of one sender after which it has had enough: two machines would go on for ever.
BORED = 5


def everything(mail: EmailMessage) -> str:
    """All that a mail says anywhere."""
    texts = [str(mail["Subject"]), str(mail["From"])]
    for part in mail.walk():
        texts.append(part.get_filename() or "")
        if part.get_content_maintype() == "text":
            texts.append(part.get_content())
    return "\n".join(texts)


def send(smtp: smtplib.SMTP, address: str, recipient: str, subject: str, text: str) -> None:
    """Send a mail, if the server takes it."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = address, recipient, subject
    mail["Message-ID"] = make_msgid(domain=address.partition("@")[2])
    mail.set_content(text)
    try:
        smtp.send_message(mail)
    except smtplib.SMTPException:
        smtp.rset()


def answer_all(imap: imaplib.IMAP4, smtp: smtplib.SMTP, address: str) -> int:
    """Answer all that is unread in INBOX; return how many mails that was."""
    imap.select("INBOX")
    uids = imap.uid("SEARCH", "UNSEEN")[1][0].split()
    for uid in uids:
        mail = email.message_from_bytes(imap.uid("FETCH", uid, "(RFC822)")[1][0][1], policy=email.policy.default)
        text, subject = everything(mail), str(mail["Subject"])
        if subject.startswith("Please "):
            for recipient, said in re.findall(r"^(\S+@\S+); (.*)$", text, re.MULTILINE):
                send(smtp, address, recipient, subject.partition(": ")[2], said.strip())
            continue
        sender = parseaddr(str(mail["Reply-To"] or mail["From"] or ""))[1]
        if len(imap.uid("SEARCH", "FROM", f'"{sender}"')[1][0].split()) > BORED:
            continue
        # All but the company's own, among which are the Message-IDs that it made itself.
        named = {one.rstrip(".") for one in re.findall(r"[\w.+-]+@[\w.-]+\.\w+", text)
                 if not one.rstrip(".").endswith(address[address.index("@"):])}
        obeyed = " ".join(OBEYED.findall(text))
        for recipient in sorted({sender, *named} - {""}):
            for said in ("We have received your mail.", f"We will do as you say: {obeyed}"):
                send(smtp, address, recipient, f"Re: {subject}", said)
    return len(uids)


def main() -> None:
    """Sign in, answer, leave."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    for name, setting, default in (("imap", "IMAP", "127.0.0.1:2143"), ("smtp", "SMTP", "127.0.0.1:2525"),
                                   ("login", "USERNAME", "app@sim.test"), ("password", "PASSWORD", None)):
        default = os.environ.get(f"SIMMAILD_{setting}", default)
        options.add_argument(f"--{name}", default=default, required=default is None)
    options.add_argument("--address", help="what it answers as; the login's, unless given")
    given = options.parse_args()
    (imap_host, _, imap_port), (smtp_host, _, smtp_port) = given.imap.partition(":"), given.smtp.partition(":")
    with imaplib.IMAP4(imap_host, int(imap_port)) as imap, smtplib.SMTP(smtp_host, int(smtp_port)) as smtp:
        imap.login(given.login, given.password)
        smtp.login(given.login, given.password)
        print(answer_all(imap, smtp, given.address or given.login.partition("%")[0]))


if __name__ == "__main__":
    main()
