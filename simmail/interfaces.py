"""
The seams: one interface for each part that has a real and an in-memory provider.

Both providers of each pass the same contract tests (C{tests/contracts}).
Methods that return a Deferred say so; everything else answers at once.
Every method may raise (or fail with) C{errors.Unavailable}.
"""

from __future__ import annotations

from zope.interface import Attribute, Interface


class IDatabase(Interface):
    """
    Documents, jobs, events and arrivals of universes.

    Documents live in named tables of a universe (C{"personas"},
    C{"settings"}, ...), as bytes under text keys.  The server's own
    (organisations, keys, users) are in the universe C{""}.
    """

    healthy = Attribute("bool: false while Redis is known to be away.")
    continued = Attribute("bool: it has all that was ever acknowledged, for it went on while the service was away.")

    def commit(universe, commit, may_batch=False):
        """
        Make all of a C{database.records.Commit} true at once, or nothing of it.

        @param may_batch: nobody waits for it; it may be sent a few milliseconds later, together with others.
        @return: Deferred of C{Committed}.  A commit whose C{once} was seen
            before changes nothing and answers C{fresh=False}.
        """

    def recovered():
        """What it had lost is made again: when it goes on until the next start, it has C{continued} then."""

    def synced():
        """
        Deferred that fires when all that was committed so far is in the synced log of the database, and outlives a
        power cut; never, when it is closed before.

        Many callers may be given the same one: its callbacks must not wait.
        """

    def table(universe, name):
        """Deferred of C{dict[str, bytes]}: one whole table."""

    def get(universe, name, keys):
        """Deferred of C{list[bytes | None]}: documents of one table, in the order of C{keys}."""

    def events(universe, query):
        """Deferred of C{list[bytes]}: JSON of recorded events for an C{EventQuery}, assembled, in order."""

    def last_event(universe):
        """Deferred of int: the highest event number used so far, 0 for none."""

    def pending(universe):
        """Deferred of C{list[Job]}: all pending and running jobs in (due, id) order."""

    def jobs(universe, query):
        """Deferred of C{list[Job]} for a C{JobQuery}."""

    def job(universe, job_id):
        """Deferred of C{Job | None}."""

    def arrivals(universe):
        """Deferred of C{list[Arrival]}: those committed and not yet removed, oldest first."""

    def seen(universe, ids):
        """Deferred of the set of those delivery or job ids whose commit is recorded."""

    def forget(universe, once):
        """Deferred: the delivery ids need not be remembered any more (their journal is dropped)."""

    def prune(universe, before):
        """Deferred of C{(events, jobs)} removed: events and finished jobs older than an instant."""

    def erase(universe):
        """Deferred: remove everything of a universe but its highest event number."""

    def universes():
        """Deferred of C{list[str]}: names of universes that have any document."""

    def draw(bucket, rate, burst, wanted, now):
        """
        Take up to C{wanted} tokens out of a bucket of the server that all processes share (C{core.buckets}).

        @param now: Unix time in real seconds, of the caller.
        @return: Deferred of C{(taken, left)}: int and float.
        """

    def on_health(listener):
        """Call C{listener(bool)} on each change of C{healthy}."""

    def close():
        """Deferred: connections are closed."""


class IBrowser(Interface):
    """Opens web pages on behalf of personas; what may be reached at all is its own matter."""

    def visit(errand):
        """
        Open one page (C{core.visits.Errand}).

        @return: Deferred of C{core.visits.Visit}, within 10 s of the beginning; a page that cannot be opened is a
            visit with an C{error}.  It fails with C{NotFound} when visits are replayed and this one is not
            among them, and with C{CancelledError} when the service ends.
        """


