"""Tests for C{simmail.core.insights.fold}, C{sent} and C{received}: what single events mean."""

from __future__ import annotations

from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.insights.events import CountedEvent, instant_at
from simmail.core.insights.fold import Fold
from simmail.core.insights.report import cut
from simmail.core.insights.state import State
from tests.core.insights.logs import FOLK

APP = "app@sim.test"
P0, P1 = "p0@people0.test", "p1@people1.test"


class FoldTestCase(SynchronousTestCase):
    """One fold."""

    def setUp(self) -> None:
        """Nothing happened."""
        self.fold = Fold(State(), FOLK)
        self.at = 20_000 * 86_400

    def took(self, type: str, data: dict[str, Any], addresses: tuple[str, ...] = ()) -> None:
        """An event, a minute after the last."""
        self.at += 60
        self.fold.take(CountedEvent(self.fold.state.through + 1, self.at, type, data, addresses))

    def sent(self, message_id: str, to: str = P0, subject: str = "Hello", answers: str = "", sender: str = APP) -> None:
        """The application writes."""
        data = {"from": sender, "to": [to], "subject": subject, "message_id": message_id}
        self.took("mail.delivered", {**data, "in_reply_to": answers} if answers else data)

    def came(self, message_id: str, subject: str = "Re: Hello", text: str = "When?", kind: str = "reply") -> None:
        """The application gets a mail."""
        self.took("persona.sent", {"persona_id": "p_0", "kind": kind, "to": [APP], "cc": [], "subject": subject,
                                   "message_id": message_id, "text": text, "answers": []}, (P0,))

    @property
    def report(self) -> dict[str, Any]:
        """The report of the last days."""
        found: dict[str, Any] = msgspec.to_builtins(cut(self.fold.state, instant_at(self.at), 30))
        return found

    def application(self, **figures: int) -> None:
        """Those figures of the application, and no others."""
        found = self.report["application"]
        self.assertEqual({name: count for name, count in found.items() if count and name != "median_first_answer"},
                         figures)


class SentTests(FoldTestCase):
    """Mail of the application."""

    def test_once(self) -> None:
        """An event is taken once, and what is not counted moves on all the same."""
        self.sent("<1>")
        self.fold.take(CountedEvent(1, self.at, "mail.delivered", {"from": APP, "to": [P0], "message_id": "<2>"}))
        self.took("clock", {})
        self.assertEqual((self.report["total"]["sent"], self.fold.state.through), (1, 2))

    def test_names(self) -> None:
        """The names of recipients are taken out of a subject: of people, and of whoever an address names."""
        for n, (to, subject) in enumerate((
                (P0, "Person, your order"), ("ann.lee@x.test", "Ann, your order"), ("orders@x.test", "Your Order"))):
            self.sent(f"<{n}>", to, subject)
        self.assertEqual([(one["subject"], one["sent"]) for one in self.report["campaigns"]], [("your order", 3)])

    def test_sent_again(self) -> None:
        """A Message-ID that is used again stands for its last mail."""
        self.sent("<1>")
        self.at += 3 * 86_400
        self.sent("<1>")
        for _ in range(2):
            self.took("persona.junked", {"persona_id": "p_0", "message_id": "<1>"}, (P0,))
        days = [one for one in self.report["by_day"] if one["sent"]]
        self.assertEqual([(one["sent"], one["junked"]) for one in days], [(1, 0), (1, 1)])

    def test_late(self) -> None:
        """What becomes of a mail is counted on the day it was sent."""
        self.sent("<1>")
        self.at += 5 * 86_400
        self.took("persona.sent", {"persona_id": "p_0", "kind": "reply", "to": [APP], "cc": [], "subject": "Re: Hello",
                                   "message_id": "<r>", "text": "", "answers": ["<1>", "<other>"]}, (P0,))
        (day,) = (one for one in self.report["by_day"] if one["sent"])
        self.assertEqual((day["replied"], self.report["total"]["median_reply"]), (1, "5d"))

    def test_unsubscribed(self) -> None:
        """Following a link to unsubscribe is no click; one that is broken is none of either."""
        self.sent("<1>")
        for url, text, status in (("https://x.test/u", "Unsubscribe", 200), ("https://x.test/optout", "", 404),
                                  ("https://x.test/a", "Shop", 200), ("https://x.test/a", "Shop", 200)):
            self.took("link.opened", {"persona_id": "p_0", "message_id": "<1>", "url": url, "text": text,
                                      "status": status}, (P0,))
        total = self.report["total"]
        self.assertEqual([total[name] for name in ("unsubscribed", "clicked", "clicks", "broken_links")], [1, 1, 2, 1])

    def test_refused(self) -> None:
        """What is refused at RCPT was sent, though nobody knows the subject."""
        self.took("persona.bounced", {"address": "x@y.test", "kind": "full", "to": APP, "subject": ""})
        total = self.report["total"]
        self.assertEqual((total["sent"], total["delivered"], total["bounced_by_kind"]), (1, 0, {"full": 1}))
        self.assertEqual([(one["domain"], one["bounced"]) for one in self.report["by_domain"]], [("y.test", 1)])


