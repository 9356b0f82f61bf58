"""
Telling a client what it has asked for with NOTIFY, whenever it happens.

What happens to other mailboxes is only noted, by name; what a mailbox is like then is looked up when it is told, a few
times a second at most and never while the client does not read.  So the work does not grow with what happens, and
what is kept is bounded: with more than that the client is told nothing any more, and told so.
Source: RFC 5465.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from simmail.core.records.folder import FolderEvent, FolderStatus
from simmail.errors import NotFound, Unavailable
from simmail.imap.connection import ImapConnection
from simmail.imap.fetch.fetch import show
from simmail.imap.selected import Selected
from simmail.imap.untagged.event_groups import ABOUT_MESSAGES, EventGroups
from simmail.imap.untagged.mailbox_data import list_names, names_above, status_line
from simmail.imap.untagged.metadata import MetadataListener
from simmail.imap.untagged.push import Push
from simmail.imap.untagged.tell import tell

#: Real seconds between two tellings of other mailboxes, and how many are told of at once.
INTERVAL, AT_ONCE = 0.25, 100
#: How many times longer than a telling the next one is put off, and real seconds of that at most: who has very many
#: mailboxes hears of them less often.
RARELY, LONGEST = 5.0, 5.0
#: Mailboxes of which something is to be told, or was told last, at most.
MOST = 2000

_MEANING = MappingProxyType({
    "added": frozenset(("MessageNew",)), "expunged": frozenset(("MessageExpunge",)),
    "flags": frozenset(("FlagChange",)), "changed": ABOUT_MESSAGES})


class _Unasked(Push):
    """Telling between commands; the next command waits meanwhile."""

    def _tell(self) -> None:
        imap = self._imap
        if imap.closing or imap.working or imap.idling is not None:
            # When the command ends it is told.
            self.cancel()
            return
        super()._tell()
        imap.pace()

    def _finished(self, result: Any) -> None:
        super()._finished(result)
        if not self._imap.closing:
            self._imap.pace()


class Notifications:
    """
    What one client is told.

    @ivar watch: what it has asked for.
    """

    def __init__(self, imap: ImapConnection) -> None:
        self._imap = imap
        self.watch = EventGroups()
        self._push = _Unasked(imap, expunges=False)
        self._metadata: MetadataListener | None = None
        self._listens = False
        self._subscribed: set[str] = set()
        #: Mailboxes whose STATUS is to be told, and names with what they were called before.
        self._statuses: dict[str, None] = {}
        self._names: dict[str, str] = {}
        #: What was told last, so that nothing is told twice.
        self._last_statuses: dict[str, bytes] = {}
        self._call: Any = None
        self._next = 0.0

    @property
    def at_once(self) -> bool:
        """Whether messages may vanish from the selected mailbox at any time."""
        return bool(self.watch.selected) and not self.watch.delayed

    @property
    def telling(self) -> bool:
        """Whether something is being told between commands."""
        return self._push.telling

    # What is asked for

    async def set(self, watch: EventGroups, status: bool) -> None:
        """
        Tell this from now on.

        @param status: whether the client is to know at once what the mailboxes are like.
        """
        imap, before = self._imap, self.watch
        if imap.selected is not None:
            # It implies a NOOP.
            await imap.selected.folder.poll()
            await tell(imap, True)
        found: list[FolderStatus] = []
        try:
            if watch.groups:
                found = await self._begin(watch)
            else:
                self.watch = watch
        except BaseException:
            self.watch = before
            if not before.groups:
                self._leave()
            raise
        self._statuses.clear()
        self._names.clear()
        self._last_statuses.clear()
        if not watch.groups:
            self._leave()
        self._follow()
        self.apply()
        for one in found if status else ():
            if self._of_messages(one.name):
                await imap.send(await self._status(one))

    async def _begin(self, watch: EventGroups) -> list[FolderStatus]:
        store, address = self._imap.store, self._imap.address
        if not self._listens:
            self._listens = True
            await store.events.listen(address, self._heard)
        if watch.by_subscription:
            self._subscribed = await store.subscribed(address)
        # What happens from here on is told.
        self.watch = watch
        found: list[FolderStatus] = await store.folders(address)
        names = {one.name for one in found}
        self.watch = watch.existing(names, names_above(names))
        return found

    def _leave(self) -> None:
        if self._listens:
            self._listens = False
            self._imap.store.events.unlisten(self._imap.address, self._heard)

    def _follow(self) -> None:
        if self._metadata is not None:
            self._metadata.stop()
        self._metadata = MetadataListener(self._imap, self._wants_annotations) if self.watch.annotations else None

    def apply(self) -> None:
        """What the selected mailbox tells is what was asked for."""
        selected, watch = self._imap.selected, self.watch
        if selected is not None:
            selected.tells_messages = "MessageNew" in watch.selected
            selected.tells_flags = "FlagChange" in watch.selected
            selected.tells_uids = True
            selected.arrived = [] if watch.items else None

    def stop(self) -> None:
        """Nothing more is to be told."""
        self._leave()
        self.watch = EventGroups()
        self._follow()
        self._push.cancel()
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _overflow(self) -> None:
        """It is too much: as after NOTIFY NONE."""
        self._leave()
        self.watch = EventGroups()
        self._follow()
        self._statuses.clear()
        self._names.clear()
        self.apply()
        self._imap.pending.put("NOTIFY", b"* OK [NOTIFICATIONOVERFLOW] Too much happens; nothing more is told\r\n")

    # What happens

    def _events(self, name: str) -> frozenset[str]:
        return self.watch.events(name, self._subscribed)

    def _of_messages(self, name: str) -> frozenset[str]:
        """The events of messages that are told of a mailbox by STATUS."""
        selected = self._imap.selected
        if selected is not None and selected.folder.name == name:
            return frozenset()
        return self._events(name) & ABOUT_MESSAGES

    def _wants_annotations(self, folder: str) -> bool:
        if not (self.watch.server if not folder else "MailboxMetadataChange" in self._events(folder)):
            return False
        if self._imap.pending.full:
            self._overflow()
            return False
        return True

    def _heard(self, event: FolderEvent) -> None:
        name = event.name
        meaning = _MEANING.get(event.kind)
        if meaning is not None:
            if name not in self._statuses and self._of_messages(name) & meaning:
                self._statuses[name] = None
                self._noted()
        elif event.kind in ("subscribed", "unsubscribed"):
            wanted = self._events(name)
            (self._subscribed.add if event.kind == "subscribed" else self._subscribed.discard)(name)
            if "SubscriptionChange" in wanted | self._events(name) and not self._is_ours(name):
                self._names.setdefault(name, "")
                self._noted()
        else:
            self._renamed(event)

    def _renamed(self, event: FolderEvent) -> None:
        """A mailbox is there, or gone, or called something else."""
        name, old = event.name, event.old
        self._last_statuses.pop(name, None)
        if self._is_ours(name) and (not old or self._is_ours(old)):
            return
        # What it was called when the client was told last.
        first = self._names.pop(old, "") or old
        if event.kind == "gone":
            former = self._names.get(name)
            if former:
                self._note(former, "")
        if "MailboxName" in self._events(name):
            self._names.pop(name, None)
            self._note(name, first)
        elif old:
            self._note(first, "")

    def _note(self, name: str, old: str) -> None:
        if "MailboxName" in self._events(name):
            self._names[name] = old
            self._noted()

    def _is_ours(self, name: str) -> bool:
        """Whether a mailbox name is what it is by the command that is being done."""
        return any(name == one or name.startswith(one + "/") for one in self._imap.causing)

    def _noted(self) -> None:
        if len(self._statuses) + len(self._names) > MOST:
            self._overflow()
        else:
            self._arm()

    # Telling

    def wake(self) -> None:
        """Tell what is pending, if anything is."""
        selected = self._imap.selected
        if self._imap.pending or self._due or (selected is not None and selected.pending):
            self._push.wake()

    @property
    def _due(self) -> bool:
        return bool(self._statuses or self._names) and self._imap.reactor.seconds() >= self._next

    def _arm(self) -> None:
        imap = self._imap
        if self._call is None and (self._statuses or self._names) and not imap.closing:
            self._call = imap.callLater(max(0.0, self._next - imap.reactor.seconds()), self._time)

    def _time(self) -> None:
        self._call = None
        self._imap.noticed()

    async def gather(self) -> None:
        """Tell what other mailboxes are like now, if it is time for that."""
        if not self._due:
            return
        began = self._imap.reactor.seconds()
        try:
            await self._tell_names()
            await self._tell_statuses()
        except Unavailable:
            # The disk is in trouble: again in a moment.
            pass
        finally:
            now = self._imap.reactor.seconds()
            self._next = now + max(INTERVAL, min((now - began) * RARELY, LONGEST))
            self._arm()

    async def _tell_names(self) -> None:
        names, self._names = self._names, {}
        if not names:
            return
        try:
            await list_names(self._imap, names)
        except Unavailable:
            self._names = {**names, **self._names}
            raise
        except NotFound:
            return

    async def _tell_statuses(self) -> None:
        store, address = self._imap.store, self._imap.address
        for name in list(self._statuses)[:AT_ONCE]:
            self._statuses.pop(name, None)
            if not self._of_messages(name):
                continue
            try:
                folder = await store.folder(address, name)
                before = self._last_statuses.get(name)
                line = await self._status(folder.status())
            except NotFound:
                continue
            except Unavailable:
                self._statuses.setdefault(name)
                raise
            if line != before:
                await self._imap.send(line)

    async def _status(self, found: FolderStatus) -> bytes:
        events = self._of_messages(found.name)
        items = [b"MESSAGES", b"UIDNEXT", b"UIDVALIDITY"]
        if "FlagChange" in events:
            items.append(b"UNSEEN")
        if "FlagChange" in events or b"CONDSTORE" in self._imap.enabled:
            items.append(b"HIGHESTMODSEQ")
        line = await status_line(self._imap, found, items)
        if len(self._last_statuses) >= MOST:
            self._last_statuses.clear()
        self._last_statuses[found.name] = line
        return line

    async def show_new(self, selected: Selected) -> None:
        """What was asked for of messages that came into the selected mailbox; of none that the client put there."""
        arrived, filed = selected.arrived, selected.filed
        if not arrived:
            return
        selected.arrived, selected.filed = [], set()
        try:
            await show(self._imap, selected, self.watch.items, [uid for uid in arrived if uid not in filed])
        except (NotFound, Unavailable):
            # They are gone, or cannot be read now; the client knows that they came.
            return
