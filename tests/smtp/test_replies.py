"""What the server says."""

from __future__ import annotations

import errno

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail import errors
from simmail.smtp import replies
from simmail.smtp.replies import of_error, of_login, reply

CONSTANTS = {name: value for name, value in vars(replies).items() if name.isupper() and isinstance(value, bytes)}


class ReplyTests(SynchronousTestCase):
    """Replies and their codes."""

    def test_constants(self) -> None:
        """Each is whole lines whose codes agree: the class of the number is that of the enhanced status."""
        for name, octets in {**CONSTANTS, **{f"BAD {kind}": octets for kind, octets in replies.BAD.items()}}.items():
            lines = octets.decode("ascii").splitlines()
            self.assertTrue(octets.endswith(b"\r\n"), name)
            self.assertEqual({line[3] for line in lines[:-1]} <= {"-"} and lines[-1][3], " ", name)
            self.assertEqual(len({line[:3] for line in lines}), 1, name)
            if octets[:3] not in (b"220", b"334", b"354"):
                self.assertRegex(lines[0][4:], rf"\A{lines[0][0]}\.\d\.\d+ ", name)

    @given(st.integers(200, 599), st.lists(st.text(max_size=30), max_size=4))
    def test_any(self, code: int, texts: list[str]) -> None:
        """Whatever the text, a reply is lines of printable ASCII with one code."""
        octets = reply(code, "2.0.0", *texts)
        lines = octets.split(b"\r\n")
        self.assertEqual((lines.pop(), len(lines)), (b"", max(1, len(texts))))
        for line in lines:
            self.assertRegex(line, rb"\A%d[- ]2\.0\.0[\x20-\x7e]*\Z" % code)

    def test_of_error(self) -> None:
        """Each refusal has its code; what can pass is temporary; a defect has none."""
        for error, expected in (
            (errors.Unavailable("x"), replies.AWAY), (errors.TooLarge("x"), replies.TOO_LARGE),
            (errors.OverMailLimit("x"), replies.OVER_MAIL_LIMIT), (OSError(errno.ENOSPC, "x"), replies.DISK_FULL),
            (OSError(errno.EDQUOT, "x"), replies.DISK_FULL), (errors.TooMany("slow", 1.0), b"451 4.7.1 slow\r\n"),
            (errors.Forbidden("no"), b"550 5.7.1 no\r\n"), (errors.Refusal("no"), b"554 5.6.0 no\r\n"),
            (OSError(errno.EIO, "x"), replies.AWAY), (OSError(errno.EROFS, "x"), replies.AWAY),
            (FileNotFoundError(errno.ENOENT, "x"), replies.AWAY), (OSError(errno.EINVAL, "x"), None),
            (OSError("x"), None), (KeyError("x"), None),
        ):
            self.assertEqual(of_error(error), expected, error)

    def test_of_login(self) -> None:
        """Wrong, suspended, too often, not now."""
        for error, expected in (
            (errors.Unauthenticated("x"), replies.WRONG_CREDENTIALS), (errors.Forbidden("x"), replies.SUSPENDED),
            (errors.TooMany("x", 1.0), replies.TOO_MANY_LOGINS), (errors.Unavailable("x"), replies.AUTH_AWAY),
            (OSError(), replies.AUTH_AWAY), (KeyError("x"), None),
        ):
            self.assertEqual(of_login(error), expected, error)

    def test_parameters(self) -> None:
        """Names of parameters are repeated harmlessly, and not at length."""
        self.assertEqual(replies.parameter_unknown("X" * 100), b"555 5.5.4 Unsupported option: " + b"X" * 40 + b"\r\n")
        self.assertEqual(replies.parameter_bad("SIZE"), b"501 5.5.4 Bad value of option SIZE\r\n")
