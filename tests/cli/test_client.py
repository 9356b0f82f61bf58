"""Asking the running server."""

from __future__ import annotations

import argparse
import json

from simmail.cli.client import base, call
from simmail.errors import Invalid
from tests.cli.asked import AskedTestCase


class ClientTests(AskedTestCase):
    """One question each."""

    def setUp(self) -> None:
        """The state folder is named on the command line."""
        super().setUp()
        self.parsed = argparse.Namespace(folder=self.state)

    def test_asked(self) -> None:
        """With the key of the folder, and with a body where there is one."""
        self.says = 200, b'{"id": "shop"}'
        self.assertEqual(call(self.parsed, "POST", "universes", {"id": "shop"}), {"id": "shop"})
        call(self.parsed, "DELETE", "universes/shop")
        self.assertEqual(self.asked, [
            ("POST", "/api/admin/universes", "Bearer sm_1_x", b'{"id": "shop"}'),
            ("DELETE", "/api/admin/universes/shop", "Bearer sm_1_x", b"")])

    def test_everywhere(self) -> None:
        """A server that listens everywhere, or at an IPv6 address, is found."""
        for host, place in (("0.0.0.0", "127.0.0.1"), ("", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"),
                            ("mail.test", "mail.test")):
            (self.state / "endpoints.json").write_text(json.dumps({"http": {"host": host, "port": 25}}))
            self.assertEqual(base(self.state), f"http://{place}:25")

    def test_refused(self) -> None:
        """A refusal is the API's own text; one that is none is told as it came."""
        for body, words in ((b'{"error": "no universe x"}', "no universe x"), (b"<html>", "404"), (b"{}", "404")):
            self.says = 404, body
            self.assertIn(words, str(self.assertRaises(Invalid, call, self.parsed, "DELETE", "universes/x")))

    def test_no_key(self) -> None:
        """A folder without a key is told by the file that is missing; nothing is asked."""
        (self.state / "admin.key").unlink()
        self.assertIn("admin.key cannot be read", str(self.assertRaises(Invalid, call, self.parsed, "POST", "keys")))
        self.assertEqual(self.asked, [])

    def test_nothing_there(self) -> None:
        """A folder with which nothing was started, or whose file is half-written, has no server."""
        for text in (None, "{", "[]", "{}", '{"http": {}}', '{"http": 1}'):
            (self.state / "endpoints.json").unlink(missing_ok=True)
            if text is not None:
                (self.state / "endpoints.json").write_text(text)
            self.assertIn("nothing was started", str(self.assertRaises(Invalid, base, self.state)), text)
