"""
An operator's Redis that is there and of no use for a while: each time C{/readyz} and the log say why, mail is put off,
and all goes on by itself; nothing that was acknowledged is lost, and nothing is done twice.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import time

from simmail.database.private.program import find
from tests.journeys.disk import send_one
from tests.journeys.load import Load
from tests.journeys.relay import Relay
from tests.journeys.running import LOGIN, SOON, JourneyCase, Service, until
from tests.stopwatch import Stopwatch

#: Real seconds until it is known to be away (promises, R5), that anything takes meanwhile, and a busy machine adds.
KNOWN, AWAY, SLACK = 2.0, 2.0, 1.0


class Operated:
    """A Redis as an operator runs one, on a port, with a folder of its own."""

    def __init__(self, case: JourneyCase) -> None:
        folder = case.folder()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.process = subprocess.Popen(
            [find(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder), "--appendonly", "yes",
             "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction",
             "--repl-diskless-sync-delay", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        case.addCleanup(self.process.wait)
        case.addCleanup(self.process.kill)
        case.addCleanup(self.process.send_signal, signal.SIGCONT)
        until(lambda: self._answers())

    def _answers(self) -> bool:
        try:
            return self.ask("PING") == "+PONG"
        except OSError:
            return False

    def ask(self, *commands: str) -> str:
        """The first line of the answer to the last of some commands."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SOON) as connection:
            with connection.makefile("rb") as answers:
                line = b""
                for command in commands:
                    connection.sendall(f"{command}\r\n".encode())
                    line = answers.readline()
                    if line.startswith(b"$"):
                        line = answers.read(int(line[1:]) + 2)
                return line.decode().strip()


