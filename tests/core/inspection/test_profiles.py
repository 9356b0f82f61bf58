"""What providers would make of a mail."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.authentication import Authentication, DkimCheck, DmarcCheck, SpfCheck
from simmail.core.inspection.profiles import PROFILES, DemandReport
from simmail.core.inspection.report import inspect
from simmail.core.inspection.rules import RULES
from simmail.core.inspection.subject import Envelope
from simmail.core.rules.fault_library import SCENARIOS
from tests.core.inspection.messages import BODY, BULK, GOOD, without

_SIGNED = b"DKIM-Signature: v=1\r\n"
_FAILING = Authentication(
    SpfCheck("fail", "192.0.2.1 may not send"), (DkimCheck("fail", "the body was changed", "shop.example"),),
    DmarcCheck("fail", "nothing is aligned", "reject", "shop.example", "v=DMARC1; p=reject"), asked=True)
_PASSING = Authentication(
    SpfCheck("pass", "it may send", record="v=spf1 -all"),
    (DkimCheck("pass", "it is signed", "shop.example", "s", "rsa-sha256", 2048, ("from",)),),
    DmarcCheck("pass", "aligned", "reject", "shop.example", "v=DMARC1; p=reject"), asked=True)


def failing(octets: bytes, provider: str, authentication: Authentication = _PASSING) -> dict[str, DemandReport]:
    """The demands of a provider that fail."""
    report = inspect(octets, Envelope(), authentication)
    return {one.asks: one for one in report.profiles[provider].demands if one.outcome == "fail"}  # type: ignore


class ProfileTests(SynchronousTestCase):
    """Dated data over findings."""

    def test_data(self) -> None:
        """Each demand names rules there are, and what its provider answers or does; profiles are dated."""
        self.assertEqual(list(PROFILES), ["gmail", "yahoo", "microsoft"])
        for profile in PROFILES.values():
            self.assertRegex(profile.as_of, r"\A20\d\d-\d\d-\d\d\Z")
            self.assertTrue(profile.source)
            for demand in profile.demands:
                self.assertLessEqual(set(demand.rules), set(RULES))
                self.assertNotEqual(demand.reply is None, demand.instead == "", demand.asks)

    def test_reply(self) -> None:
        """What fails shows the provider's reply, which is the fault library's."""
        found = failing(_SIGNED + BULK + BODY, "microsoft", _FAILING)["SPF"]
        assert found.reply is not None
        self.assertEqual((found.reply.code, found.reply.enhanced), (550, "5.7.515"))
        self.assertIn("does not meet the required authentication level", found.reply.text)
        self.assertEqual(found.reply.make, "POST /api/faults/scenarios/outlook-authentication")
        self.assertEqual(found.reply.text, SCENARIOS["outlook-authentication"].rule.message)

    def test_one_is_enough(self) -> None:
        """SPF or DKIM: one that passes is enough, both that fail are not."""
        half = Authentication(_FAILING.spf, _PASSING.dkim, _PASSING.dmarc, asked=True)
        self.assertNotIn("SPF or DKIM", failing(_SIGNED + GOOD + BODY, "gmail", half))
        self.assertIn("SPF or DKIM", failing(_SIGNED + GOOD + BODY, "gmail", _FAILING))
        self.assertIn("SPF and DKIM", failing(_SIGNED + BULK + BODY, "gmail", half))

    def test_bulk(self) -> None:
        """What is asked of senders of many is not asked of a single mail."""
        self.assertEqual(failing(_SIGNED + GOOD + BODY, "microsoft", _FAILING), {})
        self.assertEqual(set(failing(_SIGNED + BULK + BODY, "microsoft", _FAILING)), {
            "SPF", "DKIM", "From aligned with SPF or DKIM", "a way to unsubscribe that is seen"})

    def test_policy(self) -> None:
        """Where the domain's owner asks for it, a single mail is refused."""
        found = failing(_SIGNED + GOOD + BODY, "gmail", _FAILING)
        self.assertIn("what the domain's DMARC policy asks", found)
        self.assertNotIn("what the domain's DMARC policy asks", failing(_SIGNED + GOOD + BODY, "gmail"))

    def test_form(self) -> None:
        """Each fault of form has its own reply."""
        for octets, scenario in (
                (without(b"From"), "gmail-from-missing"), (without(b"Message-ID"), "gmail-message-id"),
                (b"Subject: x\r\n" + GOOD + BODY, "gmail-duplicate-headers")):
            replies = {one.reply.scenario for one in failing(octets, "gmail").values() if one.reply}
            self.assertIn(scenario, replies)

    def test_unseen(self) -> None:
        """What was not asked is not passed."""
        report = inspect(GOOD + BODY)
        self.assertEqual(report.profiles["gmail"].outcome, "unseen")
        (one,) = [one for one in report.profiles["gmail"].demands if one.asks == "few complaints"]
        self.assertEqual((one.outcome, one.reply), ("unseen", None))
