"""Compressed connections: the limits hold for what comes out, and what comes in costs no memory."""

from __future__ import annotations

import gc
import tracemalloc
import zlib

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Limits
from simmail.imap.wire import compress
from tests.imap.play import Connection, House


def deflated(octets: bytes) -> bytes:
    """As a client may send it, as small as can be."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(octets) + deflate.flush(zlib.Z_SYNC_FLUSH)


class CompressionTests(SynchronousTestCase):
    """What a client may send."""

    def compressed(self, config: Config | None = None) -> Connection:
        """A session that has agreed."""
        client = House(config).signed_in("INBOX")
        self.assertEqual(client.do("z COMPRESS DEFLATE"), [b"z OK DEFLATE active"])
        return client

    def test_ahead(self) -> None:
        """What came behind the command in the clear cannot be meant."""
        client = House().signed_in()
        client.send(b"z COMPRESS DEFLATE\r\na NOOP\r\n")
        self.assertEqual(client.taken(), b"* BYE Nothing may follow COMPRESS\r\n")
        self.assertTrue(client.closed())

    def test_nonsense(self) -> None:
        """What is no deflate stream ends the connection, and so does the end of one."""
        for octets, why in ((b"a NOOP\r\n", b"Not a deflate stream"), (
                zlib.compressobj(9, zlib.DEFLATED, -15).flush(), b"The deflate stream has ended")):
            client = self.compressed()
            client.give(octets)
            self.assertEqual(client.taken(), b"* BYE %b\r\n" % why)
            self.assertTrue(client.closed())

    def test_limits(self) -> None:
        """Lines and literals have the limits they always have, however small they came."""
        client = self.compressed(Config(limits=Limits(command_after_login=1000)))
        client.give(deflated(b"a SEARCH TEXT " + b"x" * 200_000 + b"\r\nb NOOP\r\n"))
        self.assertEqual(client.taken(), b"a BAD Command line too long\r\nb OK NOOP completed\r\n")
        client = self.compressed(Config(limits=Limits(message=100_000)))
        client.give(deflated(b"a APPEND INBOX {400001+}\r\n" + b"x" * 400_001 + b"\r\n"))
        self.assertEqual(client.taken(), b"* BYE Literal too long\r\n")

    def test_bomb(self) -> None:
        """A bomb ends the connection, and while it is inflated no more than a little of it is in memory."""
        bomb = deflated(bytes(200 << 20))
        for head in (b"a APPEND INBOX {99999999+}\r\n", b"a SEARCH TEXT {4000+}\r\n", b"a SEARCH TEXT "):
            client = self.compressed()
            gc.collect()
            tracemalloc.start()
            try:
                client.send(head)
                client.give(bomb)
                for _ in range(100):
                    client.house.turn()
                _, most = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            self.assertLess(most, 2 * len(bomb) + (1 << 20))
            self.assertIn(b"* BYE Inflates too far\r\n", client.taken())
            self.assertTrue(client.closed())

    def test_turns(self) -> None:
        """While much comes out of little, others have their turns, and in the end all is answered."""
        self.patch(compress, "TURN", 1 << 16)
        client = self.compressed()
        turns = []
        rested = client.protocol._resumed
        self.patch(client.protocol, "_resumed", lambda: (turns.append(1), rested()))
        client.give(deflated(b"a NOOP\r\n" * 60_000))
        self.assertEqual(len(turns), 60_000 * 8 // compress.TURN)
        self.assertEqual(client.taken(), b"a OK NOOP completed\r\n" * 60_000)

    def test_large(self) -> None:
        """A message that deflates very well is taken."""
        client = self.compressed()
        client.send(b"a APPEND INBOX {10000000+}\r\n" + b"x" * 10_000_000 + b"\r\n")
        for _ in range(10):
            client.house.turn()
        self.assertIn(b"a OK [APPENDUID 1 1]", client.taken())
        client.send(b"b FETCH 1 BODY.PEEK[]\r\n")
        self.assertEqual(client.taken().count(b"x"), 10_000_000)

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.binary(max_size=300), max_size=4), st.integers(1, 50))
    def test_pieces(self, pieces: list[bytes], size: int) -> None:
        """Octets come out as they went in, wherever packets begin; others end the connection and break nothing."""
        client = self.compressed()
        octets = b"".join(deflated(b"a NOOP\r\n" * 3) if not at else piece for at, piece in enumerate([b"", *pieces]))
        for begin in range(0, len(octets), size):
            client.give(octets[begin:begin + size])
            if client.closed():
                break
        if not any(pieces):
            self.assertEqual(client.taken(), b"a OK NOOP completed\r\n" * 3)
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_leaving(self) -> None:
        """A client may leave at any time."""
        client = self.compressed()
        client.give(deflated(b"a NOOP\r\n" * 60_000)[:100])
        client.lose()
        self.assertEqual(self.flushLoggedErrors(), [])
