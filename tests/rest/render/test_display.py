"""The page of a message; what it keeps out is met in C{rest.api.test_mailboxes}."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.parse import read
from simmail.rest.render import display

PICTURE = b"""Content-Type: multipart/related; boundary=b\r
\r
--b\r
Content-Type: text/html\r
\r
<img src="cid:a"><img src="cid:b"><img src="cid:c">\r
--b\r
Content-Type: image/png\r
Content-ID: <a>\r
\r
1234\r
--b\r
Content-Type: image/svg+xml\r
Content-ID: <b>\r
\r
<svg/>\r
--b\r
Content-Type: image/gif\r
Content-ID: <c>\r
\r
567890\r
--b--\r
"""


class DisplayTests(SynchronousTestCase):
    """Images of the message itself."""

    def test_room(self) -> None:
        """Images over the room there is are left out, as is what is no plain picture."""
        def shown() -> bytes:
            return display.display(read(PICTURE), False, True).octets

        self.assertEqual(shown().count(b"data:image/"), 2)
        self.assertIn(b"data:image/png;base64,MTIzNA==", shown())
        self.assertNotIn(b"svg", shown())
        self.patch(display, "IMAGES", 5)
        self.assertEqual(shown().count(b"data:image/"), 1)
