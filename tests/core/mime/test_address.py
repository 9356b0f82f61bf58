"""Addresses."""

from __future__ import annotations

from email.utils import parseaddr

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime import address
from simmail.core.mime.address import Address
from simmail.errors import Invalid
from tests.core.hostile import seconds

ATEXT = "abcdefghijklmnopqrstuvwxyzABC0123456789!#$%&'*+-/=?^_`{|}~ü"
LOCALS = st.lists(st.text(ATEXT, min_size=1, max_size=8), min_size=1, max_size=3).map(".".join)
LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?", fullmatch=True)
DOMAINS = st.lists(LABELS, min_size=1, max_size=3).map(".".join)
ADDRESSES = st.builds("{}@{}".format, LOCALS, DOMAINS)


class ParseTests(SynchronousTestCase):
    """The door: RFC 5321 and 6531."""

    def test_good(self) -> None:
        """Lower case, with quotes only where they are needed."""
        for text, parsed in (
            ("a@b.test", "a@b.test"), ("Maria.Lopez+Tag@Acme.TEST", "maria.lopez+tag@acme.test"),
            ("a@localhost", "a@localhost"),
            ('"a.b"@c.test', "a.b@c.test"), ('"A b"@c.test', '"a b"@c.test'), ('"a\\"\\\\b"@c', '"a\\"\\\\b"@c'),
            ('"\\a"@b', "a@b"), ('"a@b"@c.test', '"a@b"@c.test'), ("a@[192.0.2.1]", "a@[192.0.2.1]"),
            ("a@[IPv6:2001:DB8::1]", "a@[ipv6:2001:db8::1]"), ("Jörg@Bücher.example", "jörg@bücher.example"),
            ("用户@例子.广告", "用户@例子.广告"), ("a@xn--bcher-kva.test", "a@bücher.test"),
            ("!#$%&'*+/=?^_`{|}~-@a.test", "!#$%&'*+/=?^_`{|}~-@a.test"), ("a@1.test", "a@1.test"),
            ("a" * 64 + "@" + ".".join(["b" * 63] * 2) + ".test", "a" * 64 + "@" + ".".join(["b" * 63] * 2) + ".test"),
        ):
            self.assertEqual(address.parse(text), parsed)
            self.assertEqual(address.parse(parsed), parsed)
            self.assertTrue(address.is_valid(text))

    def test_composed(self) -> None:
        """Composed and decomposed letters are one address."""
        self.assertEqual(address.parse("jo\u0308rg@a.test"), address.parse("j\u00f6rg@a.test"))

    def test_international_domains(self) -> None:
        """A-labels are the U-labels they stand for; what only looks like one stays as it is."""
        for label, told in (
            ("xn--mnchen-3ya", "m\u00fcnchen"), ("XN--Mnchen-3YA", "m\u00fcnchen"), ("xn--strae-oqa", "stra\u00dfe"),
            ("xn--fsqu00a", "\u4f8b\u5b50"), ("xn--abc-", "xn--abc-"), ("xn--", "xn--"), ("xn--a", "xn--a"),
            ("xn--99999999999", "xn--99999999999"), ("xn---", "xn---"), ("xn--abc", "xn--abc"),
        ):
            if label.endswith("-"):
                self.assertFalse(address.is_valid(f"maria@{label}.test"))
            else:
                self.assertEqual(address.parse(f"Maria@{label}.test"), f"maria@{told}.test")
            self.assertEqual(address.u_labels(f"@{label}.test"), f"@{label.lower()}.test")
            self.assertEqual(address.u_labels(f"a.{label}.test"), f"a.{told.lower()}.test")
        self.assertEqual(address.ascii_form("maria@m\u00fcnchen.test"), "maria@xn--mnchen-3ya.test")
        self.assertEqual(address.ascii_form("j\u00fcrgen@m\u00fcnchen.test"), "j\u00fcrgen@m\u00fcnchen.test")
        self.assertEqual(address.format_address(Address("", "maria@m\u00fcnchen.test")), "maria@xn--mnchen-3ya.test")
        self.assertEqual(address.parse_list("Maria <maria@xn--mnchen-3ya.test>"),
                         (Address("Maria", "maria@m\u00fcnchen.test"),))

    @given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20))
    @settings(max_examples=300)
    def test_any_label(self, label: str) -> None:
        """An address is the same in A-labels and U-labels, and no label is an error."""
        for text in (f"a@{label}.test", f"a@xn--{label}.test"):
            try:
                parsed = address.parse(text)
            except Invalid:
                continue
            self.assertEqual(address.parse(parsed), parsed)
            self.assertEqual(address.parse(address.ascii_form(parsed)), parsed)

    def test_bad(self) -> None:
        """Everything else is Invalid, and names the field."""
        for text in (
            "", "a", "@", "a@", "@b", "a@b@c", ".a@b", "a.@b", "a..b@c", "a b@c", "a@b c", "a@.b", "a@b.", "a@b..c",
            "a@-b", "a@b-", "a@b_c", 'a"b@c', '"a@b', '"a"b"@c', '"a\\"@b', '""@b', "(a)@b", "a@(b)", "<a@b>",
            "A <a@b>", "a@b,c@d", "a@b\r\n", "a\n@b", "a\0@b", "a\x7f@b", "a\u0085@b", "a\u00a0b@c", "a\u2028@b",
            "a\ud800@b", "a\u200b@b", "a@b。c", "a@b\u3000c", "a@[1.2.3]", "a@[01.2.3.4]", "a@[1.2.3.4", "a@[]",
            "a@[IPv6:]", "a@[IPv6:fe80::1%eth0]", "a@[tag:x]", "a@b/c", "a@b\\c", "a@ü=.test", "a" * 65 + "@b",
            "a@" + "b" * 64, "a@" + "b." * 130, "ü" * 33 + "@b", "a@" + "é" * 130, "a" * 1_000_000, "a\u00ad@b",
        ):
            self.assertEqual(self.assertRaises(Invalid, address.parse, text, "to").field, "to", text)
            self.assertFalse(address.is_valid(text), text)

    @given(ADDRESSES)
    @settings(max_examples=200)
    def test_generated(self, text: str) -> None:
        """Every dot-string at a domain is an address, has two parts, and is its own normal form afterwards."""
        parsed = address.parse(text)
        self.assertEqual(address.parse(parsed), parsed)
        self.assertEqual(f"{address.local_part(parsed)}@{address.domain_of(parsed)}", parsed)

    @given(st.text(max_size=60))
    @settings(max_examples=200)
    def test_any_text(self, text: str) -> None:
        """Any text is Invalid, or an address with neither blanks outside quotes nor controls."""
        try:
            parsed = address.parse(text)
        except Invalid:
            return
        self.assertTrue(parsed.isprintable())
        self.assertEqual(address.parse(parsed), parsed)