class IMailStore(Interface):
    """
    All mail of one universe.

    Messages are octets with CRLF lines.  UIDs ascend in the order of
    visibility and are never used again (RFC 3501 section 2.3.1.1).
    Mailboxes and folders whose names cannot be are C{Invalid} where they
    would be made, and C{NotFound} elsewhere.
    """

    held = Attribute("IHeld: octets kept for jobs, in no mailbox")
    annotations = Attribute("IAnnotations: of folders and mailboxes")
    events = Attribute("IFolderEvents: what happens to folders")

    def accept(delivery, durable=None):
        """
        File a C{Delivery}: durable and visible in every place, once for each id and place.

        An id that is still owed answers what it answered before.  A copy without flags goes to
        C{new/} and is recent, one with flags is not.  Keywords for which a folder has no room are left out.

        @return: Deferred of C{tuple[Copy, ...]} in the order of the placements; they fire in the order of
            the calls, after listeners were told.  Mailboxes and folders that are missing are created.
            @raise Invalid: a name or flag that cannot be.

        @param durable: may be called before that, when the delivery will be visible whatever happens, also to this
            process; from then on the Deferred fails only because the store is closed.
        """

    def when_visible():
        """
        Deferred that fires when all that was promised so far (C{durable} was called) is visible, or after a moment
        when the disk is in trouble.  None: everything is.
        """

    def committed(ids):
        """
        What was owed for these delivery ids is committed; their journal may be dropped.

        A delivery without a C{commit} owes nothing and counts as committed when it is filed.
        """

    def uncommitted():
        """At start: Deferred of list of delivery ids that are journalled and not committed, in order."""

    unfiled = Attribute("C{list[str]}: ids that L{replay} left owed, for the disk refused to file them now.")

    def replay(known, among=None):
        """
        At start: finish what a crash cut short.

        @param known: the ids among C{uncommitted()} whose commit is in the database; they were visible, so a
            copy that is gone by now was removed on purpose and is not filed again (unless the machine
            itself went down since).
        @param among: only these, such as those of C{unfiled} when the disk may have room again; None: all.
        @return: Deferred of C{list[tuple[Delivery, tuple[Copy, ...]]]}: the others, in order, each
            visible in every place (or seen there and removed since).
        """

    def exists(mailbox):
        """Whether there is such a mailbox (immediate, from memory)."""

    def mailboxes():
        """list of addresses, sorted (immediate, from memory)."""

    def create(mailbox):
        """Deferred: the mailbox exists, with its special folders.  @raise Invalid: an impossible name."""

    def delete(mailbox):
        """Deferred: the mailbox and all its mail are gone.  @raise NotFound."""

    def erase():
        """Deferred: all mail of the universe is gone, and nothing is owed for it any more."""

    def counts():
        """Deferred of C{dict[address, MailboxCounts]} of every mailbox, over all its folders."""

    def totals():
        """Deferred of C{dict[folder, messages]} over all mailboxes; folders that hold none are left out."""

    def folders(mailbox):
        """
        Deferred of C{list[FolderStatus]}: special folders first in their order, then by name.

        @raise NotFound: no such mailbox.
        """

    def folder(mailbox, name):
        """
        Deferred of an L{IFolder}, loaded; the same object for all who hold it.  INBOX in any case.

        @raise NotFound: no such mailbox or folder.
        """

    def places():
        """
        Deferred of C{list[tuple[str, str]]}: (mailbox, folder) of all folders that may hold a message, in no order.

        What another program made is among them a second later.
        """

    def containing(folders, wanted):
        """
        Deferred of list: for each L{IFolder} of C{folders} the sorted uids of messages that have all of C{wanted}.

        Each of it is (names, text), a text in one of those fields, as L{IFolder.containing} has it; this is one
        question to the index for all.  Of a folder that is gone there are none.
        """

    def check_folder(name):
        """The name of a folder, INBOX in capitals, if there may be one.  @raise Invalid: an impossible name."""

    def create_folder(mailbox, name, special_use=""):
        """
        Deferred.  Superiors are not created.

        @raise NotFound: no such mailbox.  @raise Conflict: it exists.
        @raise Invalid: an impossible name or special use.
        """

    def delete_folder(mailbox, name):
        """Deferred; inferiors stay.  A special folder is emptied, not deleted.  @raise NotFound, Conflict: INBOX."""

    def rename_folder(mailbox, old, new, saved=None):
        """
        Deferred; inferiors follow (RFC 3501 section 6.3.5, INBOX moves its messages).

        A renamed folder keeps its UIDs and objectid under a greater UIDVALIDITY; a special use that came
        with the old name stays behind, with a new folder of that name.  C{saved}: as for C{IFolder.move}, of the
        messages of INBOX.

        @raise NotFound, Invalid.  @raise Conflict: a new name exists, or is below the old one.
        """

    def subscribed(mailbox):
        """Deferred of C{set[str]} of names; the special folders until told otherwise.  @raise NotFound."""

    def subscribe(mailbox, name, on):
        """Deferred.  The folder need not exist.  @raise NotFound: the mailbox.  @raise Invalid: the name."""

    def watch(on_foreign):
        """
        Look after the mailboxes from now on, and call C{on_foreign(id, copy)} for each message that another
        program has delivered (into C{new/} of an INBOX); it has a UID by then.

        Until C{settle([id])} the id is owed: it is told again after a crash or restart, as long as the message
        is where it was.  What is put into other folders or into C{cur/} has merely appeared.
        """

    def space():
        """(free octets, total octets) of the disk that holds the mail."""

    def locks():
        """C{list[tuple[str, Lock]]}: those that are held now, each with what it is of."""

    def close():
        """Deferred: everything is synced and files are closed."""


