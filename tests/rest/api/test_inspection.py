"""/api/inspect."""

from __future__ import annotations

from typing import Any

from simmail.core.inspection.engine import EngineReport
from simmail.core.inspection.sender.published import WebFile
from simmail.core.inspection.subject import Envelope
from simmail.testing.universe import now
from simmail.universe.inspection.addresses import MOST_OPEN
from tests.core.inspection.sender.test_published import POLICY, SVG
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

    def test_published(self) -> None:
        """The MTA-STS policy and the BIMI mark of the author's domain are fetched, and judged."""
        dns = {"shop.example": {"MX": ["mail.shop.example"]}, "_mta-sts.shop.example": {"TXT": ["v=STSv1; id=7"]},
               "default._bimi.shop.example": {"TXT": ["v=BIMI1; l=https://shop.example/logo.svg"]},
               "_dmarc.shop.example": {"TXT": ["v=DMARC1; p=reject"]}}

        # Of every other name it says that there is none.
        self.server.zone[("other.example", "A")] = ("192.0.2.1",)

        def outcomes() -> dict[str, tuple[str, str]]:
            report = self.good("POST", "/api/inspect", {"raw": PLAIN, "dns": dns})
            return {one["rule"]: (one["outcome"], one["evidence"]) for one in report["rules"]}

        found = outcomes()
        self.assertEqual((found["MTA_STS"][0], found["BIMI"][0]), ("unseen", "unseen"))
        self.assertIn("could not be fetched", found["MTA_STS"][1])
        self.server.files["https://mta-sts.shop.example/.well-known/mta-sts.txt"] = WebFile(200, "text/plain", POLICY)
        self.server.files["https://shop.example/logo.svg"] = WebFile(200, "image/svg+xml", SVG)
        found = outcomes()
        self.assertEqual((found["MTA_STS"][0], found["BIMI"][0]), ("pass", "pass"))
        dns["shop.example"]["MX"] = ["elsewhere.example"]
        self.assertEqual(outcomes()["MTA_STS"][0], "fail")

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

    def test_name_system(self) -> None:
        """Records are those given with the request; others are asked for."""
        raw = PLAIN.replace("shop.example", "shop.com")
        dns = {"shop.com": {"TXT": ["v=spf1 ip4:192.0.2.1 -all"]}}
        report = self.good("POST", "/api/inspect", {"raw": raw, "ip": "192.0.2.1", "dns": dns})
        self.assertEqual((report["auth"]["spf"], report["auth"]["dmarc"]), ("pass", "temperror"))
        self.server.zone["_dmarc.shop.com", "TXT"] = ("v=DMARC1; p=reject",)
        report = self.good("POST", "/api/inspect", {"raw": raw, "ip": "192.0.2.9", "dns": dns})
        self.assertEqual((report["auth"]["spf"], report["auth"]["dmarc"]), ("fail", "fail"))
        self.assertIn("dns", self.bad(400, "POST", "/api/inspect", {"raw": raw, "dns": {"shop.com": {"SRV": []}}}))

    def test_told(self) -> None:
        """Below an ending that nobody else can be asked about, the records of the request are all there are."""
        dns = {"shop.example": {"TXT": ["v=spf1 mx -all"], "MX": ["20 backup.shop.example", "10 mail.shop.example."]},
               "mail.shop.example": {"A": ["192.0.2.1"]}, "_dmarc.shop.example": {"TXT": ["v=DMARC1; p=reject"]}}
        given = {"raw": PLAIN, "ip": "192.0.2.1", "mail_from": "bounce@mail.shop.example", "dns": dns}
        dns["mail.shop.example"]["TXT"] = ["v=spf1 a -all"]
        report = self.good("POST", "/api/inspect", given)
        self.assertEqual((report["auth"]["spf"], report["auth"]["dmarc"]), ("pass", "pass"))
        report = self.good("POST", "/api/inspect", {**given, "mail_from": "bounce@shop.example"})
        self.assertEqual((report["auth"]["spf"], report["auth"]["dmarc"]), ("pass", "pass"))
        report = self.good("POST", "/api/inspect", {**given, "raw": PLAIN.replace("shop.example", "shop.test")})
        self.assertEqual(report["auth"]["dmarc"], "temperror")

    def test_envelope(self) -> None:
        """How it came is told in the form it would have."""
        for field, value in (("ip", "nonsense"), ("ip", "192.0.2.1/32"), ("helo", "a\r\nb"), ("mail_from", "a@b\x00"),
                             ("recipient", "a@b.test\n")):
            said = self.bad(400, "POST", "/api/inspect", {"raw": PLAIN, field: value})
            self.assertTrue(said.startswith(field + ": "), said)
            said = self.bad(400, "POST", "/api/inspect/assert", {
                "message": {"raw": PLAIN, field: value}, "assertions": [{"what": "size", "op": "gt", "value": 1}]})
            self.assertTrue(said.startswith(f"message.{field}: "), said)
        for kind, value in (("A", "x"), ("A", "::1"), ("AAAA", "192.0.2.1"), ("MX", "10 "), ("MX", "ten a.example")):
            said = self.bad(400, "POST", "/api/inspect", {"raw": PLAIN, "dns": {"shop.example": {kind: [value]}}})
            self.assertTrue(said.startswith(f"dns.shop.example.{kind}: "), said)

    def test_client(self) -> None:
        """Warnings are those of what the recipient reads in."""
        self.persona(style={"client": "outlook"})
        html = '<p lang="en"><a href="https://shop.com/" style="background-image:url(x.png)">Buy the blue one</a></p>'
        self.write(text="Buy the blue one", html=html)
        (warning,) = self.good("GET", "/api/inspect?address=maria@acme.test&uid=1")["html"]["warnings"]
        self.assertIn("Outlook for Windows does not show background-image", warning)
        raw = PLAIN.replace("Subject:", "MIME-Version: 1.0\r\nContent-Type: text/html\r\nSubject:").replace(
            "it is on its way.", html)
        given = {"raw": raw, "recipient": "maria@acme.test"}
        self.assertEqual(self.good("POST", "/api/inspect", given)["html"]["warnings"], [warning])
        self.assertEqual(self.good("POST", "/api/inspect", {**given, "client": "apple"})["html"],
                         {"score": 100.0, "warnings": []})

    def test_engines(self) -> None:
        """Filters that are configured are asked too; one that is away holds up nothing."""
        class Engine:
            def __init__(self, report: EngineReport) -> None:
                self.report = report

            async def check(self, octets: bytes, envelope: Envelope) -> EngineReport:
                return self.report

        self.assertEqual(self.good("POST", "/api/inspect", {"raw": PLAIN})["engines"], [])
        self.server.engines += [Engine(EngineReport("spamassassin", 1.5, 5.0, "ham", ms=7)),
                                Engine(EngineReport("rspamd", error="no connection"))]
        report = self.good("POST", "/api/inspect", {"raw": PLAIN})
        self.assertEqual([(one["engine"], one["score"], one["error"]) for one in report["engines"]],
                         [("spamassassin", 1.5, ""), ("rspamd", 0.0, "no connection")])
        self.assertEqual(report["spam"]["engine"], "rules")

    def test_fault_rule(self) -> None:
        """The reply a provider would send is a fault rule by one call."""
        raw = PLAIN.replace("Message-ID: <1@shop.example>\r\n", "")
        report = self.good("POST", "/api/inspect", {"raw": raw})
        (found,) = [one for one in report["profiles"]["gmail"]["demands"] if one["asks"] == "a valid Message-ID"]
        method, path = found["reply"]["make"].split()
        (rule,) = self.good(method, path, {"match": "@acme.test"})
        self.assertEqual((rule["code"], rule["enhanced"], rule["message"], rule["match"]),
                         (found["reply"]["code"], found["reply"]["enhanced"], found["reply"]["text"], "@acme.test"))

    def test_refused(self) -> None:
        """Nothing or too much to look at, nothing there, too low a role."""
        self.assertIn("raw: is empty", self.bad(400, "POST", "/api/inspect", {"raw": " "}))
        self.assertIn("raw", self.bad(400, "POST", "/api/inspect", {}))
        self.assertIn("message_id: give", self.bad(400, "GET", "/api/inspect"))
        self.assertIn("uid: is required", self.bad(400, "GET", "/api/inspect?address=a@b.test"))
        self.bad(404, "GET", "/api/inspect?message_id=%3Cnone@b.test%3E")
        self.bad(404, "GET", "/api/inspect?address=nobody@b.test&uid=1")
        self.bad(403, "POST", "/api/inspect", {"raw": PLAIN}, "viewer")


