"""AUTH as an exchange of lines."""

from __future__ import annotations

from base64 import b64encode

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.server.sasl import LoginChallenge, PlainChallenge
from simmail.smtp import replies
from simmail.smtp.auth_exchange import SaslExchange
from simmail.smtp.replies import CommandRefused

NAME = st.text("abcäö@.", min_size=1, max_size=10)


class ExchangeTests(SynchronousTestCase):
    """RFC 4954 section 4."""

    def refusal(self, line: bytes, exchange: SaslExchange | None = None) -> bytes:
        """The reply to a line that is refused."""
        with self.assertRaises(CommandRefused) as caught:
            (exchange or SaslExchange(PlainChallenge())).respond(line)
        return caught.exception.reply

    @given(NAME, st.text(max_size=10).filter(lambda text: "\0" not in text))
    def test_plain(self, username: str, password: str) -> None:
        """One line with all of it."""
        exchange = SaslExchange(PlainChallenge())
        self.assertEqual(exchange.prompt(), b"334 \r\n")
        found = exchange.respond(b64encode(f"\0{username}\0{password}".encode()))
        assert found is not None
        self.assertEqual((found.username, found.challenge.password.decode()), (username, password))

    @given(NAME, NAME)
    def test_login(self, username: str, password: str) -> None:
        """Two lines, each asked for."""
        exchange = SaslExchange(LoginChallenge())
        self.assertEqual(exchange.prompt(), b"334 VXNlcm5hbWU6\r\n")
        self.assertIsNone(exchange.respond(b64encode(username.encode())))
        self.assertEqual(exchange.prompt(), b"334 UGFzc3dvcmQ6\r\n")
        found = exchange.respond(b64encode(password.encode()))
        assert found is not None
        self.assertEqual((found.username, found.challenge.password.decode()), (username, password))

    def test_refused(self) -> None:
        """Cancelled, no base64, no credentials, and such as nobody has."""
        for line, reply in (
            (b"*", replies.AUTH_CANCELLED), (b"!", replies.AUTH_NOT_BASE64), (b"AGE", replies.AUTH_NOT_BASE64),
            (b64encode(b"a"), replies.AUTH_MALFORMED), (b64encode(b"\0\xff\0x"), replies.WRONG_CREDENTIALS),
            (b64encode(b"\0\0x"), replies.WRONG_CREDENTIALS), (b64encode(b"\0a\nb\0x"), replies.WRONG_CREDENTIALS),
        ):
            self.assertEqual(self.refusal(line), reply, line)

    @given(st.binary(max_size=40))
    def test_nonsense(self, line: bytes) -> None:
        """Any line is an answer, or refused."""
        for challenge in (PlainChallenge(), LoginChallenge()):
            exchange = SaslExchange(challenge)
            exchange.prompt()
            try:
                exchange.respond(line)
            except CommandRefused as refused:
                self.assertEqual(refused.reply[:1], b"5")
