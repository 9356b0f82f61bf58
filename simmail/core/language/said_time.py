"""
Times as people say them: "by Friday", "tomorrow at noon", "within 24 hours", "by 5 March".

Reads words, never runs an expression over foreign text, so its cost is one
look at each word.  English first, the commonest German too.
"""

from __future__ import annotations

from datetime import datetime, timedelta

#: The hour by which something promised for a day is expected.
END_OF_DAY = 17

_WEEKDAYS = {
    "monday": 0, "mon": 0, "montag": 0, "tuesday": 1, "tue": 1, "tues": 1, "dienstag": 1, "wednesday": 2, "wed": 2,
    "mittwoch": 2, "thursday": 3, "thu": 3, "thurs": 3, "donnerstag": 3, "friday": 4, "fri": 4, "freitag": 4,
    "saturday": 5, "samstag": 5, "sunday": 6, "sonntag": 6,
}
_MONTHS = {
    name: number for number, names in enumerate((
        "january jan januar", "february feb februar", "march mar märz", "april apr", "may mai", "june jun juni",
        "july jul juli", "august aug", "september sep sept", "october oct oktober", "november nov",
        "december dec dezember"), 1) for name in names.split()
}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "ten": 10, "twelve": 12, "fourteen": 14, "ein": 1, "einer": 1, "einem": 1, "zwei": 2, "drei": 3,
}
_UNITS = {
    "minute": timedelta(minutes=1), "minutes": timedelta(minutes=1), "min": timedelta(minutes=1),
    "mins": timedelta(minutes=1), "hour": timedelta(hours=1), "hours": timedelta(hours=1), "hrs": timedelta(hours=1),
    "day": timedelta(days=1), "days": timedelta(days=1), "week": timedelta(weeks=1), "weeks": timedelta(weeks=1),
    "month": timedelta(days=30), "months": timedelta(days=30), "stunde": timedelta(hours=1),
    "stunden": timedelta(hours=1), "tag": timedelta(days=1), "tage": timedelta(days=1), "tagen": timedelta(days=1),
    "woche": timedelta(weeks=1), "wochen": timedelta(weeks=1),
}
_SHORT = frozenset(("may", "mar", "mon", "sun", "sat", "wed", "fri", "dec", "jan", "min"))


def find(text: str, local: datetime) -> datetime | None:
    """
    The first time that a text (lower case) names for something to be done, after C{local}; None if there is none.

    @param local: now, in the zone of who reads; a named day means its end (17:00) unless an hour is said.
    """
    words = [word.strip(".,:;()\"'!") for word in text[:2000].split()]
    clock = _clock(words)
    for i, word in enumerate(words):
        found = _day(words, i, word, local)
        if found is not None:
            day, exact = found
            if exact:
                return day
            hour, minute = clock or (END_OF_DAY, 0)
            at = day.replace(hour=hour, minute=minute, second=0, microsecond=0)
            # Said for today when the hour is past: as soon as can be.
            return at if at > local else local + timedelta(hours=1)
    if clock is not None:
        at = local.replace(hour=clock[0], minute=clock[1], second=0, microsecond=0)
        return at if at > local else at + timedelta(days=1)
    return None


def _day(words: list[str], i: int, word: str, local: datetime) -> tuple[datetime, bool] | None:
    """The day that begins at word C{i}, and whether it is an exact instant already."""
    following = words[i + 1] if i + 1 < len(words) else ""
    before = words[i - 1] if i else ""
    if word in ("today", "tonight", "heute", "eod", "cob"):
        return local, False
    if word == "tomorrow" or (word == "morgen" and before not in ("guten", "am")):
        return local + timedelta(days=1), False
    if word == "übermorgen":
        return local + timedelta(days=2), False
    if word in ("eow",) or (word == "week" and before in ("the", "this") and "end" in words[max(0, i - 4):i]):
        return _weekday(4, local, False), False
    if word == "day" and before in ("of", "the") and "end" in words[max(0, i - 3):i]:
        return local, False
    if word in ("next", "nächste", "nächsten", "nächster") and following in ("week", "woche"):
        return _weekday(4, local + timedelta(days=7 - local.weekday()), True), False
    if word == "next" and following == "month":
        return local + timedelta(days=30), False
    if word in _WEEKDAYS and (word not in _SHORT or before in ("by", "on", "before", "until", "next", "this")):
        return _weekday(_WEEKDAYS[word], local, False) + timedelta(days=7 if before == "next" else 0), False
    if word in _MONTHS:
        named = words[i - 2] if before == "of" and i > 1 else before
        return _date(_number_of(named), word, local) or _date(_number_of(following), word, local)
    if len(word) == 10 and word[4] == "-" == word[7]:
        try:
            day = datetime.fromisoformat(word)
        except ValueError:
            return None
        return day.replace(tzinfo=local.tzinfo), False
    if word in ("in", "within", "innerhalb") and following:
        return _span(words, i + 1, local)
    return None


def _span(words: list[str], i: int, local: datetime) -> tuple[datetime, bool] | None:
    """"in two hours", "within the next 3 business days", "in a couple of weeks"."""
    count: int | None = None
    for word in words[i:i + 5]:
        if word in _UNITS:
            unit = _UNITS[word]
            ahead = unit * (count or 1)
            if unit < timedelta(days=1):
                return local + ahead, True
            return local + ahead, False
        number = _NUMBERS.get(word) or _number_of(word.partition("-")[0])
        if number is not None:
            # "a couple", "a few": the later word says how many.
            count = number
        elif word not in ("the", "next", "of", "business", "working", "about", "den", "nächsten", "von"):
            return None
    return None


def _date(day: int | None, month: str, local: datetime) -> tuple[datetime, bool] | None:
    if day is None or not 1 <= day <= 31:
        return None
    for year in (local.year, local.year + 1):
        try:
            at = local.replace(year=year, month=_MONTHS[month], day=day)
        except ValueError:
            continue
        # A date long past is next year's; one just past is meant as it is said.
        if at > local - timedelta(days=60):
            return at, False
    return None


def _weekday(wanted: int, local: datetime, today: bool) -> datetime:
    ahead = (wanted - local.weekday()) % 7
    return local + timedelta(days=ahead if ahead or today else 7)


def _number_of(word: str) -> int | None:
    digits = word.rstrip("stndrh.") if word[:1].isdigit() else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 3 else None


def _clock(words: list[str]) -> tuple[int, int] | None:
    """An hour of the day: "noon", "5pm", "5 pm", "17:30", "at 3"."""
    for i, word in enumerate(words):
        if word in ("noon", "mittag"):
            return 12, 0
        if word == "midnight":
            return 23, 59
        if word == "lunchtime":
            return 13, 0
        if word == "tonight":
            return 20, 0
        suffix = word[-2:] if word[-2:] in ("am", "pm") and word[:1].isdigit() else ""
        following = words[i + 1] if i + 1 < len(words) else ""
        bare = word.removesuffix(suffix) if suffix else word
        suffix = suffix or (following if following in ("am", "pm", "uhr") else "")
        hour, colon, minute = bare.partition(":")
        if not (hour.isascii() and hour.isdigit() and len(hour) <= 2) or (colon and not _two(minute)):
            continue
        if not (suffix or colon):
            continue
        h = int(hour) % 12 + (12 if suffix == "pm" else 0) if suffix in ("am", "pm") else int(hour)
        if h < 24:
            return h, int(minute) if colon else 0
    return None


def _two(text: str) -> bool:
    return len(text) == 2 and text.isascii() and text.isdigit() and int(text) < 60
