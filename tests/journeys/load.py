"""SMTP sessions that send until they are cut off, and the books they keep."""

from __future__ import annotations

import email
import imaplib
import random
import smtplib
import threading
import time
from collections import Counter
from functools import partial
from hashlib import sha256
from typing import Any

from tests.journeys.running import LOGIN, SOON, JourneyCase, Service, until

SENDER = "load@sim.test"
PEOPLE = tuple(f"person{n}@acme.test" for n in range(4))


class Load:
    """
    Messages to the first login and a persona each, sent over several sessions at once.

    @ivar acknowledged: Message-IDs that got 250 after the dot; sent: those of which that is not known as well.
    @ivar refused: replies of 4xx; permanent: those of 5xx, which there must never be.
    """

    def __init__(self, service: Service, senders: int = 1) -> None:
        """
        @param senders: how many addresses they come from in turn; 1: from L{SENDER}.
        """
        self.service = service
        self.senders = (SENDER,) if senders == 1 else tuple(f"load{n}@sim.test" for n in range(senders))
        self.acknowledged: dict[str, str] = {}
        self.sent: dict[str, str] = {}
        self.refused: Counter[int] = Counter()
        self.permanent: list[str] = []
        self._lock = threading.Lock()
        self._number = 0
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self, sessions: int, again: bool = False, pause: float = 0.01, rest: float = 0.05) -> None:
        """
        Start to send.

        @param again: connect again after a lost connection, as everybody does after a refusal of 4xx; rest: real
            seconds until then.
        """
        self._stopping.clear()
        self._threads = [
            threading.Thread(target=self._send, args=(random.Random(self._number + n), again, pause, rest))
            for n in range(sessions)]
        for thread in self._threads:
            thread.start()

    def wait_for(self, count: int) -> None:
        """Wait until so many are acknowledged.  @raise AssertionError: what was said instead, and the log."""
        try:
            until(lambda: len(self.acknowledged) >= count)
        except AssertionError:
            alive = sum(thread.is_alive() for thread in self._threads)
            log = "\n".join(self.service.logged().splitlines()[-40:])
            raise AssertionError(
                f"{len(self.acknowledged)} of {count} are acknowledged; {alive} sessions go on, refused: "
                f"{dict(self.refused)} {self.permanent[:3]}; the log:\n{log}") from None

    def end(self) -> None:
        """Stop to send."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(SOON)
            if thread.is_alive():
                raise AssertionError("a session hangs")

    def _send(self, dice: random.Random, again: bool, pause: float, rest: float) -> None:
        while not self._stopping.is_set():
            later = again
            try:
                with smtplib.SMTP("127.0.0.1", self.service.port("smtp"), timeout=SOON) as session:
                    while not self._stopping.is_set():
                        self._one(session, dice)
                        time.sleep(pause)
            except smtplib.SMTPResponseException as error:
                self._note(error.smtp_code, error.smtp_error)
                later = later or error.smtp_code < 500  # who is asked to come later does
            except smtplib.SMTPRecipientsRefused as error:
                for code, text in error.recipients.values():
                    self._note(code, text)
            except OSError:
                # Last: what smtplib raises are OSErrors too.
                pass
            if not later:
                return
            time.sleep(rest)

    def _note(self, code: int, text: Any) -> None:
        with self._lock:
            self.refused[code] += 1
            if code >= 500:
                self.permanent.append(f"{code} {text!r}")

    def _one(self, session: smtplib.SMTP, dice: random.Random) -> None:
        with self._lock:
            number = self._number
            self._number += 1
        body = "".join(f"{dice.getrandbits(240):060x}\r\n" for _ in range(dice.randrange(1, 60)))
        if len(self.senders) > 1:
            # Something that wants an answer.
            body = "Could we meet for lunch on Friday at 12:30?\r\n" + body
        name, digest = f"<load.{number}@sim.test>", sha256(body.encode()).hexdigest()
        persona = PEOPLE[number % len(PEOPLE)]
        sender = self.senders[number // len(PEOPLE) % len(self.senders)]
        octets = (f"From: {sender}\r\nTo: {persona}, {LOGIN}\r\nSubject: Report {number}\r\n"
                  f"Message-ID: {name}\r\nX-Digest: {digest}\r\n\r\n{body}").encode()
        self.sent[name] = persona
        session.ehlo_or_helo_if_needed()
        # Not sendmail(), which goes on without a recipient who is put off: this is for both or for neither.
        for step in (partial(session.mail, sender), partial(session.rcpt, persona), partial(session.rcpt, LOGIN),
                     partial(session.data, octets)):
            code, text = step()
            if code != 250:
                raise smtplib.SMTPResponseException(code, text)
        self.acknowledged[name] = persona

    # What became of it

    def create_people(self) -> None:
        """Make the personas; nothing they get is junk."""
        for address in PEOPLE:
            self.service.good("POST", "/api/personas", {
                "addresses": [address], "temperament": "responsive", "style": {"filter": "none"}})

    def uids(self) -> dict[str, int]:
        """Message-IDs and UIDs in the login's INBOX."""
        with self.service.imap() as session:
            _, parts = session.uid("FETCH", "1:*", "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")
        return {part[1].decode().split()[1]: int(part[0].split(b"UID ")[1].split()[0].rstrip(b")"))
                for part in parts if isinstance(part, tuple)}

    def check(self, case: JourneyCase, within: float = SOON) -> None:
        """
        Everything acknowledged is there once, whole, with what follows from it; nothing is there twice.

        @param within: real seconds for all to be decided.
        """
        service = self.service
        until(lambda: service.undecided() == 0, within)
        with service.imap() as session:
            read = _read_all(session)
        inbox = Counter(read)
        case.assertEqual(set(self.acknowledged) - set(inbox), set(), "acknowledged and lost")
        case.assertEqual([name for name, count in inbox.items() if count > 1], [], "twice in the INBOX")
        case.assertEqual(set(inbox) - set(self.sent), set())
        # One that was not acknowledged is there for all its recipients with all that follows, or for none.
        there = {name: persona for name, persona in self.sent.items() if name in inbox}
        case.assertEqual(persona_mail(service), Counter(there.items()))
        delivered = Counter(event["data"]["message_id"] for event in service.events("mail.delivered"))
        case.assertEqual(delivered, Counter(list(there)))
        received = service.events("persona.received")
        case.assertEqual(Counter(event["data"]["message_id"] for event in received), Counter(list(there)))
        # A look at the sender's site is planned beside the decision.
        decided = Counter(event["type"] for event in service.events("persona.ignored,persona.batched,job.scheduled")
                          if event["data"].get("kind") != "link")
        case.assertEqual(decided.total(), len(received), decided)


def _read_all(session: imaplib.IMAP4) -> list[str]:
    """The Message-ID of each message in the selected folder; each is as it was sent."""
    _, parts = session.fetch("1:*", "(BODY.PEEK[])")
    found = []
    for part in parts:
        if isinstance(part, tuple):
            head, _, body = part[1].partition(b"\r\n\r\n")
            mail = email.message_from_bytes(head)
            if sha256(body).hexdigest() != mail["X-Digest"]:
                raise AssertionError(f"damaged: {mail['Message-ID']}")
            found.append(str(mail["Message-ID"]))
    return found


def persona_mail(service: Service) -> Counter[tuple[str, str]]:
    """How often each message is in the mailbox of each persona."""
    found: Counter[tuple[str, str]] = Counter()
    for address in PEOPLE:
        for folder in ("INBOX", "Junk"):
            before = ""
            while True:
                page = service.good(
                    "GET", f"/api/mailboxes/{address}/messages?folder={folder}&limit=1000{before}")
                found.update((item["message_id"], address) for item in page)
                if len(page) < 1000:
                    break
                before = f"&before={page[-1]['uid']}"
    return found
