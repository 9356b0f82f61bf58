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
