"""Redis is away: mail is put off, never lost or refused for good; nothing waits long; all is well once it is back."""

from __future__ import annotations

import os
import signal
import smtplib
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from socket import AF_UNIX, socket

from simmail.database.private.program import find
from tests.journeys.load import Load
from tests.journeys.running import LOGIN, SOON, JourneyCase, Service, message, redis_pid, until
from tests.stopwatch import Stopwatch

#: Real seconds that anything may take while Redis is away, and for all to work when it is back.
AWAY, BACK = 2.0, 2.0

#: What a busy machine may add.
SLACK = 1.0


class OutageTests(JourneyCase):
    """Promises, R5 and R6, scaled down."""

    def operated(self, folder: Path, *options: str) -> subprocess.Popen[bytes]:
        """A Redis as an operator runs one, on a socket in a folder."""
        (folder / "redis.sock").unlink(missing_ok=True)
        process = subprocess.Popen(
            [find(), "--port", "0", "--unixsocket", str(folder / "redis.sock"), "--dir", str(folder),
             "--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction",
             *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def timed(self, what: Callable[[], object]) -> object:
        """What something answers; it must not take longer than the promise."""
        watch = Stopwatch()
        answer = what()
        self.assertLess(watch.seconds(), AWAY + SLACK)
        return answer

    def transaction(self, service: Service) -> tuple[int, bytes]:
        """The reply that decides about a small message."""
        with service.smtp() as session:
            session.ehlo()
            for reply in (lambda: session.mail("app@sim.test"), lambda: session.rcpt("maria@acme.test"),
                          lambda: session.data(message("app@sim.test", "maria@acme.test", "Short", "Hello"))):
                try:
                    code, text = reply()
                except smtplib.SMTPDataError as error:
                    code, text = error.smtp_code, error.smtp_error
                if code != 250:
                    return code, text
            return code, text

    def check_away(self, service: Service, why: str = "it cannot be reached") -> None:
        """What every door says while Redis is away."""
        for _ in range(2):
            code, text = self.timed(lambda: self.transaction(service))  # type: ignore[misc]
            self.assertEqual((code, text[:5]), (451, b"4.3.0"))
        with service.smtp() as session:
            session.ehlo()
            error = self.assertRaises(
                smtplib.SMTPAuthenticationError, self.timed, lambda: session.login(LOGIN, service.password))
            self.assertEqual((error.smtp_code, error.smtp_error[:5]), (454, b"4.7.0"))
        for method, path, body in (
            ("GET", "/api/events", None), ("GET", "/api/jobs", None), ("GET", "/api/status", None),
            ("GET", f"/api/mailboxes/{LOGIN}/messages", None),
            ("POST", "/api/send", {"from": LOGIN, "to": ["maria@acme.test"], "text": "Hello"}),
            ("POST", "/api/personas", {"addresses": ["new@acme.test"]}),
            ("PUT", "/api/pace", {"factor": 2}), ("POST", "/api/clock/advance", {"by": "1d"}),
        ):
            answer = self.timed(lambda: service.call(method, path, body))
            self.assertEqual((answer.status, list(answer.json())), (503, ["error"]), path)  # type: ignore[attr-defined]
            self.assertIn("Retry-After", answer.headers)  # type: ignore[attr-defined]
        self.assertEqual(service.get("/livez").status, 200)
        ready = service.get("/readyz")
        self.assertEqual((ready.status, ready.json()["checks"]["redis"]), (503, f"away: {why}"))

    def check_files(self, service: Service, read: int) -> None:
        """Over IMAP, what needs only files goes on."""
        watch = Stopwatch()
        with service.imap() as session:
            self.assertEqual(session.search(None, "ALL")[0], "OK")
            _, found = session.fetch("1", "(BODY.PEEK[])")
            self.assertIn(b"Subject: Before", found[0][1])
            self.assertEqual(session.store("1", "+FLAGS", "\\Flagged")[0], "OK")
            self.assertEqual(session.append("INBOX", "", "", b"Subject: appended\r\n\r\nHello\r\n")[0], "OK")
            self.assertEqual(session.status("INBOX", "(MESSAGES)"), ("OK", [f"INBOX (MESSAGES {read + 1})".encode()]))
        self.assertLess(watch.seconds(), AWAY + SLACK)

    def check_back(self, service: Service) -> None:
        """Soon all works again, without a restart."""
        watch = Stopwatch()
        until(lambda: service.get("/readyz").status == 200)
        self.assertLess(watch.seconds(), BACK + SLACK)
        self.assertEqual(self.transaction(service)[0], 250)
        service.good("POST", "/api/send", {"from": LOGIN, "to": ["maria@acme.test"], "text": "Hello"})
        self.assertEqual(service.good("GET", "/api/pace")["factor"], 1)
        with service.smtp() as session:
            session.login(LOGIN, service.password)

    def before(self, service: Service) -> None:
        """A message is there before anything happens."""
        service.start()
        with service.smtp() as session:
            session.sendmail("x@sim.test", [LOGIN], message("x@sim.test", LOGIN, "Before", "Hello"))

    def test_operators_redis(self) -> None:
        """An operator's Redis is stopped and comes back."""
        folder = self.folder()
        redis = self.operated(folder)
        service = self.service({"redis": {"url": f"unix://{folder / 'redis.sock'}"}})
        until((folder / "redis.sock").exists)
        self.before(service)
        self.assertIsNone(redis_pid(service.state))
        for read in (1, 2):
            # It answers while it loads what was rewritten, not while it reads a short log.
            log = folder / "appendonlydir" / f"appendonly.aof.{read + 1}.base.rdb"
            self.tell(folder, "BGREWRITEAOF")
            until(lambda: log.name in (log.parent / "appendonly.aof.manifest").read_text())
            redis.kill() if read == 1 else redis.terminate()
            redis.wait()
            self.check_away(service)
            self.check_files(service, read)
            # As if it were large: each key that it loads takes this many microseconds.
            redis = self.operated(
                folder, "--key-load-delay", "100000", "--loading-process-events-interval-bytes", "1024")
            until(lambda: service.get("/readyz").json()["checks"]["redis"] == "away: it is loading its data")
            self.assertEqual(self.timed(lambda: self.transaction(service))[0], 451)  # type: ignore[index]
            self.tell(folder, "CONFIG SET key-load-delay 0")
            self.check_back(service)
        self.check_refusals(service, folder)
        sent = [event["data"]["subject"] for event in service.events("mail.delivered")]
        self.assertEqual(sent[:5], ["Before", *["Short", ""] * 2])
        self.assertEqual(sent.count("Short"), self.accepted)

    def check_refusals(self, service: Service, folder: Path) -> None:
        """One that is there and takes nothing is away as well, says why, and is back by itself."""
        self.accepted = 2
        # It cannot be saved into.
        (folder / "dump.rdb").mkdir()
        for begin, end, why in (
            (["CONFIG SET maxmemory 1"], "CONFIG SET maxmemory 0", "it is out of memory"),
            (["REPLICAOF 127.0.0.1 1"], "REPLICAOF NO ONE", "it is read-only"),
            (['CONFIG SET save "3600 1"', "BGSAVE"], 'CONFIG SET save ""', "its disk refuses"),
        ):
            for words in begin:
                self.tell(folder, words)
            # What was taken before it was known to be away is in the journal.
            until(lambda: self.counted(service) == 451)
            until(lambda: service.get("/readyz").json()["checks"]["redis"] == f"away: {why}")
            self.assertEqual(self.timed(lambda: service.call("PUT", "/api/pace", {"factor": 2}).status), 503)
            self.tell(folder, end)
            watch = Stopwatch()
            until(lambda: self.counted(service) == 250 and service.get("/readyz").status == 200)
            self.assertLess(watch.seconds(), BACK + SLACK)
        until(lambda: service.undecided() == 0)

    def tell(self, folder: Path, words: str) -> None:
        """Ask an operator's Redis for something that it does."""
        with socket(AF_UNIX) as redis:
            redis.connect(str(folder / "redis.sock"))
            redis.sendall(f"{words}\r\n".encode())
            self.assertEqual(redis.recv(100)[:1], b"+")

    def counted(self, service: Service) -> int:
        """The reply to a small message."""
        code, _ = self.transaction(service)
        self.accepted += code == 250
        return code

    def test_redis_hangs(self) -> None:
        """A Redis that takes calls and answers none keeps nobody waiting either."""
        service = self.service()
        self.before(service)
        pid = redis_pid(service.state)
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        # Until it is known to be away: durable and owed, or put off, but never late.
        until(lambda: self.timed(lambda: self.transaction(service))[0] == 451)  # type: ignore[index]
        self.check_away(service, "it does not answer in time")
        self.check_files(service, 1)
        os.kill(pid, signal.SIGCONT)
        self.check_back(service)

    def test_killed_again_and_again(self) -> None:
        """The private Redis is killed in mid-load: only 4xx, nothing acknowledged is lost, nothing is there twice."""
        service = self.service()
        service.start()
        load = Load(service)
        load.create_people()
        load.begin(8, again=True)
        for _ in range(5):
            time.sleep(0.5)
            pid = until(lambda: redis_pid(service.state))
            os.kill(pid, signal.SIGKILL)
        watch = Stopwatch()
        until(lambda: redis_pid(service.state) not in (None, pid) and service.get("/readyz").status == 200)
        self.assertLess(watch.seconds(), BACK + SLACK + 2.0)
        known = len(load.acknowledged)
        until(lambda: len(load.acknowledged) > known + 20, SOON)
        load.end()
        self.assertEqual(load.permanent, [])
        load.check(self)
