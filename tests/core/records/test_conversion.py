"""From decoded JSON or YAML to records."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, Struct, UnsetType
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.conversion import convert, given as given_of, shown
from simmail.core.records.fields import FieldError, Line
from simmail.errors import Invalid


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
