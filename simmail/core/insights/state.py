"""
What is kept of the event log: counts by day, and the mails that something may still become of.

It is bounded: days that nobody can ask for are dropped, mails are followed for L{FOLLOWED} days, and campaigns and
domains beyond L{MOST_GROUPS} are counted as one.  What changed since it was last written down is known
(L{State.changed}), so that writing costs what changed.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from simmail.core.insights.cells import (
    DAY, FIRST_GROUP, OTHER_CAMPAIGNS, OTHER_DOMAINS, TOTAL, WIDTH, Cells, key,
)

#: Days back that can be asked for.
LONGEST = 366

#: Simulated days for which a mail is followed, and mails that are at once; the oldest are given up first.
FOLLOWED, MOST_MAILS = 60, 100_000

#: Mails are written down together with those of so many events, as a power of two.
CHUNK = 8

#: Campaigns, and domains, that are told apart within all days that are kept.
MOST_GROUPS = 500

#: Loops that are known, so that each is counted once.
MOST_LOOPS = 1000

CAMPAIGN, DOMAIN, TEMPERAMENT = "c", "d", "t"


class SentMail(Struct, array_like=True):
    """
    A mail of the application.

    @ivar number: of the event it is known by; at: the instant of that, in seconds since 1970.
    @ivar campaign: its group; domains: of its recipients, some.
    @ivar done: what has been counted of it: a letter and whose.
    """

    number: int
    at: int
    campaign: int
    domains: tuple[str, ...]
    done: tuple[str, ...] = ()


class ReceivedMail(Struct, array_like=True):
    """
    A mail that the application got.

    @ivar sender: whom an answer goes to; subject: its base subject, to know an answer by that bears no reference.
    @ivar wanted: an answer is expected; automatic: none must be; junk: nor here.
    @ivar answers: how many it got.
    """

    number: int
    message_id: str
    at: int
    sender: str
    to: tuple[str, ...]
    subject: str
    wanted: bool = False
    automatic: bool = False
    junk: bool = False
    answers: int = 0


class Mails(NamedTuple):
    """Mails that are written down together, by Message-ID."""

    sent: dict[str, SentMail]
    received: dict[str, ReceivedMail]


class Changed(NamedTuple):
    """What is other than when it was last written down: days, groups, chunks of mails."""

    days: set[int]
    groups: set[int]
    chunks: set[int]


class State:
    """
    The fold of the event log up to event number C{through}.

    @ivar days: cells by day, in days since 1970.
    @ivar names: of groups: a letter for what it is, and its words, joined by NUL.
    @ivar sent, received: mails by Message-ID, oldest first.
    @ivar chunks: the same, as they are written down together.
    @ivar loops: the day on which each was counted.
    @ivar latest: the instant of the last event, in seconds since 1970.
    """

    def __init__(self) -> None:
        self.through = 0
        self.latest = 0
        self.days: dict[int, Cells] = {}
        self.names: dict[int, str] = {}
        self.sent: dict[str, SentMail] = {}
        self.received: dict[str, ReceivedMail] = {}
        self.loops: dict[str, int] = {}
        self.chunks: dict[int, Mails] = {}
        self.changed = Changed(set(), set(), set())
        self._ids: dict[str, int] = {}
        self._next = FIRST_GROUP
        self._kinds: dict[str, int] = {}
        self._senders: dict[str, dict[str, None]] = {}

    def take_changed(self) -> Changed:
        """Return what has changed since this was last asked."""
        taken, self.changed = self.changed, Changed(set(), set(), set())
        return taken

    def restore_changed(self, changed: Changed) -> None:
        """What was to be written down has not been."""
        self.changed.days.update(changed.days)
        self.changed.groups.update(changed.groups)
        self.changed.chunks.update(changed.chunks)

    # Counting

    def add(self, day: int, group: int, slot: int, count: int = 1) -> None:
        """Count something of a group."""
        cells = self.days.get(day)
        if cells is None:
            cells = self._begin(day)
        one = key(group, slot)
        cells[one] = cells.get(one, 0) + count
        self.changed.days.add(day)

    def add_mail(self, day: int, campaign: int, slot: int, count: int = 1) -> None:
        """Count something of a campaign, which is also something of all mail."""
        self.add(day, campaign, slot, count)
        self.add(day, TOTAL, slot, count)

    def _begin(self, day: int) -> Cells:
        cells: Cells = {}
        if day > max(self.days, default=day - 1):
            self._forget_before(day - LONGEST)
        self.days[day] = cells
        return cells

    # Groups

    def campaign(self, sender: str, subject: str) -> int:
        """Return the group of a campaign; those whose subjects differ in case alone are one."""
        return self._group(f"{CAMPAIGN}\0{sender}\0{subject}", OTHER_CAMPAIGNS)

    def domain(self, domain: str) -> int:
        """Return the group of a recipient's domain."""
        return self._group(f"{DOMAIN}\0{domain}", OTHER_DOMAINS)

    def temperament(self, temperament: str) -> int:
        """Return the group of a temperament."""
        return self._group(f"{TEMPERAMENT}\0{temperament}", 0)

    def _group(self, name: str, other: int) -> int:
        folded = name.casefold()
        found = self._ids.get(folded)
        if found is None:
            if other and self._kinds.get(name[0], 0) >= MOST_GROUPS:
                return other
            found = self._next
            self.restore_group(found, name)
            self.changed.groups.add(found)
        return found

    def restore_group(self, group: int, name: str) -> None:
        """Know a group under its number."""
        self.names[group], self._ids[name.casefold()] = name, group
        self._kinds[name[0]] = self._kinds.get(name[0], 0) + 1
        self._next = max(self._next, group + 1)

    # Mails

    def keep_sent(self, message_id: str, mail: SentMail) -> None:
        """Follow a mail of the application; of one that is sent again the new one."""
        self._leave_sent(message_id)
        self.sent[message_id] = self._chunk(mail).sent[message_id] = mail
        self.changed_mail(mail)
        while len(self.sent) > MOST_MAILS or next(iter(self.sent.values())).at < mail.at - FOLLOWED * DAY:
            self._leave_sent(next(iter(self.sent)))

    def restore_mails(self, chunk: int, mails: Mails) -> None:
        """Know mails that were written down together; the oldest chunk comes first."""
        self.chunks[chunk] = mails
        self.sent.update(mails.sent)
        self.received.update(mails.received)
        for message_id, mail in mails.received.items():
            self._senders.setdefault(mail.sender, {})[message_id] = None

    def _leave_sent(self, message_id: str) -> None:
        mail = self.sent.pop(message_id, None)
        if mail is not None:
            del self._chunk(mail).sent[message_id]
            self.changed_mail(mail)

    def changed_mail(self, mail: SentMail | ReceivedMail) -> None:
        """Note that a mail is not any more as it was written down."""
        self.changed.chunks.add(mail.number >> CHUNK)

    def _chunk(self, mail: SentMail | ReceivedMail) -> Mails:
        found = self.chunks.get(mail.number >> CHUNK)
        if found is None:
            found = self.chunks[mail.number >> CHUNK] = Mails({}, {})
        return found

    def keep_received(self, message_id: str, mail: ReceivedMail) -> None:
        """Follow a mail that the application got."""
        self._leave_received(message_id)
        self.received[message_id] = self._chunk(mail).received[message_id] = mail
        self._senders.setdefault(mail.sender, {})[message_id] = None
        self.changed_mail(mail)
        while len(self.received) > MOST_MAILS or next(iter(self.received.values())).at < mail.at - FOLLOWED * DAY:
            self._leave_received(next(iter(self.received)))

    def _leave_received(self, message_id: str) -> None:
        mail = self.received.pop(message_id, None)
        if mail is not None:
            del self._chunk(mail).received[message_id]
            self.changed_mail(mail)
            own = self._senders[mail.sender]
            del own[message_id]
            if not own:
                del self._senders[mail.sender]

    def received_from(self, sender: str) -> list[ReceivedMail]:
        """Return the mails that came from an address, the newest first."""
        return [self.received[one] for one in reversed(self._senders.get(sender, {}))]

    def has_received_from(self, sender: str) -> bool:
        """Tell whether any of the mails came from an address."""
        return sender in self._senders

    def loop(self, conversation: str, day: int) -> bool:
        """Tell whether this is the first that is heard of a loop."""
        if conversation in self.loops:
            return False
        self.loops[conversation] = day
        while len(self.loops) > MOST_LOOPS:
            del self.loops[next(iter(self.loops))]
        return True

    # Forgetting

    def _forget_before(self, day: int) -> None:
        old = [one for one in self.days if one < day]
        if not old:
            return
        for one in old:
            del self.days[one]
        self.changed.days.update(old)
        used = {one >> WIDTH for cells in self.days.values() for one in cells}
        used.update(mail.campaign for mail in self.sent.values())
        for group in [one for one in self.names if one not in used]:
            name = self.names.pop(group)
            del self._ids[name.casefold()]
            self._kinds[name[0]] -= 1
            self.changed.groups.add(group)
