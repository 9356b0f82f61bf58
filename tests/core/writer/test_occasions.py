"""Mails that look like another kind than they are: what no answer to them says, and what each does."""

from __future__ import annotations

from pathlib import Path

import yaml
from twisted.trial.unittest import SynchronousTestCase

from simmail.universe.meaning import Meaning
from tests.core.writer.samples import TEMPERAMENTS, mail, maria, wrote

OCCASIONS = yaml.safe_load(Path(__file__).with_name("occasions.yaml").read_text(encoding="utf-8"))


class OccasionTests(SynchronousTestCase):
    """Mails of C{occasions.yaml}, each to seven people."""

    def played(self, part: str) -> None:
        """Answer all mails of a part, and compare."""
        meaning = Meaning()
        for one in OCCASIONS[part]:
            for temperament in TEMPERAMENTS:
                job = {name: one[name] for name in ("role", "org", "wants") if name in one}
                known = {name: one[name] for name in ("facts", "notes") if name in one}
                told = wrote(mail(one["text"], one["subject"]), temperament=temperament, meaning=meaning,
                             persona=maria(temperament, **job), **known).text.lower()
                where = f"{one['subject']}, {temperament}: {told}"
                for word in one.get("never", ()):
                    self.assertNotIn(word, told, where)
                if "says" in one:
                    self.assertTrue(any(word in told for word in one["says"]), where)

    def test_guesses(self) -> None:
        """A kind that is but guessed is none: what is asked is answered."""
        self.played("guesses")

    def test_moving(self) -> None:
        """A birth, a death, an accident, an exam, sympathy and a joke are answered as such, before all else."""
        self.played("moving")

    def test_plain(self) -> None:
        """Questions, corrections and news are answered as what they are, and a file that is not there is missed."""
        self.played("plain")

    def test_served(self) -> None:
        """What a customer reports, has broken or wants back is taken by who sells as such."""
        self.played("served")

    def test_others(self) -> None:
        """Who is ill is wished well, and not who tells of it; a flood is pitied; the later day is the new one."""
        self.played("others")

    def test_named(self) -> None:
        """What is broken, missing, lost or fails is named by who looks after it, also in haste and on the phone."""
        self.played("named")

    def test_whole(self) -> None:
        """All that is asked for at once is told: what facts say, and of two things the one that is known."""
        self.played("whole")

    def test_asked(self) -> None:
        """A day that is off is not chosen, a price is quoted, an order taken, and what is lost is sought."""
        self.played("asked")

    def test_own(self) -> None:
        """Everybody knows what it would rather have, and its own lift, gate and door."""
        self.played("own")

    def test_fitting(self) -> None:
        """Nobody wants to know what plants are watered for, an agenda for today, or why a repair needs a visit."""
        self.played("fitting")

    def test_home(self) -> None:
        """Nobody at home has an accounts department, and whoever has a wish or knows a figure holds to it."""
        self.played("home")
