"""What a process and the one that writes its mail say to each other."""

from __future__ import annotations

import socket

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Invalid, NotFound, TooMany, Unavailable
from simmail.mailstore.delivery.changes import BumpModseq, DefineKeywords, NoteFlags
from simmail.mailstore.delivery.mailboxes import CountMailboxes, DropFolder
from simmail.mailstore.delivery.request import StoreId
from simmail.mailstore.folder.load import Another
from simmail.mailstore.writer import protocol
from simmail.mailstore.writer.protocol import (
    Frames, WriterDefect, decode_answer, decode_error, decode_request, encode, encode_error, head,
)
from simmail.mailstore.writer.requests import IsReady

AT = StoreId("/mail", "main")


class FrameTests(SynchronousTestCase):
    """Frames over a socket."""

    def setUp(self) -> None:
        # Small, so that frames of a few octets do not fit.
        self.patch(protocol, "_BUFFER", 64)

    @settings(deadline=None, max_examples=200)
    @given(st.lists(st.tuples(st.integers(0, 9), *[st.binary(max_size=90)] * 3), min_size=1, max_size=12), st.data())
    def test_there_and_back(self, said: list[tuple[int, bytes, bytes, bytes]], data: st.DataObject) -> None:
        """However the octets come, the frames are those that were sent."""
        octets = b"".join(
            head(kind, *map(len, parts)) + b"".join(parts) for kind, *parts in said)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            received, came = Frames(), []
            while octets:
                some = data.draw(st.integers(1, 120))
                theirs.sendall(octets[:some])
                octets = octets[some:]
                ours.setblocking(False)
                try:
                    while True:
                        came += [(one.kind, *map(bytes, one[1:])) for one in received.receive(ours) or ()]
                except BlockingIOError:
                    pass
            theirs.close()
            self.assertIsNone(received.receive(ours))
        self.assertEqual(came, said)

    def test_refusals(self) -> None:
        """Refusals are the same on the other side, those of another part of the house the nearest that is known."""
        for error in (NotFound("gone"), Invalid("a.b", "is bad"), TooMany("slowly", 2.5), Unavailable("away")):
            again = decode_error(encode_error(error, "traceback"))
            self.assertEqual((type(again), str(again), vars(again)), (type(error), str(error), vars(error)))
        again = decode_error(encode_error(Another("gone"), "traceback"))
        self.assertEqual((type(again), str(again)), (NotFound, "gone"))

    def test_defects(self) -> None:
        """Anything else says where it went wrong."""
        for error in (ValueError("x"), KeyError(3), NotFound("\udcff")):
            again = decode_error(encode_error(error, "in the dark"))
            self.assertEqual((type(again), str(again)), (WriterDefect, "in the dark"))


class RequestTests(SynchronousTestCase):
    """Requests and answers."""

    def test_there_and_back(self) -> None:
        """A request is the same on the other side."""
        for one in (IsReady(), BumpModseq(AT, "a@b", "INBOX", [1, 2]), NoteFlags(AT, "a@b", "Ä", [(1, [2, 3])], 0)):
            self.assertEqual(decode_request(encode(one)), one)

    def test_answers(self) -> None:
        """An answer is of the type that its request says, or refused."""
        request = BumpModseq(AT, "a@b", "INBOX", [])
        self.assertEqual(decode_answer(request, encode(7)), 7)
        self.assertRaises(msgspec.ValidationError, decode_answer, request, encode("7"))
        self.assertEqual(decode_answer(DefineKeywords(AT, "a@b", "x", [], 0), encode((True, ("a",)))), (True, ("a",)))
        self.assertIsNone(decode_answer(DropFolder(AT, "a@b", "b", "x"), encode(None)))
        counts = [("a@b", {"INBOX": (3, 1)})]
        self.assertEqual(decode_answer(CountMailboxes(AT, ["a@b"]), encode(counts)), counts)

    @given(st.binary(max_size=60))
    def test_garbage(self, octets: bytes) -> None:
        """What is no request is not taken for one."""
        try:
            found = decode_request(octets)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        self.assertEqual(decode_request(encode(found)), found)