class AssertTests(ServedTestCase):
    """Assertions about reports."""

    def test_results(self) -> None:
        """In the order they were asked, each with what was found."""
        answer = self.good("POST", "/api/inspect/assert", {"message": {"raw": PLAIN}, "assertions": [
            {"what": "spam.score", "op": "lt", "value": 3}, {"what": "rules.DKIM_SIGNED", "value": "pass"},
            {"what": "links.count", "value": 0}]}, "member")
        self.assertIs(answer["pass"], False)
        self.assertEqual([one["pass"] for one in answer["results"]], [True, False, True])
        self.assertEqual(answer["results"][1]["actual"], "fail")
        self.assertEqual(answer["results"][1]["why"], 'rules.DKIM_SIGNED is "fail", not eq "pass"')

    def test_stored(self) -> None:
        """Of a message in a mailbox."""
        self.persona()
        message_id = self.write(subject="Lunch?")
        for message in ({"message_id": message_id}, {"address": "maria@acme.test", "uid": 1}):
            answer = self.good("POST", "/api/inspect/assert", {
                "message": message, "assertions": [{"what": "subject", "value": "Lunch?"}]})
            self.assertIs(answer["pass"], True)

    def test_refused(self) -> None:
        """What cannot be asked is told by its number."""
        message = {"raw": PLAIN}
        for assertions, text in (
                ([{"what": "size", "op": "ne"}], "assertions.0.value: is required"),
                ([{"what": "spam.colour"}], "assertions.0.what: spam has no colour"),
                ([{"what": "size"}, {"what": "size", "op": "like"}], "assertions.1.op"),
                ([{"what": "size", "op": "lt", "value": "3"}], "assertions.0.value: lt needs a number"),
                ([], "assertions")):
            self.assertIn(text, self.bad(400, "POST", "/api/inspect/assert",
                                         {"message": message, "assertions": assertions}))
        one = [{"what": "size", "op": "gt", "value": 1}]
        self.assertIn("message.message_id: give", self.bad(400, "POST", "/api/inspect/assert",
                                                           {"message": {}, "assertions": one}))
        self.assertIn("message.raw: give", self.bad(400, "POST", "/api/inspect/assert", {
            "message": {"raw": PLAIN, "uid": 1}, "assertions": one}))
        self.bad(404, "POST", "/api/inspect/assert", {"message": {"message_id": "<no@b.test>"}, "assertions": one})


