"""Slots move from one Valkey to another, key by key or as a whole, while mail is sent and read and calls are made."""

from __future__ import annotations

import smtplib
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.pool import ThreadPool
from threading import Event

from simmail.database.cluster.primaries import slot
from tests.database.clusters import KeyByKey, shared
from tests.journeys.running import JourneyCase, message, Service, SOON, until

WHO, QUIET = "app@elm.example", "quiet@elm.example"

#: Real seconds within which the other server tells of mail that one has taken; of the slowest while a slot moves.
NEWS, SLOWEST = 0.1, 2.0


class Listener:
    """Somebody who is told what is new; C{sign}: what is in a line that says so."""

    def __init__(self, service: Service, port: str, sign: bytes) -> None:
        self._socket = socket.create_connection(("127.0.0.1", service.port(port)), SOON)
        self._lines, self._sign = self._socket.makefile("rb"), sign

    def say(self, line: str) -> None:
        """Send a line."""
        self._socket.sendall(line.encode() + b"\r\n")

    def line(self) -> bytes:
        """Wait for a line."""
        line = self._lines.readline()
        assert line, "it hung up"
        return line

    def heard(self) -> None:
        """Wait until there is another mail."""
        while self._sign not in self.line():
            pass

    def close(self) -> None:
        """It ends."""
        self._lines.close()
        self._socket.close()


class Idle(Listener):
    """An IMAP session in IDLE."""

    def __init__(self, service: Service) -> None:
        super().__init__(service, "imap", b"EXISTS")
        self.line()
        for tag, words in (("a", f"LOGIN {QUIET} secret"), ("b", "SELECT INBOX")):
            self.say(f"{tag} {words}")
            while not (line := self.line()).startswith(tag.encode()):
                pass
            assert b" OK" in line, line
        self.say("c IDLE")
        assert self.line().startswith(b"+")


class Stream(Listener):
    """The stream of events."""

    def __init__(self, service: Service, key: str) -> None:
        super().__init__(service, "http", b'"subject":"Quiet')
        self.say(f"GET /api/events/stream?type=mail.delivered HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n")
        assert b" 200 " in self.line()
        while self.line().strip():
            pass


