"""
The seam to endpoints of webhooks.
"""

from __future__ import annotations

from zope.interface import Interface


class IWebhookSender(Interface):
    """Posts events to endpoints; what may be reached at all is its own matter."""

    def send(url, headers, body):
        """
        Post C{body} (bytes) with C{headers} (pairs of text).

        @return: Deferred of C{core.webhook.retry.WebhookAnswer}, within 10 s of the beginning; where there is no answer
            its C{error} says why.  It fails with C{CancelledError} when the service ends.
        """

    def vet(url):
        """
        Deferred of why nothing may be sent there, C{""} where it may; a name that does not resolve may be sent to.
        """
