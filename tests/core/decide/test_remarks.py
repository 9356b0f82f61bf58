"""What is kept of a conversation."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide import remarks
from simmail.core.language.promised import promised
from simmail.core.language.reader import Findings
from simmail.core.message.mail import Attachment
from simmail.core.records.conversation import MOST_REMARKS, Remark
from simmail.core.records.relationship import OpenPromise
from simmail.core.writer import Promised, Written
from tests.core.scenes import NOW, after, attached, mail

THURSDAY = datetime(2026, 3, 5, 14, tzinfo=timezone.utc)
PROPOSED = Remark("proposed", "persona", "appointment", NOW, "2026-03-05 14:00", THURSDAY, True)


def heard(text: str, before: tuple[Remark, ...] = (), **fields: Any) -> tuple[Remark, ...]:
    """What is kept of a mail."""
    found = Findings(mail(text, **fields), NOW)
    return remarks.heard(found, promised(found), before, NOW)


def told(some: tuple[Remark, ...], *kinds: str) -> list[tuple[str, str, str]]:
    """Kind, matter and value of the remarks of some kinds."""
    return [(one.kind, one.what, one.value) for one in some if not kinds or one.kind in kinds]


class HeardTests(SynchronousTestCase):
    """Mails that come."""

    def test_stated(self) -> None:
        """Numbers, sums, places and days are kept, of the subject too."""
        found = heard("We delivered it on 28 February. EUR 120.00 are due by Friday. We meet in room 4.",
                      subject="Your order 77120")
        self.assertEqual(told(found, "stated"), [
            ("stated", "order", "77120"), ("stated", "amount", "EUR 120.00"), ("stated", "place", "room 4"),
            ("stated", "deadline", "2026-03-06"), ("stated", "date", "2026-02-28")])
        self.assertEqual({one.message_id for one in found}, {"<1@app.test>"})
        self.assertEqual({(one.by, one.at) for one in found}, {("correspondent", NOW)})

    def test_asked_and_sent(self) -> None:
        """Questions, wanted documents, attachments and promises."""
        found = heard("Who signs the contract? Please send us the certificate.\nI will send the plan by Friday.",
                      attachments=(attached("offer.pdf"),))
        self.assertIn(("requested", "the certificate", ""), told(found))
        self.assertIn(("sent", "offer.pdf", ""), told(found))
        self.assertIn(("promised", "the plan", ""), told(found))
        (question,) = told(found, "asked")
        self.assertEqual(question[2], "Who signs the contract?")
        (promise,) = [one for one in found if one.kind == "promised"]
        self.assertEqual(promise.when, datetime(2026, 3, 6, 17, tzinfo=timezone.utc))

    def test_proposed(self) -> None:
        """Times are proposed, in the zone they are meant in."""
        found = heard("Could we talk on Tuesday at 10:00 or on Thursday at 14:00 CET?")
        self.assertEqual([(one.kind, one.when, one.timed) for one in found if one.when], [
            ("proposed", datetime(2026, 3, 3, 9, tzinfo=timezone.utc), True),
            ("proposed", datetime(2026, 3, 5, 13, tzinfo=timezone.utc), True)])

    def test_agreed(self) -> None:
        """Who takes the persona's time has agreed, whether or not the hour is said again; who asks has not."""
        for text, expected in (
            ("Thursday at 14:00 works for me.", THURSDAY), ("Thursday works for me.", THURSDAY),
            ("That works for me, see you then!", THURSDAY), ("Then Thursday at 14:00.", THURSDAY),
            ("Friday at 9:00 works for me.", THURSDAY + timedelta(hours=19)),
            ("Is Thursday at 14:00 still all right?", None), ("Thursday doesn't work for me.", None),
            ("The parcel came today.", None),
        ):
            found = [one.when for one in heard(text, (PROPOSED,)) if one.kind == "agreed"]
            self.assertEqual(found, [expected] if expected else [], text)
        self.assertEqual(told(heard("That works for me."), "agreed"), [])

    def test_called_off(self) -> None:
        """An appointment is called off by its time, anything else by its name; a first mail takes nothing back."""
        agreed = (Remark("agreed", "persona", "appointment", NOW, "x", THURSDAY, True),)
        (one,) = [one for one in heard("Sorry, I have to cancel our appointment.", agreed) if one.what == "appointment"
                  and one.kind == "called_off"]
        self.assertEqual(one.when, THURSDAY)
        self.assertEqual(told(heard("Please forget the refund.", agreed), "called_off"),
                         [("called_off", "refund", "Please forget the refund.")])
        self.assertEqual(told(heard("Please cancel my subscription."), "called_off"), [])

    @given(st.text(max_size=400))
    def test_anything(self, text: str) -> None:
        """Whatever is written, few and short things are kept of it."""
        found = heard(text, (PROPOSED,), subject=text[:80])
        self.assertLess(len(found), MOST_REMARKS)
        self.assertTrue(all(len(one.what) <= 81 and len(one.value) <= 121 for one in found))