class SlotsTests(JourneyCase):
    """Servers on a cluster; elm is at the first of them."""

    def prepare(self, *nodes: str) -> None:
        """Start servers and give elm a persona and two logins."""
        shared().clear()
        self.services = [self.node(node, "a secret of servers" if len(nodes) > 1 else "") for node in nodes]
        for service in self.services:
            service.start()
        self.a, self.b = self.services[0], self.services[-1]
        self.key = self.a.universe("elm", "2026-03-02T09:00:00Z")
        for address in (WHO, QUIET):
            self.a.good("POST", "/api/accounts", {"address": address, "password": "secret"}, key=self.key)
        self.a.good("POST", "/api/personas", {
            "name": "Maria Rossi", "addresses": ["maria@elm.example"],
            "timing": {"reply_rate": 1.0, "delay": {"median": "20m", "spread": 1.5}}}, key=self.key)
        self.sent: list[str] = []
        self.made: list[str] = []
        self.refused: list[str] = []

    def node(self, name: str, secret: str) -> Service:
        """A server, not started yet; C{secret}: of an installation, C{""} for none."""
        more = {"peers": "127.0.0.1:0", "secret": secret} if secret else {}
        return self.service({
            "redis": {"cluster": shared().urls[:1]}, "server": {"node": name, "demo": False, **more}})

    # Load

    def mails(self, who: int, ended: Event) -> None:
        """Send mail by way of any server until it is over."""
        at = 0
        while not ended.is_set():
            try:
                with self.services[who % len(self.services)].smtp() as session:
                    session.login(WHO, "secret")
                    while not ended.is_set():
                        at += 1
                        session.sendmail(WHO, [WHO, "maria@elm.example"], message(
                            WHO, "maria@elm.example", f"Load {who} {at}", "Can we meet?"))
                        self.sent.append(f"Load {who} {at}")
            except (OSError, smtplib.SMTPException) as error:
                self.refused.append(f"SMTP: {error!r}")
                time.sleep(0.05)

    def calls(self, who: int, ended: Event) -> None:
        """Make personas and keys, and read, at any server until it is over."""
        at = 0
        service = self.services[who % len(self.services)]
        while not ended.is_set():
            at += 1
            name = f"p{who}.{at}@elm.example"
            for method, path, body, key in (
                    ("POST", "/api/personas", {"name": "Ann Lee", "addresses": [name]}, self.key),
                    ("GET", "/api/events?limit=200", None, self.key),
                    ("POST", "/api/admin/keys", {"universe": "elm", "role": "viewer"}, self.a.key),
                    ("GET", f"/api/mailboxes/{WHO}/messages?limit=10", None, self.key)):
                answer = service.call(method, path, body, key)
                if answer.status != 200:
                    self.refused.append(f"{method} {path}: {answer.status} {answer.body[:200]!r}")
                elif path == "/api/personas":
                    self.made.append(name)

    @contextmanager
    def load(self) -> Iterator[Callable[[], None]]:
        """All of it goes on; what is given waits until some more was done."""
        ended = Event()

        def more() -> None:
            sent, made = len(self.sent), len(self.made)
            until(lambda: len(self.sent) > sent + 20 and len(self.made) > made + 4)

        with ThreadPool(4) as pool:
            work = [pool.apply_async(one, (who, ended)) for who in range(2) for one in (self.mails, self.calls)]
            try:
                more()
                yield more
            finally:
                ended.set()
                for each in work:
                    each.get(SOON)

    def check(self) -> None:
        """Nothing was refused; what was acknowledged is there, once; people have decided about all of it, once."""
        self.assertEqual(self.refused, [])
        for mailbox in (WHO, "maria@elm.example"):
            found: list[str] = []
            while page := self.b.good(
                    "GET", f"/api/mailboxes/{mailbox}/messages?limit=100&offset={len(found)}", key=self.key):
                found += [one["subject"] for one in page]
            loads = sorted(one for one in found if one.startswith("Load"))
            self.assertEqual(loads, sorted(self.sent))
        made = [one["addresses"][0] for one in self.a.good("GET", "/api/personas", key=self.key)]
        self.assertEqual(sorted(one for one in made if one.startswith("p")), sorted(self.made))
        events = self.a.good("GET", "/api/events?limit=1000&order=asc", key=self.key)
        numbers = [one["id"] for one in events]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
        self.a.good("POST", "/api/clock/advance", {"by": "1d"}, key=self.key)
        jobs = [one["id"] for one in self.a.events("persona.sent", self.key)]
        self.assertTrue(jobs)
        self.assertEqual(len(jobs), len(set(jobs)))
        prints = [service.good("GET", "/api/fingerprint", key=self.key) for service in self.services]
        self.a.kill()
        self.a.start()
        self.assertEqual([service.good("GET", "/api/fingerprint", key=self.key) for service in self.services], prints)

    def news(self, times: int = 9) -> list[float]:
        """Real seconds from the answer to a mail at the first server to its news in IDLE and the stream at the last."""
        took = []
        listeners = Idle(self.b), Stream(self.b, self.key)
        try:
            with self.a.smtp() as session:
                session.login(QUIET, "secret")
                for at in range(times):
                    session.sendmail(QUIET, [QUIET], message(QUIET, QUIET, f"Quiet {at}", "x"))
                    begun = time.monotonic()
                    for listener in listeners:
                        listener.heard()
                    took.append(time.monotonic() - begun)
        finally:
            for listener in listeners:
                listener.close()
        return took

    # Moves

    def places(self, prefix: str) -> tuple[int, int]:
        """Ports of the primary that has a hash tag, and of another."""
        cluster, number = shared(), slot(prefix)
        has = next(int(entry[2][1]) for entry in cluster.ask(cluster.ports[0], "CLUSTER", "SLOTS")
                   if entry[0] <= number <= entry[1])
        return has, next(port for port in cluster.ports if port != has)

    def key_by_key(self, prefix: str, more: Callable[[], None]) -> None:
        """Each step takes its time."""
        move = KeyByKey(shared(), slot(prefix), *self.places(prefix))
        move.begin()
        move.carry(*move.keys()[:3])
        more()
        for key in move.keys():
            move.carry(key)
            time.sleep(0.01)
        took = self.news()
        self.assertLess(max(took), SLOWEST)
        more()
        move.end()
        more()

    def known(self, times: int = 7) -> list[float]:
        """Real seconds from before a key is made at the first server until the last one takes it, and none any more."""
        took = []
        for _ in range(times):
            begun = time.monotonic()
            key = self.a.good("POST", "/api/admin/keys", {"universe": "main", "role": "viewer"})["key"]
            until(lambda key=key: self.b.get("/api/status", key).status != 401, every=0.002)
            took.append(time.monotonic() - begun)
            begun = time.monotonic()
            self.a.good("DELETE", f"/api/admin/keys/{key.split('_')[1]}")
            until(lambda key=key: self.b.get("/api/status", key).status == 401, every=0.002)
            took.append(time.monotonic() - begun)
        return took

    def test_apart(self) -> None:
        """Two servers that do not reach each other: what one changes the other hears of by way of Redis."""
        shared().clear()
        self.a, self.b = self.node("a", "one secret of servers"), self.node("b", "another secret of servers")
        self.a.start()
        self.b.start()
        self.assertLess(statistics.median(self.known()), NEWS)
        move = KeyByKey(shared(), slot("{~}"), *self.places("{~}"))
        move.begin()
        self.assertLess(max(self.known()), SLOWEST)
        move.carry(*move.keys())
        move.end()
        self.assertLess(max(self.known(1)), SLOWEST)
        self.assertLess(statistics.median(self.known()), NEWS)

    def test_one(self) -> None:
        """One server, and the slot of its universe."""
        self.prepare("a")
        with self.load() as more:
            self.key_by_key("{elm}", more)
        self.check()

    def test_two(self) -> None:
        """Two servers, the slot of a universe and that of what both know; what is new is heard at the other."""
        self.prepare("a", "b")
        self.assertLess(statistics.median(self.news()), NEWS)
        with self.load() as more:
            for prefix in ("{elm}", "{~}"):
                self.key_by_key(prefix, more)
        self.assertLess(statistics.median(self.news()), NEWS)
        self.check()

    def test_whole(self) -> None:
        """The same as a whole (C{CLUSTER MIGRATESLOTS})."""
        self.prepare("a", "b")
        cluster = shared()
        with self.load() as more:
            for prefix in ("{elm}", "{~}"):
                source, target = self.places(prefix)
                number = str(slot(prefix))
                cluster.ask(source, "CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", number, number, "NODE",
                            cluster.ask(target, "CLUSTER", "MYID").decode())
                self.assertLess(max(self.news()), SLOWEST)
                until(lambda prefix=prefix, target=target: self.places(prefix)[0] == target)
                more()
        self.assertLess(statistics.median(self.news()), NEWS)
        self.check()
