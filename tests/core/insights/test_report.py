"""The report, against a count by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.insights.events import instant_at, seconds_at
from simmail.core.insights.report import cut
from simmail.core.insights.state import State
from tests.core.insights.logs import (
    BEGIN, FOLK, PEOPLE, STEPS, Mailing, application_of, figures_of, folded, mailings_of, rows_of, share_of,
)


def report(state: State, now: Any, days: int) -> dict[str, Any]:
    """The report as the API shows it."""
    found: dict[str, Any] = msgspec.to_builtins(cut(state, now, days))
    return found


class ReportTests(SynchronousTestCase):
    """All of it."""

    @settings(max_examples=150, deadline=None)
    @given(STEPS, st.integers(1, 30), st.lists(st.integers(1, 60), max_size=3))
    def test_brute_force(self, steps: Sequence[dict[str, Any]], days: int, cut_at: Sequence[int]) -> None:
        """Whatever happened, the figures are those of a count by hand, also over a restart."""
        rows = rows_of(steps)
        now = instant_at(rows[-1].at) if rows else BEGIN
        found = report(folded(rows, cut_at), now, days)
        today = seconds_at(now) // 86400
        window = range(today - days + 1, today + 1)
        mails, deferred = mailings_of(rows)
        mails = [one for one in mails if one.day in window]
        deferred = [one for one in deferred if one[0] in window]

        self.assertEqual(found["from"], f"{instant_at(window[0] * 86400):%Y-%m-%dT%H:%M:%SZ}")
        self.assertEqual(found["total"], figures_of(mails, len(deferred)))
        self.campaigns(found["campaigns"], mails, deferred)
        self.days(found["by_day"], mails, window)
        self.people(found, mails)
        self.assertEqual(found["application"], application_of(rows, window))

    def campaigns(self, found: list[dict[str, Any]], mails: list[Mailing], deferred: list[Any]) -> None:
        """Each campaign has its own mails."""
        keys = {(one.sender, one.subject.casefold()) for one in mails} | {(sender, "") for _, sender, _ in deferred}
        self.assertEqual({(one["sender"], one["subject"].casefold()) for one in found}, keys)
        for one in found:
            own = [mail for mail in mails
                   if (mail.sender, mail.subject.casefold()) == (one["sender"], one["subject"].casefold())]
            late = [sender for _, sender, _ in deferred if (sender, "") == (one["sender"], one["subject"])]
            self.assertEqual({**one, **figures_of(own, len(late))}, one)
        self.assertEqual(found, sorted(found, key=lambda one: (-one["sent"], one["sender"], one["subject"])))

    def days(self, found: list[dict[str, Any]], mails: list[Mailing], window: range) -> None:
        """Each day is there, with what became of the mail that was sent on it."""
        self.assertEqual([one["day"] for one in found], [f"{instant_at(day * 86400):%Y-%m-%d}" for day in window])
        for one, day in zip(found, window):
            figures = figures_of([mail for mail in mails if mail.day == day], one["deferred"])
            for name in ("sent", "delivered", "bounced", "junked", "ignored", "replied", "clicked", "unsubscribed"):
                self.assertEqual(one[name], figures[name], name)

    def people(self, found: dict[str, Any], mails: list[Mailing]) -> None:
        """By temperament and by domain."""
        by_temperament = {one["temperament"]: one for one in found["by_temperament"]}
        by_domain = {one["domain"]: one for one in found["by_domain"]}
        for temperament in ("busy", "ghost"):
            own = {one.id for one in PEOPLE if one.temperament == temperament}
            shown = by_temperament.get(temperament, {})
            for name, what in (("received", "received"), ("junked", "junked"), ("ignored", "ignored"),
                               ("replied", "reply"), ("auto_replied", "ooo"), ("clicked", "clicked")):
                count = sum(len(one.did.get(what, set()) & own) for one in mails)
                self.assertEqual(shown.get(name, 0), count, name)
            self.assertEqual(shown.get("median_reply"), share_of(
                [seconds for one in mails for who, seconds in one.times.items() if who in own], 0.5))
        for domain in ("people0.test", "people1.test", "else.test"):
            shown = by_domain.get(domain, {})
            ids = {one.id for one in PEOPLE if one.addresses[0].endswith("@" + domain)}
            self.assertEqual(shown.get("sent", 0), sum(
                to.endswith("@" + domain) for one in mails for to in one.to))
            self.assertEqual(shown.get("bounced", 0), sum(
                to.endswith("@" + domain) for one in mails for to, _ in one.kinds))
            self.assertEqual(shown.get("replied", 0), sum(len(one.did.get("reply", set()) & ids) for one in mails))

    def test_folk(self) -> None:
        """The people the logs are about are found."""
        self.assertIs(FOLK.at("p1@people1.test"), FOLK.known("p_1"))

    def test_nothing(self) -> None:
        """Without any mail rates are null, and each day is there."""
        found = report(State(), BEGIN + timedelta(days=3), 5)
        self.assertEqual((found["total"]["reply_rate"], found["total"]["median_reply"]), ({"rate": None, "n": 0}, None))
        self.assertEqual([one["sent"] for one in found["by_day"]], [0] * 5)
        self.assertEqual((found["campaigns"], found["by_domain"], found["by_temperament"]), ([], [], []))
