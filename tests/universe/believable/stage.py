"""
Plays the set: each mail and each conversation to one person, in a universe of its own in memory.

Everybody answers everything (C{reply_rate} 1), keeps promises, makes no slips and opens no links.  The road is the
real one: delivery, decision, memory, words, jobs and the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from simmail.config import Ai, Config
from simmail.core.compose.quoting import quote
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.mime.address import parse_all
from simmail.core.records.event import Event
from simmail.core.records.persona import TEMPERAMENTS as ALL_TEMPERAMENTS  # noqa: E402
from simmail.core.time.instant import email_date
from simmail.core.wording.chat import ChatAnswer, ChatQuery
from simmail.testing.universe import MemoryServer, now, turned
from tests.universe.believable import specimens
from tests.universe.believable.specimens import Background, Conversation, Specimen

TEMPERAMENTS = tuple(one.name for one in ALL_TEMPERAMENTS)
#: Words what is asked of a model; and what that model is called.
Writer = Callable[[ChatQuery], ChatAnswer]
MODEL = "writer"
#: After the last mail so long is waited for what comes later.
PATIENCE = timedelta(days=14)

_PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


class Letter(NamedTuple):
    """
    One mail that a person wrote.

    @ivar kind: as in C{persona.sent}; turn: the number of the mail it came after, from 0.
    @ivar text: the new text without the signature; calendar: the method of a calendar object in it, C{""} for none.
    @ivar by: who worded it.
    """

    kind: str
    turn: int
    at: datetime
    to: str
    subject: str
    text: str
    files: tuple[str, ...] = ()
    calendar: str = ""
    by: str = "templates"


class Played(NamedTuple):
    """What came of one mail or conversation: C{silences} say why a mail was not answered, by its number."""

    letters: tuple[Letter, ...]
    silences: dict[int, str]

    def answers(self, turn: int) -> list[Letter]:
        """The letters after a mail."""
        return [one for one in self.letters if one.turn == turn]


class _Theatre:
    """A universe with one person, and what it writes; C{writer} words it, if it is given."""

    def __init__(self, seed: str, person: dict[str, Any], begin: datetime, writer: Writer | None = None) -> None:
        self.server = MemoryServer(Config() if writer is None else Config(
            ai=Ai(base_url="http://model.example/v1", model=MODEL)))
        self.universe = self.server.universe(clock=begin, seed=seed)
        if writer is not None:
            self.server.model.reply = writer
            now(self.universe.settings.put("ai", {"mode": "on"}))
        self.zone = ZoneInfo(person["timing"]["hours"]["tz"])
        self.name, self.address = person["name"], person["addresses"][0]
        self.letters: list[Letter] = []
        self.silences: dict[int, str] = {}
        self.last: dict[str, Mail] = {}
        self._sent: list[Event] = []
        self._seen: dict[str, int] = {}
        self._threads: dict[str, list[str]] = {}
        self.turn = -1
        policy = {"enabled": False, "sender_check": 0.0}
        now(self.universe.settings.put("links", policy))
        self.universe.log.watch(self._noted)
        self.persona = now(self.universe.people.create(person))

    def _noted(self, first: int, events: Sequence[Event]) -> None:
        self._sent += [one for one in events if one.type == "persona.sent"]
        for one in events:
            if one.type in ("persona.ignored", "persona.junked", "persona.bounced"):
                self.silences[self.turn] = f"{one.type[8:]}: {one.data.get('why', '')}"

    def know(self, case: Background | None, notes: tuple[str, ...], title: str, sender: str) -> None:
        """What the person knows beforehand."""
        for note in notes:
            now(self.universe.memories.remember(self.persona.id, note))
        if case is None:
            return
        fields: dict[str, Any] = {
            "id": "c_known", "title": title, "keys": list(case.keys), "facts": case.facts, "secrets": case.secrets}
        there: dict[str, Any] = {"persona_id": self.persona.id, "knows": "all"}
        now(self.universe.case_editor.push({**fields, "people": [there, {"address": sender}]}))
        if case.wants:
            # Somebody who is on a new case and wants something would write first.
            now(self.universe.case_editor.push({
                **fields, "people": [{**there, "wants": case.wants}, {"address": sender}]}))

    def send(self, sender: str, subject: str, message: EmailMessage, until: datetime) -> None:
        """Let the next mail in, and time go by."""
        self.turn += 1
        address = parse_all(sender)[0].address
        before = self._threads.setdefault(subject, [])
        message["From"] = sender
        message["To"] = f"{self.name} <{self.address}>"
        message["Subject"] = f"Re: {subject}" if before and self.turn else subject
        message["Date"] = email_date(self.universe.clock.now().astimezone(self.zone))
        message["Message-ID"] = f"<m{self.turn}@{address.partition('@')[2]}>"
        if before:
            message["In-Reply-To"] = before[-1]
            message["References"] = " ".join(before)
        before.append(message["Message-ID"])
        self.server.send(self.universe, address, self.address, message.as_bytes(policy=SMTP))
        turned(self.universe, self.universe.scheduler.advance(to=until))
        self._collect(address, subject)

    def _collect(self, address: str, subject: str) -> None:
        kinds = {one.data["message_id"]: one for one in self._sent}
        if not self.universe.store.exists(address):
            return
        folder = now(self.universe.store.folder(address, "INBOX"))
        for uid in [uid for uid in folder.uids if uid > self._seen.get(address, 0)]:
            self._seen[address] = uid
            octets = now(folder.read(uid))
            mail = read(octets)
            sent = kinds.get(mail.message_id)
            if sent is None:
                continue
            if mail.message_id not in self._threads[subject]:
                self._threads[subject].append(mail.message_id)
            self.last[subject] = mail
            self.letters.append(Letter(
                sent.data["kind"], self.turn, sent.at.astimezone(self.zone), ", ".join(sent.data["to"]), mail.subject,
                unsigned(sent.data["text"], self.name), tuple(one.filename for one in mail.attachments),
                calendar_method(octets), sent.data["by"]))

    def played(self) -> Played:
        """What came of it."""
        return Played(tuple(self.letters), self.silences)


def unsigned(text: str, name: str) -> str:
    """A text without the signature: what stands below the last line that is the writer's name, and that line."""
    lines = text.split("\n-- \n")[0].strip().split("\n")
    first, *rest = name.split()
    names = {name.lower(), first.lower(), first[0].lower(), "".join(one[0] for one in (first, *rest)).lower()}
    for number in range(len(lines) - 1, 0, -1):
        if lines[number].strip().strip(".,-–—").strip().lower() in names:
            lines = lines[:number]
            break
    return "\n".join(lines).strip()


