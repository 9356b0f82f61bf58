"""
The seam to one folder and its messages, and to what happens to folders.
"""

from __future__ import annotations

from zope.interface import Attribute, Interface


class IFolder(Interface):
    """
    One folder, loaded.  State is read at once; changes return Deferreds.

    Several sessions share one object; each listens for changes.  Changes are
    made in the order asked for, each announced to listeners before its
    Deferred fires; large ones in slices, each with one modseq and one
    C{FolderChange}.  Of a folder that is gone (C{reset}) the state is empty
    and every call fails with C{NotFound}.
    """

    mailbox = Attribute("address")
    name = Attribute("full name, hierarchy separator '/'")
    special_use = Attribute("'' or such as '\\\\Sent'")
    objectid = Attribute("RFC 8474 MAILBOXID: kept when the folder is renamed")
    uidvalidity = Attribute("int")
    uidnext = Attribute("int")
    highestmodseq = Attribute("int, at least 1")
    uids = Attribute("sorted sequence of int (do not change it)")
    keywords = Attribute("tuple of the keywords defined here, as spelled; at most 26 besides $Forwarded")

    def entry(uid):
        """Return C{Entry(uid, flags, size, date, modseq, recent)}, or None when it is gone."""

    def entries(uids):
        """Return a list of C{Entry} in the order of C{uids}; messages that are gone are left out."""

    def column(name, uids):
        """
        Return a list of one field of many messages: a field of C{Entry}, C{"key"} (RFC 8474 EMAILID), or C{"arrival"}
        (the date in microseconds since 1970).

        In the order of C{uids} and as long; None for messages that are gone.  The same set of flags is
        the same object, so that what is formatted for it can be kept.
        """

    def having(flag, on=True):
        """Return sorted uids of messages with a flag (or, C{on=False}, without it)."""

    def unseen():
        """Return a sorted list of uids of messages without C{\\Seen}."""

    def first_unseen():
        """Return the lowest of them, or None."""

    def changed(since):
        """Return a sorted list of uids of messages whose modseq is greater."""

    def find(key):
        """Find the uid of the message of a delivery id, or None."""

    def counts():
        """Return (total, unseen, recent)."""

    def status():
        """Return the C{FolderStatus} of this folder."""

    def read(uid):
        """Read a message; Deferred of bytes.  @raise NotFound: expunged meanwhile."""

    def open(uid):
        """
        Open a message; Deferred of an C{IOpened}, to be closed by the caller: for large ones that are taken slowly.

        None when it is not there (or under another name just now), or is not to be had like this: C{reads} knows.
        """

    def reads(uids):
        """
        Read many messages at once; Deferred of C{list[tuple[int, bytes]]}, those that are gone left out.

        All are in memory at once: the caller takes no more at a time than it can hold.
        """

    def digests(uids):
        """Tell what the index knows of messages; Deferred of C{dict[int, Digest]}, missing ones left out."""

    def digested(uids, names):
        """Tell only these fields of the digests; Deferred of C{dict[int, tuple]}, which is much cheaper for many."""

    def kept_text(uid):
        """
        Return the C{text} of a digest if that is at hand; Deferred of str, None when it is not or the message gone.
        """

    def columns(uids, names):
        """
        Tell the same in columns; Deferred of C{tuple[list[int], list[list]]}, which is cheaper still.

        First those of the uids that are there, in the order of C{uids} and each once, then for each name one
        value for each of them.
        """

    def threaded(uids, names):
        """
        Tell what messages are threaded by; Deferred of C{(columns, lasting)}: fields of
        C{core.message.thread_keys.ThreadKeys}, as C{columns} has them.

        Nobody waits until the index knows all messages.  C{lasting}: whether this stays as it is; of a message that
        cannot be read it may be different some day.
        """

    def ordered(uids, criteria):
        """
        Put messages in order by some C{core.message.sort.Criterion}, then by uid; Deferred of list of uids (each once):
        those that are there.
        """

    def containing(names, text):
        """
        Find messages that have a text in one of some fields; Deferred of sorted list of uids.

        C{names}: of C{core.message.summary.SEARCHED}.  Texts are compared as L{core.message.folding} has it.  Nobody
        waits until the index knows all messages.
        """

    def saved(uids):
        """
        Tell when messages were put into this folder (RFC 8514); Deferred of list of aware datetimes, in the order of
        C{uids}, None for those that are gone.
        """

    def append(octets, flags, date, saved=None):
        """
        Append a message; Deferred of uid, durable when it fires.  C{date}: aware datetime.  @raise Invalid: a flag.

        @param saved: the instant it is put here, None for C{date}.
        """

    def append_all(messages, saved=None):
        """
        Append some messages; Deferred of list of uids, in order: all are durable and visible when it fires, or, also
        after a crash, none is.

        @param messages: (octets, flags, date) of each, as for C{append}.
        """

    def replace(uid, target, octets, flags, date, saved=None):
        """
        Append a message, as C{append} does, to another IFolder or this one; that with C{uid} is gone from here.

        @return: Deferred of uid.  Both have happened when it fires, or, also after a crash, neither has.

        @raise NotFound: it was gone already; nothing is filed.
        """

    def flag(uids, flags, mode, unchangedsince=None, origin=None):
        """
        Change flags.  C{mode}: C{"+"}, C{"-"} or C{"="}; C{unchangedsince}: modseq or None (RFC 7162);
        C{origin} comes back in the C{FolderChange}.

        @return: Deferred of C{(changed, failed)}: sorted lists of uids whose flags are others now, and of
            those changed since.
            @raise Invalid: a flag that cannot be stored, or one keyword too many.
        """

    def take_recent():
        """
        Take the mark of the recent from all; Deferred of sorted list of uids: those that were recent so far.

        What a session does that has the folder open to write, at SELECT and when messages are added: they
        are C{\\Recent} to it alone (RFC 3501 section 2.3.2).  Changes no modseq and is not announced.
        """

    def copy(uids, target, saved=None):
        """
        Copy into another IFolder, flags and dates kept; Deferred of list of (source uid, target uid).

        @param saved: the instant they are put there, None for their own dates.
        """

    def move(uids, target, saved=None):
        """Copy as C{copy} does, and the sources are gone, atomically for each message (RFC 6851)."""

    def expunge(uids):
        """Remove messages; Deferred of the list of uids removed, ascending."""

    def vanished(since):
        """Tell what was expunged after a modseq; Deferred of sorted list of uids, None when not known so far back."""

    def poll():
        """Notice and announce what other programs and processes did until now; Deferred: it is done."""

    def listen(listener):
        """Call C{listener(change)} for each C{FolderChange}, in order, in the reactor thread."""

    def unlisten(listener):
        """Stop."""


class IOpened(Interface):
    """One message, read piece by piece, by many at a time; it may be expunged meanwhile."""

    size = Attribute("octets")

    def read(start, count):
        """Read a piece; Deferred of bytes, fewer at the end.  @raise Unavailable: they cannot be had any more."""

    def derive(name, work, in_thread):
        """
        Work something out of all of it; Deferred of what C{work(octets)} answers, called by C{in_thread(call)}.

        Done once for all who have it open and ask under this name; kept until the last of them closes it.
        """

    def close():
        """Let go of it: the caller is done."""


class IFolderEvents(Interface):
    """What happens to the folders of a mailbox, also to those that are not loaded; nothing for who does not listen."""

    def listen(mailbox, listener):
        """
        Call C{listener(event)} with each C{FolderEvent} of a mailbox, in the reactor thread, when it has happened and
        before the Deferred of what did it fires.

        What other programs did is told a second later, or when somebody meets it.

        @return: Deferred that fires when nothing is missed any more.  @raise NotFound: no such mailbox.
        """

    def unlisten(mailbox, listener):
        """Stop."""
