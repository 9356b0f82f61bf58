"""Rounds of load in which something is killed, and the books that must be right afterwards."""

from __future__ import annotations

import imaplib
import os
import random
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

from tests.journeys.load import Load
from tests.journeys.losing import Memory, check_all, hurry
from tests.journeys.running import SOON, JourneyCase, Service, redis_pid, until
from tests.stopwatch import Stopwatch

FOLDER = "Work"


#: Several processes, so that one can be killed.
WORKERS = {"server": {"demo": False, "workers": 2}}


def descendants(pid: int) -> list[int]:
    """A process and those it has started."""
    below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for each in below for one in descendants(int(each)))]


def _kill_one(word: bytes, service: Service) -> None:
    """Kill one of the processes with a word on their command line."""
    assert service.process is not None
    os.kill(random.choice([pid for pid in descendants(service.process.pid)
                           if word in Path(f"/proc/{pid}/cmdline").read_bytes()]), signal.SIGKILL)


def _kill_redis(service: Service) -> None:
    os.kill(until(lambda: redis_pid(service.state)), signal.SIGKILL)


def _kill_both(service: Service) -> None:
    _kill_redis(service)
    service.kill()


#: Who may be killed, and how.
VICTIMS: Mapping[str, Callable[[Service], None]] = {
    "worker": partial(_kill_one, b"--worker"), "writer": partial(_kill_one, b"simmail.mailstore.writer.process"),
    "simmail": Service.kill, "redis": _kill_redis, "both": _kill_both}


class Round(NamedTuple):
    """
    One round.

    @ivar sent, acknowledged: messages over SMTP in it; changed: over IMAP and the API; back: real seconds until it
        served again.
    """

    victim: str
    sent: int
    acknowledged: int
    changed: int
    back: float


