"""
The sheet of self: what a person knows of itself, drawn once for life, so that whatever asks for it has one answer.

What the persona's own record says goes before what is drawn; where it lives is drawn from C{templates/places.yaml} by
its time zone, everything else from C{templates/<code>/self.yaml}, where a drawn value has the same place in every
language.  Source: API contract, "Resources and their fields / Persona".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from msgspec import UNSET, Struct, convert

from simmail.core.language.clause.question_types import type_inside
from simmail.core.language.clause.restate import of_another
from simmail.core.language.clause.tables import restating
from simmail.core.language.names import company_of
from simmail.core.language.phrases import words
from simmail.core.language.tables import Language
from simmail.core.language.text import say
from simmail.core.language_data import LANGUAGES, read_optional, read_yaml
from simmail.core.records.persona import Persona
from simmail.core.rng import Dice
from simmail.core.writer.agenda import Calendar, full_date

#: How many details of one sentence are told; what a cue counts more, in letters, beside the thing it is asked of.
MOST, _NAMED = 8, 10
#: Questions whose field is kept: each is looked for several times while its mail is answered.
_KEPT = 1024


class Field(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a person knows of itself; the data files say what each part is for."""

    label: str
    says: tuple[str, ...]
    cues: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    types: frozenset[str] = frozenset()
    draw: str = ""
    of: str = ""
    about: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    private: bool = False
    yes: Mapping[str, tuple[int, ...]] = {}
    shared: tuple[str, ...] = ()


