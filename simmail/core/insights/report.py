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
    """A share of C{n}; C{rate} is null where n is 0."""

    rate: float | None
    n: int


class Score(Struct, frozen=True):
    """The mean of C{n} scores, null where n is 0."""

    mean: float | None
    n: int


class Figures(Struct, frozen=True, kw_only=True):
    """
    What became of some mail, a copy for each recipient.

    C{sent}: accepted, or refused with the SMTP command RCPT.  C{delivered}: sent and not bounced.  C{deferred}: told
    to come again.  C{replied}, C{ignored}, C{auto_replied}, C{clicked}, C{unsubscribed}: copies; C{clicks}: links
    opened.  C{median_reply}, C{p90_reply}: within which half and nine tenths of the replies came, in simulated time.
    C{spam_score}: of mails that were scored.  C{broken_links}: links found broken, each once in a mail.
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
    """Mail of one sender with like subjects; C{subject} is without names, numbers, addresses and Re:/Fwd:."""

    sender: str
    subject: str


class DayFigures(Struct, frozen=True):
    """Mail sent on one day (UTC, simulated) and what became of it; C{received}, C{answered}: by the application."""

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
    """What people of one temperament made of their copies; C{received}: not counting those that were junked."""

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
    """What became of the copies for one domain of recipients."""

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

    C{unanswered}: of those that want an answer.  C{answered}: by a first answer, after C{median_first_answer}.
    C{duplicate_replies}: further answers to one mail.  C{wrong_thread}: answers without a reference to what they
    answer.
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
    """The report of the days from C{from} to C{to}, which is now; campaigns and domains with the most mail first."""

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
