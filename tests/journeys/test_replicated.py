"""A universe whose mail is in a store of objects too outlives its machine: a real SeaweedFS, a real Redis, kill -9."""

from __future__ import annotations

import imaplib
import json
import os
import shutil
import subprocess
from typing import Any

from simmail.database.private.program import find
from tests import seaweed
from tests.journeys.disk import refused
from tests.journeys.load import Load
from tests.journeys.relay import Relay
from tests.journeys.running import LOGIN, JourneyCase, Service, message, until


class ReplicatedTests(JourneyCase):
    """The first universe is replicated; Redis stays, the state folder goes."""

    skip = seaweed.MISSING or None

    def setUp(self) -> None:
        """Keys are in the environment."""
        self.patch(os, "environ", {
            **os.environ, "SEAWEED_KEY": seaweed.ACCESS_KEY, "SEAWEED_SECRET": seaweed.SECRET_KEY})

    def replicated(self, server: seaweed.Seaweed, relay: Relay | None = None, **more: Any) -> Service:
        """A service on a Redis of its own, not started yet; C{relay}: its way to the store."""
        folder = self.folder()
        redis = subprocess.Popen(
            [find(), "--port", "0", "--unixsocket", str(folder / "redis.sock"), "--dir", str(folder), "--appendonly",
             "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(redis.wait)
        self.addCleanup(redis.kill)
        until((folder / "redis.sock").exists)
        self.bucket = server.bucket()
        reached = self.bucket if relay is None else self.bucket.replace(f":{server.port}/", f":{relay.port}/")
        return self.service({"redis": {"url": f"unix://{folder / 'redis.sock'}"}, "objects": {
            "url": reached, "access_key_env": "SEAWEED_KEY", "secret_key_env": "SEAWEED_SECRET",
            "durability": "replicated", **more}})

    def lose(self, service: Service) -> None:
        """The machine is gone; another one is started, with the keys of its owner."""
        kept = {name: (service.state / name).read_bytes() for name in ("admin.key", "first-login.json")}
        service.kill()
        shutil.rmtree(service.state)
        service.state.mkdir(mode=0o700)
        for name, octets in kept.items():
            (service.state / name).write_bytes(octets)
            (service.state / name).chmod(0o600)
        service.start()

    def sent(self, service: Service) -> int:
        """The code that decides about a small message to the first login."""
        with service.smtp() as session:
            session.ehlo()
            for step in (lambda: session.mail("x@sim.test"), lambda: session.rcpt(LOGIN)):
                if (code := step()[0]) != 250:
                    return code
            return session.data(message("x@sim.test", LOGIN, "Report", "Hello"))[0]

    def send(self, service: Service) -> None:
        """Send one; a server that has just begun may be too slow at first."""
        until(lambda: self.sent(service) == 250, 30.0)

    def flags(self, service: Service) -> dict[int, set[str]]:
        """Flags of the login's INBOX by UID, but for those of a session."""
        with service.imap() as session:
            _, parts = session.uid("FETCH", "1:*", "(FLAGS)")
        return {int(part.split(b"UID ")[1].split()[0].rstrip(b")")):
                set(map(bytes.decode, imaplib.ParseFlags(part))) - {"\\Recent"} for part in parts}

    def test_lost(self) -> None:
        """Under load, with flags set meanwhile, everything acknowledged is on the next machine, once, as it was."""
        service = self.replicated(seaweed.seaweed())
        service.start()
        load = Load(service)
        load.create_people()
        for _ in range(2):
            load.begin(8)
            load.wait_for(len(load.acknowledged) + 60)
            flagged: dict[int, str] = {}
            with service.imap() as session:
                validity = session.response("UIDVALIDITY")
                for number, uid in enumerate(session.uid("SEARCH", "ALL")[1][0].split()[-20:]):
                    flag = ("\\Flagged", "\\Seen", "Urgent")[number % 3]
                    self.assertEqual(session.uid("STORE", uid, "+FLAGS", f"({flag})")[0], "OK")
                    flagged[int(uid)] = flag
                gone = session.uid("SEARCH", "ALL")[1][0].split()[0]
            uids = load.uids()
            self.lose(service)
            load.end()
            with service.imap() as session:
                self.assertEqual(session.response("UIDVALIDITY"), validity)
                self.assertIn(gone, session.uid("SEARCH", "ALL")[1][0].split())
            after, now = load.uids(), self.flags(service)
            self.assertEqual({name: uid for name, uid in uids.items() if after.get(name) != uid}, {})
            for uid, flag in flagged.items():
                self.assertIn(flag, now[uid])
            load.check(self)
        self.assertEqual(load.permanent, [])
        until(lambda: b"\nsimmail_replication_waiting 0\n" in service.get("/metrics").body)
        self.assertRegex(service.get("/metrics").body.decode(),
                         r'simmail_objects_round_trip_seconds_count\{operation="put"\} [1-9]')

    def test_away(self) -> None:
        """While the store is away nothing is acknowledged, reading goes on; when it is back it goes on by itself."""
        server = seaweed.Seaweed()
        self.addCleanup(server.clear)
        service = self.replicated(server, timeout="3s")
        service.start()
        self.send(service)
        server.stop()
        self.assertEqual(self.sent(service), 451)
        answer = service.get("/readyz")
        self.assertEqual(answer.status, 503)
        self.assertIn("object store is away", answer.json()["checks"]["objects"])
        self.assertEqual(self.sent(service), 451)
        self.assertEqual(service.call("POST", "/api/send", {
            "from": LOGIN, "to": ["maria@acme.test"], "text": "Hello"}).status, 503)
        with service.imap() as session:
            # What was filed here and refused after all is gone as soon as somebody looks again.
            until(lambda: session.uid("SEARCH", "ALL")[1][0].split() == [b"1"])
            self.assertIn(b"UNAVAILABLE", session.uid("STORE", "1", "+FLAGS", "(\\Flagged)")[1][0])
        server.start()
        until(lambda: service.get("/readyz").status == 200)
        self.send(service)
        self.lose(service)
        with service.imap() as session:
            self.assertEqual(len(session.uid("SEARCH", "ALL")[1][0].split()), 2)

    def test_trouble(self) -> None:
        """
        Under load the store is slow, refuses, is out of service and cut off: each is told, nothing is acknowledged
        meanwhile, and what was is on the next machine, once.  What it does after it was given up is its own again.
        """
        server = seaweed.seaweed()
        relay = Relay(server.port)
        self.addCleanup(relay.close)
        service = self.replicated(server, relay, timeout="2s")
        service.start()
        load = Load(service)
        load.create_people()
        self.assertEqual(load.uids(), {})
        self.addCleanup(load.end)
        load.begin(4, again=True)
        load.wait_for(20)
        relay.delay = 0.3
        # Slower than usual and still in time: nobody is refused anything.
        load.wait_for(len(load.acknowledged) + 12)
        self.assertEqual((load.refused.total(), service.get("/readyz").status), (0, 200))
        for change, told in (
            ({"delay": 3.0}, "no answer within 2 s"), ({"answer": _refusal(503, "SlowDown")}, "503 (SlowDown)"),
            ({"answer": _refusal(403, "AccessDenied")}, "403 (AccessDenied)"), ({"target": 1}, "no answer in HTTP"),
        ):
            usual = {name: getattr(relay, name) for name in change}
            for name, value in change.items():
                setattr(relay, name, value)
            relay.cut()
            until(lambda: told in service.get("/readyz").json()["checks"]["objects"])
            self.assertEqual(service.get("/readyz").status, 503)
            taken = len(load.acknowledged)
            self.assertEqual(refused(service), [])
            self.assertEqual(len(load.acknowledged), taken)
            self.assertIn(told, service.logged())
            for name, value in {"delay": 0.0, **usual}.items():
                setattr(relay, name, value)
            until(lambda: service.get("/readyz").status == 200)
            load.wait_for(taken + 20)
        uids = load.uids()
        self.lose(service)
        load.end()
        self.assertEqual(load.permanent, [])
        self.assertNotIn("another server has the universe", service.logged())
        after = load.uids()
        self.assertEqual({name: uid for name, uid in uids.items() if after.get(name) != uid}, {})
        load.check(self)

    def test_replaced(self) -> None:
        """What is put in the place of a universe, by a snapshot or a reset, is what the next machine has."""
        server = seaweed.seaweed()
        service = self.replicated(server)
        service.start()

        def subjects() -> list[str]:
            with service.imap() as session:
                _, parts = session.fetch("1:*", "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])")
            return [part[1].decode().split()[1] for part in parts if isinstance(part, tuple)]

        def post(subject: str) -> None:
            with service.smtp() as session:
                session.sendmail("x@sim.test", [LOGIN], message("x@sim.test", LOGIN, subject, "Hello"))

        post("One")
        snapshot = service.good("POST", "/api/snapshots", {"name": "one"})["id"]
        post("Two")
        service.good("POST", f"/api/snapshots/{snapshot}/restore")
        post("Three")
        self.assertEqual(subjects(), ["One", "Three"])
        self.lose(service)
        self.assertEqual(subjects(), ["One", "Three"])
        post("Four")
        service.stop()
        service.start()
        self.assertEqual(subjects(), ["One", "Three", "Four"])
        service.good("POST", "/api/reset")
        post("Five")
        self.assertEqual(subjects(), ["Five"])
        self.lose(service)
        self.assertEqual(subjects(), ["Five"])
        # Another one comes and goes with all it has there.
        service.good("POST", "/api/admin/universes", {"id": "shop", "login": True})
        self.assertIn("universes/shop/", self.names(service))
        service.good("DELETE", "/api/admin/universes/shop")
        self.assertEqual(self.names(service), {"universes/main/", "snapshots/main/"})
        service.good("DELETE", f"/api/snapshots/{snapshot}")
        self.assertEqual(self.names(service), {"universes/main/"})

    def names(self, service: Service) -> set[str]:
        """Whose objects there are."""
        listed = seaweed.listed(str(self.bucket))
        return {one.rpartition("/")[0].rpartition("/")[0] + "/" for one in listed}

    def test_started_without(self) -> None:
        """A service that is started while the store is away serves all else, and the universe as soon as it can."""
        server = seaweed.Seaweed()
        self.addCleanup(server.clear)
        service = self.replicated(server, timeout="3s")
        service.start()
        self.send(service)
        key = service.good("POST", "/api/admin/universes", {"id": "shop", "login": True, "durability": "local"})["key"]
        self.assertEqual({one["id"]: one["durability"] for one in service.good("GET", "/api/admin/universes")},
                         {"main": "replicated", "shop": "local"})
        service.kill()
        server.stop()
        service.begin()
        until((service.state / "endpoints.json").exists)
        service.endpoints = json.loads((service.state / "endpoints.json").read_text())
        until(lambda: service.get("/livez").status == 200)
        self.assertEqual(service.get("/readyz").status, 503)
        self.assertEqual(service.good("GET", "/api/mailboxes", key=key)[0]["address"], "app@sim.test")
        self.assertEqual(service.get("/api/mailboxes").status, 503)
        self.assertEqual(self.sent(service), 451)
        server.start()
        service.wait_ready()
        self.send(service)
        with service.imap() as session:
            self.assertEqual(len(session.uid("SEARCH", "ALL")[1][0].split()), 2)


def _refusal(status: int, code: str) -> bytes:
    """What a store answers that does not what it is asked for."""
    body = f"<Error><Code>{code}</Code></Error>"
    return (f"HTTP/1.1 {status} Refused\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n"
            f"Connection: close\r\n\r\n{body}").encode()