class ReceivedTests(FoldTestCase):
    """Mail the application gets."""

    def test_answered(self) -> None:
        """An answer with a reference, after the time it took; a second one is a duplicate."""
        self.came("<p>")
        self.application(received=1, unanswered=1)
        self.sent("<a>", answers="<p>", subject="Quite another subject")
        self.application(received=1, answered=1)
        self.assertEqual(self.report["application"]["median_first_answer"], "1m")
        self.sent("<b>", answers="<p>", subject="Quite another subject")
        self.application(received=1, answered=1, duplicate_replies=1)

    def test_the_later_one(self) -> None:
        """Who answers the first mail of a thread again answers the one that is open in it."""
        self.came("<p>")
        self.sent("<a>", answers="<p>")
        self.came("<q>")
        self.sent("<b>", answers="<p>", subject="Re: Hello")
        self.application(received=2, answered=2)

    def test_wrong_thread(self) -> None:
        """An answer is known by its subject too; without a reference, or with one to another mail, it is astray."""
        self.came("<p>")
        self.sent("<a>", subject="Re: hello")
        self.application(received=1, answered=1, wrong_thread=1)
        self.came("<q>", "Re: Lunch")
        self.sent("<b>", subject="RE: Lunch", answers="<nobody's>")
        self.application(received=2, answered=2, wrong_thread=2)

    def test_own_thread(self) -> None:
        """Who follows up the own mail stays in the thread."""
        self.sent("<a>")
        self.came("<p>")
        self.sent("<b>", subject="Re: Hello", answers="<a>")
        self.application(received=1, answered=1)

    def test_next_issue(self) -> None:
        """The next mail of a campaign answers nobody who answered the last."""
        self.came("<p>", text="Thanks.")
        self.sent("<a>", subject="Hello")
        self.application(received=1)

    def test_somebody_else(self) -> None:
        """A mail to another person, or from another address, answers nobody."""
        self.came("<p>")
        self.sent("<a>", to=P1, subject="Re: Hello", answers="<p>")
        self.sent("<b>", subject="Re: Hello", sender="other@sim.test")
        self.application(received=1, unanswered=1)

    def test_automatic(self) -> None:
        """Answers to notices of absence and to nobody's mailboxes."""
        self.came("<p>", kind="ooo")
        self.sent("<a>", answers="<p>")
        self.sent("<b>", to="MAILER-DAEMON@x.test")
        self.application(received=1, answered=1, replies_to_automatic_mail=2)

    def test_world(self) -> None:
        """What was expected is told by who made the mail, also when it was heard of before."""
        self.came("<p>", text="Thanks.")
        self.took("world.mail", {"persona_id": "p_0", "to": [APP], "subject": "Hello", "message_id": "<p>",
                                 "expected": "answer", "kind": "inquiry"}, (P0,))
        self.application(received=1, unanswered=1)
        self.took("world.mail", {"from": "WIN@lottery.test", "to": APP, "subject": "You won", "message_id": "<w>",
                                 "expected": "junk", "kind": "spam"})
        self.sent("<a>", to="win@lottery.test", answers="<w>")
        self.application(received=2, answered=1, unanswered=1, answered_spam=1)

    def test_loop(self) -> None:
        """A loop is counted once, whatever is ignored for it."""
        for why, subject in (("loop", "Re: Hello"), ("loop", "Re: Re: Hello"), ("draw", "x"), ("loop", "Lunch")):
            self.took("persona.ignored", {"persona_id": "p_0", "why": why, "subject": subject, "message_id": ""})
        self.application(loops=2)

    def test_among_people(self) -> None:
        """What people write each other is no mail of the application."""
        self.took("persona.sent", {"persona_id": "p_0", "kind": "initiate", "to": [P1], "cc": [], "subject": "x",
                                   "message_id": "<p>", "text": "?", "answers": []}, (P0,))
        self.application()
