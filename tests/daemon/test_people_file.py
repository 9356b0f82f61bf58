"""The personas of a file: read at the start and when asked to, wrong or being written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

import simmail
from simmail.daemon import people_file
from simmail.daemon.people_file import PeopleFile, load_people, read_when_written
from simmail.errors import Invalid
from simmail.testing.universe import MemoryServer, now
from tests.core.rules.test_yaml_text import BOMBS

TEXT = "- {id: maria, name: Maria Rossi, addresses: [maria@acme.test]}\n"


class PeopleFileTests(SynchronousTestCase):
    """A file on disk, read in no thread."""

    def setUp(self) -> None:
        """Somebody who takes the entries."""
        self.path = Path(self.mktemp())
        self.path.write_text(TEXT)
        os.utime(self.path, (1_700_000_000, 1_700_000_000))
        self.taken: list[Any] = []
        self.refusal: Invalid | None = None
        self.lines: list[str] = []
        self.patch(PeopleFile, "log", type(PeopleFile.log)(
            observer=lambda event: self.lines.append(event["otherwise"])))  # type: ignore[arg-type]

    async def configure(self, entries: list[Any]) -> None:
        """Take them, or refuse them."""
        if self.refusal is not None:
            raise self.refusal
        self.taken.append(entries)

    def file(self, in_thread: Any = lambda work, path: succeed(work(path))) -> PeopleFile:
        return PeopleFile(str(self.path), in_thread, self.configure)

    def test_read(self) -> None:
        """Its entries are handed on."""
        file = self.file()
        self.successResultOf(Deferred.fromCoroutine(file.read("kept")))
        self.assertEqual([one["id"] for one in self.taken[0]], ["maria"])
        self.assertEqual((file.wrong, self.lines), ("", []))

    def test_none(self) -> None:
        """Where none is configured nothing is read."""
        file = PeopleFile("", lambda *work: self.fail("it was read"), self.configure)
        self.successResultOf(Deferred.fromCoroutine(file.read("kept")))
        self.assertEqual(self.taken, [])

    def test_wrong(self) -> None:
        """A wrong file is said, and told until it is mended; whether YAML or those who take it find it wrong."""
        file = self.file()
        self.path.write_text("- {")
        os.utime(self.path, (1_700_000_000, 1_700_000_000))
        self.successResultOf(Deferred.fromCoroutine(file.read("kept")))
        self.assertIn(str(self.path), file.wrong)
        self.path.write_text(TEXT)
        os.utime(self.path, (1_700_000_000, 1_700_000_000))
        self.refusal = Invalid("people.0.name", "is taken")
        self.successResultOf(Deferred.fromCoroutine(file.read("kept")))
        self.assertEqual(file.wrong, "people.0.name: is taken")
        self.refusal = None
        self.successResultOf(Deferred.fromCoroutine(file.read("kept")))
        self.assertEqual((file.wrong, self.lines, len(self.taken)), ("", ["kept", "kept"], 1))

    def test_last_counts(self) -> None:
        """Of two that are read at once only the last is taken, whichever is done first."""
        reading: list[Deferred[Any]] = []

        def slowly(work: Any, path: str) -> Deferred[Any]:
            reading.append(Deferred())
            return reading[-1]

        file = self.file(slowly)
        both = [Deferred.fromCoroutine(file.read("kept")) for _ in range(2)]
        reading[1].callback(["new"])
        reading[0].callback(["old"])
        for one in both:
            self.successResultOf(one)
        self.assertEqual(self.taken, [["new"]])


class WrittenTests(SynchronousTestCase):
    """A file that somebody is just writing."""

    def setUp(self) -> None:
        """A file; time is what the test makes it."""
        self.path = Path(self.mktemp())
        self.path.write_text(TEXT)
        self.slept: list[float] = []
        self.now = self.path.stat().st_mtime
        self.patch(people_file, "time", self)

    def time(self) -> float:
        return self.now

    monotonic = time

    def sleep(self, seconds: float) -> None:
        """Time goes by; meanwhile something may be written."""
        self.now += seconds
        self.slept.append(seconds)
        self.meanwhile()

    def meanwhile(self) -> None:
        """Nothing."""

    def test_old(self) -> None:
        """One that is old is read at once."""
        self.now += 60
        self.assertEqual(len(read_when_written(str(self.path))), 1)
        self.assertEqual(self.slept, [])

    def test_just_written(self) -> None:
        """One that was just written is looked at again, and read when it is the same."""
        self.assertEqual(len(read_when_written(str(self.path))), 1)
        self.assertEqual(len(self.slept), 1)

    def test_growing(self) -> None:
        """One that grows is waited for."""
        def grow() -> None:
            if len(self.slept) < 3:
                with self.path.open("a") as file:
                    file.write(f"- {{id: p{len(self.slept)}, name: P, addresses: [p{len(self.slept)}@acme.test]}}\n")
                os.utime(self.path, (self.now, self.now))

        self.patch(self, "meanwhile", grow)
        self.assertEqual(len(read_when_written(str(self.path))), 3)
        self.assertEqual(len(self.slept), 3)

    def test_never_written(self) -> None:
        """One that goes on changing is refused after a while."""
        self.patch(self, "meanwhile", lambda: os.utime(self.path, (self.now, self.now)))
        error = self.assertRaises(Invalid, read_when_written, str(self.path))
        self.assertIn("is being written", str(error))

    def test_gone(self) -> None:
        """One that is not there, or cannot be named, is refused as any other."""
        for path in (f"{self.path}.none", "a\0b"):
            self.assertRaises(Invalid, read_when_written, path)


class LoadPeopleTests(SynchronousTestCase):
    """What a file holds."""

    def test_shape(self) -> None:
        """The example personas are ones the API would take; a file of another shape is refused by name."""
        shipped = Path(simmail.__file__).parent.parent / "etc" / "personas.yaml"
        server = MemoryServer()
        now(server.universe().people.configured(load_people(str(shipped))))
        self.assertEqual({one.provider for one in server.roster.universe("main").people.everyone()}, {"config"})
        path = self.mktemp()
        Path(path).write_text("just text", encoding="utf-8")
        self.assertIn(path, str(self.assertRaises(Invalid, load_people, path)))

    def test_half_written(self) -> None:
        """An empty file, one that was cut off anywhere, and one with another list in it name nobody."""
        path = Path(self.mktemp())
        shipped = (Path(simmail.__file__).parent.parent / "etc" / "personas.yaml").read_bytes()
        for octets in (b"", b"\n", b"# nobody yet\n", b"personas:\n", b"people: []\n", b"personas: []\nperson: []\n",
                       b"- {name: A, addresses: [a@acme.test]}\n- {name: A, addresses: [b@acme.test], name: B}\n"):
            path.write_bytes(octets)
            self.assertIn(str(path), str(self.assertRaises(Invalid, load_people, str(path))), octets)
        server = MemoryServer()
        people = server.universe().people
        path.write_bytes(shipped)
        now(people.configured(load_people(str(path))))
        before = people.everyone()
        for size in range(len(shipped)):
            if shipped[size - 1:size] == b"\n":
                continue
            path.write_bytes(shipped[:size])
            self.assertRaises(Invalid, lambda: now(people.configured(load_people(str(path)))))
        self.assertEqual(people.everyone(), before)
        for octets in (b"[]", b"personas: []\n"):
            path.write_bytes(octets)
            self.assertEqual(load_people(str(path)), [])

    def test_bombs(self) -> None:
        """What stands for very much, and a key that stands twice, is refused."""
        path = Path(self.mktemp())
        for octets in (*BOMBS.values(), b"personas: []\npersonas: []\n"):
            path.write_bytes(octets)
            self.assertIn(str(path), str(self.assertRaises(Invalid, load_people, str(path))))