class Changes:
    """
    Messages put into a folder over IMAP, flagged and expunged, and settings changed over the API, by a thread each.

    @ivar flags: of what must be there, by subject; unsure: subjects of what was not answered; gone: of what must not.
    @ivar paces: the one that was acknowledged, and those that were asked for since and not answered.
    @ivar made: what was acknowledged.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self.flags: dict[str, bool] = {}
        self.unsure: set[str] = set()
        self.gone: set[str] = set()
        self.paces = [1.0]
        self.made = 0
        self._number = 0
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self) -> None:
        """Begin to change things."""
        self._stopping.clear()
        self._threads = [threading.Thread(target=one) for one in (self._change_mail, self._change_settings)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Stop."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(SOON)
            if thread.is_alive():
                raise AssertionError("a session hangs")

    def _change_mail(self) -> None:
        while not self._stopping.wait(0.05):
            subject = ""
            try:
                with self._service.imap(None) as session:
                    session.create(FOLDER)
                    session.select(FOLDER)
                    while not self._stopping.wait(0.01):
                        self._number += 1
                        subject = f"work-{self._number}"
                        self.unsure.add(subject)
                        self._one(session, subject)
                        self.unsure.discard(subject)
                        self.made += 1
            except (OSError, imaplib.IMAP4.error):
                # What was not answered may be there or not.
                self.flags.pop(subject, None)

    def _one(self, session: imaplib.IMAP4, subject: str) -> None:
        status, answer = session.append(FOLDER, "", "", f"Subject: {subject}\r\n\r\nText\r\n".encode())
        self._good(status)
        uid = re.search(rb"APPENDUID \d+ (\d+)", answer[0] if isinstance(answer[0], bytes) else b"")
        assert uid is not None
        if self._number % 3:
            self._good(session.uid("STORE", uid[1].decode(), "+FLAGS.SILENT", "\\Flagged")[0])
        if self._number % 5 == 0:
            self._good(session.uid("STORE", uid[1].decode(), "+FLAGS.SILENT", "\\Deleted")[0])
            self._good(session.expunge()[0])
            self.gone.add(subject)
        else:
            self.flags[subject] = bool(self._number % 3)

    def _good(self, status: str) -> None:
        if status != "OK":
            raise imaplib.IMAP4.error(status)

    def _change_settings(self) -> None:
        while not self._stopping.wait(0.05):
            after = round(self.paces[-1] + 0.001, 3)
            self.paces.append(after)
            try:
                if self._service.call("PUT", "/api/pace", {"factor": after}, timeout=SOON).status == 200:
                    self.paces = [after]
                    self.made += 1
            except (OSError, HTTPException):
                continue

    def check(self, case: JourneyCase) -> None:
        """What was acknowledged is so, once."""
        pace = until(lambda: (answer := self._service.get("/api/pace")).status == 200 and answer.json())
        case.assertIn(pace["factor"], self.paces)
        with self._service.imap(None) as session:
            if session.select(FOLDER)[0] != "OK":
                case.assertEqual(self.flags, {})
                return
            _, parts = session.fetch("1:*", "(FLAGS BODY.PEEK[HEADER.FIELDS (SUBJECT)])")
        found = [(part[1].split()[1].decode(), b"\\Flagged" in part[0]) for part in parts if isinstance(part, tuple)]
        there = dict(found)
        case.assertEqual([name for name, count in Counter(name for name, _ in found).items() if count > 1], [],
                         "appended twice")
        case.assertEqual({name: there.get(name) for name in self.flags}, self.flags, "appended or flagged, and lost")
        case.assertEqual(self.gone & there.keys(), set(), "expunged, and there")


class Rounds:
    """
    Load on a service, in which somebody is killed again and again.

    @param sessions: of SMTP; longest: real seconds of load before a kill, at most.
    """

    def __init__(self, case: JourneyCase, service: Service, sessions: int, longest: float, dice: random.Random) -> None:
        self._case, self._service, self._sessions, self._longest, self._dice = case, service, sessions, longest, dice
        service.start()
        hurry(service)
        self._load, self._changes = Load(service, senders=200), Changes(service)
        self._memory = Memory(service)
        case.addCleanup(self._memory.close)
        self._uids: dict[str, int] = {}

    def play(self, victim: str, twice: bool = False) -> Round:
        """One round; C{twice}: the start after it is killed as well."""
        service, load, changes = self._service, self._load, self._changes
        sent, known, made = len(load.sent), len(load.acknowledged), changes.made
        load.begin(self._sessions, again=victim not in ("simmail", "both"))
        changes.begin()
        load.wait_for(known + 1)
        time.sleep(self._dice.uniform(0.0, self._longest))
        VICTIMS[victim](service)
        watch = Stopwatch()
        assert service.process is not None
        if victim in ("simmail", "both"):
            load.end()
            changes.end()
            if twice:
                service.begin()
                time.sleep(self._dice.uniform(0.2, 0.9))
                service.kill()
                watch = Stopwatch()
            service.start()
            back = watch.seconds()
        else:
            # Those who send go on through it.
            before = len(load.acknowledged)
            until(lambda: len(load.acknowledged) > before + 5 and service.get("/readyz").status == 200)
            back = watch.seconds()
            load.end()
            changes.end()
        # 5 s is the promise; the machine may be busy with other tests.
        self._case.assertLess(back, 10.0)
        self._case.assertEqual(load.permanent, [])
        until(self._opens)
        # What was taken when its writer was killed is filed by the next one: who looks waits for that.
        now = load.uids()
        self._case.assertEqual(load.acknowledged.keys() - now.keys(), set(), "acknowledged and not to be seen")
        self._case.assertEqual({name: uid for name, uid in now.items() if name in self._uids}, self._uids)
        self._case.assertEqual(len(set(now.values())), len(now))
        self._uids = now
        changes.check(self._case)
        return Round(victim, len(load.sent) - sent, len(load.acknowledged) - known, changes.made - made, max(0.0, back))

    def _opens(self) -> bool:
        """Whether the INBOX can be selected: while much is replayed that may be refused for a moment."""
        with self._service.imap(None) as session:
            return session.select("INBOX")[0] == "OK"

    def finish(self, within: float = SOON) -> str:
        """All that follows from the mail is there, once, and the same after a restart; answers the fingerprint."""
        service, case = self._service, self._case
        until(lambda: service.good("GET", "/api/events?type=persona.sent&limit=1"), within)
        self._memory.close()
        service.good("PUT", "/api/clock", {"frozen": True})
        check_all(case, self._load, self._memory, within)
        fingerprint = service.good("GET", "/api/fingerprint")
        case.assertEqual(service.stop(), 0)
        service.start()
        case.assertEqual(service.good("GET", "/api/fingerprint"), fingerprint)
        return str(fingerprint["fingerprint"])
