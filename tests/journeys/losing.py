"""A Redis that loses the end of its log, and somebody who remembers every event number that was shown."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections import Counter, deque
from http.client import HTTPException
from pathlib import Path
from typing import Any

from simmail.core.time.instant import parse_instant
from simmail.database.private.program import find
from tests.journeys.load import PEOPLE, Load, persona_mail
from tests.journeys.running import SOON, JourneyCase, Service, until


#: Whoever gets mail writes back soon, however much that is.
WRITERS: dict[str, Any] = {"people": {"replies_per_day": 1000, "thread_messages_per_hour": 1000}}


def hurry(service: Service) -> None:
    """Make the people of a load, who all answer; time runs fast, so that they write while mail comes in."""
    for address in PEOPLE:
        service.good("POST", "/api/personas", {
            "addresses": [address], "temperament": "responsive", "style": {"filter": "none", "links": "never"},
            "timing": {"reply_rate": 1.0, "delay": {"median": "10m", "spread": 1.5}}})
    service.good("PUT", "/api/clock", {"speed": 2000})
    # Older than what will be lost.
    time.sleep(1.2)


def writing(service: Service) -> None:
    """Wait until people write, and have done so for a good part of a second."""
    until(lambda: service.get("/api/events?type=persona.sent&limit=1").json(), 60)
    time.sleep(0.7)


class Forgetful:
    """
    An operator's Redis that syncs once a second, and what is left of its log after a power cut.

    @param folder: for its files and its socket, which is short enough.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"unix://{folder / 'redis.sock'}"
        self._process: subprocess.Popen[bytes] | None = None
        self._sizes: deque[tuple[float, int]] = deque()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def start(self, fresh: bool = False) -> None:
        """It runs and answers soon; C{fresh}: with nothing in it."""
        if fresh:
            shutil.rmtree(self.folder / "appendonlydir", True)
            self._sizes.clear()
        (self.folder / "redis.sock").unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [find(), "--port", "0", "--unixsocket", str(self.folder / "redis.sock"), "--dir", str(self.folder),
             "--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--maxmemory-policy", "noeviction",
             "--auto-aof-rewrite-percentage", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until((self.folder / "redis.sock").exists)

    def lose(self, seconds: float) -> int:
        """C{kill -9}, and the log is as it was so long ago; answers how many octets are gone."""
        assert self._process is not None
        self._process.kill()
        when = time.monotonic() - seconds
        self._process.wait()
        log = self._log()
        keep = max((size for at, size in tuple(self._sizes) if at <= when), default=0)
        gone = log.stat().st_size - keep
        os.truncate(log, keep)
        self._sizes.clear()
        return gone

    def close(self) -> None:
        """It is gone."""
        self._done.set()
        self._thread.join()
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _log(self) -> Path:
        return max((self.folder / "appendonlydir").glob("*.incr.aof"))

    def _watch(self) -> None:
        while not self._done.wait(0.02):
            try:
                self._sizes.append((time.monotonic(), self._log().stat().st_size))
            except (OSError, ValueError):
                continue
            while self._sizes[0][0] < time.monotonic() - 30:
                self._sizes.popleft()


class Memory:
    """
    Reads the event log all the time, and remembers what each number was.

    @ivar twice: numbers that were two different events.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self.seen: dict[int, str] = {}
        self.twice: set[int] = set()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def note(self, events: list[dict[str, object]]) -> None:
        """Some events."""
        for event in events:
            number, what = int(str(event["id"])), f"{event['type']} {event['data']}"
            if self.seen.setdefault(number, what) != what:
                self.twice.add(number)

    def close(self) -> None:
        """No more is read; it was, all the time."""
        if not self._done.is_set() and not self._thread.is_alive():
            raise AssertionError("whoever remembers has died")
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        # Often enough that none of those that are shown is missed, and no oftener: each look takes milliseconds.
        while not self._done.wait(0.05):
            try:
                answer = self.service.get("/api/events?limit=300", timeout=SOON)
                if answer.status == 200:
                    self.note(answer.json())
            except (OSError, KeyError, HTTPException):
                time.sleep(0.05)


def nothing_due(service: Service) -> bool:
    """Whether every job that is due by a frozen clock has been done."""
    clock = service.good("GET", "/api/clock")
    following = clock["next_job"]
    return following is None or parse_instant(following["due"]) > parse_instant(clock["now"])


def check_all(case: JourneyCase, load: Load, memory: Memory, within: float = SOON) -> None:
    """Every mail that was acknowledged is told of once, and drew a reaction once; no number was used twice."""
    service = load.service
    until(lambda: service.undecided() == 0, within)
    # What was decided late is due already, and would be written while it is looked at.
    until(lambda: nothing_due(service), within)
    names = persona_mail(service)
    case.assertEqual(set(load.acknowledged.items()) - set(names), set(), "acknowledged and lost")
    case.assertEqual({name for name, count in names.items() if count > 1}, set(), "twice in a mailbox")
    there = {name for name, _ in names}
    for kind in ("mail.delivered", "persona.received"):
        told = Counter(event["data"]["message_id"] for event in service.events(kind))
        case.assertEqual({name for name in there if told[name] != 1}, set(), f"not once {kind}")
    # What personas wrote is told of once, and is there once.
    sent = Counter(event["data"]["message_id"] for event in service.events("persona.sent"))
    case.assertEqual({name for name, count in sent.items() if count > 1}, set(), "written twice")
    inbox = Counter[str]()
    for sender in load.senders:
        answers = service.get(f"/api/mailboxes/{sender}/messages?folder=INBOX&limit=1000")
        # Nobody has one who got no answer.
        inbox.update(item["message_id"] for item in (answers.json() if answers.status == 200 else ()))
    case.assertEqual(set(inbox), set(sent), "written and not told of, or the other way round")
    case.assertEqual(max(inbox.values(), default=1), 1, "an answer is there twice")
    done = Counter(event["data"]["id"] for event in service.events("job.done"))
    case.assertEqual({job for job, count in done.items() if count > 1}, set(), "a job was done twice")
    memory.note(service.events("*"))
    case.assertEqual(memory.twice, set(), "numbers used twice")
