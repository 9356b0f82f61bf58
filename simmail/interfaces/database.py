"""
The seam to Redis: documents, jobs, events and arrivals of universes.
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

    node = Attribute("str: the name under which leases of universes are taken; empty where nobody else has any.")
    healthy = Attribute("bool: false while Redis is known to be away.")
    unconfirmed = Attribute("str: why what is committed is not known to outlive its Redis, empty for none.")
    stored = Attribute("Mapping[str, type]: the kinds of rows (msgspec.Struct) that L{dump} reads, by name, in order.")
    continued = Attribute("bool: it has all that was ever acknowledged, for it went on while the service was away.")

    def commit(universe, commit, may_batch=False):
        """
        Make all of a C{core.records.commit.Commit} true at once, or nothing of it.

        @param may_batch: nobody waits for it; it may be sent a few milliseconds later, together with others.
        @return: Deferred of C{Committed}.  A commit whose C{once} was seen
            before changes nothing and answers C{fresh=False}.
        @raise Fenced: another has taken the universe, of which this provider had the lease.
        """

    def recovered():
        """What it had lost is made again: when it goes on until the next start, it has C{continued} then."""

    def synced():
        """
        Wait until all that was committed so far is in the synced log of the database, and outlives a power cut;
        Deferred, which never fires when it is closed before.

        Many callers may be given the same one: its callbacks must not wait.
        """

    def table(universe, name):
        """Read one whole table; Deferred of C{dict[str, bytes]}."""

    def former(name):
        """
        Read one table of the server's own documents as this C{node} alone had it, where all nodes have the same now;
        Deferred, as L{table}.  Empty where it always had the same.
        """

    def get(universe, name, keys):
        """Read documents of one table, in the order of C{keys}; Deferred of C{list[bytes | None]}."""

    def events(universe, query):
        """Find recorded events for an C{EventQuery}; Deferred of C{list[bytes]}: their JSON, assembled, in order."""

    def last_event(universe):
        """Return the highest event number used so far, 0 for none; Deferred of int."""

    def pending(universe):
        """List all pending and running jobs in (due, id) order; Deferred of C{list[Job]}."""

    def jobs(universe, query):
        """Find the jobs of a C{JobQuery}; Deferred of C{list[Job]}."""

    def job(universe, job_id):
        """Find one job; Deferred of C{Job | None}."""

    def arrivals(universe):
        """List what arrived, was committed and is not yet removed, oldest first; Deferred of C{list[Arrival]}."""

    def seen(universe, ids):
        """Return those delivery or job ids whose commit is recorded; Deferred of a set."""

    def retire(universe, keep, least):
        """
        Forget the outcomes of commits made before the last retirement; Deferred of bool: whether it was done.

        So an outcome is known until at least C{least} more are recorded; without so many since the last
        retirement nothing is done.

        @param keep: ids whose outcomes are kept, however old.
        """

    def prune(universe, before):
        """Remove events and finished jobs older than an instant; Deferred of C{(events, jobs)} removed."""

    def erase(universe):
        """
        Remove everything of a universe but its highest event number, and whose it is; Deferred.

        @raise Fenced: as for a commit.
        """

    def copy(source, target):
        """
        Copy all of a universe, as it is at one moment, to another that has nothing; Deferred.

        That is documents, jobs, arrivals, which commits are recorded, and events under their numbers.  Both are
        independent of each other from then on.  Numbers of C{target} go on above the highest that either has used.

        @raise Conflict: C{target} has something, and stays as it is.  One that was erased has nothing.  Or C{source}
            has more than can be copied in one step.
        """

    def dump(universe):
        """
        Read all there is of a universe that nobody has opened; async iterator of pages: sequences of rows of one kind.
        """

    def load(universe, rows):
        """
        Put what C{dump} read, kind by kind as C{stored} has them, into a universe that has nothing; Deferred, which
        fires when all of it outlives a power cut.

        Event numbers are as they were, and go on above the highest that either has used.  Failing midway it leaves
        what it has put: that is to be erased.

        @param rows: async iterator of pages.  @raise Invalid: a row that cannot be.
        """

    def universes():
        """List the names of universes that have any document; Deferred of C{list[str]}."""

    def draw(bucket, rate, burst, wanted, now):
        """
        Take up to C{wanted} tokens out of a bucket of the server that all processes share (C{core.rules.token_bucket}).

        @param now: Unix time in real seconds, of the caller.
        @return: Deferred of C{(taken, left)}: int and float.
        """

    def replicate(universe):
        """
        From now on have what is committed in a universe on a replica of its Redis before anybody is told of it, where
        replicas are waited for; Deferred.  It is asked by who has just taken the universe, until it is given back.

        Nor are events found before.  Where it was not given back in order event numbers jump ahead: some that were used
        may not be known.

        @raise Unavailable: Redis is away, or no replica confirms.
        """

    def available(universe):
        """
        Say whether changes of a universe can be made; false while Redis is known to be away, or no replica confirms
        what was committed in it.
        """

    def take(universe, lost):
        """
        Take the lease of a universe, where C{node} is not empty; Deferred.  From then on what changes the universe
        through this provider carries a token, and is refused when another has taken it.  What erases or makes a
        universe takes its lease by itself.

        What this node holds already it takes anew.  The lease lasts six seconds, unless it is renewed.

        @param lost: called once, without arguments, when something was refused because another has taken it.
        @raise Fenced: another holds it.
        """

    def renew(universe):
        """
        Have a lease that was taken last as long from now; Deferred.  One that has run out is held again where nobody
        else has taken it.

        @raise Fenced: another has.
        """

    def holder(universe):
        """Say which node has the lease of a universe now; Deferred of str, empty for none."""

    def give_back(universe):
        """End a lease, if there is one: others can take it at once; Deferred.  @raise Fenced: another has."""

    def announce(universe, number):
        """
        Tell all who listen (L{on_news}) a number, higher than any before, of something that has changed.

        Nobody is promised that it is heard.
        """

    def on_news(universe, listener):
        """
        Call C{listener(int)} with what is announced by any process, this one as well; and C{listener(None)} whenever
        some of it may have been missed.  Returns what ends that, to be called once.
        """

    def on_health(listener):
        """Call C{listener(bool)} on each change of C{healthy}; returns what ends that, to be called once."""

    def close():
        """Close the connections; Deferred."""
