"""Mail that came and mail that was written, as tests of the score want it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from simmail.core.records.case import Case
from simmail.core.score.expectations import Expectation
from simmail.core.score.grade import grade
from simmail.core.score.points import ScorePart, ScoreReport
from simmail.core.score.truth import ApplicationMail, PersonaMail, Truth

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
APP = "hello@acme.test"
ANNA = "anna@mail.test"


def at(hours: float) -> datetime:
    """An instant of the scene."""
    return START + timedelta(hours=hours)


def truth(n: int, hours: float = 0, **fields: Any) -> Truth:
    """The n-th mail of the world: an inquiry of Anna's, to be answered within a day."""
    own = f"<w{n}@mail.test>"
    return Truth(**{"message_id": own, "at": at(hours), "kind": "inquiry", "expected": "answer", "senders": (ANNA,),
                    "to": APP, "subject": f"Question {n}", "thread": own,
                    "answer_by": at(hours + 24) if fields.get("expected", "answer") in ("answer", "escalate") else None,
                    **fields})


def mail(n: int, hours: float, answers: int | None = None, **fields: Any) -> ApplicationMail:
    """The n-th mail of the application, in answer to the one of the world of a number."""
    named = {} if answers is None else {"in_reply_to": f"<w{answers}@mail.test>", "subject": f"Re: Question {answers}"}
    return ApplicationMail(**{"message_id": f"<a{n}@acme.test>", "at": at(hours), "sender": APP, "to": (ANNA,),
                              "subject": "Hello", **named, **fields})


def scored(
    truths: Iterable[Truth], mails: Iterable[ApplicationMail] = (), hours: float = 100,
    others: Iterable[PersonaMail] = (), cases: Iterable[Case] = (), expectations: Iterable[Expectation] = (),
    since: datetime | None = None,
) -> ScoreReport:
    """The score so many hours after the start."""
    return grade(truths, others, mails, cases, expectations, {APP}, since, at(hours))


def part(report: ScoreReport, name: str) -> ScorePart:
    """One part of a report."""
    return next(one for one in report.parts if one.id == name)


def scores(report: ScoreReport) -> dict[str, float]:
    """The scores of the parts that have points."""
    return {one.id: one.score for one in report.parts if one.score is not None}
