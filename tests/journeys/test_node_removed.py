"""A server of an installation is gone for good: nobody waits for it, and what was on its disk alone is lost."""

from __future__ import annotations

import imaplib
import os
import smtplib

from tests import seaweed
from tests.database.clusters import shared
from tests.journeys.running import command, JourneyCase, message, Service, SOON, until

PASSWORD = "secret of all"


class RemovedTests(JourneyCase):
    """The servers a and b; b has the replicated elm, and the local oak with a snapshot and a fork."""

    skip = seaweed.MISSING or None

    def setUp(self) -> None:
        """Both serve; a was first, and has the universe for mail of nobody's, which takes nobody in."""
        shared().clear()
        self.patch(os, "environ", {
            **os.environ, "SEAWEED_KEY": seaweed.ACCESS_KEY, "SEAWEED_SECRET": seaweed.SECRET_KEY})
        self.bucket = seaweed.seaweed().bucket()
        self.a, self.b = self.node("a"), self.node("b")
        self.a.start()
        self.a.good("PUT", "/api/recipients", {"default": {"create": False}})
        self.b.start()
        until(lambda: self.admin(self.a, "nodes", "list")[1].count("alive") == 2)
        self.keys = {}
        for name, durability in (("elm", "replicated"), ("oak", "local")):
            self.b.good("POST", "/api/admin/universes", {"id": name, "durability": durability}, key=self.a.key)
            self.keys[name] = key = str(self.a.good(
                "POST", "/api/admin/keys", {"universe": name, "role": "admin"})["key"])
            self.b.good("POST", "/api/accounts", {"address": f"app@{name}.example", "password": PASSWORD}, key=key)
        self.send(self.b, "app@oak.example")
        snapshot = self.b.good("POST", "/api/snapshots", {"name": "one"}, key=self.keys["oak"])["id"]
        self.b.good("POST", f"/api/snapshots/{snapshot}/fork", {"id": "oakling"}, key=self.keys["oak"])

    def node(self, name: str) -> Service:
        """A server, not started yet."""
        return self.service({
            "redis": {"cluster": shared().urls[:1]}, "objects": {
                "url": self.bucket, "access_key_env": "SEAWEED_KEY", "secret_key_env": "SEAWEED_SECRET"},
            "server": {"node": name, "peers": "127.0.0.1:0", "secret": "a secret of servers", "demo": False}})

    def admin(self, service: Service, *arguments: str) -> tuple[int, str]:
        """What C{simmail admin} says, and its status."""
        done = command("admin", *arguments, "--state", str(service.state))
        return done.returncode, done.stdout or done.stderr

    def send(self, service: Service, to: str) -> int:
        """The code that decides about a mail from a stranger."""
        with service.smtp() as session:
            try:
                session.sendmail("x@else.example", [to], message("x@else.example", to, "Hello", "x"))
            except smtplib.SMTPRecipientsRefused as error:
                return int(error.recipients[to][0])
            return 250

    def signs_in(self, service: Service, login: str) -> str:
        """C{OK}, or why somebody cannot sign in."""
        with imaplib.IMAP4("127.0.0.1", service.port("imap"), timeout=SOON) as session:
            try:
                return str(session.login(login, PASSWORD)[0])
            except imaplib.IMAP4.error as error:
                return str(error).partition("[")[2].partition("]")[0]

    def test_removed(self) -> None:
        """Not while it runs, not by mistake; then what was local is unknown, and the rest is served."""
        listed = [line.split(maxsplit=3) for line in self.admin(self.a, "nodes", "list")[1].splitlines()]
        self.assertEqual([(name, alive, having) for name, _, alive, having in listed], [
            ("a", "alive", "main (local)"), ("b", "alive", "elm, oak (local), oakling (local)")])
        for name, why in (("b", "the server b runs; stop it first"), ("a", "the server a runs; stop it first"),
                          ("c", "no server c")):
            self.assertEqual(self.admin(self.a, "nodes", "remove", name, "--lose-local"), (1, f"simmail: {why}\n"))
        self.b.kill()
        until(lambda: " away " in self.admin(self.a, "nodes", "list")[1])
        self.assertIn("held the universe", self.admin(self.a, "nodes", "remove", "b", "--lose-local")[1])
        until(lambda: self.a.call("GET", "/api/status", key=self.keys["elm"]).status == 200)
        self.assertEqual((self.send(self.a, "app@oak.example"), self.signs_in(self.a, "app@oak.example")),
                         (451, "UNAVAILABLE"))
        self.assertEqual(until(lambda: self.a.get("/readyz").json()["warnings"]),
                         ["the server b is away; its universes wait for it"])

        def refused() -> str:
            status, told = self.admin(self.a, "nodes", "remove", "b")
            self.assertEqual(status, 1)
            return told if "lose_local" in told else ""

        self.assertIn("the mail of oak, oakling is on the disk of b alone", until(refused))
        self.assertEqual(self.send(self.a, "app@oak.example"), 451)
        self.assertEqual(self.admin(self.a, "nodes", "remove", "b", "--lose-local"), (
            0, "b is removed; oak, oakling went with it\n"))
        self.gone(self.a)
        self.assertEqual(self.admin(self.a, "nodes", "list")[1].split(maxsplit=3)[::3], ["a", "elm, main (local)\n"])
        self.assertEqual(self.admin(self.a, "nodes", "remove", "b"), (1, "simmail: no server b\n"))
        # A start finds nothing left to be done, and the same.
        self.assertEqual(self.a.stop(), 0)
        self.a.start()
        self.gone(self.a)
        self.comes_back()

    def gone(self, service: Service) -> None:
        """Nobody knows of oak any more, and elm is served."""
        self.assertEqual((self.send(service, "app@oak.example"), self.signs_in(service, "app@oak.example")),
                         (550, "AUTHENTICATIONFAILED"))
        self.assertEqual((self.send(service, "app@elm.example"), self.signs_in(service, "app@elm.example")),
                         (250, "OK"))
        self.assertEqual(service.call("GET", "/api/status", key=self.keys["oak"]).status, 401)
        self.assertEqual(service.get("/readyz", key=self.a.key).json()["warnings"], [])
        self.assertEqual([one["id"] for one in service.good("GET", "/api/admin/universes", key=self.a.key)],
                         ["elm", "main"])

    def comes_back(self) -> None:
        """It is started again after all: it is in the installation, and what was given up only lies there."""
        self.assertEqual(self.a.good("POST", "/api/admin/universes", {"id": "oakling"})["id"], "oakling")
        self.a.good("DELETE", "/api/admin/universes/oakling")
        self.b.start()
        until(lambda: self.admin(self.a, "nodes", "list")[1].count("alive") == 2)
        self.gone(self.a)
        self.gone(self.b)
        mail = self.b.state / "mail"
        self.assertEqual([(mail / name).exists() for name in ("oak", "elm")], [True, False])
        answer = self.b.call("POST", "/api/admin/universes", {"id": "oak"}, key=self.a.key)
        self.assertEqual((answer.status, "was here before" in answer.json()["error"]), (409, True))
        self.assertEqual(self.a.good("POST", "/api/admin/universes", {"id": "oak"})["id"], "oak")
        self.assertEqual(self.b.good("GET", "/api/mailboxes", key=self.a.good(
            "POST", "/api/admin/keys", {"universe": "oak", "role": "admin"})["key"]), [])
