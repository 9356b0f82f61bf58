"""
What the writer does about each request, in its own process or, in tests, in the one that asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import astuple

from simmail.mailstore.delivery import changes, copymove, external, mailboxes
from simmail.mailstore.delivery.delivery import BatchDelivery, MaildirDelivery
from simmail.mailstore.delivery.folders import OpenFolders
from simmail.mailstore.journal.groupcommit import GroupCommit
from simmail.mailstore.journal.repair import Repair
from simmail.mailstore.journal.uncommitted import Recovery
from simmail.mailstore.maildir.filename import packed, unpacked
from simmail.mailstore.maildir.files import ISought, Shown, shown_of, verdicts_of
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.status import count_mailboxes
from simmail.mailstore.writer import requests as asked
from simmail.mailstore.writer.requests import Into, StoreId, WriterRequest, decode_into


class Looks(NamedTuple):
    """
    How messages are looked at.

    @ivar shown: takes the envelope and the structure of a message.
    @ivar sought: made of texts that are looked for, each in one of some fields.
    """

    shown: Shown
    sought: Callable[[Any], ISought]


def core_looks() -> Looks:
    """Return how the service looks at messages; what that needs is imported when it is first asked for."""
    from simmail.core.message.search_match import Sought
    from simmail.core.mime.bodystructure import shown
    return Looks(shown, Sought)


class RequestHandler:
    """
    Does what is asked, with the journal and the Maildirs of each universe.

    @param open_layout: opens the directories of a universe.
    @param looks: answers how messages are looked at.
    """

    def __init__(
        self, commit: GroupCommit, open_layout: Callable[[StoreId], Layout], looks: Callable[[], Looks] = core_looks
    ) -> None:
        self.commit = commit
        self._open_layout = open_layout
        self._looks = looks
        self._known: Looks | None = None
        # What was looked for last, mostly in several slices.
        self._sought: tuple[Any, ISought] | None = None
        self._open: dict[StoreId, MaildirDelivery] = {}
        self._batches: dict[Into, BatchDelivery] = {}
        self._encoded: dict[bytes, BatchDelivery] = {}

    def do(self, request: WriterRequest[Any]) -> Any:
        """Do it, and return the answer; raises what goes wrong."""
        return HANDLERS[type(request)](self, request)

    def delivery(self, at: StoreId) -> MaildirDelivery:
        """Return the Maildirs of a universe, opened when they are first asked for."""
        found = self._open.get(at)
        if found is None:
            found = self._open[at] = MaildirDelivery(self._open_layout(at))
        return found

    def batch(self, into: Into) -> BatchDelivery:
        """Return how deliveries are to be filed: the same for the same, so that they are filed in one go."""
        batch = self._batches.get(into)
        if batch is None:
            batch = self._batches[into] = BatchDelivery(self.delivery(into.at), into.create)
        return batch

    def batch_of(self, octets: bytes) -> BatchDelivery:
        """Return the same for an L{Into} that is encoded."""
        batch = self._encoded.get(octets)
        if batch is None:
            batch = self._encoded[octets] = self.batch(decode_into(octets))
        return batch

    def recovery(self, at: StoreId) -> Recovery:
        """Return how the Maildirs of a universe are mended."""
        delivery = self.delivery(at)
        return Recovery(delivery.file, Repair(delivery).compare)

    def close(self, at: StoreId) -> None:
        """Close the Maildirs of a universe."""
        delivery = self._open.pop(at, None)
        self._encoded.clear()
        self._batches = {into: batch for into, batch in self._batches.items() if into.at != at}
        if delivery is not None:
            delivery.close()

    def looks(self) -> Looks:
        """Return how messages are looked at."""
        if self._known is None:
            self._known = self._looks()
        return self._known

    def adopt(self, one: asked.Adopt) -> external.Adopted:
        """Give UIDs to files of another program; what was delivered is owed a commit before it is there."""
        return external.adopt(
            self.delivery(one.at), one.mailbox, one.name, one.strays,
            partial(self.commit.add_uncommitted, one.at.universe), self.looks().shown if one.shown else None, one.most)

    def scan(self, one: asked.ScanFiles) -> list[bool | None]:
        """Look for texts in some files."""
        if self._sought is None or self._sought[0] != one.wanted:
            self._sought = one.wanted, self.looks().sought(one.wanted)
        return verdicts_of(self.delivery(one.at).layout, self._sought[1], one.directory, unpacked(one.paths))


Handler = Callable[[RequestHandler, Any], Any]


def _folders(function: Callable[..., Any]) -> Handler:
    """Ask a function of the folders of a universe, which takes the fields of its request in their order."""
    return lambda handler, one: function(handler.delivery(one.at).folders, *astuple(one)[1:])


#: What is done, by kind of request.
HANDLERS: Mapping[type[WriterRequest[Any]], Handler] = {
    asked.IsReady: lambda handler, one: handler.commit.ready(),
    asked.Attach: lambda handler, one: handler.commit.attach(one.path),
    asked.Begin: lambda handler, one: packed(handler.commit.begin(handler.delivery(one.at))),
    asked.Shut: lambda handler, one: handler.commit.shut(one.synced),
    # See C{GroupCommit.before}.
    asked.NoteCommitted: lambda handler, one: None,
    asked.Refuse: lambda handler, one: handler.commit.refuse(one.keys),
    asked.Doubt: lambda handler, one: handler.commit.doubt(OSError(one.errno, one.text)),
    asked.Recheck: lambda handler, one: handler.commit.recheck(),
    asked.FindUncommitted: lambda handler, one: handler.commit.find_uncommitted(
        one.at.universe, handler.recovery(one.at)),
    asked.Replay: lambda handler, one: handler.commit.replay(
        one.at.universe, one.known, handler.recovery(one.at), one.among),
    asked.ListForeign: lambda handler, one: handler.commit.foreign(one.universe),
    asked.EraseUniverse: lambda handler, one: handler.commit.erase(one.universe),
    asked.KeepUniverses: lambda handler, one: handler.commit.keep(one.universes),
    asked.CloseStore: lambda handler, one: handler.close(one.at),
    asked.MakeMailbox: lambda handler, one: handler.delivery(one.at).layout.make_box(one.mailbox) and None,
    asked.DropMailbox: _folders(mailboxes.drop_mailbox),
    asked.CountMailboxes: lambda handler, one: count_mailboxes(handler.delivery(one.at).layout, one.mailboxes),
    asked.MakeFolder: _folders(mailboxes.make_folder),
    asked.MakeStandardFolder: _folders(OpenFolders.make),
    asked.DropFolder: _folders(mailboxes.drop_folder),
    asked.RenameFolder: _folders(mailboxes.rename_folder),
    asked.RenewUidvalidity: _folders(OpenFolders.renew),
    asked.Subscribe: _folders(mailboxes.subscribe),
    asked.Annotate: _folders(mailboxes.annotate),
    asked.CopyAnnotations: _folders(mailboxes.copy_annotations),
    asked.DefineKeywords: _folders(changes.define_keywords),
    asked.BumpModseq: _folders(changes.bump_modseq),
    asked.NoteFlags: _folders(changes.note_flags),
    asked.ClearFlagLog: _folders(changes.clear_flag_log),
    asked.RenameFiles: _folders(changes.rename_files),
    asked.RemoveFiles: _folders(changes.remove_files),
    asked.Transfer: _folders(copymove.transfer),
    asked.Adopt: RequestHandler.adopt,
    asked.PrepareToLook: lambda handler, one: handler.looks() and None,
    asked.ReadShown: lambda handler, one: shown_of(
        handler.delivery(one.at).layout, handler.looks().shown, one.directory, unpacked(one.paths)),
    asked.ScanFiles: RequestHandler.scan,
}