def calendar_method(octets: bytes) -> str:
    """The iTIP method (RFC 5546) of a calendar object in a message, C{""} for none."""
    at = octets.upper().find(b"TEXT/CALENDAR")
    if at < 0:
        return ""
    _, found, rest = octets[at:at + 400].upper().partition(b"METHOD=")
    return rest.split(b"\r\n")[0].split(b";")[0].strip(b'" ').decode("ascii", "replace") if found else "?"


def person(fields: dict[str, Any], temperament: str, **timing: Any) -> dict[str, Any]:
    """The fields of one of the people with a temperament; it answers whatever comes, unless C{timing} says else."""
    return {
        **fields, "temperament": temperament, "knows": "all",
        "style": {"client": "plain", "filter": "none", "links": "never", "typos": 0},
        "behaviors": {"keep_promises": 1, "double_reply": 0, "cc_someone": 0, "bounce": 0},
        "timing": {**fields["timing"], "reply_rate": 1, **timing}}


def play_mail(
    mail: Specimen, temperament: str, nth: int = 0, typos: float = 0.0, writer: Writer | None = None,
    folder: Path = specimens.HERE,
) -> Played:
    """One mail to one of a folder's people: the C{nth} of those who might have got it, with so many C{typos}."""
    who = person(specimens.people(folder)[mail.to], temperament)
    if folder != specimens.HERE and mail.answer == "none":
        del who["timing"]["reply_rate"]  # a set that is scored: whether it is answered at all is part of it
    who["style"]["typos"] = typos
    begin = specimens.instant(mail.at, who["timing"]["hours"]["tz"])
    theatre = _Theatre(f"believable {mail.name} {temperament}{f' {nth}' if nth else ''}", who, begin, writer)
    address = parse_all(mail.from_)[0].address
    theatre.know(mail.case, mail.notes, mail.subject or mail.name, address)
    theatre.send(mail.from_, mail.subject, message(mail), begin + PATIENCE)
    return theatre.played()


def play_conversation(
    conversation: Conversation, temperament: str, nth: int = 0, writer: Writer | None = None,
    folder: Path = specimens.HERE,
) -> Played:
    """One conversation with one of a folder's people: who answers within the hour at work."""
    who = person(specimens.people(folder)[conversation.to], temperament, delay={"median": "40m", "spread": 1})
    times = specimens.instants(conversation, who["timing"]["hours"]["tz"])
    theatre = _Theatre(
        f"believable {conversation.name} {temperament}{f' {nth}' if nth else ''}", who, times[0], writer)
    theatre.know(conversation.case, conversation.notes, conversation.subject,
                 parse_all(conversation.from_)[0].address)
    for number, turn in enumerate(conversation.turns):
        subject = turn.subject or conversation.subject
        last = theatre.last.get(subject)
        text = turn.text.rstrip("\n")
        body = EmailMessage()
        body.set_content((quote("gmail", text, last)[0] if last is not None else text) + "\n", cte="8bit")
        theatre.send(turn.from_ or conversation.from_, subject, body,
                     times[number + 1] if number + 1 < len(times) else times[-1] + PATIENCE)
    return theatre.played()


def message(mail: Specimen) -> EmailMessage:
    """A mail of the set without its address fields; the same octets each time."""
    made = EmailMessage()
    if mail.text or not mail.html:
        made.set_content(mail.text, cte="8bit")
        if mail.html:
            made.add_alternative(mail.html, subtype="html", cte="8bit")
    else:
        made.set_content(mail.html, subtype="html", cte="8bit")
    if mail.calendar:
        made.add_alternative(mail.calendar, subtype="calendar", cte="8bit", params={"method": "REQUEST"})
    for name in mail.attached:
        main, sub = ("image", "jpeg") if name.endswith(".jpg") else ("application", "pdf")
        made.add_attachment(_PDF, maintype=main, subtype=sub, filename=name)
    for number, part in enumerate(made.walk()):
        if part.is_multipart():
            part.set_boundary(f"=_{number}_{mail.name}")  # the library's own are random
    return made
