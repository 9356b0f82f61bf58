"""The console and its files."""

from __future__ import annotations

from tests.rest.served import ServedTestCase


class ConsoleTests(ServedTestCase):
    """The page of the console."""

    def test_files(self) -> None:
        """Three files, open to everyone, that ask no other host and run no script but their own."""
        answer = self.ask("GET", "/", role="")
        self.assertEqual((answer.status, answer.headers["location"]), (302, "/docs"))
        for path, content_type in (("/docs", "text/html"), ("/docs/docs.js", "text/javascript"),
                                   ("/docs/docs.css", "text/css")):
            answer = self.ask("GET", path, role="")
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, f"{content_type}; charset=utf-8"))
            policy = answer.headers["content-security-policy"]
            self.assertTrue(policy.startswith("default-src 'none'") and "unsafe" not in policy)
            self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
            for foreign in (b"http://", b"https://", b"innerHTML", b"eval(", b"style=", b"onclick"):
                self.assertNotIn(foreign, answer.body)
