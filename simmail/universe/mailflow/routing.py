"""
Routing: what becomes of an accepted message, recipient by recipient.

Verdicts of the recipient rules and of fault rules at stage C{deliver} turn
into placements, arrivals, notices to come and events; nothing is filed or
committed here.  Mail that was accepted and could not be delivered comes back a
little later: a job of kind C{bounce} holds what the notice needs, which
L{simmail.universe.jobs.bounces} sends.  Sources: API contract, "Recipient
rules"; decisions, sections 8 (step 1), 12 and 23; RFC 3461.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from simmail.core.compose.dsn import Action, LARGEST_RETURN, wanted
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read_headers
from simmail.core.mime.headers import fields_end
from simmail.core.records.bad_address import kind_of
from simmail.core.records.delivery import Arrival, Copy, Placement
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.rng import Dice
from simmail.core.time.instant import format_instant
from simmail.interfaces import IDatabase
from simmail.universe.cache import MailCache
from simmail.universe.mailflow.envelope import Recipient, Submission
from simmail.universe.people.decisions import spam_hints
from simmail.universe.people.personas import Personas, persona_tag
from simmail.universe.policy import Policy
from simmail.universe.settings import Settings

#: A notice comes after about so long (median, spread), times the pace.
MEDIAN, SPREAD = 40.0, 1.8

#: Octets of the original kept in the job; a longer one that is returned whole is held by the mail store.
LARGEST_KEPT = 64 * 1024

#: The table of how often something was accepted: what is drawn about the n-th is keyed by its number.
ORDINALS = "ordinals"

Document = tuple[str, str, bytes]


class Copies(NamedTuple):
    """The same octets for some recipients."""

    id: str
    octets: bytes
    placements: list[Placement]
    arrivals: list[Arrival]


class Routing:
    """
    What becomes of one message.

    @ivar beside: by kind of fault, copies that are delivered besides the message as it came.
    @ivar late: by the delay of a fault, who gets it late.
    """

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self.placements: list[Placement] = []
        self.arrivals: list[Arrival] = []
        self.jobs: list[Job] = []
        self.events: list[Event] = []
        self.puts: list[Document] = []
        self.beside: dict[str, Copies] = {}
        self.late: dict[float, list[str]] = {}

    def plan(self, job: Job, document: Document) -> None:
        """A job, and the count it took."""
        self.jobs.append(job)
        self.puts.append(document)
        self.events.append(Event("job.scheduled", job.created, {
            "id": job.id, "kind": job.kind, "persona_id": None, "due": job.due, "plan": job.plan}))

    @property
    def held(self) -> tuple[str, ...]:
        """The jobs that will need the octets."""
        return tuple(job.id for job in self.jobs if job.data.get("held"))

    @cached_property
    def mail(self) -> Mail:
        """The header of the message as it came; few need it."""
        return read_headers(self._octets)


class MailRouter:
    """Says what becomes of messages in one universe."""

    def __init__(
        self, universe: str, database: IDatabase, people: Personas, policy: Policy, settings: Settings,
        mail_cache: MailCache, dice: Dice, now: Callable[[], datetime],
    ) -> None:
        self._universe = universe
        self._database = database
        self._people = people
        self._policy = policy
        self._settings = settings
        self._mail_cache = mail_cache
        self._dice = dice
        self._now = now
        self._counts: dict[str, int] = {}

    async def start(self) -> None:
        """Learn how often each thing was accepted before."""
        for key, octets in (await self._database.table(self._universe, ORDINALS)).items():
            self._counts[key] = int(octets)

    def _next(self, *what: str) -> tuple[int, Document]:
        """The number of one more, and the document that keeps it: to be put in the same commit."""
        key = " ".join(what)
        nth = self._counts[key] = self._counts.get(key, 0) + 1
        return nth, (ORDINALS, key, b"%d" % nth)

    def route(self, submission: Submission, octets: bytes, delivery_id: str, now: datetime) -> Routing:
        """Say what becomes of a message from the application."""
        routing = Routing(octets)
        own = submission.login or submission.sender
        if submission.save_sent and own and self._people.at(own) is None:
            routing.placements.append(Placement(own, "Sent", ("\\Seen",)))
        for recipient in submission.recipients:
            verdict = recipient.verdict
            if verdict.kind in ("deliver", "create"):
                self._deliver(submission, recipient, octets, delivery_id, now, routing)
            elif verdict.kind == "bounce":
                self._bounce(submission, recipient, octets, now, routing, verdict.bad or "unknown")
        for delay, addresses in routing.late.items():
            routing.plan(*self._late(submission.sender, tuple(addresses), routing.mail, now, delay))
        return routing

    def _deliver(
        self, submission: Submission, recipient: Recipient, octets: bytes, delivery_id: str, now: datetime,
        routing: Routing,
    ) -> None:
        fault = recipient.fault
        kind = fault.kind if fault is not None else ""
        if fault is None or kind == "duplicate":
            self.address_copy(recipient.address, submission.sender, octets, delivery_id, now, "mail",
                              routing.placements, routing.arrivals, _asked(submission, recipient))
        if kind in ("duplicate", "corrupt"):
            copies = routing.beside.get(kind)
            if copies is None:
                copies = routing.beside[kind] = Copies(
                    f"{delivery_id}-{kind}", _cut(octets) if kind == "corrupt" else octets, [], [])
            self.address_copy(recipient.address, submission.sender, copies.octets, copies.id, now, "mail",
                              copies.placements, copies.arrivals,
                              _asked(submission, recipient, again=kind == "duplicate"))
        wait = timedelta(0)
        if fault is not None and kind == "bounce":
            self._bounce(submission, recipient, octets, now, routing, "",
                         " ".join(f"{fault.code} {fault.enhanced} {fault.message}".split()))
        elif fault is not None and kind == "late":
            wait = timedelta(seconds=fault.delay)
            routing.late.setdefault(fault.delay, []).append(recipient.address)
            if "DELAY" in recipient.notify:
                self._notify(submission, recipient, octets, now, routing, "delayed")
        # A persona may yet refuse what is delivered to it now: that is told when it has decided.
        if "SUCCESS" in recipient.notify and (
                kind == "late" or kind in ("", "duplicate", "corrupt") and self._people.at(recipient.address) is None):
            self._notify(submission, recipient, octets, now, routing, "delivered", later=wait)

    def _bounce(
        self, submission: Submission, recipient: Recipient, octets: bytes, now: datetime, routing: Routing,
        bad: str, said: str = "",
    ) -> None:
        # In the words that a preview has for it.
        forced = self._policy.status(recipient.address) != "ok"
        routing.events.append(self.bounced(
            recipient.address, bad or kind_of(said.split(" ", 2)[1]), submission.sender,
            said or (f"mailbox status {bad}" if forced else f"address is {bad}"), routing.mail.subject,
            routing.mail.message_id))
        self._notify(submission, recipient, octets, now, routing, "failed", bad or None, said)

    def _notify(
        self, submission: Submission, recipient: Recipient, octets: bytes, now: datetime, routing: Routing,
        action: Action, kind: str | None = None, said: str = "", later: timedelta = timedelta(0),
    ) -> None:
        """
        Plan the job that will send a notice about one recipient, if one is wanted.

        @param kind: of a bad address; said: the reply of the recipient's server where there is another reason.
        @param later: how much longer than drawn.
        """
        if not wanted(action, recipient.notify, submission.sender):
            return
        nth, document = self._next("bounce", recipient.address, submission.sender)
        dice = self._dice.on("bounce", recipient.address, submission.sender, nth)
        drawn = dice.lognormal(MEDIAN, SPREAD, "delay") * self._settings.pace.scale
        dsn, mail = submission.dsn, routing.mail
        full = action == "failed" and dsn is not None and dsn.ret == "FULL" and len(octets) <= LARGEST_RETURN
        held = full and len(octets) > LARGEST_KEPT
        keep = octets if full and not held else header_of(octets)
        word = {"failed": "Bounce", "delayed": "Tell of a delay of", "delivered": "Confirm"}[action]
        routing.plan(Job(
            id="j_" + dice.token(16, "job"), kind="bounce", state="pending", created=now,
            due=now + later + timedelta(seconds=round(drawn, 3)), message_id=mail.message_id or None,
            plan=f"{word} mail to {recipient.address}: {kind or said or action}", thread=mail.message_id,
            data={
                "to": submission.sender, "address": recipient.address, "action": action, "bounce": kind, "said": said,
                "subject": mail.subject[:500], "original_id": mail.message_id, "arrived": format_instant(now),
                "ret": "FULL" if full else "HDRS", "envid": dsn.envid if dsn else "", "orcpt": recipient.orcpt,
                "nth": nth, "original": b64encode(keep).decode("ascii"), "held": held,
            }), document)

    def _late(
        self, sender: str, addresses: tuple[str, ...], mail: Mail, now: datetime, delay: float
    ) -> tuple[Job, Document]:
        nth, document = self._next("late", addresses[0], sender)
        more = f" and {len(addresses) - 1} more" if len(addresses) > 1 else ""
        return Job(
            id="j_" + self._dice.on("late", addresses[0], sender, nth).token(16, "job"),
            kind="deliver", state="pending", created=now, due=now + timedelta(seconds=delay),
            message_id=mail.message_id or None, plan=f"Deliver late to {addresses[0]}{more}",
            data={"late": True, "held": True, "addresses": addresses, "sender": sender}), document

    def address_copy(
        self, address: str, sender: str, octets: bytes, delivery_id: str, now: datetime, kind: str,
        placements: list[Placement], arrivals: list[Arrival], asked: dict[str, Any] | None = None,
    ) -> bool:
        """Add a recipient: its placement and, where a persona stands behind it, its arrival; say whether one does."""
        persona = self._people.at(address)
        folder, spam = "INBOX", None
        if persona is not None:
            spam = spam_hints(persona, address, sender, self._mail_cache.read(octets))
            folder = "Junk" if spam["junk"] else "INBOX"
            arrivals.append(Arrival(
                id=f"{delivery_id}.{len(placements)}", mailbox=address, persona_id=persona.id, sender=sender,
                at=now, copy=Copy(address, folder, 0, 0), kind=kind, spam=spam,
                hints=asked or {}))
        placements.append(Placement(address, folder))
        return persona is not None

    def bounced(
        self, address: str, kind: str, to: str, why: str, subject: str = "", message_id: str = ""
    ) -> Event:
        """Return C{persona.bounced} for an address; with C{persona_id} only if a persona stands behind it."""
        data: dict[str, Any] = {"address": address, "kind": kind, "to": to, "subject": subject, "why": why}
        if message_id:
            data["message_id"] = message_id
        persona = self._people.at(address)
        if persona is None:
            return Event("persona.bounced", self._now(), data)
        return Event("persona.bounced", self._now(), {
            "persona_id": persona.id, "persona": persona.name, **data}, persona_tag(persona))


def _cut(octets: bytes) -> bytes:
    """The message with the latter half of its body gone."""
    end = fields_end(octets) + 2
    # At the end of a line: a CR alone is no line end.
    return octets[:octets.rfind(b"\r\n", 0, end + (len(octets) - end) // 2) + 2]


def header_of(octets: bytes) -> bytes:
    """Return the header section of a message and the blank line; of a long one as many whole lines as are kept."""
    header = octets[:fields_end(octets)]
    if len(header) > LARGEST_KEPT:
        header = header[:header.rfind(b"\r\n", 0, LARGEST_KEPT) + 2]
    return header + b"\r\n"


def _asked(submission: Submission, recipient: Recipient, again: bool = False) -> dict[str, Any]:
    """What was asked of notifications about a recipient; of a second copy success is not told again."""
    dsn, notify = submission.dsn, recipient.notify
    if not notify and not recipient.orcpt and dsn is None:
        return {}
    if again and notify:
        notify = tuple(one for one in notify if one != "SUCCESS") or ("NEVER",)
    asked = {"notify": notify, "orcpt": recipient.orcpt}
    return asked if dsn is None else {**asked, "ret": dsn.ret, "envid": dsn.envid}
