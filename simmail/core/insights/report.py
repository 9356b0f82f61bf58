"""
The report: what became of the mail of some days, cut from the state.

Source: decisions, section 15; API contract, "Insights and shares".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct, field

from simmail.core.insights.cells import (
    APPLICATION, BOUNCE_KINDS, DAY, OTHER_CAMPAIGNS, OTHER_DOMAINS, TIMES, TOTAL, WIDTH, Cells, Figure, merged,
    percentile,
)
from simmail.core.insights.events import instant_at, seconds_at
from simmail.core.insights.state import CAMPAIGN, DOMAIN, TEMPERAMENT, State
from simmail.core.time.instant import format_duration

#: What campaigns and domains are called that are not told apart.
OTHERS = "(others)"

_SLOTS = (1 << WIDTH) - 1


class Rate(Struct, frozen=True):
    """A share.  C{rate}: 0 to 1, null where n is 0; C{n}: of how many."""

    rate: float | None
    n: int


class Score(Struct, frozen=True):
    """A mean.  C{mean}: of the scores, without unit, null where n is 0; C{n}: how many."""

    mean: float | None
    n: int


class Figures(Struct, frozen=True, kw_only=True):
    """
    What became of some mail, a copy for each recipient.

    @ivar bounced_by_kind: bounced copies by what was wrong with the address; clicks: links that were opened.
    @ivar spam_score: of mails that were scored; broken_links: links found broken, each once in a mail.
    @ivar p90_reply: within which nine tenths of the replies came: a duration of simulated time, null without replies.
    """

    sent: int
    delivered: int
    bounced: int
    bounced_by_kind: dict[str, int]
    deferred: int
    junked: int
    ignored: int
    replied: int
    auto_replied: int
    clicked: int
    clicks: int
    unsubscribed: int
    reply_rate: Rate
    median_reply: str | None
    p90_reply: str | None
    spam_score: Score
    broken_links: int


class Campaign(Figures, frozen=True, kw_only=True):
    """
    Mail of one sender with like subjects.

    @ivar sender: its address; in a shared report its domain; subject: without names, numbers, addresses and Re:/Fwd:.
    """

    sender: str
    subject: str


class DayFigures(Struct, frozen=True):
    """
    Mail sent on one day and what became of it.

    @ivar day: in simulated time (UTC), C{YYYY-MM-DD}.
    @ivar received: mails that the application got; answered: of them those it answered.
    """

    day: date
    sent: int
    delivered: int
    bounced: int
    deferred: int
    junked: int
    ignored: int
    replied: int
    clicked: int
    unsubscribed: int
    received: int
    answered: int


class TemperamentFigures(Struct, frozen=True):
    """
    What people of one temperament made of their copies.

    @ivar temperament: of the people; received: copies in their inboxes, without those that were junked.
    """

    temperament: str
    received: int
    junked: int
    ignored: int
    replied: int
    auto_replied: int
    clicked: int
    reply_rate: Rate
    median_reply: str | None


class DomainFigures(Struct, frozen=True):
    """What became of the copies for one domain of recipients.  C{domain}: of the recipients."""

    domain: str
    sent: int
    delivered: int
    bounced: int
    deferred: int
    junked: int
    ignored: int
    replied: int
    auto_replied: int
    clicked: int
    unsubscribed: int
    reply_rate: Rate


class ApplicationFigures(Struct, frozen=True):
    """
    What the application does with the mail it gets.

    @ivar received: mails; answered: of them those that got a first answer.
    @ivar unanswered: mails without an answer that want one.
    @ivar median_first_answer: within which half of the first answers came: a duration of simulated time, null without
        any.
    @ivar duplicate_replies: further answers to one mail.
    @ivar replies_to_automatic_mail: answers to notices nobody reads; loops: conversations in which two machines answer
        each other.
    @ivar wrong_thread: answers without a reference to what they answer; answered_spam: answers to spam.
    """

    received: int
    answered: int
    unanswered: int
    median_first_answer: str | None
    duplicate_replies: int
    replies_to_automatic_mail: int
    loops: int
    wrong_thread: int
    answered_spam: int


class InsightsReport(Struct, frozen=True, kw_only=True):
    """
    The report on some days.

    @ivar from_: when they begin, in simulated time; to: when they end, which is now, in simulated time.
    @ivar total: of all mail; campaigns: of mails that are alike, with the most mail first.
    @ivar by_day: of each day, in order; by_temperament: of people of each temperament; by_domain: of recipients, with
        the most mail first.
    @ivar application: what it does with the mail it gets.
    """

    from_: datetime = field(name="from")
    to: datetime
    total: Figures
    campaigns: list[Campaign]
    by_day: list[DayFigures]
    by_temperament: list[TemperamentFigures]
    by_domain: list[DomainFigures]
    application: ApplicationFigures


#: Tells how a campaign is shown, by sender and subject; those that are shown alike are one.
Shown = Callable[[str, str], tuple[str, str]]


def as_it_is(sender: str, subject: str) -> tuple[str, str]:
    """Show a campaign by its sender and subject."""
    return sender, subject


def cut(state: State, now: datetime, days: int, shown: Shown = as_it_is) -> InsightsReport:
    """
    Return the report of the last C{days} days, today among them.

    @param now: simulated instant, in UTC.
    """
    seconds = seconds_at(now)
    today = seconds // DAY
    first = today - days + 1
    groups = _by_group(merged(cells for day, cells in state.days.items() if first <= day <= today))
    campaigns: dict[tuple[str, str], Cells] = {}
    temperaments, domains = [], []
    for group, cells in groups.items():
        kind, _, rest = state.names.get(group, "").partition("\0")
        if kind == CAMPAIGN:
            sender, _, subject = rest.partition("\0")
            name = shown(sender, subject)
            known = campaigns.get(name)
            campaigns[name] = cells if known is None else merged((known, cells))
        elif kind == DOMAIN:
            domains.append(_domain(rest, cells))
        elif kind == TEMPERAMENT:
            temperaments.append(_temperament(rest, cells))
        elif group == OTHER_CAMPAIGNS:
            campaigns[OTHERS, OTHERS] = cells
        elif group == OTHER_DOMAINS:
            domains.append(_domain(OTHERS, cells))
    listed = [Campaign(sender=sender, subject=subject, **_figures(cells))
              for (sender, subject), cells in campaigns.items()]
    listed.sort(key=lambda one: (one.sender == OTHERS, -one.sent, one.sender, one.subject))
    domains.sort(key=lambda one: (one.domain == OTHERS, -one.sent, one.domain))
    temperaments.sort(key=lambda one: (-one.received, one.temperament))
    return InsightsReport(
        from_=instant_at(first * DAY), to=now, total=Figures(**_figures(groups.get(TOTAL, {}))), campaigns=listed,
        by_day=[_day(day, state.days.get(day, {})) for day in range(first, today + 1)],
        by_temperament=temperaments, by_domain=domains, application=_application(groups.get(APPLICATION, {})))


def _by_group(cells: Mapping[int, int]) -> dict[int, Cells]:
    found: dict[int, Cells] = {}
    for one, count in cells.items():
        group = one >> WIDTH
        own = found.get(group)
        if own is None:
            own = found[group] = {}
        own[one & _SLOTS] = count
    return found


def _times(cells: Cells) -> Cells:
    return {slot: count for slot, count in cells.items() if slot >= TIMES}


def _duration(times: Cells, share: float) -> str | None:
    seconds = percentile(times, share)
    return None if seconds is None else format_duration(timedelta(seconds=seconds))


def _rate(count: int, n: int) -> Rate:
    return Rate(round(count / n, 4) if n else None, n)


def _figures(cells: Cells) -> dict[str, Any]:
    get, times = cells.get, _times(cells)
    sent, bounced, scored = get(Figure.SENT, 0), get(Figure.BOUNCED, 0), get(Figure.SCORED, 0)
    replied = get(Figure.REPLIED, 0)
    return {
        "sent": sent, "delivered": sent - bounced, "bounced": bounced,
        "bounced_by_kind": {kind: count for n, kind in enumerate(BOUNCE_KINDS)
                            if (count := get(Figure.BOUNCE_KIND + n, 0))},
        "deferred": get(Figure.DEFERRED, 0), "junked": get(Figure.JUNKED, 0), "ignored": get(Figure.IGNORED, 0),
        "replied": replied, "auto_replied": get(Figure.AUTO_REPLIED, 0), "clicked": get(Figure.CLICKED, 0),
        "clicks": get(Figure.CLICKS, 0), "unsubscribed": get(Figure.UNSUBSCRIBED, 0),
        "reply_rate": _rate(replied, sent - bounced), "median_reply": _duration(times, 0.5),
        "p90_reply": _duration(times, 0.9),
        "spam_score": Score(round(get(Figure.SCORE, 0) / scored / 10, 2) if scored else None, scored),
        "broken_links": get(Figure.BROKEN_LINKS, 0),
    }


def _day(day: int, cells: Cells) -> DayFigures:
    get, own = cells.get, APPLICATION << WIDTH
    sent, bounced = get(Figure.SENT, 0), get(Figure.BOUNCED, 0)
    return DayFigures(
        instant_at(day * DAY).date(), sent, sent - bounced, bounced, get(Figure.DEFERRED, 0), get(Figure.JUNKED, 0),
        get(Figure.IGNORED, 0), get(Figure.REPLIED, 0), get(Figure.CLICKED, 0), get(Figure.UNSUBSCRIBED, 0),
        get(own | Figure.RECEIVED, 0), get(own | Figure.ANSWERED, 0))


def _temperament(name: str, cells: Cells) -> TemperamentFigures:
    get = cells.get
    received, replied = get(Figure.RECEIVED, 0), get(Figure.REPLIED, 0)
    return TemperamentFigures(
        name, received, get(Figure.JUNKED, 0), get(Figure.IGNORED, 0), replied, get(Figure.AUTO_REPLIED, 0),
        get(Figure.CLICKED, 0), _rate(replied, received), _duration(_times(cells), 0.5))


def _domain(name: str, cells: Cells) -> DomainFigures:
    get = cells.get
    sent, bounced, replied = get(Figure.SENT, 0), get(Figure.BOUNCED, 0), get(Figure.REPLIED, 0)
    return DomainFigures(
        name, sent, sent - bounced, bounced, get(Figure.DEFERRED, 0), get(Figure.JUNKED, 0), get(Figure.IGNORED, 0),
        replied, get(Figure.AUTO_REPLIED, 0), get(Figure.CLICKED, 0), get(Figure.UNSUBSCRIBED, 0),
        _rate(replied, sent - bounced))


def _application(cells: Cells) -> ApplicationFigures:
    get = cells.get
    return ApplicationFigures(
        get(Figure.RECEIVED, 0), get(Figure.ANSWERED, 0), get(Figure.WANTED, 0) - get(Figure.ANSWERED_WANTED, 0),
        _duration(_times(cells), 0.5), get(Figure.DUPLICATE, 0), get(Figure.TO_AUTOMATIC, 0), get(Figure.LOOPS, 0),
        get(Figure.WRONG_THREAD, 0), get(Figure.ANSWERED_SPAM, 0))
