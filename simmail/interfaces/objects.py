"""
The seam to a store of objects, such as a bucket of S3: octets by name, that survive every machine of ours.
"""

from __future__ import annotations

from zope.interface import Attribute, Interface


class IObjectStore(Interface):
    """
    Objects by name, of characters in C{A-Za-z0-9._-/}.

    What was put is read and listed by everybody at once.  Every method fails with C{Unavailable} when the store is
    away, slow or refuses, at the latest after its patience; nothing is known then of what was asked for.
    """

    trouble = Attribute("Why it cannot be used now, C{''}: nothing is known to be wrong.")

    def put(name, octets):
        """Put an object, in the place of one that is there; Deferred."""

    def put_new(name, octets):
        """
        Put an object where none is; Deferred of bool: whether it is there now, with these octets.

        False: another object is there, and stays.
        """

    def get(name):
        """Read an object; Deferred of bytes.  @raise NotFound: there is none of that name."""

    def list(prefix, token=""):
        """
        List names that begin with C{prefix}; Deferred of C{ObjectPage(names, token)}.

        Those directly in one folder (with no other C{/} behind the prefix) come in the order of their octets.

        @param token: that of the page before, C{""} for the first.
        """

    def delete(name):
        """Remove an object, whether or not there is one; Deferred."""
