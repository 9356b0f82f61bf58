"""Rounds of load in which a server dies together with the primary that has its universe, and the books after each."""

from __future__ import annotations

import random
import threading
import time
import urllib.request
from http.client import HTTPException
from typing import Any, NamedTuple

from tests import seaweed
from tests.database.clusters import Cluster
from tests.journeys.crashing import Changes
from tests.journeys.load import Load
from tests.journeys.losing import WRITERS, Memory, check_all, hurry
from tests.journeys.running import SOON, JourneyCase, Service, until
from tests.stopwatch import Stopwatch

#: Real seconds after which another serves a universe whose server has died, and its primary.
TAKEN = 10.0

#: Of the universe that the first start makes.
KEY = "{main}"


class Round(NamedTuple):
    """
    One round.

    @ivar dead: who had the universe; cut: real seconds for which the replica had got nothing when they died.
    @ivar acknowledged, changed: messages over SMTP in it; over IMAP and the API.
    @ivar taken: real seconds until another served; alone: without the time that others took (C{Stopwatch}).
    """

    dead: str
    cut: float
    acknowledged: int
    changed: int
    taken: float
    alone: float


class Door(Service):
    """
    One universe by way of a server that may be another one later.

    @ivar at: that one.
    """

    def __init__(self, at: Service) -> None:
        self.at, self.key, self._password = at, at.key, at.password

    @property
    def endpoints(self) -> dict[str, dict[str, Any]]:  # type: ignore[override]
        """Where that one is reached."""
        return self.at.endpoints

    @property
    def password(self) -> str:
        """Of the first login."""
        return self._password

    def logged(self) -> str:
        """What that one has logged."""
        return self.at.logged()


