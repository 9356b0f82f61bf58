"""POST /api/extract."""

from __future__ import annotations

from tests.rest.served import ServedTestCase


class ExtractTests(ServedTestCase):
    """Codes and links."""

    def test_text_and_html(self) -> None:
        """What is in a text or in HTML."""
        found = self.good("POST", "/api/extract", {"text": "Your code is 471193."}, "member")
        self.assertEqual([(one["value"], one["kind"]) for one in found["codes"]], [("471193", "otp")])
        found = self.good("POST", "/api/extract", {"html": '<a href="https://shop.test/verify?t=1">Verify</a>'})
        (link,) = found["links"]
        self.assertEqual((link["url"], link["text"], link["host"], link["kind"]),
                         ("https://shop.test/verify?t=1", "Verify", "shop.test", "verify"))

    def test_message(self) -> None:
        """What is in a message."""
        self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test", "text": "Your code is 471193."})
        found = self.good("POST", "/api/extract", {"address": "App@sim.test", "uid": 1})
        self.assertEqual(found["codes"][0]["value"], "471193")
        self.bad(404, "POST", "/api/extract", {"address": "app@sim.test", "uid": 2})

    def test_refused(self) -> None:
        """Nothing to look at, or two things at once."""
        for body, text in (({}, "text: is required"), ({"uid": 1}, "address: is required"),
                           ({"address": "a@b.test"}, "uid: is required"),
                           ({"text": "x", "uid": 1}, "text: give either")):
            self.assertIn(text, self.bad(400, "POST", "/api/extract", body))
        self.bad(403, "POST", "/api/extract", {"text": "x"}, "viewer")
