"""Persona fields from outside."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.persona import CLIENT_WEIGHTS, Persona, new_persona, patched
from simmail.core.rng import Dice
from simmail.errors import Invalid
from tests.core.scenes import NOW, person

FULL: dict[str, Any] = {
    "name": "Maria Lopez", "role": "Buyer", "org": "Acme", "who": "Buys paper.\nMuch of it.", "wants": "a discount",
    "character": "dry", "addresses": ["Maria@Acme.test", "m.lopez@acme.test"], "knows": "all",
    "temperament": "skeptical", "case_ids": ["c1", "c2"], "languages": ["es", "en"],
    "style": {"length": "short", "formality": "formal", "typos": 0.1, "signature": "Maria\nAcme", "client": "outlook",
              "links": "wary", "filter": "strict", "access": "screen_reader"},
    "timing": {"reply_rate": 0.5, "delay": {"median": "45m", "spread": 2},
               "hours": {"tz": "Europe/Madrid", "days": "mon-fri", "from": "09:00", "to": "17:30"},
               "ooo": [{"from": "2026-08-01", "to": "2026-08-14", "message": "Gone fishing"}]},
    "behaviors": {"double_reply": 0.1, "bounce": 0.0, "cc_someone": 0.2, "forward_to": "Boss@Acme.test",
                  "keep_promises": 0.9},
    "external_ids": {"crm": "C-1"}, "paused": False,
}


def field_of(case: SynchronousTestCase, fields: dict[str, Any], persona: Persona | None = None) -> str:
    """The field that is refused."""
    who = persona if persona is not None else person()
    return str(case.assertRaises(Invalid, patched, who, fields).field)


class LanguageTests(SynchronousTestCase):
    """What somebody speaks."""

    def spoken(self, n: int, **fields: Any) -> Any:
        """The languages of a new persona."""
        return new_persona(fields, f"p_{n}", "api", NOW, Dice("x")).languages

    def test_drawn(self) -> None:
        """By the country of the address, else by the first name, else English; many have English besides."""
        for address, name, own in (
            ("a@firma.de", "Maria Lopez", "de"), ("a@x.fr", "Jürgen Klein", "fr"), ("a@x.test", "Jürgen Klein", "de"),
            ("a@x.test", "Giulia Rossi", "it"), ("a@x.test", "Maria Rossi", "en"), ("jo@x.test", "", "en"),
        ):
            found = [self.spoken(n, addresses=[address], name=name) for n in range(200)]
            self.assertEqual({one[0] for one in found}, {own}, name)
            self.assertTrue(all(len(set(one)) == len(one) for one in found))
            if own != "en":
                self.assertLess(abs(sum("en" in one for one in found) / 200 - 0.8), 0.12)
            self.assertGreater(len(set(found)), 2)

    def test_kept(self) -> None:
        """They are the same each time, also when other things change; what is given stands, the same once."""
        one = new_persona({"addresses": ["a@x.de"]}, "p_1", "api", NOW, Dice("x"))
        self.assertEqual(one, new_persona({"addresses": ["a@x.de"]}, "p_1", "api", NOW, Dice("x")))
        self.assertEqual(patched(one, {"addresses": ["a@x.fr"], "name": "Jean"}).languages, one.languages)
        self.assertEqual(patched(one, {"languages": ["pl", "en", "pl"]}).languages, ("pl", "en"))
        self.assertEqual(patched(patched(one, {"languages": ["pl"]}), {"languages": None}).languages, one.languages)

    def test_refused(self) -> None:
        """Codes are two or three small letters, and there is one at least."""
        for value, field in (([], "languages"), (["English"], "languages.0"), (["en", "D"], "languages.1"),
                             ("en", "languages"), (["de", 5], "languages.1"), (["en-US"], "languages.0")):
            error = self.assertRaises(Invalid, self.spoken, 1, addresses=["a@x.de"], languages=value)
            self.assertEqual(error.field, field, value)


class NewPersonaTests(SynchronousTestCase):
    """Creating."""

    def test_every_field(self) -> None:
        """Each field of the contract is kept and shown as it was given, addresses in lower case."""
        made = new_persona(FULL, "p_1", "api", NOW, Dice("x"))
        shown = msgspec.json.decode(msgspec.json.encode(made))
        expected = {**FULL, "id": "p_1", "provider": "api", "created": "2026-03-02T10:00:00Z",
                    "addresses": ["maria@acme.test", "m.lopez@acme.test"]}
        expected["behaviors"] = {**FULL["behaviors"], "forward_to": "boss@acme.test"}
        self.assertEqual(shown, expected)

    def test_round_trip(self) -> None:
        """A stored persona reads back the same."""
        for fields in (FULL, {"addresses": ["a@b.test"]}):
            made = new_persona(fields, "p_1", "api", NOW, Dice("x"))
            self.assertEqual(msgspec.json.decode(msgspec.json.encode(made), type=Persona), made)

    def test_defaults(self) -> None:
        """What is not given is drawn or defaulted, and stored."""
        made = new_persona({"addresses": ["Jo.Doe@b.test"]}, "p_1", "stranger", NOW, Dice("x"))
        self.assertEqual((made.name, made.knows, made.provider), ("jo.doe", "some", "stranger"))
        assert made.style is not UNSET
        self.assertEqual((made.style.links, made.style.filter), ("usual", "normal"))
        self.assertIn(made.style.client, [name for name, _ in CLIENT_WEIGHTS])
        self.assertIs(made.timing, UNSET)
        self.assertIs(made.paused, UNSET)

    def test_clients_by_weight(self) -> None:
        """Mail programs are drawn by their weights."""
        count = 4000
        found = Counter(
            person(f"p_{n}").style.client for n in range(count))  # type: ignore[union-attr] # style is completed
        total = sum(weight for _, weight in CLIENT_WEIGHTS)
        for name, weight in CLIENT_WEIGHTS:
            share = weight / total
            self.assertLess(abs(found[name] / count - share), 4 * (share * (1 - share) / count) ** 0.5, name)

    def test_repeatable(self) -> None:
        """The same seed and id give the same persona."""
        fields = {"addresses": ["a@b.test"]}
        again = [new_persona(fields, "p_1", "api", NOW, Dice("x")) for _ in range(2)]
        self.assertEqual(again[0], again[1])

    def test_needs_an_address(self) -> None:
        """At least one address is required."""
        bodies: tuple[dict[str, Any], ...] = ({}, {"addresses": []}, {"addresses": None}, {"name": "Maria"})
        for fields in bodies:
            error = self.assertRaises(Invalid, new_persona, fields, "p_1", "api", NOW, Dice("x"))
            self.assertEqual(error.field, "addresses")

    def test_an_address_twice(self) -> None:
        """The same address twice is one address."""
        made = new_persona({"addresses": ["A@b.test", "a@B.test", "c@b.test"]}, "p_1", "api", NOW, Dice("x"))
        self.assertEqual(made.addresses, ("a@b.test", "c@b.test"))


class PatchTests(SynchronousTestCase):
    """Changing."""

    def test_left_out_stays(self) -> None:
        """Fields that are not sent keep their value."""
        made = new_persona(FULL, "p_1", "api", NOW, Dice("x"))
        changed = patched(made, {"name": "M. Lopez"})
        self.assertEqual(msgspec.structs.replace(changed, name="Maria Lopez"), made)
        self.assertEqual(patched(made, {}), made)

    def test_nested_is_replaced_whole(self) -> None:
        """A nested object takes the place of the whole one."""
        made = new_persona(FULL, "p_1", "api", NOW, Dice("x"))
        changed = patched(made, {"timing": {"reply_rate": 1}, "behaviors": {}})
        shown = msgspec.json.decode(msgspec.json.encode(changed))
        self.assertEqual(shown["timing"], {"reply_rate": 1.0})
        self.assertEqual(shown["behaviors"], {})

    def test_style_is_completed_again(self) -> None:
        """What was drawn at first is drawn the same when a later style leaves it out."""
        made = new_persona({"addresses": ["a@b.test"]}, "p_1", "api", NOW, Dice("x"))
        assert made.style is not UNSET
        changed = patched(made, {"style": {"length": "long"}})
        assert changed.style is not UNSET
        self.assertEqual(changed.style, msgspec.structs.replace(made.style, length="long"))
        self.assertEqual(patched(changed, {"style": None}).style, made.style)

    def test_null_takes_away(self) -> None:
        """null removes an optional field; a name goes back to the local part."""
        made = new_persona(FULL, "p_1", "api", NOW, Dice("x"))
        changed = patched(made, {"role": None, "timing": None, "name": None, "paused": None, "knows": None})
        self.assertEqual((changed.role, changed.timing, changed.name, changed.paused, changed.knows),
                         (UNSET, UNSET, "maria", UNSET, "some"))
        self.assertEqual(field_of(self, {"addresses": None}), "addresses")
        self.assertEqual(field_of(self, {"addresses": [], "name": None}), "addresses")

    def test_read_only(self) -> None:
        """id, provider and created may be sent back as they are, and are refused when they differ."""
        who = person()
        same = {"id": who.id, "provider": "api", "created": "2026-03-02T11:00:00+01:00", "name": "X"}
        self.assertEqual(patched(who, same).name, "X")
        for name, value in (("id", "p_2"), ("id", None), ("provider", "case"), ("created", "2026-03-02T10:00:01Z"),
                            ("created", "yesterday"), ("created", 7)):
            self.assertEqual(field_of(self, {name: value}), name)

    def test_refused(self) -> None:
        """Each bad value is refused with its dotted field, and unknown fields too."""
        for fields, field in (
            ({"nickname": "x"}, "nickname"), ({"style": {"font": "x"}}, "style.font"),
            ({"timing": {"delay": {"mean": "1h"}}}, "timing.delay.mean"),
            ({"name": 7}, "name"), ({"name": "a\r\nBcc: x@y.test"}, "name"), ({"name": "x" * 201}, "name"),
            ({"name": "\ud800"}, "name"), ({"role": "a\0"}, "role"), ({"who": "a\0b"}, "who"),
            ({"addresses": "a@b.test"}, "addresses"), ({"addresses": ["a@b.test", "nope"]}, "addresses.1"),
            ({"addresses": [7]}, "addresses.0"), ({"addresses": [f"a{n}@b.test" for n in range(101)]}, "addresses"),
            ({"knows": "most"}, "knows"), ({"knows": True}, "knows"), ({"temperament": "angry"}, "temperament"),
            ({"case_ids": "c1"}, "case_ids"), ({"case_ids": [1]}, "case_ids.0"),
            ({"style": []}, "style"), ({"style": {"length": "tiny"}}, "style.length"),
            ({"style": {"typos": 1.5}}, "style.typos"), ({"style": {"typos": True}}, "style.typos"),
            ({"style": {"typos": "0.1"}}, "style.typos"), ({"style": {"client": "pine"}}, "style.client"),
            ({"style": {"links": "often"}}, "style.links"), ({"style": {"filter": "off"}}, "style.filter"),
            ({"style": {"access": "braille"}}, "style.access"), ({"style": {"formality": "rude"}}, "style.formality"),
            ({"timing": {"reply_rate": -0.1}}, "timing.reply_rate"),
            ({"timing": {"reply_rate": float("nan")}}, "timing.reply_rate"),
            ({"timing": {"delay": {"median": "soon"}}}, "timing.delay.median"),
            ({"timing": {"delay": {"median": 45}}}, "timing.delay.median"),
            ({"timing": {"delay": {"median": "500d"}}}, "timing.delay.median"),
            ({"timing": {"delay": {"spread": 0.5}}}, "timing.delay.spread"),
            ({"timing": {"delay": {"spread": float("inf")}}}, "timing.delay.spread"),
            ({"timing": {"hours": {"tz": "Mars/Base"}}}, "timing.hours.tz"),
            ({"timing": {"hours": {"tz": "../../etc/passwd"}}}, "timing.hours.tz"),
            ({"timing": {"hours": {"days": "mon-fry"}}}, "timing.hours.days"),
            ({"timing": {"hours": {"from": "9 am"}}}, "timing.hours.from"),
            ({"timing": {"hours": {"to": 540}}}, "timing.hours.to"),
            ({"timing": {"ooo": [{"from": "2026-03-01"}]}}, "timing.ooo.0.to"),
            ({"timing": {"ooo": [{"from": "2026-03-02", "to": "2026-03-01"}]}}, "timing.ooo.0.to"),
            ({"timing": {"ooo": [{"from": "2026-02-30", "to": "2026-03-01"}]}}, "timing.ooo.0.from"),
            ({"timing": {"ooo": {}}}, "timing.ooo"), ({"behaviors": {"bounce": 2}}, "behaviors.bounce"),
            ({"behaviors": {"forward_to": "boss"}}, "behaviors.forward_to"),
            ({"behaviors": {"forward_to": "maria@acme.test"}}, "behaviors.forward_to"),
            ({"external_ids": ["x"]}, "external_ids"), ({"external_ids": {"crm": 7}}, "external_ids.crm"),
            ({"paused": "yes"}, "paused"), ({"paused": 1}, "paused"),
        ):
            self.assertEqual(field_of(self, fields), field, fields)

    def test_forward_to_a_persona(self) -> None:
        """forward_to takes a persona id as well as an address, and sees an address that comes to be one's own."""
        changed = patched(person(), {"behaviors": {"forward_to": "p_boss"}})
        self.assertEqual(changed.behaviors.forward_to, "p_boss")  # type: ignore[union-attr] # it was just set
        forwarding = patched(person(), {"behaviors": {"forward_to": "boss@acme.test"}})
        self.assertEqual(field_of(self, {"addresses": ["boss@acme.test"]}, forwarding), "behaviors.forward_to")

    def test_yaml_dates(self) -> None:
        """A date that YAML has read as a date is a date."""
        ooo = [{"from": NOW.date(), "to": NOW.date()}]
        changed = patched(person(), {"timing": {"ooo": ooo}})
        self.assertEqual(changed.timing.ooo[0].from_, "2026-03-02")  # type: ignore[union-attr,index] # just set

    @settings(max_examples=150, deadline=None)
    @given(st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
            ["name", "addresses", "style", "timing", "delay", "median", "hours", "ooo", "from", "to", "x"]), inner,
            max_size=4), max_leaves=12))
    def test_anything(self, value: Any) -> None:
        """Whatever is sent, it is taken whole or refused as Invalid, and what is taken encodes."""
        try:
            msgspec.json.encode(patched(person(), value))
        except Invalid:
            pass
