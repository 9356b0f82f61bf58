"""
The service as methods: one universe, seen with one key.

Durations are texts as the API takes them (C{"30s"}, C{"2h"}, C{"1d"}); every method raises L{ApiError}.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Unpack

from msgspec import Struct

from simmail.client.answers import Arrived, Found, InboxMail, Moved, PendingJob, SeveralArrived
from simmail.client.story import Story
from simmail.client.transport import Transport, path, question
from simmail.core.insights.report import ApplicationFigures
from simmail.core.records.case import Case
from simmail.core.records.event import Recorded
from simmail.core.records.persona import Persona
from simmail.core.score.points import ScoreReport

#: The largest page of a list.
PAGE = 1000


class WaitTiming(TypedDict, total=False):
    """How long to wait; C{since}: a cursor, a Message-ID or an instant.  Unless given, as the API has it."""

    since: str | int
    timeout: str
    advance: bool
    sim_timeout: str
    settle: str


class WaitMailFilter(WaitTiming, total=False):
    """Which mail to wait for; C{header}: C{Name:value}."""

    from_: str
    subject: str
    text: str
    header: Sequence[str]
    case_id: str
    folder: str
    unread: bool
    match: Literal["all", "any"]
    existing: bool


class MailLogin(Struct, frozen=True):
    """Signs in over SMTP and IMAP; C{password} is empty where only its owner knows it."""

    username: str
    address: str
    password: str = ""


class _Service(Struct, frozen=True):
    name: str
    address: str
    port: int


class _Connection(Struct, frozen=True):
    services: list[_Service]


class _Made(Struct, frozen=True):
    key: str
    logins: list[MailLogin]
    id: str = ""
    universe: str = ""


class _Id(Struct, frozen=True):
    id: str


class _MessageId(Struct, frozen=True):
    message_id: str


class _Message(Struct, frozen=True):
    message: InboxMail


class _Fingerprint(Struct, frozen=True):
    fingerprint: str | None


class _Insights(Struct, frozen=True):
    application: ApplicationFigures


class _Case(Struct, frozen=True):
    case: Case


class Client:
    """
    One universe.

    @ivar universe: its id where this client made it, else C{""}: that of the key.
    @ivar logins: its logins for SMTP and IMAP, where this client made it.
    """

    def __init__(self, url: str = "http://127.0.0.1:8025", key: str = "", universe: str = "",
                 logins: Sequence[MailLogin] = ()) -> None:
        self.url, self.key, self.universe, self.logins = url, key, universe, tuple(logins)
        self._transport = Transport(url, key)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._transport.close()

    def call(self, method: str, where: str, body: Any = None) -> Any:
        """Make any call of the API, as C{call("PUT", "/api/faults", [...])}; return its JSON."""
        return self._transport.call(object, method, where, body)

    @property
    def login(self) -> MailLogin:
        """The first login.  @raise LookupError: this client made none."""
        if not self.logins:
            raise LookupError("this client made no universe; sign in with a login of yours")
        return self.logins[0]

    def place(self, service: str) -> tuple[str, int]:
        """Return host and port of SMTP, SUBMISSION, SMTPS, IMAP or IMAPS, in either case; not served: LookupError."""
        found = self._transport.call(_Connection, "GET", path("connection")).services
        for one in found:
            if one.name == service.upper():
                return one.address, one.port
        raise LookupError(f"{service} is none of {', '.join(one.name for one in found)}")

    # Mail

    def send(self, /, from_: str, to: str | Sequence[str], subject: str = "", text: str = "", **more: Any) -> str:
        """Send as an application would; C{more}: C{html}, C{cc}, C{in_reply_to}, ...  Return the Message-ID."""
        people = {name: [one] if isinstance(one, str) else one for name, one in {"to": to, **more}.items()
                  if name in ("to", "cc", "bcc")}
        return self._transport.call(_MessageId, "POST", path("send"), {
            "from": from_, "subject": subject, "text": text, **more, **people}).message_id

    def wait(self, to: str, **which: Unpack[WaitMailFilter]) -> Arrived:
        """Wait for the next mail to an address; refused with 408 when none comes in time."""
        return self._transport.call(Arrived, "GET", path("wait") + question({"to": to, **which}))

    def wait_several(self, to: str, count: int, **which: Unpack[WaitMailFilter]) -> SeveralArrived:
        """Wait for so many mails; refused with 408 when they do not come in time."""
        if count == 1:
            one = self.wait(to, **which)
            return SeveralArrived([one], one.cursor)
        return self._transport.call(SeveralArrived, "GET", path("wait") + question(
            {"to": to, "count": count, **which}))

    def wait_none(self, to: str, **which: Unpack[WaitMailFilter]) -> None:
        """Make sure that none comes; refused with 409 when one does."""
        self.call("GET", path("wait", "none") + question({"to": to, **which}))

    def wait_reply(self, persona: str | None = None, in_reply_to: str | None = None, kind: str = "reply",
                   **timing: Unpack[WaitTiming]) -> Arrived:
        """Wait for what a persona writes next, or for the reply to a mail; refused with 409 and why when none will."""
        return self._transport.call(Arrived, "GET", path("wait", "reply") + question(
            {"persona": persona, "in_reply_to": in_reply_to, "kind": kind, **timing}))

    def inbox(self, address: str, q: str = "", folder: str = "INBOX", limit: int = 100) -> list[InboxMail]:
        """Return the newest mail of a folder, newest first; C{q}: a search."""
        return self._transport.call(list[InboxMail], "GET", path("mailboxes", address, "messages") + question(
            {"q": q or None, "folder": folder, "limit": limit}))

    def message(self, address: str, uid: int, folder: str = "INBOX") -> InboxMail:
        """Return one mail with all of its text."""
        return self._transport.call(_Message, "GET", path("mailboxes", address, "messages", folder, uid)).message

    def extract(self, /, text: str = "", html: str = "", **message: Any) -> Found:
        """Find codes and links, of text or of one mail; C{message}: C{address}, C{folder} and C{uid}."""
        return self._transport.call(Found, "POST", path("extract"), {"text": text, "html": html, **message})

    # Time

    def advance(self, by: str | None = None, to: str | None = None, until: str | None = None,
                settle: str = "0s") -> Moved:
        """Move the clock; exactly one of the three.  C{settle}: time for the application after each mail it gets."""
        return self._transport.call(Moved, "POST", path("clock", "advance"), {
            "by": by, "to": to, "until": until, "settle": settle})

    def settle(self, quiet: str = "200ms") -> Moved:
        """Run all jobs there are, with time for the application to answer after each mail that it gets."""
        return self.advance(until="idle", settle=quiet)

    def jobs(self, state: str = "pending") -> list[PendingJob]:
        """Return jobs by due time, a thousand at most."""
        return self._transport.call(list[PendingJob], "GET", path("jobs") + question({"state": state, "limit": PAGE}))

    # People

    def personas(self) -> list[Persona]:
        """Return everybody, by name."""
        return self._transport.call(list[Persona], "GET", path("personas"))

    def add_persona(self, /, address: str, **more: Any) -> Persona:
        """Make somebody; C{more}: C{name}, C{temperament}, C{timing}, ...; what is left out is drawn."""
        return self._transport.call(Persona, "POST", path("personas"), {"addresses": [address], **more})

    def cases(self) -> list[Case]:
        """Return all cases, by id."""
        return self._transport.call(list[Case], "GET", path("cases"))

    def add_case(self, /, title: str, **more: Any) -> Case:
        """Make a case, or change the one of that C{external_id}."""
        return self._transport.call(_Case, "POST", path("cases"), {"title": title, **more}).case

    # What happened

    def events(self, /, type: str | None = None, after: int = 0, **more: Any) -> list[Recorded]:
        """Return all events behind a number, oldest first; C{type} as C{"persona.*,-persona.sent"}."""
        found: list[Recorded] = []
        while True:
            page = self._transport.call(list[Recorded], "GET", path("events") + question(
                {"type": type, "after": after, "order": "asc", "limit": PAGE, **more}))
            found += page
            if len(page) < PAGE:
                return found
            after = page[-1].id

    def explain(self, message_id: str = "") -> str:
        """Tell who got what, who decided what and why, and what comes next; of one mail, or of all."""
        return str(Story(self.events(), self.jobs(), message_id))

    def score(self, since: str | None = None, points: str = "all") -> ScoreReport:
        """Grade what the application made of its mail."""
        return self._transport.call(ScoreReport, "GET", path("score") + question({"since": since, "points": points}))

    def application(self, days: int = 30) -> ApplicationFigures:
        """Count what the application did with its mail of the last days: answers, duplicates, loops, ..."""
        return self._transport.call(_Insights, "GET", path("insights") + question({"days": days})).application

    # Universes

    def create(self, /, ttl: str = "1h", **more: Any) -> Client:
        """Make a new universe with a login and a key (for administrators); C{more}: C{seed}, C{clock}, C{id}, ..."""
        made = self._transport.call(_Made, "POST", path("admin", "universes"), {"ttl": ttl, "login": True, **more})
        return Client(self.url, made.key, made.id, made.logins)

    def delete(self, universe: str) -> None:
        """Delete a universe with all that is in it (for administrators)."""
        self.call("DELETE", path("admin", "universes", universe))

    def snapshot(self, name: str = "") -> str:
        """Keep the universe as it is; return the snapshot's id."""
        return self._transport.call(_Id, "POST", path("snapshots"), {"name": name}).id

    def restore(self, snapshot: str) -> None:
        """Put the universe back as it was."""
        self.call("POST", path("snapshots", snapshot, "restore"))

    def fork(self, /, snapshot: str = "now", ttl: str | None = "1h", **more: Any) -> Client:
        """Make a universe that begins as this one, or as a snapshot; its logins have the passwords known here."""
        made = self._transport.call(_Made, "POST", path("snapshots", snapshot, "fork"), {"ttl": ttl, **more})
        known = {one.address: one.password for one in self.logins}
        return Client(self.url, made.key, made.universe, [
            MailLogin(one.username, one.address, known.get(one.address, "")) for one in made.logins])

    def reset(self, /, keep: Sequence[str] = ("accounts", "settings", "webhooks"), **more: Any) -> str | None:
        """Remove everything but what is kept; C{more}: C{seed}, C{clock}.  Return the fingerprint."""
        return self._transport.call(_Fingerprint, "POST", path("reset"), {"keep": keep, **more}).fingerprint