class Area(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a company: how its people are called, and what it looks after."""

    name: str
    titles: tuple[str, ...]
    cues: tuple[str, ...]


class SelfTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The sheet of one language."""

    fields: Mapping[str, Field] = {}
    areas: Mapping[str, Area] = {}
    job_titles: tuple[str, ...] = ()
    no_titles: tuple[str, ...] = ()
    no_company: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    theirs: frozenset[str] = frozenset()
    notes: Mapping[str, str] = {}
    myself: str = ""
    and_me: str = ""
    possessed: Mapping[str, str] = {}
    list: str = "{label}: {value}"


class Place(Struct, frozen=True, forbid_unknown_fields=True):
    """A town, with numbers nobody has; C{before}: the number of a house stands before the street."""

    city: str
    code: str
    streets: tuple[str, ...]
    dial: str
    before: bool = False


class Places(Struct, frozen=True, forbid_unknown_fields=True):
    """Towns by time zone and country, and people to ask there."""

    zones: Mapping[str, tuple[str, ...]]
    countries: Mapping[str, str]
    places: Mapping[str, Place]
    colleagues: tuple[str, ...]


class Told(NamedTuple):
    """
    What the sheet says to a question.

    @ivar sentence: as a sentence of its own; agrees: to a yes-or-no question whether that means yes, else None.
    @ivar private: it is nobody's business at work.
    """

    field: str
    label: str
    value: str
    sentence: str
    agrees: bool | None = None
    private: bool = False


class Colleague(NamedTuple):
    """Somebody who knows better, and where he works."""

    name: str
    area: str


@cache
def table(code: str) -> SelfTable:
    """Return the sheet of a language, empty for one that has none."""
    return convert(read_optional(code, "self.yaml") or {}, SelfTable, strict=False)


@cache
def places() -> Places:
    """Return the towns there are."""
    return convert(read_yaml("places.yaml"), Places, strict=False)


class SelfSheet:
    """One person's sheet, in one language."""

    def __init__(
        self, persona: Persona, calendar: Calendar, language: Language, polite: bool = True, notes: Iterable[str] = ()
    ) -> None:
        self._persona, self._calendar, self._language, self._polite = persona, calendar, language, polite
        self._dice = Dice(persona.id).on("self")
        #: The company, that of its address where none is given.
        self.org = say(persona.org, 60) if persona.org is not UNSET and persona.org else company_of(persona.address)
        # Colleagues work in one house.
        self._house = Dice(self.org.lower()).on("house") if self.org else self._dice
        self._table = table(language.code)
        self._own = " ".join(part.lower() for part in (persona.who, persona.character, *notes) if part is not UNSET)

    @property
    def title(self) -> str:
        """Return its job title, C{""} where its role is none: "the angry customer" stands on no card."""
        role = self._persona.role
        return say(role, 60) if role is not UNSET and role and is_title(role) else ""

    def telling(self, question: str, kind: str) -> Told | None:
        """
        Return what answers a question, None when the sheet says nothing of it.

        @param kind: what it asks for, one of L{question_types.TYPES}.
        """
        if kind == "yes_no" and of_another(question, self._language):
            return None
        how = restating(self._language.code)
        counts = question.lower().startswith(self._language.number_words)
        if kind == "many" and counts and how.yours and how.yours.isdisjoint(words(question.lower())):
            return None  # "how many vegetarians?"
        name, about = _field(question, kind, self._language.code)
        return self.told(name, f" {question.lower()} " if kind == "yes_no" else "", about) if name else None

    def answering(self, question: str, kind: str) -> Told | None:
        """Return the same to each part of a question: "what is your shoe size and how tall are you?"."""
        joint, colon = f" {self._language.and_} ", self._language.colon
        parts = question.rstrip("?").replace(", ", joint).split(joint)
        told = (self.telling(part, type_inside(f"- {part.lower()}", self._language) or kind) for part in parts)
        some = list({one.field: one for one in told if one is not None}.values())
        if len(some) < 2:
            return self.telling(question, kind)
        named = (f"{one.label[:1].upper()}{one.label[1:]}{colon}{one.value}." for one in some)
        return some[0]._replace(sentence=" ".join(
            (one.sentence for one in some) if kind == "yes_no" else named), private=all(one.private for one in some))

    def listed(self, sentence: str) -> list[Told]:
        """Return what a sentence names that belongs on the sheet, in its order: "your name, address and phone"."""
        low = f" {sentence.lower()} "
        if not any(f" {word.lower()} " in low for word in self._language.flips):
            return []
        found: dict[str, int] = {}
        taken: list[tuple[int, int]] = []
        for noun, name in _nouns(self._language.code):
            at = low.find(f" {noun}")
            end = at + 1 + len(noun)
            behind = low[end:].partition(" ")[2].partition(" ")[0]
            if at < 0 or name in found or low[end:end + 1].isalpha() or name == "name" and (
                    behind in self._language.of_words) or any(
                    start < end and at + 1 < stop for start, stop in taken):
                continue
            found[name] = at
            taken.append((at + 1, end))
        told = (self.told(name) for name in sorted(found, key=lambda name: found[name]))
        return [one for one in told if one is not None][:MOST]

    def everything(self) -> list[Told]:
        """Return all that stands on it."""
        told = (self.told(name) for name in self._table.fields)
        return [one for one in told if one is not None and one.value != "-"]

    def told(self, name: str, question: str = "", about: str = "") -> Told | None:
        """Return what the sheet says of one field, to a question in lower case, about a thing that it names."""
        field = self._table.fields.get(name)
        if field is None:
            return None
        value, place = self._value(name, field)
        if not value:
            return None if name not in ("company", "vat") or not self._table.no_company else Told(
                name, field.label, "-", self._dice.choice(self._table.no_company, "private"))
        agrees = None
        if question and name == "open":
            named = [at for at, day in enumerate(self._language.weekdays) if day.lower() in question]
            agrees = set(named) <= {day.weekday() for day in self._week} if named else None
        elif question and field.yes:
            cue = max((cue for cue in field.yes if cue in question), key=len, default="")
            if not cue:
                return None
            agrees = place in field.yes[cue] if place >= 0 else None
        says = self._dice.choice(field.says, "says", name).format(value=value, about=about)
        return Told(name, field.label, value, says[:1].upper() + says[1:], agrees, field.private)

    def _value(self, name: str, field: Field) -> tuple[str, int]:
        """Return a value, and its place among those of the field."""
        if field.values:
            place = next((at for at, value in enumerate(field.values) if any(
                word in self._own and word in value.lower() for word in field.shared)), -1)
            if place < 0:
                place = self._dice.below(len(field.values), field.of or name)
            near = field.values[place]
            if "[" in near:
                head, _, rest = near.partition("[")
                far, _, close = rest.partition("|")
                close, _, tail = close.partition("]")
                near = f"{head}{far if self._polite else close}{tail}"
            return near, place
        if field.draw:
            return self._drawn(name, field.draw), -1
        return self._known(name), -1

    def _drawn(self, name: str, kind: str) -> str:
        years = self._calendar.today.year - self._born.year
        if "#" in kind:
            return self._digits(kind, name)
        match kind:
            case "colleague":
                return self._house.on(name).choice(self._others) if self.org else ""
            case "bought":
                return full_date(self._persona.created.date() - timedelta(days=40 + self._dice.below(400, name)),
                                 self._language)
            case "team":
                return str(3 + self._dice.below(10, "team"))
            case "staff":
                return str((2 + self._house.below(23, "staff")) * 10)
            case "room":
                return str(100 * (1 + self._dice.below(4, "room")) + self._dice.below(30, "door"))
            case "years":
                return str(2 + self._dice.below(max(1, years - 22), "years"))
            case _:
                passed = (self._calendar.today.month, self._calendar.today.day) >= (self._born.month, self._born.day)
                return str(years - (not passed))

    @property
    def _born(self) -> date:
        # So old as to work; in the year that the conversation is in, nobody is younger than 24.
        return date(self._persona.created.year - 24 - self._dice.below(38, "age"), 1 + self._dice.below(12, "month"),
                    1 + self._dice.below(28, "day"))

    def _known(self, name: str) -> str:
        persona, place = self._persona, self._place
        match name:
            case "name":
                return say(persona.name, 60)
            case "email":
                return persona.address
            case "company":
                return self.org
            case "job":
                return self.title or (self._dice.choice(self._table.jobs, "job") if self._table.jobs else "")
            case "phone":
                return self._digits(place.dial, "phone")
            case "city":
                return place.city
            case "address":
                house = str(1 + self._house.below(90, "number"))
                street = self._house.choice(place.streets, "street")
                line = f"{house} {street}" if place.before else f"{street} {house}"
                head = f"{self.org}, " if self.org else ""
                return f"{head}{line}, {f'{place.city} {place.code}' if place.before else f'{place.code} {place.city}'}"
            case "birthday":
                return full_date(self._born, self._language)
            case "hours" | "open":
                return self._hours()
            case "unload":
                return f"{self._calendar.close(self._calendar.today):%H:%M}"
            case "vat":
                return f"{self._country}{self._digits('999######', 'vat', self._house)}" if self.org else ""
            case "timezone":
                return str(self._zone or "UTC").rpartition("/")[2].replace("_", " ")
        return ""

    @property
    def _week(self) -> list[date]:
        """The days of this week that are worked on."""
        monday = self._calendar.today - timedelta(days=self._calendar.today.weekday())
        days = [monday + timedelta(days=number) for number in range(7)]
        return [day for day in days if self._calendar.working(day)] or days[:5]

    def _hours(self) -> str:
        worked = self._week
        names = [self._language.weekdays[day.weekday()] for day in (worked[0], worked[-1])]
        start, end = self._calendar.at_work(worked[0], 0.0), self._calendar.close(worked[0])
        return f"{'–'.join(dict.fromkeys(names))}, {start:%H:%M}–{end:%H:%M}"

    def _digits(self, form: str, what: str, dice: Dice | None = None) -> str:
        dice = dice or self._dice
        return "".join(str(dice.below(10, what, at)) if sign == "#" else sign for at, sign in enumerate(form))

    @property
    def _zone(self) -> str:
        hours = self._calendar.hours
        return hours.tz if hours is not None and hours.tz is not UNSET else ""

    @property
    def _place(self) -> Place:
        known = places()
        country = self._persona.address.rpartition(".")[2].lower()
        names = known.zones.get(self._zone) or known.zones.get(known.countries.get(country, ""))
        return known.places[self._house.choice(names or tuple(known.places), "place")]

    @property
    def _country(self) -> str:
        known, place = places(), self._place
        return next(name for name, one in known.places.items() if one == place)[:2].upper()

    # Who does what.

    def area_of(self, text: str) -> str:
        """Return the area that looks after what a text speaks of, C{""} for none in particular."""
        low = f" {text.lower()} "
        counts = {name: sum(f" {cue}" in low for cue in area.cues) for name, area in self._table.areas.items()}
        best = max(counts, key=lambda name: counts[name], default="")
        return best if best and counts[best] else ""

    @property
    def area(self) -> str:
        """Return the area this person works in, C{""} where its role says none."""
        low = f" {self.title.lower()} "
        return next((name for name, area in self._table.areas.items()
                     if any(f" {title}" in low for title in area.titles)), "") if self.title else ""

    def colleague(self, area: str) -> Colleague | None:
        """Return who knows about an area, None for somebody without a company."""
        if not self.org or area not in self._table.areas:
            return None
        name = Dice(self.org.lower()).on("colleague", area).choice(self._others)
        return Colleague(name, self._table.areas[area].name)

    @property
    def _others(self) -> list[str]:
        return [one for one in places().colleagues if one.split()[0] != self._persona.name.split(" ")[0]]


@cache
def _nouns(code: str) -> tuple[tuple[str, str], ...]:
    """What the fields of the sheet are called, the longest first, and the fields."""
    named = ((noun, name) for name, field in table(code).fields.items() for noun in field.nouns)
    return tuple(sorted(named, key=lambda one: -len(one[0])))


@lru_cache(_KEPT)
def _field(question: str, kind: str, code: str) -> tuple[str, str]:
    """The field that a question asks for, and the thing it asks about; two C{""} for none."""
    sheet, low = table(code), f" {question.lower()} ".replace("\u2019", "'")
    named = _things(low, sheet.theirs)
    best: tuple[int, str, str] = (0, "", "")
    for name, field in sheet.fields.items():
        if field.types and kind not in field.types or kind == "yes_no" and not (field.yes or "yes_no" in field.types):
            continue
        about = next((word for word in field.about if word in named), "")
        if field.about and not about or any(piece in low for piece in field.unless):
            continue
        weight = _NAMED * bool(about) + len(about)
        best = max([best, *((len(cue) + weight, name, about) for cue in field.cues if cue in low)])
    return best[1:]


def _things(low: str, theirs: frozenset[str]) -> set[str]:
    """The words of a question, but for those that it calls its writer's own: "my knee"."""
    found = words(low)
    return {word for before, word in zip(["", *found], found) if before not in theirs}


@cache
def is_title(role: str) -> bool:
    """Return whether a role is the title of a job, in any language."""
    low = f" {role.lower()} "
    tables = [table(code) for code in LANGUAGES]
    short = len(role.split()) <= 6 and not any(sign in role for sign in ".!?")
    return short and any(f" {title}" in low for one in tables for title in one.job_titles) and not any(
        word in low for one in tables for word in one.no_titles)