class IHeld(Interface):
    """Octets of messages that jobs will need, each under the id of a job; in no mailbox, durable as mail is."""

    def keep(keys, octets):
        """Deferred: the octets are kept under each key (C{[A-Za-z0-9_-]+}); what was there is replaced."""

    def read(key):
        """Deferred of bytes.  @raise NotFound: nothing is kept under this key."""

    def drop(keys):
        """Deferred: nothing is kept under these keys."""

    def keys():
        """Deferred of all keys, sorted."""


class IAnnotations(Interface):
    """
    Annotations (RFC 5464): values by the names of entries, of a folder, or with C{""} of a mailbox as a whole.

    They go with a folder when it is renamed or deleted; INBOX keeps them, and what it is renamed to has them too.
    """

    def read(mailbox, folder):
        """Deferred of C{dict[str, bytes]}.  @raise NotFound: there is no such mailbox or folder."""

    def write(mailbox, folder, changes, origin=None):
        """
        Deferred: C{changes} (C{dict[str, bytes | None]}, None to remove an entry) are made, all or none, and durable.

        @param origin: passed on to listeners.
        @raise NotFound.  @raise OverAllowance: they would be too many, or too large together.
        """

    def listen(listener):
        """Call C{listener(mailbox, folder, names, origin)} when entries have become others."""

    def unlisten(listener):
        """Stop."""


