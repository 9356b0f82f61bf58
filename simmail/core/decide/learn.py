"""
Who somebody is, estimated from their mail: name, role, client, style, hours, how often and how fast they answer.

Takes what is in an address's mailboxes, as values, and gives persona fields
that C{persona.new_persona} accepts.  What the mail does not show is left out.
Source: API contract, "Learn a persona from an address's mail".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from statistics import median
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from simmail.core.language.tables import every
from simmail.core.message.mail import Mail
from simmail.core.message.splitting import split_reply
from simmail.core.records.persona import nearest_temperament
from simmail.core.time.instant import DAYS, format_duration, parse_duration

#: Mails that are looked at, newest first; fewer than so many answers tell no rate.
MOST, FEWEST = 2_000, 3

#: Words of a mail up to which it is short, and from which it is long.
SHORT, LONG = 45, 150

_LOOKED_AT = 16_384

#: Mail filed within this was put there at once, where its Date fields lie further apart than that.
AT_ONCE, APART = timedelta(hours=1), timedelta(days=1)


class LearnedMail(NamedTuple):
    """A mail and when it was filed, by the simulated clock; C{own}: written by who is learned about."""

    mail: Mail
    at: datetime
    own: bool


class LearnedFields(NamedTuple):
    """Persona fields, from how many mails they were learned, and the correspondents seen, most frequent first."""

    fields: dict[str, Any]
    mails: int
    people: tuple[str, ...]
    told: str


def learn(address: str, letters: Iterable[LearnedMail]) -> LearnedFields:
    """What the mail of an address tells about its owner; C{letters} are in any order."""
    address = address.lower()
    kept = sorted(_timed(list(letters)), key=lambda one: one.at)[-MOST:]
    own = [one for one in kept if one.own]
    fields: dict[str, Any] = {"addresses": [address]}
    names = Counter(_clean(one.mail.from_.name) for one in own)
    del names[""]
    if names:
        fields["name"] = names.most_common(1)[0][0]
    texts = [split_reply(one.mail.text[:_LOOKED_AT * 2])[0][:_LOOKED_AT] for one in own]
    signature = _signature(texts)
    role = _role(signature or "\n".join(_tail(text) for text in texts[-5:]))
    if role:
        fields["role"] = _clean(role)
    style = _style(own, texts, signature)
    if style:
        fields["style"] = style
    timing = _timing(address, kept, own)
    if timing:
        fields["timing"] = timing
    if "reply_rate" in timing:
        delay = timing.get("delay")
        # Drawn, somebody who answers nearly everything might write like one who never does.
        fields["temperament"] = nearest_temperament(
            timing["reply_rate"], parse_duration(delay["median"]) if delay else None)
    people = Counter(
        other for one in kept
        for other in (_to(one.mail) if one.own else [one.mail.from_.address.lower()]) if other and other != address
    )
    told = f"learned from {len(own)} mails written and {len(kept) - len(own)} received"
    return LearnedFields(fields, len(kept), tuple(one for one, _ in people.most_common(500)), told)


def _timed(letters: list[LearnedMail]) -> list[LearnedMail]:
    """The mails at the instants they came; of a mailbox that was filled at once only their Date fields tell."""
    dated = [one.mail.date for one in letters if one.mail.date is not None]
    if not dated or max(dated) - min(dated) <= APART:
        return letters
    if max(one.at for one in letters) - min(one.at for one in letters) > AT_ONCE:
        return letters
    return [one._replace(at=one.mail.date or one.at) for one in letters]


def _to(mail: Mail) -> list[str]:
    return [one.address.lower() for one in (*mail.to, *mail.cc)]


# Style

def _style(own: Sequence[LearnedMail], texts: Sequence[str], signature: str) -> dict[str, Any]:
    if not own:
        return {}
    style: dict[str, Any] = {}
    words = median(len(text.split()) for text in texts)
    style["length"] = "short" if words <= SHORT else "long" if words >= LONG else "medium"
    formal = sum(1 for text in texts if any(sign in text.lower() for sign in every("formal_signs")))
    casual = sum(1 for text in texts if any(sign in text.lower() for sign in every("casual_signs")))
    style["formality"] = (
        "formal" if formal > casual and formal * 2 >= len(texts)
        else "casual" if casual > formal and casual * 2 >= len(texts) else "neutral")
    client = Counter(client_of(one.mail) for one in own).most_common(1)[0][0]
    style["client"] = client
    if signature:
        style["signature"] = "\n".join(_clean(line) for line in signature.split("\n"))
    return style


def client_of(mail: Mail) -> str:
    """The mail program that wrote a mail, one of C{style.client}, by the marks it leaves."""
    agent = f"{mail.header('X-Mailer')} {mail.header('User-Agent')}".lower()
    identity = mail.message_id.lower()
    if "iphone" in agent or "ipad" in agent or "sent from my iphone" in mail.text[-400:].lower():
        return "iphone"
    if "apple mail" in agent:
        return "apple"
    if "outlook" in agent or "microsoft" in agent or mail.header("X-MS-Has-Attach") or mail.header("Thread-Index"):
        return "outlook"
    if "android" in agent or "sent from my android" in mail.text[-400:].lower():
        return "android"
    if identity.endswith("@mail.gmail.com>"):
        return "gmail"
    return "plain"


def _signature(texts: Sequence[str]) -> str:
    """The block after "-- " (RFC 3676 section 4.3), else the last lines that most mails end with."""
    marked = Counter(
        text.rpartition("\n-- \n")[2].strip() for text in texts if "\n-- \n" in text)
    if marked:
        found, times = marked.most_common(1)[0]
        if found and len(found) <= 600 and times * 2 >= len(texts):
            return found
    if len(texts) < FEWEST:
        return ""
    for count in (5, 4, 3, 2):
        tails = Counter("\n".join(_lines(text)[-count:]) for text in texts if len(_lines(text)) > count)
        if tails:
            found, times = tails.most_common(1)[0]
            if times * 2 > len(texts) and len(found) <= 600:
                return _without_closing(found)
    return ""


def _without_closing(text: str) -> str:
    """A signature without the closing words and what stands above them: that is said mail by mail."""
    lines, closing = text.split("\n"), every("closing_words")
    last = max((n for n, line in enumerate(lines) if line.lower().strip(" ,.!") in closing), default=-1)
    lines = lines[last + 1:]
    # A name alone is no signature.
    return "\n".join(lines) if len(lines) > 1 else ""


def _role(text: str) -> str:
    """The line of a signature that names an occupation."""
    for line in _lines(text)[-12:]:
        low = line.lower()
        if len(line) <= 80 and "@" not in line and len(low.split()) <= 8 and any(
            map(low.__contains__, every("occupations"))
        ):
            return line.strip(" |,-")
    return ""


def _clean(text: str) -> str:
    """A line as a persona field may hold it: white space folded, nothing that cannot be printed."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:1000]).split())[:200]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _tail(text: str) -> str:
    return "\n".join(_lines(text)[-6:])


