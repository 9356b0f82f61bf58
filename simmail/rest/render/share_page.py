"""
The page of a shared report: for somebody who has never seen the API.

Every text goes through C{escape}.  Source: decisions, sections 15 and 17.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from hashlib import sha256
from html import escape

from simmail.core.insights.report import (
    OTHERS, ApplicationFigures, Campaign, DayFigures, DomainFigures, Figures, InsightsReport, Rate, TemperamentFigures,
)
from simmail.core.time.instant import parse_duration
from simmail.rest.render.chart import Bar, bars, key, meter, scale_of
from simmail.rest.render.share_style import STYLE
from simmail.universe.insights.shares import SharedReport

#: No script, no frame, no form, nothing from anywhere; of styles only the page's own.
POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

#: Campaigns and domains that are listed; the rest is said in a line.
MOST_CAMPAIGNS, MOST_DOMAINS = 20, 8

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")
_BOUNCES = {
    "unknown": "No such user", "domain": "No such domain", "full": "Mailbox full", "disabled": "Mailbox disabled",
    "blocked": "Refused under a policy", "other": "Other reasons"}


def share_page(shared: SharedReport, universe: str) -> bytes:
    """Return the page; C{universe}: its name."""
    report = shared.insights
    parts = [
        f'<header><p class="kicker">E-mail report · {escape(universe)}</p><h1>{escape(shared.title)}</h1>'
        f'<p class="soft">{_period(report)}</p></header>']
    if report.total.sent or report.application.received or report.total.deferred:
        parts += [_key_figures(report.total), _days(report), _campaigns(report.campaigns, report.total),
                  _pair(_people(report.by_temperament), _domains(report.by_domain)),
                  _pair(_application(report.application), _trouble(report.total))]
    else:
        parts.append('<section><p class="empty">No mail was sent in this period.</p></section>')
    parts.append("<footer><p>People and their answers are simulated by simmail. What became of a mail is counted on "
                 "the day it was sent. Times are those of the simulated clock, in UTC, as of "
                 f"{_instant(report.to)}.</p></footer>")
    return _document(shared.title, "".join(parts))


def gone_page() -> bytes:
    """Return the page of a share that is not there."""
    return _document("Not shared", '<header><h1>This report is not shared</h1><p class="soft">The address is wrong, or '
                     "whoever shared the report has revoked it.</p></header>")


def _document(title: str, body: str) -> bytes:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="robots" content="noindex, nofollow"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f'<body><main class="sheet">{body}</main></body></html>\n').encode("utf-8", "replace")


# Words for figures

def _count(number: int) -> str:
    return f"{number:,}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _percent(rate: float | None) -> str:
    if rate is None:
        return "–"
    percent = 100 * rate
    return f"{percent:.1f} %" if 0 < percent < 10 or 99 < percent < 100 else f"{percent:.0f} %"


def _share(count: int, n: int) -> float | None:
    return count / n if n else None


def _took(duration: str | None) -> str:
    """A duration in the two units that matter."""
    if duration is None:
        return "–"
    left = parse_duration(duration)
    days, seconds = left.days, left.seconds
    if days:
        hours = round(seconds / 3600)
        return f"{days} d {hours} h" if hours else f"{days} d"
    if seconds >= 3600:
        hours, minutes = divmod(round(seconds / 60), 60)
        return f"{hours} h {minutes} min" if minutes and hours < 10 else f"{round(seconds / 3600)} h"
    return f"{round(seconds / 60)} min" if seconds >= 60 else f"{seconds} s"


def _day(day: date, year: bool = False) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]}" + (f" {day.year}" if year else "")


def _short(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1][:3]}"


def _period(report: InsightsReport) -> str:
    first, last = report.from_.date(), report.to.date()
    days = (last - first).days + 1
    if first == last:
        return f"{_day(last, True)}"
    return f"{_day(first, first.year != last.year)} – {_day(last, True)} · {days} days"


def _instant(at: datetime) -> str:
    return f"{_day(at.date(), True)}, {at:%H:%M}"


def _unit(text: str) -> str:
    """A value with its units small."""
    words = escape(text).split(" ")
    return " ".join(word if word[:1].isdigit() or word == "–" else f"<small>{word}</small>" for word in words)


# Sections

def _key_figures(total: Figures) -> str:
    shown = (
        ("Sent", _count(total.sent), "copies, one for each recipient"),
        ("Delivered", _percent(_share(total.delivered, total.sent)),
         f"{_count(total.delivered)} of {_count(total.sent)}"),
        ("Answered", _percent(total.reply_rate.rate),
         f"{_count(total.replied)} of {_count(total.delivered)} delivered"),
        ("Time to answer", _took(total.median_reply), "no answers yet" if total.median_reply is None else
         f"half within that, nine in ten within {_took(total.p90_reply)}"),
        ("Clicked", _percent(_share(total.clicked, total.delivered)),
         f"{_count(total.clicked)} of {_count(total.delivered)} delivered") if total.clicks else
        ("Filed as junk", _percent(_share(total.junked, total.delivered)),
         f"{_count(total.junked)} of {_count(total.delivered)} delivered"),
    )
    rows = "".join(f'<div><dt>{name}</dt><dd class="value">{_unit(value)}</dd><dd>{escape(told)}</dd></div>'
                   for name, value, told in shown)
    return f'<dl class="figures">{rows}</dl>'


def _days(report: InsightsReport) -> str:
    days = report.by_day
    most = max((one.sent for one in days), default=0)
    if not most:
        return ""
    top = scale_of(most)
    best = max(days, key=lambda one: one.sent)
    label = (f"Bars for {len(days)} days: {_count(report.total.sent)} copies sent, most on {_day(best.day)} with "
             f"{_count(best.sent)}.")
    picture = bars([_bar(one) for one in days], top, label)
    dates = [days[0].day] if len(days) == 1 else [days[0].day, *(
        [days[len(days) // 2].day] if len(days) > 4 and len(days) % 2 else []), days[-1].day]
    legend = "".join(f"<li>{key(name)}{text}</li>" for name, text in (
        ("replied", "answered"), ("delivered", "delivered, no answer"), ("bounced", "bounced")))
    return (
        '<section><h2>Day by day</h2><p class="lead">Copies by the day they were sent, and what became of them.</p>'
        f'<ul class="legend">{legend}</ul><div class="chart"><div class="plot">{picture}</div>'
        f'<div class="scale" aria-hidden="true"><span>{_count(top)}</span><span>{_count(top // 2)}</span><span>0</span>'
        f'</div><div class="dates" aria-hidden="true">{"".join(f"<span>{_short(one)}</span>" for one in dates)}</div>'
        "</div></section>")


def _bar(one: DayFigures) -> Bar:
    replied = min(one.replied, one.delivered)
    text = f"{_day(one.day)}: {_count(one.sent)} sent"
    if one.sent:
        text += f", {_count(one.replied)} answered, {_count(one.bounced)} bounced"
    return Bar((("replied", replied), ("delivered", one.delivered - replied), ("bounced", one.bounced)), text)


def _campaigns(campaigns: Sequence[Campaign], total: Figures) -> str:
    if not campaigns:
        return ""
    shown, rest = campaigns[:MOST_CAMPAIGNS], campaigns[MOST_CAMPAIGNS:]
    senders = {one.sender for one in campaigns}
    rows = "".join(
        f'<tr><th scope="row">{escape(_subject(one))}{_from(one) if len(senders) > 1 else ""}</th>'
        f"<td>{_count(one.sent)}</td>{_rate_cell(one.reply_rate)}"
        f'<td class="side">{_took(one.median_reply)}</td>'
        f"{_side_cell(one.clicked, one.delivered) if total.clicks else ''}"
        f"{_side_cell(one.bounced, one.sent)}{_side_cell(one.junked, one.delivered)}</tr>" for one in shown)
    whose = f" All of them from {escape(next(iter(senders)))}." if len(senders) == 1 and "" not in senders else ""
    more = ""
    if rest:
        more = (f'<p class="more">{_counted(len(rest), "more campaign")} with {_count(sum(one.sent for one in rest))} '
                "sent.</p>")
    return (
        '<section><h2>Campaigns</h2><p class="lead">Mails of one sender whose subjects differ in names and numbers '
        f'only.{whose}</p><table class="campaigns"><colgroup><col class="name"></colgroup><thead><tr>'
        '<th scope="col">Subject</th><th scope="col">Sent</th><th scope="col">Answered</th>'
        '<th scope="col" class="side">Half within</th>'
        f"""{'<th scope="col" class="side">Clicked</th>' if total.clicks else ''}"""
        '<th scope="col" class="side">Bounced</th><th scope="col" class="side">Junk</th>'
        f"</tr></thead><tbody>{rows}</tbody></table>{more}</section>")


def _subject(one: Campaign) -> str:
    # A name may have stood first.
    return "All others" if one.sender == OTHERS else one.subject[:1].upper() + one.subject[1:] or "(no subject)"


def _from(one: Campaign) -> str:
    return "" if one.sender == OTHERS else f"<span>{escape(one.sender or '(no sender)')}</span>"


def _side_cell(count: int, n: int) -> str:
    return f'<td class="side{"" if count else " soft"}">{_percent(_share(count, n))}</td>'


def _rate_cell(rate: Rate) -> str:
    return f'<td class="bar">{_percent(rate.rate)}{meter(rate.rate or 0.0)}</td>'


def _pair(*sections: str) -> str:
    there = [one for one in sections if one]
    return f'<div class="pair">{"".join(there)}</div>' if there else ""


def _people(temperaments: Sequence[TemperamentFigures]) -> str:
    if not temperaments:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(one.temperament.capitalize())}</th><td>{_count(one.received)}</td>'
        f"{_rate_cell(one.reply_rate)}<td>{_took(one.median_reply)}</td></tr>" for one in temperaments)
    return ('<section><h2>Who answers</h2><p class="lead">By the temperament of the people who got it.</p><table>'
            '<thead><tr><th scope="col">Temperament</th><th scope="col">Received</th><th scope="col">Answered</th>'
            f'<th scope="col">Half within</th></tr></thead><tbody>{rows}</tbody></table></section>')


def _domains(domains: Sequence[DomainFigures]) -> str:
    if not domains:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape("All others" if one.domain == OTHERS else one.domain)}</th>'
        f"<td>{_count(one.sent)}</td>{_rate_cell(one.reply_rate)}"
        f"{_side_cell(one.bounced, one.sent).replace('side', '')}</tr>" for one in domains[:MOST_DOMAINS])
    more = f'<p class="more">{_counted(len(domains) - MOST_DOMAINS, "more domain")}.</p>' if len(
        domains) > MOST_DOMAINS else ""
    return ('<section><h2>Where it goes</h2><p class="lead">By the domain of the recipient.</p><table><thead><tr>'
            '<th scope="col">Domain</th><th scope="col">Sent</th><th scope="col">Answered</th>'
            f'<th scope="col">Bounced</th></tr></thead><tbody>{rows}</tbody></table>{more}</section>')


def _facts(rows: Iterable[tuple[str, str, bool]]) -> str:
    told = "".join(f'<div><dt>{escape(name)}</dt><dd{" class=wrong" if wrong else ""}>{value}</dd></div>'
                   for name, value, wrong in rows)
    return f'<dl class="facts">{told}</dl>'


def _application(one: ApplicationFigures) -> str:
    if not one.received:
        return ""
    rows = [("Received", _count(one.received), False), ("Answered", _count(one.answered), False),
            ("Left without an answer that was asked for", _count(one.unanswered), bool(one.unanswered)),
            ("Half of first answers within", _took(one.median_first_answer), False)]
    rows += [(name, _count(count), True) for name, count in (
        ("Answered more than once", one.duplicate_replies), ("Answered in the wrong thread", one.wrong_thread),
        ("Answers to automatic mail", one.replies_to_automatic_mail), ("Mail loops", one.loops),
        ("Answered spam", one.answered_spam)) if count]
    return ('<section><h2>The inbox</h2><p class="lead">What the application does with the mail it gets.</p>'
            f"{_facts(rows)}</section>")


def _trouble(total: Figures) -> str:
    rows = [(_BOUNCES.get(kind, kind), _count(count), False)
            for kind, count in sorted(total.bounced_by_kind.items(), key=lambda item: -item[1])]
    rows += [(name, _count(count), False) for name, count in (
        ("Told to come again later", total.deferred), ("Filed as junk", total.junked),
        ("Broken links", total.broken_links), ("Unsubscribed", total.unsubscribed)) if count]
    if total.spam_score.mean is not None:
        rows.append(("Mean spam score", f"{total.spam_score.mean:.1f}".replace("-", "−"), False))
    if not rows:
        return ""
    return ('<section><h2>What got in the way</h2><p class="lead">Bounces by reason, and what else kept copies from '
            f"being read.</p>{_facts(rows)}</section>")
