"""
The mail store in dicts: for tests, and for a universe that need not last.

It keeps the promises of the real one, tested by the same contract, and its
Deferreds have fired when they are returned.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime

from msgspec.structs import replace
from twisted.internet.defer import Deferred, succeed
from zope.interface import implementer

from simmail.concurrency import Lock, at_once
from simmail.core.message.summarize import digest as core_digest
from simmail.core.message.summary import Digest
from simmail.core.records.delivery import Copy, Delivery, Placement, SPECIAL_FOLDERS
from simmail.core.records.folder import FolderStatus, MailboxCounts, counted
from simmail.core.time.instant import microseconds
from simmail.errors import Conflict, NotFound
from simmail.interfaces import IMailStore
from simmail.mailstore.delivery.external import foreign_id
from simmail.mailstore.maildir.flags import canonical_all
from simmail.mailstore.maildir.names import (
    INBOX, STANDARD, check_folder, check_mailbox, existing_folder, is_inferior, check_special_use, renamed_use,
    special_order, use_of,
)
from simmail.mailstore.memory.folder import MemoryFolder
from simmail.mailstore.memory.parts import AnnotationsInMemory, DeferredBodiesInMemory, MemoryContext


class _Mailbox:
    def __init__(self) -> None:
        self.folders: dict[str, MemoryFolder] = {}
        self.subscribed: set[str] = {name for name, _ in SPECIAL_FOLDERS}
        self.annotations: dict[str, bytes] = {}


@implementer(IMailStore)
class MemoryMailStore(MemoryContext):
    """
    All mail of one universe, in memory.

    @ivar unfiled: none: every delivery is filed at once.
    @param digest: takes the digest of a message.
    """

    def __init__(self, universe: str, digest: Callable[[bytes], Digest] = core_digest) -> None:
        super().__init__(digest, self.require_box)
        self.universe = universe
        self.held = DeferredBodiesInMemory()
        self.annotations = AnnotationsInMemory(self._annotated)
        self._mailboxes: dict[str, _Mailbox] = {}
        self._sorted: list[str] = []
        self._uidvalidity = 0
        self.unfiled: list[str] = []
        self._owed: dict[str, tuple[Delivery, tuple[Copy, ...]]] = {}
        self._foreign: dict[str, Copy] = {}
        self._on_foreign: Callable[[str, Copy], None] = lambda foreign, copy: None

    # Deliveries

    def when_visible(self) -> None:
        """Nothing is promised that is not visible."""

    @at_once
    def accept(self, delivery: Delivery, durable: Callable[[], None] | None = None) -> tuple[Copy, ...]:
        microseconds(delivery.at)
        delivery = replace(delivery, universe=self.universe, placements=tuple(
            Placement(check_mailbox(placement.mailbox), check_folder(placement.folder), canonical_all(placement.flags))
            for placement in delivery.placements))
        if delivery.id in self._owed:
            return self._owed[delivery.id][1]
        copies = tuple(self._file(delivery, placement) for placement in delivery.placements)
        if delivery.commit:
            self._owed[delivery.id] = delivery, copies
        return copies

    def _file(self, delivery: Delivery, placement: Placement) -> Copy:
        folder = self._made(placement.mailbox, placement.folder)
        uid = folder.find(delivery.id)
        if uid is None:
            uid = folder.add(delivery.id, delivery.octets, placement.flags, delivery.at)
        return Copy(placement.mailbox, placement.folder, uid, folder.uidvalidity)

    def committed(self, ids: Iterable[str]) -> None:
        for one in ids:
            self._owed.pop(one, None)
            self._foreign.pop(one, None)

    @at_once
    def uncommitted(self) -> list[str]:
        return list(self._owed)

    @at_once
    def unsettled(self) -> list[str]:
        return [*self._owed, *self._foreign]

    @at_once
    def replay(
        self, known: Iterable[str], among: Collection[str] | None = None
    ) -> list[tuple[Delivery, tuple[Copy, ...]]]:
        known = set(known)
        return [self._owed[one] for one in self._owed if one not in known and (among is None or one in among)]

    # Mailboxes

    def exists(self, mailbox: str) -> bool:
        return mailbox in self._mailboxes

    def mailboxes(self) -> list[str]:
        return list(self._sorted)

    @at_once
    def create(self, mailbox: str) -> None:
        self._create(check_mailbox(mailbox))

    def _create(self, mailbox: str) -> _Mailbox:
        box = self._mailboxes.get(mailbox)
        if box is None:
            box = self._mailboxes[mailbox] = _Mailbox()
            insort(self._sorted, mailbox)
            uidvalidity = self._next_uidvalidity()
            for name, special_use in SPECIAL_FOLDERS:
                box.folders[name] = MemoryFolder(self, mailbox, name, special_use, uidvalidity)
                box.folders[name].objectid = f"{uidvalidity:x}-{name.lower()}"
        return box

    @at_once
    def delete(self, mailbox: str) -> None:
        self._find(mailbox)
        box = self._mailboxes.pop(mailbox)
        self._sorted.remove(mailbox)
        for folder in box.folders.values():
            folder.remove()

    @at_once
    def reset(self, keep: Collection[str]) -> None:
        self._erase()
        for mailbox in keep:
            self._create(check_mailbox(mailbox))

    @property
    def has_any(self) -> bool:
        """Whether there is any mail, or a mailbox."""
        return bool(self._mailboxes or len(self.held))

    def take(self, source: MemoryMailStore, renewed: bool) -> None:
        """Have all that another store has; C{renewed}: under UIDVALIDITYs that were never given here."""
        self._uidvalidity = max(source._uidvalidity, self._uidvalidity)
        self.keys_made = max(source.keys_made, self.keys_made)
        for mailbox, box in source._mailboxes.items():
            mine = self._mailboxes[mailbox] = _Mailbox()
            mine.subscribed, mine.annotations = set(box.subscribed), dict(box.annotations)
            for name, folder in box.folders.items():
                mine.folders[name] = folder.copied(
                    self, name, folder.special_use, self._next_uidvalidity() if renewed else folder.uidvalidity)
        self._sorted = list(source._sorted)
        self.held = source.held.copied()
        self._owed = {key: (replace(delivery, universe=self.universe), tuple(map(self._taken, copies)))
                      for key, (delivery, copies) in source._owed.items()}
        self._foreign = {foreign_id(copy): copy for copy in map(self._taken, source._foreign.values())}

    def _taken(self, copy: Copy) -> Copy:
        box = self._mailboxes.get(copy.mailbox)
        folder = box.folders.get(copy.folder) if box is not None else None
        return replace(copy, uidvalidity=folder.uidvalidity if folder is not None else 0)

    @at_once
    def erase(self) -> None:
        self._erase()

    def _erase(self) -> None:
        for box in self._mailboxes.values():
            for folder in box.folders.values():
                folder.remove()
        self._mailboxes.clear()
        self._sorted.clear()
        self._owed.clear()
        self._foreign.clear()
        self.held = DeferredBodiesInMemory()

    @at_once
    def counts(self) -> dict[str, MailboxCounts]:
        return {mailbox: counted({name: (total, unread) for name, folder in box.folders.items()
                                  for total, unread, _ in (folder.counts(),) if total})
                for mailbox, box in self._mailboxes.items()}

    @at_once
    def totals(self) -> dict[str, int]:
        found: Counter[str] = Counter()
        for box in self._mailboxes.values():
            for name, folder in box.folders.items():
                found[name] += len(folder.uids)
        return {name: total for name, total in found.items() if total}

    # Folders

    def require_box(self, mailbox: str) -> None:
        """@raise NotFound: there is no such mailbox."""
        self.require()
        self._find(mailbox)

    def _find(self, mailbox: str) -> _Mailbox:
        box = self._mailboxes.get(mailbox)
        if box is None:
            raise NotFound(f"there is no mailbox {mailbox}")
        return box

    def _made(self, mailbox: str, name: str) -> MemoryFolder:
        box = self._create(mailbox)
        if name not in box.folders:
            self._add(mailbox, box, name, use_of(name))
        return box.folders[name]

    def _add(self, mailbox: str, box: _Mailbox, name: str, special_use: str) -> None:
        box.folders[name] = MemoryFolder(self, mailbox, name, special_use, self._next_uidvalidity())
        self.events.tell(mailbox, "made", name)

    @at_once
    def folders(self, mailbox: str) -> list[FolderStatus]:
        box = self._find(mailbox)
        return sorted((folder.status() for folder in box.folders.values()), key=special_order)

    @at_once
    def folder(self, mailbox: str, name: str) -> MemoryFolder:
        folder = self._find(mailbox).folders.get(existing_folder(name))
        if folder is None:
            raise NotFound(f"there is no folder {name} in {mailbox}")
        return folder

    @at_once
    def places(self) -> list[tuple[str, str]]:
        return [(mailbox, name) for mailbox, box in self._mailboxes.items() for name, one in box.folders.items()
                if one.uids]

    @at_once
    def containing(
        self, folders: Sequence[MemoryFolder], wanted: Sequence[tuple[Sequence[str], str]]
    ) -> list[list[int]]:
        return [folder.holding(wanted) for folder in folders]

    def check_folder(self, name: str) -> str:
        return check_folder(name)

    def _annotated(self, mailbox: str, name: str) -> dict[str, bytes]:
        self.require()
        box = self._find(mailbox)
        if not name:
            return box.annotations
        folder = box.folders.get(existing_folder(name))
        if folder is None:
            raise NotFound(f"there is no folder {name} in {mailbox}")
        return folder.annotations

    @at_once
    def create_folder(self, mailbox: str, name: str, special_use: str = "") -> None:
        box = self._find(mailbox)
        name = check_folder(name)
        special_use = check_special_use(special_use) or use_of(name)
        if name in box.folders:
            raise Conflict(f"folder {name} exists")
        self._add(mailbox, box, name, special_use)

    @at_once
    def delete_folder(self, mailbox: str, name: str) -> None:
        box = self._find(mailbox)
        name = existing_folder(name)
        if name == INBOX:
            raise Conflict("INBOX cannot be deleted")
        if name not in box.folders:
            raise NotFound(f"there is no folder {name} in {mailbox}")
        if name in STANDARD:
            box.folders[name]._remove(list(box.folders[name].uids))
        else:
            box.folders.pop(name).remove()
            self.events.tell(mailbox, "gone", name)

    @at_once
    def rename_folder(self, mailbox: str, old: str, new: str, saved: datetime | None = None) -> None:
        box = self._find(mailbox)
        old, new = existing_folder(old), check_folder(new)
        moves = {name: new + name[len(old):] for name in sorted(box.folders)
                 if name == old or (old != INBOX and is_inferior(name, old))}
        if not moves:
            raise NotFound(f"there is no folder {old} in {mailbox}")
        if is_inferior(new, old) and old != INBOX:
            raise Conflict(f"{new} is below {old}")
        for name in moves.values():
            if check_folder(name) in box.folders:
                raise Conflict(f"folder {name} exists")
        if old == INBOX:
            self._add(mailbox, box, new, use_of(new))
            inbox = box.folders[INBOX]
            box.folders[new].annotations.update(inbox.annotations)
            inbox._remove([uid for uid, _ in inbox._copy(inbox.uids, box.folders[new], saved)])
            return
        for source, target in moves.items():
            folder = box.folders.pop(source)
            box.folders[target] = folder.renamed(
                target, renamed_use(source, target, folder.special_use), self._next_uidvalidity())
            self.events.tell(mailbox, "renamed", target, source)
            if source in STANDARD:
                self._add(mailbox, box, source, use_of(source))

    @at_once
    def subscribed(self, mailbox: str) -> set[str]:
        return set(self._find(mailbox).subscribed)

    @at_once
    def subscribe(self, mailbox: str, name: str, on: bool) -> None:
        change, name = self._find(mailbox).subscribed, check_folder(name)
        if (name in change) is not on:
            (change.add if on else change.discard)(name)
            self.events.tell(mailbox, "subscribed" if on else "unsubscribed", name)

    def _next_uidvalidity(self) -> int:
        self._uidvalidity += 1
        return self._uidvalidity

    # The rest

    def watch(self, on_foreign: Callable[[str, Copy], None]) -> None:
        """Tell of what was delivered by C{deliver_foreign}: there are no other programs."""
        self._on_foreign = on_foreign
        for foreign, copy in list(self._foreign.items()):
            box = self._mailboxes.get(copy.mailbox)
            if box is not None and box.folders[INBOX].entry(copy.uid) is not None:
                on_foreign(foreign, copy)
            else:
                del self._foreign[foreign]

    def deliver_foreign(self, mailbox: str, octets: bytes, date: datetime) -> None:
        """For tests: what another program's delivery is to the store."""
        folder = self._made(mailbox, INBOX)
        uid = folder.add(self.unique(), octets, (), date)
        copy = Copy(mailbox, INBOX, uid, folder.uidvalidity)
        foreign = foreign_id(copy)
        self._foreign[foreign] = copy
        self._on_foreign(foreign, copy)

    def space(self) -> tuple[int, int]:
        return 1 << 40, 1 << 40

    def locks(self) -> list[tuple[str, Lock]]:
        return []

    def close(self) -> Deferred[None]:
        return succeed(None)
