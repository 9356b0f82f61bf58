"""The dialog player: it must fail where a server fails."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.testing.dialog import Dialog, DialogFailed, fits, parse


class Echo:
    """A server that greets, says everything back, and hangs up at BYE."""

    def __init__(self) -> None:
        self.said = b"* OK hello\r\n"
        self.over = False

    def send(self, octets: bytes) -> None:
        """Say it back."""
        self.said += octets
        self.over = b"BYE" in octets

    def taken(self) -> bytes:
        """What was said."""
        said, self.said = self.said, b""
        return said

    def closed(self) -> bool:
        """Whether it is over."""
        return self.over


class PlayerTests(SynchronousTestCase):
    """Playing files."""

    def play(self, text: str, **actions: object) -> None:
        """Play against echoes."""
        Dialog(Echo, actions).play(text)  # type: ignore[arg-type]

    def test_good(self) -> None:
        """What is as the file says passes: in order, in any order, on two connections, in one packet."""
        done: list[tuple[str, ...]] = []
        self.play(
            "# a comment\n\nC: one\nS: * OK ...\nS: one\nX: do a b\nC| two\nC: three\nS* three\nS* two\n"
            "C2: other\nS2: * OK hello\nS2: ot...r\nC: BYE\nS: BYE\nS!\n", do=lambda *words: done.append(words))
        self.assertEqual(done, [("a", "b")])

    def test_bad(self) -> None:
        """Whatever is not as the file says fails, with its line."""
        for text, where in (
            ("C: a\nS: * OK hello\nS: b", "dialog:3"), ("C: a\nS: * OK hello", "at the end"),
            ("C: a\nS: * OK hello\nC: b", "dialog:3"), ("C: a\nS: * OK hello\nS: a\nS: c", "dialog:4"),
            ("C: a\nS* a\nS* b", "dialog:2"), ("C: a\nS: * OK hello\nS: a\nS!", "dialog:4"), ("Q: a", "line 1"),
        ):
            self.assertIn(where, str(self.assertRaises(DialogFailed, self.play, text)))

    def test_patterns(self) -> None:
        """Dots stand for any run, also an empty one; pieces come in order and do not overlap."""
        for pattern, line, expected in (
            ("a", "a", True), ("a", "ab", False), ("a...", "ab", True), ("...b", "ab", True), ("a...b", "ab", True),
            ("a...b...c", "axbyc", True), ("a...b...c", "acb", False), ("aa...aa", "aaa", False), ("...", "", True),
        ):
            self.assertEqual(fits(pattern, line), expected, (pattern, line))

    def test_parse(self) -> None:
        """Blanks at the end of a line are part of it."""
        self.assertEqual([(line.kind, line.connection, line.text) for line in parse("C12| a \nS: \nS:")],
                         [("C|", 12, "a "), ("S:", 1, ""), ("S:", 1, "")])
