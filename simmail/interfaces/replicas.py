"""
The seam to universes whose mail is in a store of objects besides the disk of the server that has them.
"""

from __future__ import annotations

from zope.interface import Attribute, Interface


class IReplicas(Interface):
    """The replicas of one server."""

    trouble = Attribute("Why mail cannot be put there now, C{''}: it can, or nobody wants it to be.")

    def prepare(universe, lost):
        """
        Have the mail of a universe on this disk, all that was ever acknowledged; Deferred.

        It is asked by who has just taken the universe, before its store is made: C{store(universe)}, made after this,
        answers nothing that is not in the store of objects.  Whoever had the universe before can add nothing from then
        on.

        @param lost: called once when another server does the same.
        @raise Unavailable: the store of objects is away.
        """

    def stand_by(universes, expected=()):
        """
        Have beforehand what there is of universes that other servers have, and of no others; their ids.

        @param expected: those among them that are expected to be opened here before long.

        Nothing is changed by it, and C{prepare} does not need it: it takes less time then.
        """

    def stop():
        """Have nothing beforehand any more; what was had stays for the next process."""

    def lay_aside(universe):
        """Remove from this disk what there is of a universe that another server has; Deferred."""

    def replaced(universe):
        """Other mail was put in the place of what there was, on this disk: it is what counts; Deferred."""

    def keep(image):
        """Put the mail of a snapshot, which nobody changes any more, into the store of objects too; Deferred."""

    def fetch(image):
        """
        Have the mail of a snapshot on this disk, as it was kept; Deferred.

        @raise NotFound: it was not kept.  @raise Unavailable: the store of objects is away.
        """

    def erase(universe):
        """Remove all of a universe that is not opened, or of a snapshot, from the store of objects; Deferred."""
