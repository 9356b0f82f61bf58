"""Case fields from outside."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.case import CasePerson, entries, merged, new_case
from simmail.errors import Invalid
from tests.core.scenes import NOW, after

FULL: dict[str, Any] = {
    "id": "inv-7", "external_id": "CRM-7", "title": "Invoice 2041", "kind": "invoice", "status": "waiting",
    "summary": "Unpaid.\nSince May.", "facts": {"amount": 1200}, "secrets": {"discount": "10%"}, "goal": "be paid",
    "keys": ["INV-2041"], "opened": "2026-02-01T00:00:00Z", "due": "2026-04-01T12:00:00+02:00",
    "notes": [{"at": "2026-02-02T00:00:00Z", "text": "called", "source": "crm"}],
    "deliverables": [{"name": "receipt", "persona_id": "p_1", "due": "2026-03-05T00:00:00Z", "text": "paid"}],
}


class NewCaseTests(SynchronousTestCase):
    """Creating."""

    def test_every_field(self) -> None:
        """Each field is kept and shown as it was sent, times in UTC."""
        people = (CasePerson(persona_id="p_1", knows="all"), CasePerson(address="a@b.test", role="client"))
        shown = msgspec.json.decode(msgspec.json.encode(new_case(FULL, "c_1", NOW, people)))
        self.assertEqual(shown, {**FULL, "due": "2026-04-01T10:00:00Z", "people": [
            {"persona_id": "p_1", "knows": "all"}, {"address": "a@b.test", "role": "client"}]})

    def test_defaults(self) -> None:
        """An empty body is an open case with a title."""
        case = new_case({}, "c_1", NOW)
        self.assertEqual((case.id, case.title, case.status, case.opened, case.people),
                         ("c_1", "Case c_1", "open", NOW, ()))
        self.assertEqual(new_case({"external_id": "X-9"}, "c_1", NOW).title, "Case X-9")

    def test_notes(self) -> None:
        """A note may be its text alone, written now."""
        note = (new_case({"notes": ["called", {"text": "again"}]}, "c", NOW).notes or ())[0]
        self.assertEqual((note.at, note.text, note.source), (NOW, "called", ""))

    def test_refused(self) -> None:
        """Each bad value is refused with its dotted field."""
        for fields, field in (
            ({"colour": "red"}, "colour"), ({"title": ""}, "title"), ({"title": 7}, "title"), ({"id": "a b"}, "id"),
            ({"id": "a/b"}, "id"), ({"id": ""}, "id"), ({"id": "ä"}, "id"), ({"status": "done"}, "status"),
            ({"facts": []}, "facts"), ({"facts": {"a\n": 1}}, "facts"), ({"secrets": "x"}, "secrets"),
            ({"facts": {str(n): n for n in range(300)}}, "facts"), ({"facts": {"a": "x" * 300_000}}, "facts"),
            ({"keys": "INV"}, "keys"), ({"keys": [7]}, "keys.0"), ({"due": "friday"}, "due"), ({"due": 7}, "due"),
            ({"notes": [{"at": "2026-02-02T00:00:00Z"}]}, "notes.0.text"), ({"notes": [7]}, "notes.0"),
            ({"notes": [{"text": "x", "by": "me"}]}, "notes.0.by"), ({"deliverables": [{}]}, "deliverables.0.name"),
            ({"deliverables": [{"name": "x", "due": "soon"}]}, "deliverables.0.due"),
        ):
            self.assertEqual(self.assertRaises(Invalid, new_case, fields, "c_1", NOW).field, field, fields)


class MergeTests(SynchronousTestCase):
    """Changing."""

    def test_changed(self) -> None:
        """Only what really changed is named; the rest stays; null takes away."""
        case = new_case(FULL, "c_1", NOW)
        same, changed = merged(case, FULL, after(days=1))
        self.assertEqual((same, changed), (case, ()))
        other, changed = merged(
            case, {"title": "Other", "goal": None, "status": "waiting", "facts": {"amount": 5}}, NOW)
        self.assertEqual(changed, ("facts", "goal", "title"))
        self.assertEqual((other.title, other.goal, other.facts, other.summary),
                         ("Other", UNSET, {"amount": 5}, case.summary))
        _, changed = merged(case, {}, NOW, (CasePerson(address="a@b.test"),))
        self.assertEqual(changed, ("people",))

    def test_refused(self) -> None:
        """A case keeps its id, its title and its status."""
        case = new_case(FULL, "c_1", NOW)
        for fields, field in (({"id": "other"}, "id"), ({"id": None}, "id"), ({"title": None}, "title"),
                              ({"status": None}, "status"), ({"x": 1}, "x")):
            self.assertEqual(self.assertRaises(Invalid, merged, case, fields, NOW).field, field, fields)


class EntryTests(SynchronousTestCase):
    """The people of a case."""

    def test_kinds(self) -> None:
        """Named by id or address, in short or with what the case says of them, or described as a new persona."""
        found = entries({"people": [
            "p_1", "A@b.test", {"persona_id": "p_2", "role": "buyer", "knows": "little", "wants": "peace"},
            {"addresses": ["New@b.test"], "name": "New", "knows": "all", "temperament": "busy"}]})
        assert found is not None
        self.assertEqual([one.person for one in found], [
            CasePerson(persona_id="p_1"), CasePerson(address="a@b.test"),
            CasePerson(persona_id="p_2", role="buyer", knows="little", wants="peace"), CasePerson(knows="all")])
        self.assertEqual([one.fields for one in found[:3]], [None] * 3)
        self.assertEqual(found[3].fields, {
            "addresses": ["New@b.test"], "name": "New", "knows": "all", "temperament": "busy"})

    def test_none(self) -> None:
        """No people, people taken away, people not spoken of."""
        self.assertEqual((entries({"people": []}), entries({"people": None}), entries({})), ((), (), None))

    def test_refused(self) -> None:
        """Each bad entry is refused with its dotted field."""
        for people, field in (
            ({}, "people"), ([7], "people.0"), ([{}], "people.0"), ([{"role": "x"}], "people.0"),
            ([{"persona_id": "p", "address": "a@b.test"}], "people.0"), ([{"address": "nope"}], "people.0.address"),
            ([{"persona_id": "p", "mood": 1}], "people.0.mood"),
            (["p", {"persona_id": "q", "knows": 1}], "people.1.knows"),
            ([{"addresses": []}], "people.0.addresses"), ([{"addresses": "x"}], "people.0.addresses"),
        ):
            self.assertEqual(self.assertRaises(Invalid, entries, {"people": people}).field, field, people)

    @settings(max_examples=150, deadline=None)
    @given(st.recursive(
        st.none() | st.booleans() | st.text(max_size=5) | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
            ["id", "title", "people", "notes", "facts", "deliverables", "keys", "due", "address", "name", "x"]), inner,
            max_size=4), max_leaves=12))
    def test_anything(self, value: Any) -> None:
        """Whatever is sent, it is taken whole or refused as Invalid, and what is taken encodes."""
        try:
            entries(value)
            msgspec.json.encode(new_case(value, "c_1", NOW))
        except Invalid:
            pass
