"""What may stand in a field."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Annotated, Any, Literal

from hypothesis import given, strategies as st
from msgspec import Meta, Struct, UNSET, UnsetType
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.fields import (
    Clock, Date, Days, Email, Emails, FieldError, Instant, Line, Lines, Prose, Share, Wait, Zone, a_list, an_object,
    below, convert, given as given_of, shown,
)
from simmail.errors import Invalid


class FieldTests(SynchronousTestCase):
    """Each type takes what it is for, as it is stored, and refuses the rest by its field."""

    def test_taken(self) -> None:
        """Values as they are stored."""
        noon = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
        for kind, value, stored in (
            (Line, "Größe", "Größe"), (Prose, "a\nb\t", "a\nb\t"), (Share, 1, 1.0),
            (Email, "A@B.test", "a@b.test"),
            (Emails, ["A@b.test", "a@B.test", "c@d.test"], ("a@b.test", "c@d.test")),
            (Lines, ["b", "a", "b"], ("b", "a")),
            (Zone, "Europe/Berlin", "Europe/Berlin"), (Days, "mon-fri", "mon-fri"), (Clock, "24:00", "24:00"),
            (Date, "2026-03-01", "2026-03-01"), (Date, date(2026, 3, 1), "2026-03-01"), (Wait, "1h30m", "1h30m"),
            (Instant, "2026-03-01T13:00:00+01:00", noon), (Instant, noon, noon),
        ):
            found = convert(value, kind)
            self.assertEqual((type(found), found), (type(stored), stored))

    def test_refused(self) -> None:
        """Values that are not taken, and what is said of them."""
        for kind, value, text in (
            (Line, "a\nb", "must not contain control characters"),
            (Line, "a\x85", "must not contain control characters"),
            (Line, "a\u2028", "must not contain control characters"), (Line, "\ud800", "must be valid Unicode"),
            (Line, "x" * 201, "must not be longer than 200 characters"), (Line, 7, "must be text, not a whole number"),
            (Prose, "a\0", "must not contain NUL"), (Prose, "x" * 10_001, "must not be longer than 10000 characters"),
            (Share, 1.1, "must be from 0 to 1"), (Share, -0.1, "must be from 0 to 1"),
            (Share, float("nan"), "must be from 0 to 1"), (Share, True, "must be a number, not true or false"),
            (Email, "nope", "is not an email address"), (Lines, "a", "must be a list, not text"),
            (Lines, ["a"] * 101, "must not have more than 100 items"),
            (Zone, "Mars/Base", "unknown time zone Mars/Base"),
            (Days, "mon-fry", "must be days such as mon-fri or mon,wed,fri"),
            (Clock, 540, "must be a time of day HH:MM, in quotes"), (Clock, "9:00", "must be a time of day HH:MM"),
            (Date, "2026-02-30", "must be a date YYYY-MM-DD"), (Wait, "500d", "must not be longer than 400d"),
            (Instant, "2026-03-01", "must be an RFC 3339 time with an offset, such as 2026-03-01T09:00:00Z"),
            (Instant, 7, "must be an RFC 3339 time, not a whole number"),
        ):
            error = self.assertRaises(Invalid, convert, value, kind, "the.field")
            self.assertEqual(str(error), f"the.field: {text}", (kind, value))

    def test_places(self) -> None:
        """Items and members are named by their place."""
        class Record(Struct):
            lines: Lines = ()
            roles: Annotated[dict[Line, Line], Meta(max_length=2, extra={"each": Line})] = {}

        for value, text in (
            ({"lines": ["a", 1]}, "lines.1: must be text, not a whole number"),
            ({"lines": ["a", "b\n"]}, "lines.1: must not contain control characters"),
            ({"roles": {"k": 1}}, "roles.k: must be text, not a whole number"),
            ({"roles": {"k\n": "x"}}, "roles: must not contain control characters"),
            ({"roles": {"a": "", "b": "", "c": ""}}, "roles: must not have more than 2 members"),
        ):
            self.assertEqual(str(self.assertRaises(Invalid, convert, value, Record)), text)
        self.assertEqual((below("", "a"), below("a", 3), len(below("a", "x" * 999))), ("a", "a.3", 202))

    def test_shapes(self) -> None:
        """Objects and lists of which the members are read elsewhere."""
        self.assertEqual((an_object({"a": 1}), a_list((1, 2))), ({"a": 1}, [1, 2]))
        for refused in (lambda: an_object([], "f"), lambda: a_list("ab", "f"), lambda: a_list([0] * 101, "f")):
            self.assertEqual(self.assertRaises(Invalid, refused).field, "f")

    @given(st.text(max_size=300), st.sampled_from([Line, Prose, Email, Zone, Days, Clock, Date, Wait, Instant]))
    def test_any_text(self, text: str, kind: Any) -> None:
        """Whatever text is given, it is taken, and taken again as it was stored, or it is refused."""
        try:
            stored = convert(text, kind)
        except Invalid as error:
            self.assertTrue(str(error))
        else:
            self.assertEqual(convert(stored, kind), stored)

    def test_long_delay(self) -> None:
        """400 days are taken, to the day."""
        self.assertEqual(convert("400d", Wait), "400d")
        self.assertRaises(Invalid, convert, f"{timedelta(days=400) // timedelta(hours=1)}h1ms", Wait)


class Inner(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    from_: int
    to: int = 9
    kind: Literal["late", "early"] = "late"

    def __post_init__(self) -> None:
        if self.to < self.from_:
            raise FieldError("to", "must not be before from")


class Outer(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[Line, Meta(min_length=1)]
    many: tuple[Inner, ...] = ()
    by_name: Annotated[dict[str, Inner], Meta(extra={"each": Inner})] = {}
    port: int | None = 25
    rate: Annotated[float, Meta(gt=0)] = 0.5
    note: Line | UnsetType = UNSET
    data: dict[str, Any] = {}


class ConvertTests(SynchronousTestCase):
    """Records, or a refusal that names the field."""

    def test_taken(self) -> None:
        """Members at any depth; null is a value where it may be one, and left out elsewhere, but for free data."""
        self.assertEqual(
            convert({"name": "x", "many": [{"from": 1.0}, {"from": 2, "to": None}], "note": None, "port": None,
                     "by_name": {"a": {"from": 3}}, "data": {"k": None}}, Outer),
            Outer("x", (Inner(1), Inner(2)), {"a": Inner(3)}, None, data={"k": None}))

    def test_refused(self) -> None:
        """Each kind of mistake has its words and its dotted field."""
        for value, text in (
            ([], "must be an object, not a list"), ({}, "name: is required"), ({"name": None}, "name: is required"),
            ({"name": ""}, "name: must not be empty"), ({"name": "x", "zz": None}, "zz: unknown field"),
            ({"name": "x", 7: 1}, "7: unknown field"), ({"name": "x", "many": [{}]}, "many.0.from: is required"),
            ({"name": "x", "many": [{"from": 1}, {"from": 5, "to": 2}]}, "many.1.to: must not be before from"),
            ({"name": "x", "by_name": {"k": {"from": 5, "to": 2}}}, "by_name.k.to: must not be before from"),
            ({"name": "x", "many": [{"from": 1, "kind": "soon"}]}, "many.0.kind: must be one of late, early"),
            ({"name": "x", "port": "25"}, "port: must be a whole number or null, not text"),
            ({"name": "x", "rate": 0}, "rate: must be more than 0"),
            ({"name": "x", "many": {}}, "many: must be a list, not an object"),
        ):
            error = self.assertRaises(Invalid, convert, value, Outer)
            self.assertEqual(str(error), text, value)
        self.assertEqual(str(self.assertRaises(Invalid, convert, {"zz": 1}, Outer, "0", "is no option")),
                         "0.zz: is no option")

    def test_given(self) -> None:
        """What is given of a record is what is not null; what the record has not is left to be refused."""
        self.assertEqual(given_of({"name": None, "note": "x", "zz": None}, Outer), {"note": "x", "zz": None})
        self.assertEqual(self.assertRaises(Invalid, given_of, [], Outer, "f").field, "f")

    def test_shown(self) -> None:
        """A name in an error text is short and printable."""
        self.assertEqual(shown("a\r\nb"), "a??b")
        self.assertEqual(len(shown("x" * 500)), 61)

    @given(st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
            ["name", "many", "by_name", "port", "from", "to", "kind", "data"]) | st.integers(), inner, max_size=4),
        max_leaves=12))
    def test_anything(self, value: Any) -> None:
        """Whatever is sent, it is a record or a refusal without the decoder's own words."""
        for one in (value, {"name": "x", "many": [value], "by_name": {"k": value}}):
            try:
                convert(one, Outer)
            except Invalid as error:
                self.assertNotIn("`", str(error))
