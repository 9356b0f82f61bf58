"""Tests for C{simmail.universe.people.memory}: notes, and what personas hold about others."""

from __future__ import annotations

from simmail.errors import Invalid, NotFound
from simmail.testing.universe import now, turned
from tests.universe.people.test_inbox_worker import said
from tests.universe.people.test_personas import APP, MARIA, PeopleTestCase
from tests.universe.test_road import MAIL


class MemoryTests(PeopleTestCase):
    """Notes by case."""

    def test_notes(self) -> None:
        """Notes are added with their source, told of, and cleared by case or whole."""
        made = self.create()
        now(self.universe.memories.remember(made.id, "likes tea", source="crm"))
        now(self.universe.memories.remember(made.id, "asked twice", "c_1"))
        self.assertEqual(now(self.universe.memories.memory(made.id)), {"": ["(crm) likes tea"], "c_1": ["asked twice"]})
        self.assertEqual([set(event["data"]) for event in self.events("persona.memory")],
                         [{"persona_id", "case_id", "source"}] * 2)
        now(self.universe.memories.forget(made.id, "c_1"))
        self.assertEqual(now(self.universe.memories.memory(made.id)), {"": ["(crm) likes tea"]})
        now(self.universe.memories.forget(made.id))
        self.assertEqual(now(self.universe.memories.memory(made.id)), {})

    def test_bad_notes(self) -> None:
        """No text, too much of it, and nobody to remember it are refused."""
        made = self.create()
        for text in ("", "  ", "x" * 10_001):
            error = self.assertRaises(Invalid, now, self.universe.memories.remember(made.id, text))
            self.assertEqual(error.field, "text")
        self.assertRaises(NotFound, now, self.universe.memories.remember("p_none", "x"))


class ThreadTests(PeopleTestCase):
    """What was said in threads."""

    def test_both_ways(self) -> None:
        """What a mail says and what the persona answers is kept with its thread, shown, and cleared with the memory."""
        made = self.create()
        self.server.send(self.universe, APP, MARIA, said(
            b"Your order 77120 is late. Please send us the signed contract by Friday.").replace(b"s1@", b"first@"))
        (state,) = now(self.universe.memories.threads(made.id))
        self.assertEqual(state.key, "<first@app.test>")
        self.assertIn(("stated", "order", "77120"), [(one.kind, one.what, one.value) for one in state.remarks])
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        (state,) = now(self.universe.memories.threads(made.id))
        self.assertEqual({one.by for one in state.remarks}, {"correspondent", "persona"})
        now(self.universe.memories.forget(made.id, "c_other"))
        self.assertEqual(len(now(self.universe.memories.threads(made.id))), 1)
        now(self.universe.memories.forget(made.id))
        self.assertEqual(now(self.universe.memories.threads(made.id)), [])
        self.assertRaises(NotFound, now, self.universe.memories.threads("p_none"))

    def test_junk_and_machines_say_nothing(self) -> None:
        """What a program wrote is not kept."""
        made = self.create()
        self.server.send(self.universe, APP, MARIA, b"Auto-Submitted: auto-replied\n" + said(b"Order 77120 is here."))
        self.assertEqual(now(self.universe.memories.threads(made.id)), [])


class RelationTests(PeopleTestCase):
    """What is held about correspondents."""

    def test_relations(self) -> None:
        """After mail there is a relation with its numbers and a stance."""
        made = self.create()
        self.assertEqual(now(self.universe.memories.relations(made.id)), ([], []))
        self.server.send(self.universe, APP, MARIA, said(b"Thank you so much for your help!"))
        (relation,), (stance,) = now(self.universe.memories.relations(made.id))
        self.assertEqual((relation.address, relation.name, relation.last_contact),
                         (APP, "App", self.universe.clock.now()))
        self.assertEqual((stance.address, stance.case_id), (APP, ""))
        self.assertRaises(NotFound, now, self.universe.memories.relations("p_none"))

    def test_mood_moves(self) -> None:
        """Nagging tires, thanks warm."""
        nagged, thanked = (self.create(addresses=[f"{name}@acme.test"], name=name) for name in ("n", "t"))
        for n in range(4):
            self.server.send(self.universe, APP, nagged.address, said(b"Reminder: any update? Urgent!", n))
            self.server.send(self.universe, APP, thanked.address, said(b"Thank you, that was very kind.", n + 10))
        (tired,), _ = now(self.universe.memories.relations(nagged.id))
        (warm,), _ = now(self.universe.memories.relations(thanked.id))
        self.assertLess(tired.patience, warm.patience - 0.3)
        self.assertGreater(warm.warmth, tired.warmth)

    def test_forgotten(self) -> None:
        """Somebody forgotten is not listed, and the next draws and job ids are new all the same."""
        made = self.create()
        self.server.send(self.universe, APP, MARIA, MAIL)
        self.server.send(self.universe, "else@sim.test", MARIA, said(b"Hello?").replace(APP.encode(), b"else@sim.test"))
        jobs = set(self.universe.pending.by_id)
        now(self.universe.memories.forget_relations(made.id, APP))
        self.assertEqual([one.address for one in now(self.universe.memories.relations(made.id))[0]], ["else@sim.test"])
        dossier = now(self.universe.memories.dossier(made.id, APP))
        assert dossier is not None
        self.assertEqual((dossier.received, dossier.warmth, dossier.promises), (1, None, ()))
        self.server.send(self.universe, APP, MARIA, said(b"And now?", 7))
        self.assertEqual(len(set(self.universe.pending.by_id) - jobs), 1)
        now(self.universe.memories.forget_relations(made.id))
        self.assertEqual(now(self.universe.memories.relations(made.id)), ([], []))
