"""The template files, checked as a translator would want them checked, and how a line is chosen and filled in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.intents import BORROWED, INTENTS
from simmail.core.language.tables import WRITTEN, language, read_yaml
from simmail.core.records.persona import TEMPERAMENTS as DRAWN
from simmail.core.rng import Dice
from simmail.core.writer.speech_act import ACTS, KNOWN
from simmail.core.writer.voice import FORMALITIES, MOST_WAYS, Piece, choose, fill, manners, own, parse, voice, ways
from tests.core.writer.samples import TEMPERAMENTS

#: Acts that are said whatever the mail wants.
EVERYBODY = frozenset(act for act in ACTS if act.startswith((
    "answer.", "lead.", "opener.", "extra.", "batch.", "followup", "correction.", "initiate.", "deliver.", "nudge",
    "forward.", "meeting.counter", "meeting.open",
))) - {"opener.plain"}


class FileTests(SynchronousTestCase):
    """What the data files hold."""

    def test_everybody(self) -> None:
        """There is a manner and a voice for each temperament that can be drawn, and for no other."""
        drawn = {one.name for one in DRAWN}
        self.assertEqual(set(manners()), drawn)
        self.assertEqual(set(TEMPERAMENTS), drawn)
        for temperament in drawn:
            for code in WRITTEN:
                for formality in FORMALITIES:
                    self.assertTrue(voice(code, temperament).greeting[formality])
                    self.assertTrue(voice(code, temperament).closing[formality])

    def test_intents(self) -> None:
        """Every temperament does something about every intent, and only acts that exist."""
        for temperament, manner in manners().items():
            self.assertEqual(set(manner.does), {*INTENTS, "settle"}.difference(BORROWED), temperament)
            for intent, acts in manner.does.items():
                for names, weight in acts:
                    self.assertGreater(weight, 0)
                    if intent != "question":
                        for name in names.split("+"):
                            self.assertIn(f"{intent}.{name}", ACTS, temperament)

    def test_variants(self) -> None:
        """In English each voice has three ways or more, of its own, to say what it says besides answers."""
        for temperament, manner in manners().items():
            mine = own("en", temperament)["acts"]
            does = {f"{intent}.{name}" for intent, acts in manner.does.items() if intent != "question"
                    for names, _ in acts for name in names.split("+")}
            for act in does | {one for one in EVERYBODY if not one.startswith(("answer.", "deliver.explained"))}:
                said = [way for line in mine.get(act, ()) for way in ways(line)]
                self.assertGreaterEqual(len(said), 3, f"{temperament}: {act}")
                self.assertEqual(len(set(said)), len(said), f"{temperament}: {act}")

    def test_german_of_their_own(self) -> None:
        """In German each voice greets, closes and says the core of what it does in its own words."""
        for temperament, manner in manners().items():
            mine = own("de", temperament)
            does = {f"{intent}.{name}" for intent, acts in manner.does.items() if intent not in ("question", "empty")
                    for names, _ in acts for name in names.split("+")}
            missing = {act for act in does if act not in mine["acts"]}
            self.assertLessEqual(len(missing), 3, f"{temperament}: {missing}")

    def test_no_shared_lines(self) -> None:
        """Seven people: no sentence of eight words or more is in two voices."""
        for code in WRITTEN:
            seen: dict[str, str] = {}
            for temperament in TEMPERAMENTS:
                for lines in own(code, temperament)["acts"].values():
                    for line in lines:
                        if len(line.split()) >= 8:
                            self.assertEqual(seen.setdefault(line, temperament), temperament, line)

    def test_every_act_can_be_said(self) -> None:
        """For each act, voice and language there is a line that gets by with what is always known."""
        for code in WRITTEN:
            for temperament in TEMPERAMENTS:
                acts = voice(code, temperament).acts
                self.assertEqual(set(acts), set(ACTS))
                for name, act in ACTS.items():
                    self.assertTrue(
                        any(line.names <= act.needs for line in acts[name]), f"{code} {temperament}: {name}"
                    )

    def test_names(self) -> None:
        """Lines name only what is known, and no brace or bracket is left over."""
        for code in WRITTEN:
            for temperament in TEMPERAMENTS:
                said = voice(code, temperament)
                for table in (said.greeting, said.closing, said.acts):
                    for name, lines in table.items():
                        for line in lines:
                            self.assertLessEqual(line.names, KNOWN, f"{code} {temperament}: {name}")
                            own = "".join(part if isinstance(part, str) else "".join(part) for part in line.parts
                                          if not (isinstance(part, str) and part[1:-1] in line.names))
                            for sign in "{}[]|":
                                self.assertNotIn(sign, own, f"{code} {temperament}: {name}")

    def test_contractions(self) -> None:
        """Every contraction of the English lines has a long form for formal writers."""
        known = set(language("en").contractions)
        for temperament in TEMPERAMENTS:
            for lines in own("en", temperament)["acts"].values():
                for word in " ".join(way for line in lines for way in ways(line)).replace("’", "'").split():
                    bare = word.strip(".,;:!?()\"").lower()
                    if bare.endswith(("'ll", "'ve", "'m", "'re", "'d", "n't")):
                        self.assertIn(bare, {one.lower() for one in known}, temperament)

    def test_words_stay_words(self) -> None:
        """YAML's yes, no, on and off are words here."""
        self.assertIn("off", manners()["busy"].does["newsletter"][0][0])
        self.assertIn("on", read_yaml("en", "language.yaml")["phrase_stops"])


