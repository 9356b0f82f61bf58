"""
The seam to the mail of a universe: mailboxes, deliveries, what is kept for jobs, annotations.
"""

from __future__ import annotations

from zope.interface import Attribute, Interface


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
        Wait until all that was promised so far (C{durable} was called), and all that was filed, is visible, or a
        moment when the disk is in trouble; Deferred, None: everything is.
        """

    def committed(ids):
        """
        Note that what was owed for these delivery ids is committed; their journal may be dropped.

        A delivery without a C{commit} owes nothing and counts as committed when it is filed.
        """

    def uncommitted():
        """Find, at start, what is journalled and not committed; Deferred of list of delivery ids, in order."""

    def unsettled():
        """
        List the ids that a crash may yet bring back as uncommitted, other programs' deliveries among them.

        Of any other id that was L{committed} this is durable; Deferred of C{list[str]}, fails where the disk refuses.
        """

    unfiled = Attribute("C{list[str]}: ids that L{replay} left owed, for the disk refused to file them now.")

    def replay(known, among=None):
        """
        Finish, at start, what a crash cut short.

        @param known: the ids among C{uncommitted()} whose commit is in the database; they were visible, so a
            copy that is gone by now was removed on purpose and is not filed again (unless the machine
            itself went down since).
        @param among: only these, such as those of C{unfiled} when the disk may have room again; None: all.
        @return: Deferred of C{list[tuple[Delivery, tuple[Copy, ...]]]}: the others, in order, each
            visible in every place (or seen there and removed since).
        """

    def exists(mailbox):
        """Tell whether there is such a mailbox (immediate, from memory)."""

    def mailboxes():
        """List the addresses, sorted (immediate, from memory)."""

    def create(mailbox):
        """Make a mailbox with its special folders; Deferred.  @raise Invalid: an impossible name."""

    def delete(mailbox):
        """Remove a mailbox and all its mail; Deferred.  @raise NotFound."""

    def erase():
        """Remove all mail of the universe; Deferred: nothing is owed for it any more."""

    def reset(keep):
        """
        Remove all mail of the universe; Deferred: nothing is owed for it any more.

        Who listens to a folder is told that it is gone.  Of the mailboxes in C{keep} new ones are there, without
        anything in them, their folders under a greater UIDVALIDITY than any before.  Cut short, it is done by doing it
        again.
        """

    def counts():
        """Count every mailbox, over all its folders; Deferred of C{dict[address, MailboxCounts]}."""

    def totals():
        """Count over all mailboxes; Deferred of C{dict[folder, messages]}, folders that hold none are left out."""

    def folders(mailbox):
        """
        List the folders; Deferred of C{list[FolderStatus]}: special folders first in their order, then by name.

        @raise NotFound: no such mailbox.
        """

    def folder(mailbox, name):
        """
        Load a folder; Deferred of an L{IFolder}, the same object for all who hold it.  INBOX in any case.

        @raise NotFound: no such mailbox or folder.
        """

    def places():
        """
        List folders that may hold a message, in no order; Deferred of C{list[tuple[str, str]]}: (mailbox, folder).

        What another program made is among them a second later.
        """

    def containing(folders, wanted):
        """
        Search folders; Deferred of list: for each L{IFolder} the sorted uids of messages that have all of C{wanted}.

        Each of it is (names, text), a text in one of those fields, as L{IFolder.containing} has it; this is one
        question to the index for all.  Of a folder that is gone there are none.
        """

    def check_folder(name):
        """Return the name of a folder, INBOX in capitals, if there may be one.  @raise Invalid: an impossible name."""

    def create_folder(mailbox, name, special_use=""):
        """
        Create a folder; Deferred.  Superiors are not created.

        @raise NotFound: no such mailbox.  @raise Conflict: it exists.
        @raise Invalid: an impossible name or special use.
        """

    def delete_folder(mailbox, name):
        """Delete a folder, not its inferiors; Deferred.  A special one is emptied.  @raise NotFound, Conflict."""

    def rename_folder(mailbox, old, new, saved=None):
        """
        Rename a folder; Deferred.  Inferiors follow (RFC 3501 section 6.3.5, INBOX moves its messages).

        A renamed folder keeps its UIDs and objectid under a greater UIDVALIDITY; a special use that came
        with the old name stays behind, with a new folder of that name.  C{saved}: as for C{IFolder.move}, of the
        messages of INBOX.

        @raise NotFound, Invalid.  @raise Conflict: a new name exists, or is below the old one.
        """

    def subscribed(mailbox):
        """List subscriptions, the special folders until told otherwise; Deferred of C{set[str]}.  @raise NotFound."""

    def subscribe(mailbox, name, on):
        """
        Subscribe to a folder, which need not exist, or no more; Deferred.

        @raise NotFound: the mailbox.  @raise Invalid: the name.
        """

    def watch(on_foreign):
        """
        Look after the mailboxes from now on, and call C{on_foreign(id, copy)} for each message that another
        program has delivered (into C{new/} of an INBOX); it has a UID by then.

        Until C{settle([id])} the id is owed: it is told again after a crash or restart, as long as the message
        is where it was.  What is put into other folders or into C{cur/} has merely appeared.
        """

    def space():
        """Return (free octets, total octets) of the disk that holds the mail."""

    def locks():
        """List the locks that are held now, each with what it is of: C{list[tuple[str, Lock]]}."""

    def close():
        """Sync everything and close files; Deferred."""


class IMailImages(Interface):
    """
    The mail of universes as a whole, opened or not.

    The mail of a universe that nobody opens is an image: what a snapshot keeps, what is opened as a universe later.
    """

    def universes():
        """List the ids that have any mail, sorted; Deferred of C{list[str]}."""

    def prepare(source, target):
        """
        Do beforehand, while mail comes and goes, what L{copy} would take long for; Deferred.  It may be left out.

        @raise Conflict: C{target} has mail.
        """

    def copy(source, target, renewed=False, taken=None):
        """
        Copy all mail of a universe, as it is at one moment, to an id that has none; Deferred.

        That moment is after it is asked for: all that was acknowledged before is in the copy, with its UIDs, flags,
        annotations and subscriptions, also what is kept for jobs.  All of it is there, or nothing.  No octet of a
        message is copied, and both are independent of each other from then on.

        @param source: may be opened; target: is not.
        @param renewed: every folder has a UIDVALIDITY greater than any that was ever told; for what is put in the place
            of other mail.
        @param taken: called when that moment is over: what is done to C{source} from then on is not in the copy.  That
            the copy is on the disk and there, which may take longer, is not known then.
        @raise Conflict: C{target} has mail, and stays as it is.
        """

    def erase(universe):
        """Remove all mail of a universe that is not opened, if it has any; Deferred.  What was copied from it stays."""


class IHeld(Interface):
    """Octets of messages that jobs will need, each under the id of a job; in no mailbox, durable as mail is."""

    def keep(keys, octets):
        """Keep octets under each key (C{[A-Za-z0-9_-]+}); what was there is replaced; Deferred."""

    def read(key):
        """Read what is kept; Deferred of bytes.  @raise NotFound: nothing is kept under this key."""

    def drop(keys):
        """Keep nothing more under these keys; Deferred."""

    def keys():
        """List all keys, sorted; Deferred."""


class IAnnotations(Interface):
    """
    Annotations (RFC 5464): values by the names of entries, of a folder, or with C{""} of a mailbox as a whole.

    They go with a folder when it is renamed or deleted; INBOX keeps them, and what it is renamed to has them too.
    """

    def read(mailbox, folder):
        """Read annotations; Deferred of C{dict[str, bytes]}.  @raise NotFound: there is no such mailbox or folder."""

    def write(mailbox, folder, changes, origin=None):
        """
        Make C{changes} (C{dict[str, bytes | None]}, None to remove an entry), all or none, and durable; Deferred.

        @param origin: passed on to listeners.
        @raise NotFound.  @raise OverAllowance: they would be too many, or too large together.
        """

    def listen(listener):
        """Call C{listener(mailbox, folder, names, origin)} when entries have become others."""

    def unlisten(listener):
        """Stop."""
