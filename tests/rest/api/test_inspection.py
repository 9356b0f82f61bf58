"""/api/inspect."""

from __future__ import annotations

from typing import Any

from tests.rest.served import ServedTestCase

PLAIN = ("From: Shop <news@shop.example>\r\nTo: maria@acme.test\r\nDate: Mon, 2 Mar 2026 09:00:00 +0000\r\n"
         "Message-ID: <1@shop.example>\r\nSubject: Your order\r\n\r\nDear Maria,\r\nit is on its way.\r\n")


def failing(report: dict[str, Any]) -> set[str]:
    """The rules that a report says fail."""
    return {one["rule"] for one in report["rules"] if one["outcome"] == "fail"}


class InspectTests(ServedTestCase):
    """Reports on messages, sent and not."""

    def test_raw(self) -> None:
        """A message that nobody has sent: every rule has an outcome, evidence and a source."""
        report = self.good("POST", "/api/inspect", {"raw": PLAIN}, "member")
        self.assertEqual((report["message_id"], report["subject"], report["size"]),
                         ("<1@shop.example>", "Your order", len(PLAIN)))
        self.assertEqual(failing(report), {"DKIM_SIGNED", "DKIM_PASS"})
        self.assertEqual(report["spam"]["action"], "deliver")
        self.assertEqual(sum(report["counts"].values()), len(report["rules"]))
        for one in report["rules"]:
            self.assertTrue(one["evidence"] and one["source"] and one["description"], one)
        self.assertEqual({one["outcome"] for one in report["rules"] if one["group"] == "reputation"}, {"unseen"})

    def test_lines(self) -> None:
        """Lines that all end in LF are those of who writes by hand; a lone LF among CRLF is told."""
        report = self.good("POST", "/api/inspect", {"raw": PLAIN.replace("\r\n", "\n")})
        self.assertEqual(report["size"], len(PLAIN))
        report = self.good("POST", "/api/inspect", {"raw": PLAIN + "one\ntwo\r\n"})
        self.assertIn("LINE_ENDS", failing(report))

    def test_spam(self) -> None:
        """The score is the junk filter's, whatever the filter."""
        raw = PLAIN.replace("it is", "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X")
        report = self.good("POST", "/api/inspect", {"raw": raw})
        self.assertEqual(report["spam"]["action"], "junk")
        self.assertEqual(report["spam"]["rules"][0]["name"], "GTUBE")
        self.assertEqual(report["by_filter"],
                         {"strict": "junk", "normal": "junk", "lenient": "junk", "none": "deliver"})

    def test_stored(self) -> None:
        """A message in a mailbox, by its place and by its name."""
        self.persona()
        message_id = self.write(subject="HELLO THERE EVERYBODY")
        by_place = self.good("GET", "/api/inspect?address=Maria@acme.test&uid=1", role="viewer")
        self.assertEqual(by_place["message_id"], message_id)
        self.assertIn("SUBJECT_CAPS", failing(by_place))
        by_name = self.good("GET", "/api/inspect?message_id=" + message_id.replace("<", "%3C").replace(">", "%3E"))
        self.assertEqual(by_name["spam"], by_place["spam"])

    def test_refused(self) -> None:
        """Nothing or too much to look at, nothing there, too low a role."""
        self.assertIn("raw: is empty", self.bad(400, "POST", "/api/inspect", {"raw": " "}))
        self.assertIn("raw", self.bad(400, "POST", "/api/inspect", {}))
        self.assertIn("message_id: give", self.bad(400, "GET", "/api/inspect"))
        self.assertIn("uid: is required", self.bad(400, "GET", "/api/inspect?address=a@b.test"))
        self.bad(404, "GET", "/api/inspect?message_id=%3Cnone@b.test%3E")
        self.bad(404, "GET", "/api/inspect?address=nobody@b.test&uid=1")
        self.bad(403, "POST", "/api/inspect", {"raw": PLAIN}, "viewer")
