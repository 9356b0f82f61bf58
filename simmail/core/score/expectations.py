"""
What a tester expects of the application: who must get what and by when, and what must not happen.

Source: API, "Score".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from simmail.core.records.fields import Emails, FieldError, Instant, LIST, Line, Lines, Wait, convert
from simmail.core.records.world import StreamName, WorldKind
from simmail.errors import Invalid


class Trigger(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Mail of the world that an expectation is about: all that fits everything that is given.

    @ivar kind: of mail; stream: id of the stream that brings it; sender: its address.
    @ivar subject: the subject has this in it; message_id: of one mail.
    """

    kind: WorldKind | None = None
    stream: StreamName | None = None
    sender: Line = ""
    subject: Line = ""
    message_id: Line = ""

    def __post_init__(self) -> None:
        if not (self.kind or self.stream or self.sender or self.subject or self.message_id):
            raise FieldError("", "must say something")


class Expectation(Struct, frozen=True, forbid_unknown_fields=True):
    """
    One expectation: a mail that the application must send, or must not.

    @ivar id: its name; what: in a sentence; effect: whether the mail must be sent, or must not.
    @ivar to: addresses; each of them must get one, none of them may; where nobody is named, the writer of what it is
        C{on}, else anybody.
    @ivar subject: the subject has this in it.
    @ivar contains: what the mail says has all of this in it; lacks: and none of this.
    @ivar after: from this instant of simulated time on; before: up to this instant of simulated time.
    @ivar on: mail of the world, each of which begins a time of its own.
    @ivar within: a duration of simulated time after C{on}, or after C{after}.
    @ivar weight: against other expectations, without unit.
    """

    id: StreamName
    what: Line = ""
    effect: Literal["expected", "forbidden"] = "expected"
    to: Emails = ()
    subject: Line = ""
    contains: Lines = ()
    lacks: Lines = ()
    after: Instant | None = None
    before: Instant | None = None
    on: Trigger | None = None
    within: Wait | None = None
    weight: Annotated[float, Meta(gt=0, le=1000)] = 1.0

    def __post_init__(self) -> None:
        if self.within is not None and self.on is None and self.after is None:
            raise FieldError("within", "needs on or after")
        if self.after is not None and self.before is not None and self.after >= self.before:
            raise FieldError("before", "must be later than after")
        if not (self.to or self.subject or self.contains or self.on):
            raise FieldError("", "needs to, subject, contains or on")


class Expectations(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings document.  C{expectations}: each of them."""

    expectations: Annotated[tuple[Expectation, ...], Meta(max_length=LIST)] = ()


def expectations_of(value: Any) -> Expectations:
    """
    Return the expectations of a document.

    @raise Invalid: a bad field, by its path; two of one id.
    """
    found = convert(value, Expectations)
    check_ids(found.expectations, "expectations")
    return found


def check_ids(expectations: Iterable[Expectation], field: str) -> None:
    """Check that no two have one id.  @raise Invalid: naming the second, below C{field}."""
    seen: set[str] = set()
    for n, one in enumerate(expectations):
        if one.id in seen:
            raise Invalid(f"{field}.{n}.id", "is the id of another expectation")
        seen.add(one.id)