class SaidTests(SynchronousTestCase):
    """The persona's own mails."""

    def test_said(self) -> None:
        """What the words say themselves, then what came of them, each thing once."""
        pdf = Attachment("offer.pdf", "application/pdf", b"x")
        own = Remark("promised", "persona", "the plan", NOW, when=after(days=2), timed=True)
        written = Written(
            subject="x", text="y", attachments=(pdf,), promise=Promised("the plan", after(days=1)),
            question="Which day?", done={"payment": "INV-7"}, remarks=(own,))
        found = remarks.said(written, mail("y", message_id="<own@acme.test>"), after(hours=1))
        self.assertEqual(told(found), [
            ("promised", "the plan", ""), ("sent", "offer.pdf", ""), ("sent", "INV-7", ""),
            ("asked", "question", "Which day?")])
        self.assertEqual({(one.by, one.at, one.message_id) for one in found},
                         {("persona", after(hours=1), "<own@acme.test>")})
        self.assertEqual(found[0].when, after(days=2))


class KeptTests(SynchronousTestCase):
    """What stays."""

    def test_again(self) -> None:
        """What is said again stands where it was said last, so the last agreement is the one that holds."""
        one, other = (Remark("agreed", "persona", "appointment", NOW, day) for day in ("Wednesday", "Thursday"))
        self.assertEqual(remarks.kept((one, other), (one,)), (other, one))

    def test_bound(self) -> None:
        """Of too many the oldest go, and what was agreed or called off last."""
        agreed = Remark("agreed", "persona", "appointment", NOW, "Thursday")
        found: tuple[Remark, ...] = (agreed,)
        for n in range(3 * MOST_REMARKS):
            found = remarks.kept(found, (Remark("stated", "correspondent", "amount", NOW, f"EUR {n}"),))
        self.assertEqual((len(found), found[0], found[-1].value), (MOST_REMARKS, agreed, f"EUR {3 * MOST_REMARKS - 1}"))

    def test_wanted(self) -> None:
        """What was called off is wanted again once it is asked for."""
        off = Remark("called_off", "correspondent", "refund", NOW)
        again = Remark("requested", "correspondent", "the refund", NOW)
        self.assertTrue(remarks.wanted("the refund", ()))
        self.assertFalse(remarks.wanted("the refund of EUR 5", (off,)))
        self.assertTrue(remarks.wanted("the contract", (off,)))
        self.assertTrue(remarks.wanted("the refund", (off, again)))

    def test_unwanted(self) -> None:
        """A promise is not wanted any more by its name, or as the last one when nothing is named."""
        promise = OpenPromise("persona", "the refund of EUR 120.00", NOW, after(days=1), thread="<1@app.test>")
        for text, last, expected in (
            ("Please forget the refund.", False, True), ("Please cancel it.", True, True),
            ("Please cancel it.", False, False), ("Please forget the contract.", True, False),
            ("Where is the refund?", True, False), ("Never mind.", True, True),
            ("Never mind the visit, but I still need the refund.", True, False),
            ("Hat sich erledigt, das Geld brauche ich aber.", True, False),
        ):
            found = Findings(mail(text), NOW)
            self.assertEqual(remarks.unwanted(promise, found, "<1@app.test>", last), expected, text)

    def test_money_back(self) -> None:
        """A payment that was promised is meant by any word for money back, and by no other thing."""
        for what, text, expected in (
            ("payment of order 50881", "Forget the refund, send me a new one.", True),
            ("payment of order 50881", "Forget the catalogue.", False),
            ("die Zahlung von 50881", "Vergessen Sie die Erstattung, ich nehme das neue.", True),
        ):
            promise = OpenPromise("persona", what, NOW, after(days=1), thread="<1@app.test>")
            found = Findings(mail(text), NOW)
            self.assertEqual(remarks.unwanted(promise, found, "<1@app.test>", False), expected, text)