class ListTests(SynchronousTestCase):
    """Header fields as they come."""

    def test_forms(self) -> None:
        """Names, comments, groups, routes, old and broken forms."""
        for value, expected in (
            ("a@b.test", [("", "a@b.test")]),
            ("Maria Lopez <Maria@Acme.test>", [("Maria Lopez", "maria@acme.test")]),
            ('"Lopez, Maria" <m@a.test>, c@d.test', [("Lopez, Maria", "m@a.test"), ("", "c@d.test")]),
            ("Team: a@b.test, C <c@d.test>;, e@f.test", [("", "a@b.test"), ("C", "c@d.test"), ("", "e@f.test")]),
            ("undisclosed-recipients:;", []),
            ("a@b.test (Maria (Sales) Lopez)", [("Maria (Sales) Lopez", "a@b.test")]),
            ("(x) A. B. <a@b.test> (y)", [("A. B.", "a@b.test")]),
            ("=?utf-8?q?Gr=C3=BC=C3=9Fe?= <a@b.test>", [("Grüße", "a@b.test")]),
            ('"=?utf-8?q?J=2C_K?=" <a@b.test>', [("J, K", "a@b.test")]),
            ("=?utf-8?q?a=2C_=3Cx=40y=3E?= <a@b.test>", [("a, <x@y>", "a@b.test")]),
            ('"x y"@z.test', [("", '"x y"@z.test')]),
            ("<@r1.test,@r2.test:a@b.test>", [("", "a@b.test")]),
            ("alice@x.test <bob@y.test>", [("alice@x.test", "bob@y.test")]),
            ('"alice@x.test" <bob@y.test>', [("alice@x.test", "bob@y.test")]),
            ("alice@x.test(<bob@y.test>)", [("<bob@y.test>", "alice@x.test")]),
            ("a@b@c.test", []),
            ("A <a@b.test", [("A", "a@b.test")]),
            ("a@b.test; c@d.test", [("", "a@b.test"), ("", "c@d.test")]),
            ("a@[192.0.2.1]", [("", "a@[192.0.2.1]")]),
            ("A\r\n B <a@b.test>", [("A B", "a@b.test")]),
            ('"a\\"b" <a@b.test>', [('a"b', "a@b.test")]),
            ('"unclosed <a@b.test>', [("unclosed", "a@b.test")]),
            ("user.@docomo.test", [("", "user.@docomo.test")]),
            ("MAILER-DAEMON", []), ("", []), (",,;:", []), ("<>", []),
        ):
            self.assertEqual(address.parse_list(value), tuple(Address(*each) for each in expected), value)

    def test_named(self) -> None:
        """Who has no address is named all the same: no "@", nothing in the brackets, a group before its members."""
        for value, expected in (
            ('"Mail Delivery System" <MAILER-DAEMON>', [("Mail Delivery System", "mailer-daemon")]),
            ("MAILER-DAEMON (Mail Delivery)", [("Mail Delivery", "mailer-daemon")]), ("root", [("", "root")]),
            ('"Mail Delivery" <>', [("Mail Delivery", "")]), ("<>", []), ("John Smith", [("John Smith", "")]),
            ("undisclosed-recipients:;", [("undisclosed-recipients", "")]),
            ("=?utf-8?q?Gr=C3=BCn?=: a@b.test, c;", [("Grün", ""), ("", "a@b.test"), ("", "c")]),
            ("a@, @b, x@y@z, ok@b.test", [("", "a@"), ("", "@b"), ("", "x@y@z"), ("", "ok@b.test")]),
        ):
            found = address.parse_all(value)
            self.assertEqual(found, tuple(Address(*each) for each in expected), value)
            self.assertEqual(address.parse_list(value), tuple(one for one in found if one.address.endswith(".test")))

    def test_raw_octets(self) -> None:
        """8-bit headers are UTF-8, or else Western."""
        for octets in ("Jörg <j@a.test>".encode(), "Jörg <j@a.test>".encode("latin-1")):
            self.assertEqual(address.parse_list(octets), (Address("Jörg", "j@a.test"),))

    def test_names_are_one_line(self) -> None:
        """An encoded line break does not come out as one."""
        (found,) = address.parse_list("=?utf-8?b?YQ0KQmNjOiB4QHk=?= <a@b.test>")
        self.assertEqual(found, Address("a Bcc: x@y", "a@b.test"))

    @given(st.text(alphabet='ab@.,;:<>()[]"\\ =?utf-8q\0\r\n\u00fc', max_size=120))
    @settings(max_examples=300)
    def test_any_text(self, text: str) -> None:
        """Any text gives mailboxes whose parts are one line each and whose addresses have both halves."""
        for name, spec in address.parse_list(text):
            self.assertTrue(address.local_part(spec) and address.domain_of(spec))
            self.assertTrue(name.isprintable() and spec.isprintable())

    def test_linear_and_capped(self) -> None:
        """A hundred thousand addresses, or a megabyte of any delimiter, take a fraction of a second."""
        self.assertEqual(len(address.parse_list("a@b," * 100_000)), address.LIST_COUNT)
        for unit in ("a@b.test, ", "(", '"', "\\", "<", "a ", "@", "[:", '"\\', "(a", '"a"', "=?utf-8?q?a?= ", "a: ",
                     'a."b"', "\0"):
            self.assertLess(seconds(address.parse_list, unit * (1_000_000 // len(unit))), 1.5, unit)


class FormatTests(SynchronousTestCase):
    """Mailboxes for headers."""

    def test_forms(self) -> None:
        """Bare, quoted where RFC 5322 asks for it, encoded where it is not ASCII."""
        for name, text in (
            ("", "a@b.test"), ("Maria Lopez", "Maria Lopez <a@b.test>"), ("Lopez, Maria", '"Lopez, Maria" <a@b.test>'),
            ("M. Lopez", '"M. Lopez" <a@b.test>'), ('a"b\\', '"a\\"b\\\\" <a@b.test>'),
            ("Jörg", "=?utf-8?q?J=C3=B6rg?= <a@b.test>"),
        ):
            self.assertEqual(address.format_address(Address(name, "a@b.test")), text)

    @given(st.text(max_size=80), ADDRESSES)
    @settings(max_examples=200)
    def test_round_trip(self, name: str, spec: str) -> None:
        """What is written is read back, as one line; what cannot be written is Invalid."""
        one = Address(" ".join(name.split()), address.parse(spec))
        try:
            text = address.format_address(one)
        except Invalid:
            self.assertFalse(one.name.isprintable())
            return
        self.assertNotIn("\n", text)
        if one.name.isprintable():
            self.assertEqual(address.parse_list(text), (one,))

    def test_no_injection(self) -> None:
        """CR, LF and NUL are refused in either part."""
        for one in (("a\r\nBcc: x", "a@b"), ("a", "a@b\n"), ("\0", "a@b"), ("\ud800", "a@b")):
            self.assertRaises(Invalid, address.format_address, Address(*one))

    def test_library_reads_it(self) -> None:
        """The standard library reads the same."""
        text = address.format_address(Address('Lopez, "M" \\', "a@b.test"))
        self.assertEqual(parseaddr(text), ('Lopez, "M" \\', "a@b.test"))
