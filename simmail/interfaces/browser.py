"""
The seam to the web: pages that personas open.
"""

from __future__ import annotations

from zope.interface import Interface


class IBrowser(Interface):
    """Opens web pages on behalf of personas; what may be reached at all is its own matter."""

    def visit(errand):
        """
        Open one page (C{core.decide.page_visit.Errand}).

        @return: Deferred of C{core.decide.page_visit.Visit}, within 10 s of the beginning; a page that cannot be
            opened is a visit with an C{error}.  It fails with C{NotFound} when visits are replayed and this one is not
            among them, and with C{CancelledError} when the service ends.
        """