class TroubleTests(JourneyCase):
    """One process of the service goes through each."""

    def begun(self, url: str) -> tuple[Service, Load]:
        """It is under way, with mail that comes in."""
        service = self.service({"redis": {"url": url}})
        service.start()
        load = Load(service)
        load.create_people()
        self.assertEqual(load.uids(), {})
        self.addCleanup(load.end)
        # No more than is needed: all of it is decided about, and looked at in the end.
        load.begin(4, again=True, pause=0.05, rest=0.2)
        load.wait_for(30)
        return service, load

    def away(self, service: Service, why: str, within: float = KNOWN) -> None:
        """Soon it is known to be away, and why; every door says so in time."""
        watch = Stopwatch()
        until(lambda: service.get("/readyz").json()["checks"]["redis"] == f"away: {why}")
        self.assertLess(watch.seconds(), within + SLACK)
        self.assertEqual(service.get("/readyz").status, 503)
        until(lambda: f"is away: {why}" in service.logged())
        self.each_in_time(service)

    def each_in_time(self, service: Service) -> None:
        """4xx, 503 and, over IMAP, what needs files only."""
        watch = Stopwatch()
        self.assertEqual(send_one(service, "refused"), 451)
        self.assertLess(watch.seconds(), AWAY + SLACK)
        for method, path, body in (("POST", "/api/send", {"from": LOGIN, "to": ["maria@acme.test"], "text": "Hello"}),
                                   ("GET", "/api/events", None)):
            watch = Stopwatch()
            answer = service.call(method, path, body)
            self.assertEqual((answer.status, list(answer.json())), (503, ["error"]))
            self.assertLess(watch.seconds(), AWAY + SLACK)
        with service.imap() as session:
            self.assertEqual(session.search(None, "ALL")[0], "OK")

    def back(self, service: Service, load: Load) -> None:
        """It goes on."""
        watch = Stopwatch()
        until(lambda: service.get("/readyz").status == 200)
        load.wait_for(len(load.acknowledged) + 20)
        self.assertLess(watch.seconds(), 2.0 + SLACK)

    def checked(self, load: Load) -> None:
        """All of it is there, once."""
        load.end()
        self.assertEqual(load.permanent, [])
        self.assertLessEqual(set(load.refused), {451, 454, 421})
        load.check(self, 60.0)

    def test_password_changed(self) -> None:
        """The password is another one, and whoever was connected is hung up on; then it is the right one again."""
        redis = Operated(self)
        redis.ask("CONFIG SET requirepass one")
        service, load = self.begun(f"redis://:one@127.0.0.1:{redis.port}")
        for _ in range(2):
            redis.ask("AUTH one", "CONFIG SET requirepass two", "CLIENT KILL TYPE normal SKIPME yes")
            self.away(service, "it does not take the user or password")
            redis.ask("AUTH two", "CONFIG SET requirepass one")
            self.back(service, load)
        # Nobody is hung up on, and may not do what it did.
        for rights, given in (("-@scripting", "+@scripting"), ("-@all", "+@all")):
            redis.ask("AUTH one", f"ACL SETUSER default {rights} +ping +acl +auth")
            self.away(service, "it does not take the user or password")
            redis.ask("AUTH one", f"ACL SETUSER default {given}")
            self.back(service, load)
        self.checked(load)
        for word in ("one@", "two@", ":one"):
            self.assertNotIn(word, service.logged())

    def test_slow(self) -> None:
        """It answers nothing for three seconds, then takes no changes for three, then stands for eight."""
        redis = Operated(self)
        service, load = self.begun(f"redis://127.0.0.1:{redis.port}")

        def stands() -> None:
            redis.process.send_signal(signal.SIGSTOP)

        def goes_on() -> None:
            time.sleep(8.0)
            redis.process.send_signal(signal.SIGCONT)

        for begin, end in ((lambda: redis.ask("CLIENT PAUSE 3000 ALL"), lambda: None),
                           (lambda: redis.ask("CLIENT PAUSE 3000 WRITE"), lambda: None), (stands, goes_on)):
            begin()
            until(lambda: service.get("/readyz").status == 503, 4.0)
            if begin is stands:
                self.away(service, "it does not answer in time")
            end()
            until(lambda: service.get("/readyz").status == 200, 5.0)
            self.back(service, load)
        self.checked(load)
        self.assertIn("is away: it does not answer in time", service.logged())

    def test_takes_nothing(self) -> None:
        """It has too few replicas, then a script of another program keeps it busy."""
        redis = Operated(self)
        service, load = self.begun(f"redis://127.0.0.1:{redis.port}")
        redis.ask("CONFIG SET min-replicas-to-write 1")
        self.away(service, "it has too few replicas")
        redis.ask("CONFIG SET min-replicas-to-write 0")
        self.back(service, load)
        redis.ask("CONFIG SET busy-reply-threshold 100")
        with socket.create_connection(("127.0.0.1", redis.port), timeout=SOON) as other:
            other.sendall(b'EVAL "while true do end" 0\r\n')
            self.away(service, "it is busy with a script")
            redis.ask("SCRIPT KILL")
            self.assertEqual(other.recv(4), b"-ERR")
        self.back(service, load)
        self.checked(load)

    def test_slow_for_a_moment(self) -> None:
        """Slower than usual and still in time: nobody is refused anything."""
        redis = Operated(self)
        service, load = self.begun(f"redis://127.0.0.1:{redis.port}")
        for _ in range(3):
            redis.ask("CLIENT PAUSE 700 ALL")
            time.sleep(1.0)
            self.assertEqual(service.get("/readyz").status, 200)
        self.checked(load)
        self.assertEqual(load.refused.total(), 0)

    def test_fail_over(self) -> None:
        """
        A replica becomes the primary, and the other its replica: away and read-only until the address leads to the
        new one, which may lack what was acknowledged last.
        """
        pair = [Operated(self), Operated(self)]
        relay = Relay(pair[0].port)
        self.addCleanup(relay.close)
        pair[1].ask(f"REPLICAOF 127.0.0.1 {pair[0].port}")
        service, load = self.begun(f"redis://127.0.0.1:{relay.port}")
        for _ in range(3):
            old, new = pair
            until(lambda: "master_link_status:up" in new.ask("INFO replication"))
            # It follows no more, and some mail is acknowledged that it does not have.
            new.ask("REPLICAOF NO ONE")
            load.wait_for(len(load.acknowledged) + 20)
            old.ask(f"REPLICAOF 127.0.0.1 {new.port}")
            self.away(service, "it is read-only")
            relay.target = new.port
            relay.cut()
            self.back(service, load)
            pair.reverse()
        self.checked(load)
        self.assertRegex(service.logged(), r"came back with less than it had: [1-9]\d* commits were made again")