class AddressTests(ServedTestCase):
    """Deliverability-check addresses."""

    def test_report(self) -> None:
        """What is sent there is reported on, with how it came; nobody answers it."""
        one = self.good("POST", "/api/inspect/addresses", role="member")
        self.assertEqual(one["address"], f"check-{one['token']}@sim.test")
        path = "/api/inspect/addresses/" + one["token"]
        self.assertEqual(self.good("GET", path, role="viewer"), {**one, "messages": 0, "report": None})
        self.good("PUT", "/api/recipients", {"default": {"create": False}})
        self.write(one["address"], subject="Is it good?")
        answer = self.good("GET", path)
        self.assertEqual((answer["messages"], answer["report"]["subject"]), (1, "Is it good?"))
        self.assertEqual(self.good("GET", "/api/personas"), [])

    def test_restart(self) -> None:
        """They are kept, and end after a day of real time."""
        one = self.good("POST", "/api/inspect/addresses")
        now(self.universe.inspections.addresses.start())
        path = "/api/inspect/addresses/" + one["token"]
        self.good("GET", path)
        self.server.reactor.rightNow += 24 * 60 * 60
        self.bad(404, "GET", path)

    def test_too_many(self) -> None:
        """So many may be open; one more is told when."""
        for _ in range(MOST_OPEN):
            self.good("POST", "/api/inspect/addresses")
        answer = self.ask("POST", "/api/inspect/addresses")
        self.assertEqual(answer.status, 429)
        self.assertIn("100 deliverability-check addresses are open", answer.error)
        self.server.reactor.rightNow += 24 * 60 * 60
        self.good("POST", "/api/inspect/addresses")

    def test_refused(self) -> None:
        """No such token; too low a role."""
        self.bad(404, "GET", "/api/inspect/addresses/none")
        self.bad(403, "POST", "/api/inspect/addresses", role="viewer")
