"""
Whether stated expectations came true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from simmail.core.score.expectations import Expectation, Trigger
from simmail.core.score.points import Point
from simmail.core.score.truth import ApplicationMail, Truth, normal
from simmail.core.time.instant import format_instant, parse_duration


def judged(
    expectation: Expectation, truths: Iterable[Truth], mails: Sequence[ApplicationMail], since: datetime | None,
    now: datetime,
) -> list[Point]:
    """
    Return a point for each address that must get mail, or that must not; none while it may still come.

    @param mails: all of the application, oldest first.
    """
    if expectation.on is None:
        return _in_time(expectation, None, expectation.to, mails, since, now)
    points: list[Point] = []
    for truth in truths:
        if _fits(expectation.on, truth):
            points += _in_time(expectation, truth, expectation.to or truth.senders[:1], mails, since, now)
    return points


def _fits(trigger: Trigger, truth: Truth) -> bool:
    return (trigger.kind in (None, truth.kind) and trigger.stream in (None, truth.stream)
            and (not trigger.sender or trigger.sender.lower() in truth.senders)
            and normal(trigger.subject) in normal(truth.subject)
            and trigger.message_id in ("", truth.message_id))


def _in_time(
    expectation: Expectation, truth: Truth | None, to: Sequence[str], mails: Sequence[ApplicationMail],
    since: datetime | None, now: datetime,
) -> list[Point]:
    begins = [one for one in (expectation.after, truth.at if truth is not None else None) if one is not None]
    begin = max(begins) if begins else None
    ends = [] if expectation.before is None else [expectation.before]
    if expectation.within is not None and begin is not None:
        ends.append(begin + parse_duration(expectation.within))
    end = min(ends) if ends else None
    last = now if end is None else min(end, now)
    if since is not None and last < since:
        return []
    found = [one for one in mails if (begin is None or one.at >= begin) and one.at <= last
             and _says(expectation, one)]
    about = () if truth is None else (truth.message_id,)
    points = []
    for address in to or ("",):
        hit = next((one for one in found if not address or address in one.to), None)
        named = f"{expectation.id}: {address or 'somebody'}"
        at = hit.at if hit is not None else last
        messages = (*about, hit.message_id) if hit is not None else about
        if expectation.effect == "forbidden":
            why = f"{named} got the mail that was forbidden" if hit is not None else f"{named} got nothing forbidden"
            points.append(Point(float(hit is None), why, messages, at, expectation.weight))
        elif hit is not None:
            points.append(Point(1.0, f"{named} got the mail", messages, at, expectation.weight))
        elif end is None or end <= now:
            by = "so far" if end is None else f"by {format_instant(end)}"
            points.append(Point(0.0, f"{named} got no such mail {by}", messages, at, expectation.weight))
    return points


def _says(expectation: Expectation, mail: ApplicationMail) -> bool:
    text = normal(f"{mail.subject}\n{mail.text}")
    return (normal(expectation.subject) in normal(mail.subject)
            and all(normal(one) in text for one in expectation.contains)
            and not any(normal(one) in text for one in expectation.lacks))