class LineTests(SynchronousTestCase):
    """One line."""

    def test_parse_and_fill(self) -> None:
        """Names are filled in and stay marked as not the writer's own; choices go by distance."""
        line = parse("Hallo {first}, [Sie|du] und {first}")
        self.assertEqual(line.names, {"first"})
        near = fill(line, {"first": "Jo"}, far=False)
        self.assertEqual("".join(piece.text for piece in near), "Hallo Jo, du und Jo")
        self.assertIn(Piece("Jo", False), near)
        self.assertEqual("".join(piece.text for piece in fill(line, {"first": "Jo"}, far=True)), "Hallo Jo, Sie und Jo")

    def test_filled_once(self) -> None:
        """What is filled in is never read as a template."""
        line = parse("{subject}")
        self.assertEqual(fill(line, {"subject": "{first} [a|b]"}, False), [Piece("{first} [a|b]", False)])

    def test_tells_what_it_can(self) -> None:
        """A line that names more of what is known wins; one that names something unknown is never chosen."""
        lines = [parse(text) for text in ("a", "b", "c", "a {ref}", "b {ref}", "c {ref}", "{amount}")]
        for seed in range(20):
            chosen = choose(lines, {"ref": "X"}, "medium", "", Dice(str(seed)))
            assert chosen is not None
            self.assertEqual(chosen.names, {"ref"})
        self.assertIsNone(choose([parse("{amount}")], {"amount": ""}, "medium", "", Dice("x")))

    def test_length(self) -> None:
        """Short writers take the shorter half, long ones the longer."""
        lines = [parse("one"), parse("one two three four"), parse("one two"), parse("one two three four five")]
        short = {choose(lines, {}, "short", "", Dice(str(n))).size for n in range(40)}  # type: ignore[union-attr]
        long = {choose(lines, {}, "long", "", Dice(str(n))).size for n in range(40)}  # type: ignore[union-attr]
        self.assertEqual((short, long), ({1, 2}, {4, 5}))

    def test_not_again(self) -> None:
        """A sentence that stands below is not said again while there is another."""
        lines = [parse("We have looked into it."), parse("It is being looked into.")]
        said = "> we have looked into it."
        for seed in range(20):
            chosen = choose(lines, {}, "medium", said, Dice(str(seed)))
            assert chosen is not None
            self.assertEqual(chosen.longest, "it is being looked into.")

    def test_ways(self) -> None:
        """A line with alternatives is all its ways; the bar of a choice by distance is none of theirs."""
        self.assertEqual(ways("<a|[Sie|du]> b<!|>"), ["a b!", "a b", "[Sie|du] b!", "[Sie|du] b"])
        self.assertEqual(ways("plain"), ["plain"])
        self.assertRaises(ValueError, ways, "<a|b>" * MOST_WAYS)

    @given(st.text(max_size=80))
    def test_any_line(self, text: str) -> None:
        """Any text parses, and with everything known what it names is gone from it."""
        line = parse(text)
        filled = fill(line, {name: "" for name in line.names}, True)
        for name in line.names:
            self.assertNotIn("{%s}" % name, "".join(piece.text for piece in filled if piece.own))
