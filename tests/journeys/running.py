"""What journeys share: the service as a process, and clients to it."""

from __future__ import annotations

import fcntl
import imaplib
import json
import os
import re
import resource
import shutil
import signal
import smtplib
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from twisted.trial.unittest import SynchronousTestCase

import simmail
from tests.docs.readiness import undocumented
from tests.stopwatch import Stopwatch

#: The folder that holds the package: a checkout, or where it was installed.
ROOT = Path(simmail.__file__).parent.parent

#: Real seconds for things that take well under one; the machine may be busy with other tests.
SOON = 20.0

#: Any free ports, no limit on requests, as a journey makes more than people do, and no demo, which takes its time.
CONFIG: dict[str, Any] = {
    "listen": {"smtp": 0, "smtps": 0, "submission": 0, "imap": 0, "imaps": 0, "http": 0},
    "http": {"rate": 0},
    "server": {"demo": False},
}

#: The demo is there, as it is unless somebody says otherwise: for journeys of newcomers, strangers and first starts.
DEMO: dict[str, Any] = {"server": {"demo": True}}

LOGIN = "app@sim.test"


class Answer(NamedTuple):
    """One HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)


def environment() -> dict[str, str]:
    """The environment of a process that can import the package from any folder."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(
        [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])}


def command(*arguments: str, timeout: float = SOON, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run C{python -m simmail} to its end."""
    return ended([sys.executable, "-m", "simmail", *arguments], timeout, env=environment(), **more)


def ended(arguments: list[str], within: float = SOON, **more: Any) -> subprocess.CompletedProcess[str]:
    """
    Run a program to its end; C{more}: as C{subprocess.Popen} has it.

    @raise subprocess.TimeoutExpired: it took longer than C{within} seconds, without the time that others took.
    """
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    watch = Stopwatch()
    with subprocess.Popen(arguments, text=True, **{**pipes, **more}) as process:
        while True:
            try:
                out, err = process.communicate(timeout=max(0.1, within - watch.seconds()))
                return subprocess.CompletedProcess(arguments, process.returncode, out, err)
            except subprocess.TimeoutExpired:
                if watch.seconds() >= within:
                    process.kill()
                    raise


def until(found: Callable[[], Any], within: float = SOON, every: float | None = None) -> Any:
    """
    What C{found()} answers once it is true; fails when that takes too long, without the time that others took.

    @param every: real seconds between two looks; None: little at first, and more when it takes long, as who is asked
        has to do it.
    """
    watch, begin = Stopwatch(), time.monotonic()
    while True:
        value = found()
        if value:
            return value
        waited = time.monotonic() - begin
        # Asking the watch costs more than asking most other things.
        if waited >= within and watch.seconds() >= within:
            raise AssertionError(f"not so within {within} s: {getattr(found, '__doc__', '') or found}")
        time.sleep(every if every is not None else 0.02 if waited < 2.0 else 0.1)


class Service:
    """
    C{python -m simmail run} on a state folder.

    @ivar told: all that C{/readyz} has told of its checks.
    @ivar out, log: files with what it printed and logged, over all its lives.
    @ivar descriptors: soft and hard limit of those it is begun with, None for those of this process.
    """

    def __init__(self, folder: Path, config: dict[str, Any] | None = None, arguments: tuple[str, ...] = ()) -> None:
        self.state = folder / "state"
        self.out, self.err, self.log = folder / "out", folder / "err", folder / "log"
        self._config = folder / "config.yaml"
        self.change(config)
        self._arguments = arguments
        self.process: subprocess.Popen[bytes] | None = None
        self.key, self._password = "", ""
        self.told: set[tuple[str, str]] = set()
        self.descriptors: tuple[int, int] | None = None
        self.endpoints: dict[str, dict[str, Any]] = {}

    def change(self, config: dict[str, Any] | None) -> None:
        """Have it begin with another configuration."""
        self._config.write_text(yaml.safe_dump({**CONFIG, **(config or {})}), encoding="utf-8")

    # Its life

    def begin(self) -> None:
        """Start the process, without waiting for anything."""
        # A former life may have been killed, and its port may be another's by now.
        (self.state / "endpoints.json").unlink(missing_ok=True)
        with open(self.out, "ab") as out, open(self.err, "ab") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "simmail", "run", "--state", str(self.state), "--config", str(self._config),
                 "--log", str(self.log), *self._arguments],
                env=environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=self._limit)

    def _limit(self) -> None:
        if self.descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, self.descriptors)

    def start(self) -> float:
        """Start it and wait until it serves; answers how many real seconds that took."""
        begin = time.monotonic()
        self.begin()
        self.wait_ready()
        return time.monotonic() - begin

    def wait_ready(self) -> None:
        """Wait until it serves."""
        process = self.process
        assert process is not None

        def serving() -> bool:
            if process.poll() is not None:
                raise AssertionError(
                    f"it ended with status {process.returncode}: {self.err.read_text()}{self.logged()}")
            try:
                self.endpoints = json.loads((self.state / "endpoints.json").read_text(encoding="utf-8"))
                return self.get("/readyz").status == 200
            except OSError:
                return False

        until(serving)
        first = self.state / "admin.key"
        # Of several servers of an installation one made it.
        self.key = first.read_text(encoding="utf-8").strip() if first.exists() else ""

    def kill(self) -> None:
        """SIGKILL: it has no time to do anything."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(SOON)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop; answers its exit status."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(SOON)

    def logged(self) -> str:
        """The log so far, with those of workers."""
        return "".join(one.read_text(encoding="utf-8", errors="replace")
                       for one in sorted(self.log.parent.glob(f"{self.log.name}*")))

    # Clients

    def port(self, name: str) -> int:
        """The port of a listener."""
        return int(self.endpoints[name]["port"])

    @property
    def password(self) -> str:
        """The password of the login that the first start made."""
        try:
            self._password = json.loads((self.state / "first-login.json").read_text(encoding="utf-8"))[LOGIN]
        except FileNotFoundError:
            # The whole folder may be away by now.
            if not self._password:
                raise
        return self._password

    def call(self, method: str, path: str, body: Any = None, key: str | None = None, timeout: float = 60.0) -> Answer:
        """One call of the API, with the first key unless another is given."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port('http')}{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key if key is None else key}"})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return Answer(answer.status, dict(answer.headers), answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, dict(error.headers), error.read())

    def get(self, path: str, key: str | None = None, timeout: float = 60.0) -> Answer:
        """GET."""
        answer = self.call("GET", path, key=key, timeout=timeout)
        if path == "/readyz":
            self.told |= answer.json()["checks"].items()
        return answer

    def good(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        """What a call that must succeed answers."""
        answer = self.call(method, path, body, key)
        if answer.status != 200:
            raise AssertionError(f"{method} {path}: {answer.status} {answer.body!r}")
        return answer.json()

    def universe(self, name: str, now: str, **fields: Any) -> str:
        """An administrator's key of a new universe that is frozen at an instant."""
        self.good("POST", "/api/admin/universes", {"id": name, "clock": {"now": now, "frozen": True}, **fields})
        return str(self.good("POST", "/api/admin/keys", {"universe": name, "role": "admin"})["key"])

    def events(self, types: str, key: str | None = None) -> list[dict[str, Any]]:
        """All events of some types, oldest first."""
        found: list[dict[str, Any]] = []
        after = 0
        while True:
            page = self.good("GET", f"/api/events?order=asc&limit=1000&after={after}&type={types}", key=key)
            found += page
            if len(page) < 1000:
                return found
            after = page[-1]["id"]

    def undecided(self) -> int:
        """How many mails of the first universe nobody has decided about; -1: that is not told just now."""
        told = re.search(r'simmail_mail_undecided\{[^}]*universe="main"[^}]*\} (\d+)',
                         self.get("/metrics").body.decode())
        return int(told[1]) if told else -1

    def smtp(self, timeout: float = SOON) -> smtplib.SMTP:
        """A session on the SMTP port."""
        return smtplib.SMTP("127.0.0.1", self.port("smtp"), timeout=timeout)

    @contextmanager
    def imap(self, folder: str | None = "INBOX") -> Iterator[imaplib.IMAP4]:
        """A session of the first login on the IMAP port, with a folder selected."""
        with imaplib.IMAP4("127.0.0.1", self.port("imap"), timeout=SOON) as session:
            session.login(LOGIN, self.password)
            if folder is not None:
                session.select(folder)
            yield session


class JourneyCase(SynchronousTestCase):
    """A journey: services are stopped at its end, and their logs must be without a traceback."""

    def service(self, config: dict[str, Any] | None = None, arguments: tuple[str, ...] = ()) -> Service:
        """A service on a new state folder, not started yet."""
        made = Service(self.folder(), config, arguments)
        self.addCleanup(self._finish, made)
        return made

    def folder(self) -> Path:
        """A new empty folder with a short path."""
        # Not below trial's: the path of a Unix socket has about a hundred octets.
        path = tempfile.mkdtemp(prefix="simmail-journey-")
        self.addCleanup(shutil.rmtree, path, True)
        return Path(path)

    def _finish(self, service: Service) -> None:
        process = service.process
        try:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
                try:
                    status = process.wait(SOON)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    raise
                self.assertEqual(status, 0, service.logged()[-3000:])
        finally:
            end_redis(service.state)
        # Whoever reads it finds it in the documentation.
        self.assertEqual([one for one in sorted(service.told) if undocumented(dict([one]))], [])
        log = service.logged()
        at = log.find("Traceback (most recent call last)")
        self.assertEqual(at, -1, log[max(0, at - 500):at + 3000])
        self.assertNotIn("Unhandled", log)


def redis_pid(state: Path) -> int | None:
    """The process id of the private Redis of a state folder, None when there is none."""
    if not _redis_lives(state):
        return None
    try:
        return int((state / "redis" / "redis.pid").read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        # It begins or ends just now.
        return None


def _redis_lives(state: Path) -> bool:
    try:
        # It holds this lock while it lives; its process id may be another's by then.
        with open(state / "redis" / "redis.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True


def end_redis(state: Path) -> None:
    """Kill the private Redis that a killed daemon left behind, also where it was just being begun."""
    until_gone = time.monotonic() + SOON
    while _redis_lives(state):
        pid = redis_pid(state)
        if pid is not None:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if time.monotonic() > until_gone:
            raise AssertionError(f"the Redis of {state} does not end")
        time.sleep(0.01)


def message(sender: str, to: str, subject: str, text: str, **fields: str) -> bytes:
    """A small message, as SMTP carries it."""
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"From: {sender}\r\nTo: {to}\r\nSubject: {subject}\r\n{more}\r\n{text}\r\n".encode()