# Timing

def _timing(address: str, kept: Sequence[LearnedMail], own: Sequence[LearnedMail]) -> dict[str, Any]:
    timing: dict[str, Any] = {}
    answered: dict[str, datetime] = {}
    for one in own:
        for named in (one.mail.in_reply_to, *one.mail.references[-1:]):
            if named:
                answered.setdefault(named, one.at)
    asked = [one for one in kept if not one.own and address in _to(one.mail)]
    delays = sorted(
        (answered[one.mail.message_id] - one.at).total_seconds() for one in asked
        if one.mail.message_id in answered and answered[one.mail.message_id] >= one.at)
    if len(asked) >= FEWEST:
        timing["reply_rate"] = round(len(delays) / len(asked), 2)
    if len(delays) >= FEWEST:
        middle = max(1, round(median(delays)))
        timing["delay"] = {"median": format_duration(timedelta(seconds=middle)), "spread": _spread(delays)}
    hours = _hours(own)
    if hours:
        timing["hours"] = hours
    return timing


def _spread(delays: Sequence[float]) -> float:
    """Geometric standard deviation by the quartiles, which a few odd answers do not move."""
    low, high = delays[len(delays) // 4], delays[(3 * len(delays)) // 4]
    if low <= 0 or high <= low:
        return 1.5
    # The quartiles of a normal distribution lie 1.349 deviations apart.
    return float(round(min(20.0, max(1.1, (high / low) ** (1 / 1.349))), 2))


def _hours(own: Sequence[LearnedMail]) -> dict[str, str]:
    """When somebody writes: the zone of the Date fields, the days, and the hours that hold nine tenths of the mail."""
    if len(own) < 10:
        return {}
    zone, name = _zone(own)
    local = [one.at.astimezone(zone) for one in own]
    weekday = Counter(one.weekday() for one in local)
    days = sorted(day for day, count in weekday.items() if count * 30 >= len(local))
    minutes = sorted(one.hour * 60 + one.minute for one in local)
    cut = len(minutes) // 20
    first, last = minutes[cut] // 60, -(-(minutes[-1 - cut] + 1) // 60)
    hours = {"tz": name, "from": f"{first:02d}:00", "to": f"{last:02d}:00"}
    if len(days) < 7:
        consecutive = days == list(range(days[0], days[-1] + 1))
        hours["days"] = (f"{DAYS[days[0]]}-{DAYS[days[-1]]}" if consecutive and len(days) > 1
                         else ",".join(DAYS[day] for day in days))
    return hours


def _zone(own: Sequence[LearnedMail]) -> tuple[tzinfo, str]:
    """The zone by the commonest offset of the Date fields; whole hours have names of their own in the database."""
    offsets = Counter(
        one.mail.date.utcoffset() for one in own if one.mail.date is not None and one.mail.date.tzinfo is not None)
    common = offsets.most_common(1)
    offset = common[0][0] if common else timedelta(0)
    hours = (offset or timedelta(0)).total_seconds() / 3600
    if not hours or not hours.is_integer() or not -12 <= hours <= 14:
        return timezone.utc, "UTC"
    # The sign of these names is that of POSIX: Etc/GMT-1 is an hour east.
    name = f"Etc/GMT{-int(hours):+d}"
    return ZoneInfo(name), name
