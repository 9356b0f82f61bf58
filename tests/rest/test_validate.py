"""Bodies and parameters: what is wrong is named in the client's words."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Invalid
from simmail.rest import validate
from simmail.rest.route import Body, Query
from simmail.rest.validate import body, query, twice


class Inner(Body, frozen=True, rename={"from_": "from"}):
    from_: str
    kind: Literal["one", "two"] = "one"


class Outer(Body, frozen=True):
    inner: Inner
    rate: Annotated[float, Meta(ge=0, le=1)] = 0.5
    names: list[str] = []
    many: Annotated[tuple[int, ...], Meta(min_length=1)] = (1,)
    either: Literal["a"] | None = None
    roles: dict[str, Literal["x", "y"]] = {}


class Asked(Query, frozen=True):
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    unread: bool = False
    header: tuple[str, ...] = ()
    order: Literal["asc", "desc"] | None = None


def refused(octets: bytes, type: Any = Outer) -> Invalid:
    """The refusal of a body."""
    try:
        body(octets, type, 64)
    except Invalid as error:
        return error
    raise AssertionError("it was taken")


class BodyTests(SynchronousTestCase):
    """A body is a record, or a refusal that names the field."""

    def test_good(self) -> None:
        """What is declared is taken."""
        self.assertEqual(body(b'{"inner": {"from": "x", "kind": "two"}}', Outer, 64), Outer(Inner("x", "two")))

    def test_words(self) -> None:
        """Each kind of mistake has its words and its dotted field."""
        for octets, field, text in (
            (b'{"inner": {"from": "x"}, "zz": 1}', "zz", "unknown field"),
            (b'{"inner": {"from": "x", "colour": 1}}', "inner.colour", "unknown field"),
            (b'{"inner": {}}', "inner.from", "is required"),
            (b'', "inner", "is required"),
            (b' \n', "inner", "is required"),
            (b'{"inner": {"from": 1}}', "inner.from", "must be text, not a whole number"),
            (b'{"inner": {"from": null}}', "inner.from", "must be text, not null"),
            (b'{"inner": {"from": "x", "kind": "three"}}', "inner.kind", "must be one of one, two"),
            (b'{"inner": {"from": "x"}, "either": "b"}', "either", "must be one of a"),
            (b'{"inner": {"from": "x"}, "roles": {"k": "z"}}', "roles", "must be one of x, y"),
            (b'{"inner": {"from": "x"}, "rate": 2}', "rate", "must be at most 1"),
            (b'{"inner": {"from": "x"}, "rate": "2"}', "rate", "must be a number, not text"),
            (b'{"inner": {"from": "x"}, "rate": true}', "rate", "must be a number, not true or false"),
            (b'{"inner": {"from": "x"}, "names": ["a", 1]}', "names.1", "must be text, not a whole number"),
            (b'{"inner": {"from": "x"}, "names": {}}', "names", "must be a list, not an object"),
            (b'{"inner": {"from": "x"}, "many": []}', "many", "must not be empty"),
            (b'{"inner": {"from": "x"}, "many": [1.5]}', "many.0", "must be a whole number, not a number"),
            (b'[]', "", "the body must be an object, not a list"),
        ):
            error = refused(octets)
            self.assertEqual((error.field, str(error)), (field, f"{field}: {text}" if field else text), octets)

    def test_malformed(self) -> None:
        """What is no JSON is refused as such: cut off, with rubbish, in another charset, with half characters."""
        for octets in (
            b"{", b"x", b'{"inner": {"from": "\xff"}}', b'{"inner": {"from": "\\ud800"}}',
            b'{"inner": {"from": "\xed\xa0\x80"}}', b'{"inner": {"from": "x"}} {}', b"\xff\xfe{\x00}\x00",
            b'{"names": [NaN', b"\0",
        ):
            self.assertIn("not valid JSON", str(refused(octets)), octets)

    def test_depth(self) -> None:
        """64 levels are taken, 65 are not, however they are made; brackets within texts do not count."""
        self.assertEqual(body(b"[" * 64 + b"]" * 64, Any, 64), json.loads("[" * 64 + "]" * 64))
        for octets in (b"[" * 65 + b"]" * 65, b'{"a":' * 65 + b"1" + b"}" * 65, b"[" * 100_000 + b"]" * 100_000):
            self.assertIn("nested", str(refused(octets, Any)))
        self.assertEqual(body(b'"' + b"[{" * 500 + b'"', Any, 64), "[{" * 500)
        self.assertEqual(body(b"[" + b"[]," * 500 + b"[]]", Any, 64), [[]] * 501)

    def test_names_are_cut(self) -> None:
        """A name in an error text is short and printable."""
        error = refused(json.dumps({"a\r\nb" + "x" * 500: 1}).encode())
        self.assertNotIn("\n", str(error))
        self.assertLess(len(str(error)), 100)

    @given(st.binary(max_size=300))
    def test_any_octets(self, octets: bytes) -> None:
        """Whatever is sent, the answer is a record or a refusal."""
        try:
            body(octets, Outer, 64)
        except Invalid as error:
            self.assertTrue(str(error))

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
                        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
    def test_any_json(self, value: Any) -> None:
        """Whatever JSON is sent, the answer is a record or a refusal with some text."""
        for octets in (json.dumps(value), json.dumps({"inner": value})):
            try:
                body(octets.encode(), Outer, 64)
            except Invalid as error:
                self.assertNotIn("Expected `", str(error))


class QueryTests(SynchronousTestCase):
    """Parameters are text that stands for values."""

    def asked(self, **args: list[bytes]) -> Any:
        """Decode parameters."""
        return query({name.encode(): values for name, values in args.items()}, Asked, frozenset({"token"}))

    def test_values(self) -> None:
        """Numbers, booleans and lists; token and universe are overlooked."""
        self.assertEqual(self.asked(), Asked())
        self.assertEqual(self.asked(limit=[b"5"], unread=[b"1"], header=[b"a", b"b"], token=[b"x"], order=[b"asc"]),
                         Asked(5, True, ("a", "b"), "asc"))
        self.assertEqual(self.asked(unread=[b"false"], header=[b"a"]), Asked(header=("a",)))

    def test_refused(self) -> None:
        """Unknown, twice, out of range, no number, not UTF-8: each names the parameter where it can."""
        for args, text in (
            ({"colour": [b"1"]}, "colour: unknown parameter"),
            ({"limit": [b"1", b"2"]}, "limit: is given more than once"),
            ({"limit": [b"0"]}, "limit: must be at least 1"),
            ({"limit": [b"1001"]}, "limit: must be at most 1000"),
            ({"limit": [b"x"]}, "limit: must be a whole number"),
            ({"limit": [b""]}, "limit: must be a whole number"),
            ({"limit": [b"+5"]}, "limit: must be a whole number"),
            ({"limit": ["٣".encode()]}, "limit: must be a whole number"),
            ({"limit": [b"9" * 5000]}, "limit: integer value out of range"),
            ({"unread": [b"maybe"]}, "unread: must be true or false"),
            ({"order": [b"up"]}, "order: must be one of asc, desc"),
            ({"header": [b"\0"]}, "header: must not contain NUL"),
            ({"limit": [b"\xff"]}, "query parameters must be UTF-8"),
        ):
            error = self.assertRaises(Invalid, self.asked, **args)
            self.assertEqual(str(error), text)


class RepeatedTests(SynchronousTestCase):
    """A name that is given twice in one object is refused by name."""

    def test_twice(self) -> None:
        """At any depth, however it is written; the same name in two objects is nothing."""
        for octets, name in (
            (b'{"a": 1, "a": 1}', "a"), (b'{"a": 1, "\\u0061": 2}', "a"),
            (b'{"b": {"c": [{"d": 1, "e": 2, "d": 3}]}}', "d"),
            (b'{"": 0, "": 0}', ""), (b'[{"a": 1}, {"a": 2}]', None), (b'{"a": {"a": {"a": 1}}}', None),
            (b'{"a": "\\"a\\": 1, \\"a\\": 2", "b": ":::"}', None),
            (b'{"n": %b, "m": 1e999, "n": 2}' % (b"9" * 5000), "n"),
            (b'{"n": %b, "m": -1.5e-7}' % (b"9" * 5000), None), (b"[]", None), (b'{"a": ":"}', None),
        ):
            self.assertEqual(twice(octets), name, octets[:60])

    def test_refused(self) -> None:
        """400 names it."""
        error = self.assertRaises(Invalid, body, b'{"text": "a", "text": "b"}', Repeated, 64)
        self.assertEqual(str(error), "text: is given more than once")
        error = self.assertRaises(Invalid, body, b'{"more": {"k": "a", "k": "b"}}', Repeated, 64)
        self.assertEqual(str(error), "k: is given more than once")
        self.assertEqual(body(b'{"text": "a", "more": {"text": "b"}}', Repeated, 64), Repeated("a", {"text": "b"}))

    @given(st.recursive(
        st.text(st.sampled_from('a"\\:,}]{[ \n')) | st.integers() | st.booleans() | st.none(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
            st.text(st.sampled_from('ab"\\:'), max_size=3), inner)))
    def test_left_out(self, value: Any) -> None:
        """Leaving out long texts changes nothing else."""
        self.patch(validate, "LONG", 2)
        for octets in (json.dumps(value).encode(), json.dumps(value, indent=1).encode()):
            short = json.loads(validate._short(octets))
            self.assertEqual(keys(short), keys(value))
            self.assertLessEqual(len(validate._short(octets)), len(octets))

    def test_large(self) -> None:
        """In the body of a large message too, whatever its text is like, and soon."""
        self.patch(validate, "LARGE", 1000)
        for text in ("x" * 100_000, "\r\n\"a\": \\" * 1000, '",' * 30_000, "\\" * 5000, '\\"' * 999 + '\\"}'):
            for value, name in (({"text": text, "b": 1}, None), ({"text": text, "b": {"text": text, "c": 1}}, None)):
                octets = json.dumps(value).encode()
                self.assertEqual(twice(octets), name)
                self.assertEqual(twice(octets[:-1] + b', "b": 2}'), "b")
                self.assertEqual(twice(b'{"b": 2, ' + octets[1:]), "b")
        self.assertLess(len(validate._short(json.dumps({"text": "x" * 100_000, "b": 1}).encode())), 100)


class Repeated(Body, frozen=True):
    text: str = ""
    more: dict[str, str] = {}


def keys(value: Any) -> Any:
    """The names in a value, in its shape."""
    if isinstance(value, dict):
        return {name: keys(one) for name, one in value.items()}
    return [keys(one) for one in value] if isinstance(value, list) else None
