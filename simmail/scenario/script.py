"""
What a scenario file says: people, cases, World, faults, steps on the simulated clock, and what is expected.

One declaration is read from YAML (L{fields.convert}) and documented; what is described elsewhere (personas, cases,
World, fault rules) is checked as the API checks it, and stays as it was written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from simmail.core.records.case import entries, new_case
from simmail.core.records.fields import (
    Email, FieldError, Instant, LIST, Line, Lines, Prose, Share, Wait, an_object, below, convert,
)
from simmail.core.records.persona import new_persona
from simmail.core.records.world import StreamName, world_of
from simmail.core.rng import Dice
from simmail.core.rules.fault_rule import rules_of
from simmail.core.rules.yaml_text import decode, line_of
from simmail.core.score.expectations import Expectation, check_ids
from simmail.core.score.points import PARTS
from simmail.errors import Invalid

#: A Monday morning.
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def _as_written(check: Callable[[Any], object]) -> Callable[[Any, str], Any]:
    """Make a reader that keeps a value as it is written, once it passes a check of its own."""
    def read(value: Any, field: str) -> Any:
        try:
            check(value)
        except Invalid as error:
            text = str(error)
            raise Invalid(below(field, error.field), text.removeprefix(f"{error.field}: ")) if error.field else Invalid(
                field, text) from None
        return value
    return read


def _a_persona(value: Any) -> object:
    return new_persona(an_object(value), "p_", "api", START, Dice(""))


def _a_case(value: Any) -> object:
    entries(an_object(value))
    return new_case({name: one for name, one in value.items() if name != "people"}, "c_", START)


_Fields = dict[str, Any]
People = Annotated[tuple[Annotated[_Fields, Meta(extra={"read": _as_written(_a_persona)})], ...], Meta(max_length=LIST)]
Cases = Annotated[tuple[Annotated[_Fields, Meta(extra={"read": _as_written(_a_case)})], ...], Meta(max_length=LIST)]
World = Annotated[_Fields, Meta(extra={"read": _as_written(world_of)})]
Faults = Annotated[tuple[_Fields, ...], Meta(extra={"read": _as_written(rules_of)})]


class ArrivingMail(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """
    A mail to the application; C{from}: as C{a@b.test} or C{Name <a@b.test>}.

    C{vouched}: whether the receiving server says that the domain of its author vouches for it (DMARC); C{headers}:
    further header fields.
    """

    from_: Line
    subject: Line = ""
    text: Prose = ""
    vouched: bool = True
    headers: dict[Line, Line] = {}


class Answer(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """
    An answer of somebody to the application's newest mail to them, in its thread; nothing where they have answered
    that, or got none.
    """

    from_: Email
    text: Prose
    headers: dict[Line, Line] = {}


class FiredMail(Struct, frozen=True, forbid_unknown_fields=True):
    """Mails of a stream of the World that come now."""

    stream: StreamName
    count: Annotated[int, Meta(ge=1, le=100)] = 1


class ScenarioStep(Struct, frozen=True, forbid_unknown_fields=True):
    """
    One step, which is one of these.

    C{advance}: the clock goes on so long, C{until}: to an instant; the application has its turns on the way.
    C{absent}: the clock goes on so long and the application has none.  C{send}, C{reply}, C{fire}: mail.  C{faults},
    C{world}: from now on, in place of those before.  C{people}: who comes in addition.  C{expect}: ids of
    expectations that have come true by now.
    """

    advance: Wait | UnsetType = UNSET
    until: Instant | UnsetType = UNSET
    absent: Wait | UnsetType = UNSET
    send: ArrivingMail | UnsetType = UNSET
    reply: Answer | UnsetType = UNSET
    fire: FiredMail | UnsetType = UNSET
    faults: Faults | UnsetType = UNSET
    world: World | UnsetType = UNSET
    people: People | UnsetType = UNSET
    expect: Lines | UnsetType = UNSET

    def __post_init__(self) -> None:
        if sum(getattr(self, name) is not UNSET for name in self.__struct_fields__) != 1:
            raise FieldError("", f"must be exactly one of {', '.join(self.__struct_fields__)}")

    @property
    def kind(self) -> str:
        """What it is."""
        return next(name for name in self.__struct_fields__ if getattr(self, name) is not UNSET)


class Seat(Struct, frozen=True, forbid_unknown_fields=True):
    """
    The place of the application under test.

    C{address}: what it signs in as; C{owner}: whose orders it follows; C{task}: what it is there for, as text for the
    application; C{every}: it has a turn so often also where no mail came; C{most}: mails that it may send, after which
    it has no more turns and has failed.
    """

    address: Email = "app@acme.test"
    owner: Email = "boss@acme.test"
    task: Prose = ""
    every: Wait | None = None
    most: Annotated[int, Meta(ge=1, le=100_000)] = 500


class ScenarioFile(Struct, frozen=True, forbid_unknown_fields=True):
    """
    A scenario.

    C{expect}: as in C{PUT /api/score/expectations}.  C{require}: parts of the score, and what each must reach.
    C{careless}: which of those ids and parts an application fails that does what it reads.
    """

    name: StreamName
    title: Annotated[Line, Meta(min_length=1)]
    about: Prose = ""
    seed: Line = ""
    clock: Instant = START
    app: Seat = Seat()
    people: People = ()
    cases: Cases = ()
    world: World | None = None
    faults: Faults = ()
    steps: Annotated[tuple[ScenarioStep, ...], Meta(min_length=1, max_length=1000)] = ()
    expect: Annotated[tuple[Expectation, ...], Meta(max_length=LIST)] = ()
    require: dict[Line, Share] = {}
    careless: Lines = ()

    def __post_init__(self) -> None:
        if not self.steps:
            raise FieldError("steps", "must not be empty")
        check_ids(self.expect, "expect")
        for name in self.require:
            if name not in PARTS or name in self.ids:
                raise FieldError(f"require.{name}", "is the id of an expectation" if name in self.ids else
                                 f"must be one of {', '.join(PARTS)}")
        if not (self.expect or self.require):
            raise FieldError("expect", "is required where require is empty")
        for n, step in enumerate(self.steps):
            self._known(step.expect or (), self.ids, f"steps.{n}.expect")
        self._known(self.careless, {**self.ids, **self.require}, "careless")

    @property
    def own_seed(self) -> str:
        """What is drawn from unless another seed is given."""
        return self.seed or self.name

    @property
    def ids(self) -> Mapping[str, Expectation]:
        """The expectations by their ids."""
        return {one.id: one for one in self.expect}

    @staticmethod
    def _known(names: tuple[str, ...], allowed: Mapping[str, object], field: str) -> None:
        for n, name in enumerate(names):
            if name not in allowed:
                raise FieldError(f"{field}.{n}", f"must be one of {', '.join(allowed) or 'none'}")


def script_of(octets: bytes, file: str) -> ScenarioFile:
    """
    Return the scenario of a YAML document.

    @raise Invalid: bad YAML; a bad field, by its path and with its line.
    """
    try:
        return convert(_named(decode(octets)), ScenarioFile)
    except Invalid as error:
        line = line_of(octets, error.field) if error.field else 0
        raise Invalid(f"{file}:{line}" if line else file, str(error)) from None


def _named(value: Any) -> Any:
    """The same with C{on} as the name that it is: YAML 1.1 takes it for true."""
    if isinstance(value, dict):
        return {"on" if name is True else name: _named(one) for name, one in value.items()}
    return [_named(one) for one in value] if isinstance(value, list) else value
