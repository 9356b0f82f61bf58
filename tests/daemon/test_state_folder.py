"""The state folder: whose it is, and where other programs read where the daemon listens."""

from __future__ import annotations

import json
import os
from pathlib import Path

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon import state_folder
from simmail.daemon.state_folder import EndpointsFile, ROOM, take
from simmail.errors import Invalid, Unavailable


class TakeTests(SynchronousTestCase):
    """Taking it."""

    def test_taken(self) -> None:
        """A state folder is one daemon's at a time; where an earlier one listened is forgotten."""
        state = Path(self.mktemp()) / "deep" / "state"
        lock = take(state)
        self.assertEqual(state.stat().st_mode & 0o777, 0o700)
        (state / "endpoints.json").write_text("{}")
        self.assertRaises(Unavailable, take, state)
        self.assertTrue((state / "endpoints.json").exists())
        os.close(lock)
        os.close(take(state))
        self.assertFalse((state / "endpoints.json").exists())

    def test_no_folder(self) -> None:
        """What cannot be a folder is named."""
        file = Path(self.mktemp())
        file.write_text("")
        error = self.assertRaises(Invalid, take, file / "state")
        self.assertIn(str(file), str(error))
        self.assertTrue(str(error).startswith("server.state"), str(error))


class EndpointsFileTests(SynchronousTestCase):
    """Where it listens."""

    endpoints = {"http": {"host": "127.0.0.1", "port": 8025}}

    def setUp(self) -> None:
        """A state folder."""
        self.state, self.clock = Path(self.mktemp()), Clock()
        self.state.mkdir()
        self.path = self.state / "endpoints.json"
        self.file = EndpointsFile(self.state, self.clock)
        self.lines: list[str] = []
        self.patch(EndpointsFile, "log", type(EndpointsFile.log)(
            observer=lambda event: self.lines.append(event["log_format"])))  # type: ignore[arg-type]

    def test_written(self) -> None:
        """It is there for all to read, and gone behind the end."""
        self.file.write(self.endpoints)
        self.assertEqual(json.loads(self.path.read_text()), self.endpoints)
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o644)
        self.file.remove()
        self.assertFalse(self.path.exists())
        self.file.remove()

    def full(self, path: Path, octets: bytes, mode: int) -> None:
        """The disk is."""
        raise OSError(28, "No space left on device")

    def test_full_disk(self) -> None:
        """On a full disk it is written as soon as there is room; the log says it once."""
        patched = self.patch(state_folder, "write", self.full)
        self.file.write(self.endpoints)
        self.clock.pump([ROOM] * 3)
        self.assertFalse(self.path.exists())
        patched.restore()
        self.clock.advance(ROOM)
        self.assertEqual(json.loads(self.path.read_text()), self.endpoints)
        self.assertEqual((len(self.lines), self.clock.getDelayedCalls()), (1, []))

    def test_read_only(self) -> None:
        """Who cannot remove it ends all the same; the log says it."""
        self.file.write(self.endpoints)

        def refuse(path: Path, missing_ok: bool = False) -> None:
            raise OSError(30, "Read-only file system")

        self.patch(Path, "unlink", refuse)
        self.file.remove()
        self.assertEqual(self.lines, ["endpoints.json cannot be removed: {error}"])

    def test_ended_before(self) -> None:
        """Who ends before there is room leaves nothing behind."""
        self.patch(state_folder, "write", self.full)
        self.file.write(self.endpoints)
        self.file.remove()
        self.assertEqual(self.clock.getDelayedCalls(), [])