class Stream:
    """
    Follows the event stream, again after each end, from where it was.

    @ivar numbers: of the events, as they came.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self.numbers: list[int] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def close(self) -> None:
        """It is read no more; it was, all the time."""
        if not self._done.is_set() and not self._thread.is_alive():
            raise AssertionError("whoever follows the stream has died")
        self._done.set()
        self._thread.join()

    def _follow(self) -> None:
        while not self._done.wait(0.05):
            headers = {"Authorization": f"Bearer {self._service.key}"}
            if self.numbers:
                headers["Last-Event-ID"] = str(self.numbers[-1])
            try:
                with urllib.request.urlopen(urllib.request.Request(
                        f"http://127.0.0.1:{self._service.port('http')}/api/events/stream", headers=headers),
                        timeout=1.0) as answer:
                    for line in answer:
                        if line.startswith(b"id: "):
                            self.numbers.append(int(line[4:]))
                        if self._done.is_set():
                            return
            except (OSError, HTTPException):
                # It is away, or silent.
                continue


class FailOver:
    """
    Two servers on a cluster of three primaries with a replica each, and a universe that is replicated.

    @param sessions: of SMTP; longest: real seconds of load before a kill, at most.
    """

    def __init__(self, case: JourneyCase, sessions: int, longest: float, dice: random.Random) -> None:
        self._case, self._sessions, self._longest, self._dice = case, sessions, longest, dice
        # The machine may be busy: who is slow is not dead.
        self._cluster = Cluster(3, 3, patience=2000)
        case.addCleanup(self._cluster.close)
        bucket = seaweed.seaweed().bucket()
        self._servers = {name: self._server(name, bucket) for name in ("a", "b")}
        for one in self._servers.values():
            one.start()
        self._door = Door(self._servers["a"])
        hurry(self._door)
        self._load, self._changes = Load(self._door, senders=200), Changes(self._door)
        self._memory, self._stream = Memory(self._door), Stream(self._door)
        case.addCleanup(self._memory.close)
        case.addCleanup(self._stream.close)
        self._owner = "a"
        self._uids: dict[str, int] = {}

    def _server(self, name: str, bucket: str) -> Service:
        return self._case.service({
            **WRITERS, "redis": {"cluster": self._cluster.urls}, "objects": {
                "url": bucket, "access_key_env": "SEAWEED_KEY", "secret_key_env": "SEAWEED_SECRET",
                "durability": "replicated"},
            "server": {"node": name, "peers": "127.0.0.1:0", "secret": "a secret of servers", "demo": False}})

    def fill(self, count: int, size: int = 2048, together: int = 100) -> None:
        """Put so many messages, each another one, into a folder that nobody looks at."""
        head = b"From: a@sim.test\r\nSubject: Kept\r\n\r\n"
        with self._door.imap(None) as session:
            session.create("Kept")
            for begin in range(0, count, together):
                # All that a command may have is sent at once (RFC 7888, RFC 3502).
                literals = [b"{%d+}\r\n%s" % (len(one), one) for one in (
                    head + self._dice.randbytes(size // 2).hex().encode() for _ in range(min(together, count - begin)))]
                session.send(b"kept%d APPEND Kept %s\r\n" % (begin, b" ".join(literals)))
                while not (line := session.readline()).startswith(b"kept%d " % begin):
                    self._case.assertTrue(line)
                self._case.assertIn(b" OK ", line)

    def beforehand(self, name: str) -> int:
        """How many messages one of the two has of the universe while the other has it."""
        return len(list((self._servers[name].state / "mail" / ".standby").glob("*/main/*")))

    def play(self, cut: float = 0.0) -> Round:
        """One round.  @param cut: real seconds for which the replica gets nothing before both die."""
        cluster, load, changes, dead = self._cluster, self._load, self._changes, self._owner
        heir = "b" if dead == "a" else "a"
        self._door.at = self._servers[heir]
        known, made = len(load.acknowledged), changes.made
        # Nobody who is put off asks again at once.
        load.begin(self._sessions, again=True, rest=0.3)
        changes.begin()
        load.wait_for(known + 5)
        time.sleep(self._dice.uniform(0.0, self._longest))
        self._look()
        replicas = cluster.cut_off(KEY) if cut else []
        time.sleep(cut)
        primary, *_ = cluster.of(KEY)
        cluster.kill(primary)
        self._servers[dead].kill()
        died, watch = time.monotonic(), Stopwatch()
        until(self._served)
        taken, alone = time.monotonic() - died, watch.seconds()
        cluster.let_in(replicas)
        before = len(load.acknowledged)
        until(lambda: len(load.acknowledged) > before + 5)
        load.end()
        changes.end()
        self._case.assertEqual(load.permanent, [])
        self._look()
        self._case.assertEqual(load.acknowledged.keys() - self._uids.keys(), set(), "acknowledged and not to be seen")
        self._case.assertEqual(len(set(self._uids.values())), len(self._uids))
        changes.check(self._case)
        self._owner = heir
        cluster.start(primary)
        self._servers[dead].start()
        until(lambda: cluster.online(KEY))
        return Round(dead, cut, len(load.acknowledged) - known, changes.made - made, taken, alone)

    def _served(self) -> bool:
        """Whether the other has the universe."""
        return self._door.get("/api/status", timeout=SOON).status == 200

    def _look(self) -> None:
        """No UID that was seen is another's, nor has a message another one."""
        now = self._load.uids()
        self._case.assertEqual({name: uid for name, uid in now.items() if name in self._uids}, self._uids)
        self._uids = now

    def _check_jobs(self) -> None:
        """They were done in the order in which they were due, each when the clock was there."""
        due: dict[str, str] = {}
        done: list[tuple[str, str]] = []
        for one in self._door.events("job.scheduled,job.updated,job.done"):
            job = one["data"]
            if one["type"] == "job.done":
                done.append((due[job["id"]], job["id"]))
            else:
                due[job["id"]] = job["due"]
        self._case.assertEqual(done, sorted(done))

    def finish(self, within: float = SOON) -> str:
        """All that follows from the mail is there, once, in order, at either server; answers the fingerprint."""
        door, case = self._door, self._case
        until(lambda: door.good("GET", "/api/events?type=persona.sent&limit=1"), within)
        self._memory.close()
        door.good("PUT", "/api/clock", {"frozen": True})
        shown = set(self._memory.seen)
        check_all(case, self._load, self._memory, within)
        events = [one["id"] for one in door.events("*")]
        case.assertEqual(shown - set(events), set(), "shown and lost")
        until(lambda: self._stream.numbers[-1:] == events[-1:], within)
        self._stream.close()
        case.assertEqual(self._stream.numbers, events[events.index(self._stream.numbers[0]):], "the stream")
        self._check_jobs()
        fingerprint = door.good("GET", "/api/fingerprint")
        case.assertEqual(self._servers[self._owner].stop(), 0)
        door.at = self._servers["b" if self._owner == "a" else "a"]
        until(self._served, within)
        case.assertEqual(door.good("GET", "/api/fingerprint"), fingerprint)
        return str(fingerprint["fingerprint"])
