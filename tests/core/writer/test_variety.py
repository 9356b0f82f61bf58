"""Variety: within one temperament, and between people of one temperament."""

from __future__ import annotations

import re
from collections import Counter
from statistics import mean

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.mail import Attachment, Mail
from simmail.core.rng import Dice
from simmail.core.writer import write
from simmail.core.writer.context import set_scene
from simmail.core.writer.kinds import said_by
from simmail.core.writer.layout import lay_out
from simmail.core.writer.voice import habits, manners, voice
from tests.core.writer.samples import TEMPERAMENTS, mail, maria, request

#: The kinds that mail is of most often, besides questions.
COMMON = ("document", "meeting", "invoice", "information", "confirmation", "thanks", "complaint", "task", "received",
          "chaser", "support", "sales", "bill", "closing", "delay")
PDF = (Attachment("list.pdf", "application/pdf", b"x"),)
DOCUMENT = mail("Hi Maria,\n\ncould you please send us the signed contract by Friday, 6 March?\n\nDana", "FA-118")
#: What an application sends in a week.
WEEK: tuple[Mail, ...] = (
    DOCUMENT, mail("Hi Maria,\n\nthank you so much, that helped!\n\nDana"),
    mail("Hi Maria,\n\nthe new price list is attached.\n\nDana", "List", attachments=PDF),
    mail("Hi Maria,\n\ncould we meet on Thursday at 10:00?\n\nDana", "Kickoff"),
    mail("Hi Maria,\n\nare you coming to the fair? What is the access code of the stand?\n\nDana", "Fair"),
    mail("Hi Maria,\n\nthe office is closed on 20 March.\n\nDana", "Closed"),
)


def body(text: str) -> str:
    """A text without greeting, leave and signature."""
    parts = text.partition("\n-- \n")[0].strip().split("\n\n")
    return "\n".join(part for part in parts if len(part.split()) > 3 or part[-1:] in ".!?")


def style(texts: list[str]) -> tuple[float, ...]:
    """How somebody writes: length, marks, contractions, openings, leave; each about 0 to 1."""
    whole = " ".join(texts)
    sentences = max(1, len(re.findall(r"[.!?]+", whole)))
    return (
        mean(len(text) for text in texts) / 400, whole.count("!") / sentences,
        len(re.findall(r"\b\w+'(?:m|ll|ve|re|t|d)\b", whole)) / sentences,
        mean(len(text.split("\n\n")) for text in texts) / 6, mean("Lindqvist" in text for text in texts),
        mean(bool(re.search(r"[:;]-?\)", text)) for text in texts), whole.count("Thanks") / sentences,
        mean(text.split("\n")[0].startswith(("Hi", "Hello")) for text in texts),
    )


def apart(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """How much two styles differ."""
    return float(sum(abs(a - b) for a, b in zip(one, other)))


class VarietyTests(SynchronousTestCase):
    """Many answers, many people."""

    def test_cores(self) -> None:
        """For the commonest kinds every voice has a dozen ways to say what it does, for a few of them nearly so."""
        for code, least in (("en", 9), ("de", 8)):
            for temperament in TEMPERAMENTS:
                counts = []
                for kind in COMMON:
                    acts = {f"{kind}.{act}" for names, _ in manners()[temperament].does[kind]
                            for act in names.split("+")}
                    counts.append(sum(len(voice(code, temperament).acts[act]) for act in acts))
                self.assertGreaterEqual(min(counts), least, f"{code} {temperament} {counts}")
                self.assertGreaterEqual(sum(count >= 11 for count in counts), 12, f"{code} {temperament} {counts}")

    def test_three_hundred(self) -> None:
        """Three hundred answers of one temperament to one common mail: sixty bodies, twelve cores."""
        for temperament in TEMPERAMENTS[:-1]:
            bodies: Counter[str] = Counter()
            cores: set[str] = set()
            for number in range(300):
                person = replace(maria(temperament), id=f"p_{number % 50}")
                scene = set_scene(request(
                    DOCUMENT, persona=person, temperament=temperament, dice=Dice("many").on(number)))
                said = said_by(scene)
                text, each = lay_out(scene, said)
                bodies[body(text)] += 1
                cores.update(words for act, words in zip(said, each) if act.act.startswith("document."))
            self.assertGreaterEqual(len(bodies), 60, temperament)
            self.assertGreaterEqual(len(cores), 12, temperament)

    def test_people_differ(self) -> None:
        """Two people of one temperament differ more from each other than each from itself, mostly by far."""
        for temperament in ("responsive", "skeptical", "flaky", "difficult"):
            halves = []
            for number in range(12):
                person = replace(maria(temperament), id=f"p_style{number}")
                texts = [[write(request(one, persona=person, temperament=temperament, dice=Dice(f"{half} {n}"))).text
                          for n in range(5) for one in WEEK] for half in ("a", "b")]
                halves.append((style(texts[0]), style(texts[1])))
            itself = mean(apart(one, other) for one, other in halves)
            others = mean(apart(halves[a][0], halves[b][1]) for a in range(12) for b in range(12) if a != b)
            self.assertGreater(others, 1.8 * itself, temperament)

    def test_habits(self) -> None:
        """Habits are drawn once a person, and are not all alike."""
        self.assertEqual(habits("p_1", "en"), habits("p_1", "en"))
        drawn = [habits(f"p_{n}", "en") for n in range(60)]
        self.assertEqual({one.leans for one in drawn}, {"", "short", "long"})
        self.assertEqual({one.contracts for one in drawn}, {True, False})
        self.assertGreater(len({one.favourites for one in drawn}), 40)
        self.assertEqual(habits("p_1", "xx").favourites, ())