class IOpened(Interface):
    """One message, read piece by piece, by many at a time; it may be expunged meanwhile."""

    size = Attribute("octets")

    def read(start, count):
        """Deferred of bytes, fewer at the end.  @raise Unavailable: they cannot be had any more."""

    def derive(name, work, in_thread):
        """
        Deferred of what C{work(octets)} answers with the whole message, called by C{in_thread(call)}.

        Done once for all who have it open and ask under this name; kept until the last of them closes it.
        """

    def close():
        """The caller is done with it."""


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
        """C{Entry(uid, flags, size, date, modseq, recent)}, or None when it is gone."""

    def entries(uids):
        """list of C{Entry} in the order of C{uids}; messages that are gone are left out."""

    def column(name, uids):
        """
        list of one field of many messages: a field of C{Entry}, C{"key"} (RFC 8474 EMAILID), or C{"arrival"}
        (the date in microseconds since 1970).

        In the order of C{uids} and as long; None for messages that are gone.  The same set of flags is
        the same object, so that what is formatted for it can be kept.
        """

    def having(flag, on=True):
        """Sorted uids of messages with a flag (or, C{on=False}, without it)."""

    def unseen():
        """Sorted list of uids of messages without C{\\Seen}."""

    def first_unseen():
        """The lowest of them, or None."""

    def changed(since):
        """Sorted list of uids of messages whose modseq is greater."""

    def find(key):
        """The uid of the message of a delivery id, or None."""

    def counts():
        """(total, unseen, recent)."""

    def status():
        """The C{FolderStatus} of this folder."""

    def read(uid):
        """Deferred of bytes: the message.  @raise NotFound: expunged meanwhile."""

    def open(uid):
        """
        Deferred of the message as an C{IOpened}, to be closed by the caller: for large ones that are taken slowly.

        None when it is not there (or under another name just now), or is not to be had like this: C{reads} knows.
        """

    def reads(uids):
        """
        Deferred of C{list[tuple[int, bytes]]}: many messages at once, those that are gone left out.

        All are in memory at once: the caller takes no more at a time than it can hold.
        """

    def digests(uids):
        """Deferred of C{dict[int, Digest]}: what the index knows of messages; missing ones left out."""

    def digested(uids, names):
        """Deferred of C{dict[int, tuple]}: only these fields of the digests, which is much cheaper for many."""

    def kept_text(uid):
        """
        Deferred of str: the C{text} of a message's digest if that is at hand; None when it is not, or the message gone.
        """

    def columns(uids, names):
        """
        Deferred of C{tuple[list[int], list[list]]}: the same in columns, which is cheaper still.

        First those of the uids that are there, in the order of C{uids} and each once, then for each name one
        value for each of them.
        """

    def ordered(uids, criteria):
        """
        Deferred of list of uids (each once): those that are there, by some C{core.ordering.Criterion}, then by uid.
        """

    def containing(names, text):
        """
        Deferred of sorted list of uids: messages that have a text in one of some fields.

        C{names}: of C{core.digest.SEARCHED}.  Texts are compared as L{core.folding} has it.  Nobody waits until the
        index knows all messages.
        """

    def saved(uids):
        """
        Deferred of list of aware datetimes: when messages were put into this folder (RFC 8514), None for those that
        are gone; in the order of C{uids}.
        """

    def append(octets, flags, date, saved=None):
        """
        Deferred of uid; durable when it fires.  C{date}: aware datetime.  @raise Invalid: a flag.

        @param saved: the instant it is put here, None for C{date}.
        """

    def append_all(messages, saved=None):
        """
        Deferred of list of uids, in order: all are durable and visible when it fires, or, also after a crash, none is.

        @param messages: (octets, flags, date) of each, as for C{append}.
        """

    def replace(uid, target, octets, flags, date, saved=None):
        """
        Deferred of uid: of a message, as for C{append}, in another IFolder or this one; that with C{uid} is gone from
        here.  Both have happened when it fires, or, also after a crash, neither has.

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
        Deferred of sorted list of uids: the messages recent so far, which from now on are not.

        What a session does that has the folder open to write, at SELECT and when messages are added: they
        are C{\\Recent} to it alone (RFC 3501 section 2.3.2).  Changes no modseq and is not announced.
        """

    def copy(uids, target, saved=None):
        """
        Deferred of list of (source uid, target uid) into another IFolder, flags and dates kept.

        @param saved: the instant they are put there, None for their own dates.
        """

    def move(uids, target, saved=None):
        """As C{copy}, and the sources are gone, atomically for each message (RFC 6851)."""

    def expunge(uids):
        """Deferred of the list of uids removed, ascending."""

    def vanished(since):
        """Deferred of sorted list of uids expunged after a modseq, or None when not known so far back."""

    def poll():
        """Deferred: what other programs and processes did until now is noticed and announced."""

    def listen(listener):
        """C{listener(change)} is called for each C{FolderChange}, in order, in the reactor thread."""

    def unlisten(listener):
        """Stop."""
