"""Refusals, in IMAP's words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail import errors
from simmail.imap.wire.replies import Bad, No, refusal, shown


class ReplyTests(SynchronousTestCase):
    """What is said when something is not done."""

    def test_lines(self) -> None:
        """A response code stands in brackets, where there is one."""
        self.assertEqual(No("Not here", "NONEXISTENT").line, b"NO [NONEXISTENT] Not here")
        self.assertEqual(No("Not here").line, b"NO Not here")
        self.assertEqual(Bad("Odd", "UIDREQUIRED").line, b"BAD [UIDREQUIRED] Odd")
        self.assertEqual(Bad("Odd").line, b"BAD Odd")

    def test_refusals(self) -> None:
        """Every refusal of the domain has the code of RFC 5530 that says it."""
        for error, code in (
            (errors.NotFound("x"), b"NONEXISTENT"), (errors.Conflict("x"), b"CANNOT"),
            (errors.Invalid("field", "x"), b"CANNOT"), (errors.TooLarge("x"), b"TOOBIG"),
            (errors.OverAllowance("x"), b"OVERQUOTA"), (errors.OverMailLimit("x"), b"OVERQUOTA"),
            (errors.Unavailable("x"), b"UNAVAILABLE"), (errors.Unauthenticated("x"), b"AUTHENTICATIONFAILED"),
            (errors.Forbidden("x"), b"CONTACTADMIN"), (errors.TooMany("x", 1.0), b"LIMIT"),
        ):
            line = refusal(error).line
            self.assertTrue(line.startswith(b"NO [%b] " % code), line)
        self.assertEqual(refusal(errors.Refusal("plain")).line, b"NO plain")

    @given(st.text(max_size=600))
    def test_shown(self, text: str) -> None:
        """Any text is one line of printable ASCII, of modest length and not empty."""
        self.assertRegex(shown(text), rb"\A[\x20-\x7e]{1,400}\Z")

    def test_kept(self) -> None:
        """What can be said is said as it is."""
        self.assertEqual((shown("It's 5 o'clock"), shown("a\r\nbü"), shown("")), (b"It's 5 o'clock", b"a??b?", b"?"))
