"""What a persona holds about a correspondent."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide import relationship
from simmail.core.language.reader import Findings
from simmail.core.records.persona import TEMPERAMENTS, temperament_named
from simmail.core.records.relationship import Dossier, OpenPromise
from tests.core.scenes import APP, NOW, after, mail, person


def met(dossier: Dossier, text: str = "x", now: Any = NOW, persona: Any = None, machine: bool = False) -> Dossier:
    """The dossier after a mail with this text."""
    who = persona if persona is not None else person()
    return relationship.met(dossier, who, "Alice", "", Findings(mail(text), NOW), machine, now)[0]


NEW = relationship.begun(Dossier(APP), person())


class FeelingTests(SynchronousTestCase):
    """What moves them."""

    def test_at_first(self) -> None:
        """The numbers begin where the temperament puts them, and stay once set."""
        for one in TEMPERAMENTS:
            begun = relationship.begun(Dossier(APP), person(temperament=one.name))
            self.assertEqual((begun.warmth, begun.trust, begun.patience), (one.warmth, one.trust, one.patience))
        set_ = Dossier(APP, warmth=0.1, trust=0.2, patience=0.3)
        self.assertIs(relationship.begun(set_, person()), set_)

    def test_directions(self) -> None:
        """Thanks and apologies warm, nagging and pressing tire, broken promises cost trust, kept ones gain it."""
        def number(dossier: Dossier, name: str) -> float:
            return float(getattr(dossier, name))

        for text, name, up in (
            ("Thank you!", "warmth", True), ("We are sorry.", "patience", True),
            ("Just following up.", "patience", False), ("This is urgent!", "patience", False),
            ("This is unacceptable.", "warmth", False),
        ):
            moved = met(NEW, text)
            self.assertEqual(number(moved, name) > number(NEW, name), up, text)
        self.assertLess(number(relationship.broken(NEW, person()), "trust"), number(NEW, "trust"))
        self.assertGreater(number(relationship.kept(NEW, person()), "trust"), number(NEW, "trust"))
        self.assertLess(number(relationship.junked(NEW, person()), "trust"), number(NEW, "trust"))
        self.assertLess(number(met(NEW, machine=True), "trust"), number(NEW, "trust"))

    def test_one_reminder_is_forgiven(self) -> None:
        """Who got no answer may ask again once."""
        asked = met(replace(NEW, unanswered=1), "Just following up.")
        nagged = met(replace(NEW, unanswered=2), "Just following up.")
        self.assertGreater(asked.patience or 0, nagged.patience or 0)

    def test_counted(self) -> None:
        """Each mail counts, names are kept, the last contact is now."""
        one = met(met(NEW), now=after(days=1))
        self.assertEqual((one.received, one.name, one.last_contact), (2, "Alice", after(days=1)))
        wrote = relationship.wrote(one, person(), after(days=2))
        self.assertEqual((wrote.sent, wrote.last_contact), (1, after(days=2)))
        moved, why = relationship.met(NEW, person(), "", "p_2", Findings(mail(), NOW), False, NOW)
        self.assertIn("warmth", why)
        self.assertEqual(moved.persona_id, "p_2")

    def test_fades(self) -> None:
        """Half of what was felt has worn off after sixty days."""
        angry = replace(NEW, patience=0.2, last_contact=NOW)
        later = met(angry, now=after(days=60))
        home = temperament_named("responsive").patience
        self.assertLess(abs((later.patience or 0) - (home + 0.2) / 2), 0.01)
        much = met(angry, now=after(days=3000))
        self.assertLess(abs((much.patience or 0) - home), 0.01)

    @given(st.lists(st.sampled_from(["Thank you", "sorry", "Just following up", "urgent", "unacceptable", "x"]),
                    max_size=60))
    def test_stay_numbers(self, texts: list[str]) -> None:
        """However much happens, each stays between 0 and 1."""
        dossier = NEW
        for text in texts:
            dossier = met(dossier, text)
        for value in (dossier.warmth, dossier.trust, dossier.patience):
            self.assertTrue(value is not None and 0 <= value <= 1)


class ShownTests(SynchronousTestCase):
    """What the API shows."""

    def test_relation(self) -> None:
        """A relation has the fields that were decided."""
        dossier = replace(NEW, name="Alice", last_contact=NOW, promises=(
            OpenPromise("correspondent", "the plan", NOW, after(days=1), "j_1"),), stances={"c1": "Fine.", "": "Well."})
        shown = msgspec.json.decode(msgspec.json.encode(relationship.relation(dossier)))
        self.assertEqual(shown, {
            "address": APP, "name": "Alice", "persona_id": None, "warmth": 0.6, "trust": 0.6, "patience": 0.6,
            "last_contact": "2026-03-02T10:00:00Z",
            "open_promises": [{"by": "correspondent", "what": "the plan", "due": "2026-03-03T10:00:00Z"}]})
        self.assertEqual([(one.address, one.case_id, one.text) for one in relationship.stances(dossier)],
                         [(APP, "", "Well."), (APP, "c1", "Fine.")])

    def test_stances(self) -> None:
        """The sentence follows the numbers."""
        def stance(text: str = "x", temperament: str = "responsive", **numbers: Any) -> str:
            dossier = replace(NEW, name="Alice", **numbers)
            return relationship.stance(dossier, person(temperament=temperament), Findings(mail(text), NOW))

        self.assertEqual(stance(), "Is on ordinary working terms with Alice.")
        self.assertIn("losing patience", stance(patience=0.1))
        self.assertIn("chased", stance("Just following up", patience=0.1))
        self.assertIn("trust", stance(trust=0.1))
        self.assertIn("complaint", stance("This is unacceptable"))
        self.assertIn("Likes", stance(warmth=0.8, trust=0.7))
        self.assertIn("cool", stance(warmth=0.2))
        self.assertIn("proof", stance(temperament="skeptical", trust=0.3))
        late = (OpenPromise("correspondent", "the plan", NOW, NOW, "j", nudged=1),)
        self.assertIn("Waits", stance(promises=late))

    def test_forgotten(self) -> None:
        """Forgetting takes everything felt and promised, and keeps the counts that key the draws."""
        known = replace(NEW, received=7, sent=3, unanswered=2, name="Alice", ooo=("x",), last_contact=NOW)
        self.assertEqual(relationship.forgotten(known), Dossier(APP, received=7, sent=3))
        self.assertTrue(relationship.unknown(relationship.forgotten(known)))
        self.assertFalse(relationship.unknown(known))
