"""The command line against a running service, and its log put aside while it runs."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import time
from pathlib import Path

from tests.journeys.running import LOGIN, JourneyCase, Service, command, message, until


class AdministrationTests(JourneyCase):
    """One operator's day."""

    def admin(self, service: Service, *words: str, refused: str = "") -> str:
        """What C{simmail admin} prints; C{refused}: it must fail saying so."""
        done = command("admin", "--state", str(service.state), *words)
        self.assertEqual(done.returncode, 1 if refused else 0, done.stderr)
        self.assertIn(refused, done.stderr)
        return done.stdout

    def test_everything(self) -> None:
        """Organisations, plans, users, universes and keys, from the command line; REST shows the same."""
        service = self.service()
        service.start()
        self.admin(service, "orgs", "create", "shop", "--plan", "team", "--name", "The Shop")
        self.admin(service, "orgs", "create", "shop", refused="organization shop exists")
        self.admin(service, "orgs", "create", "x", "--plan", "gold", refused="plan: must be one of")
        self.assertRegex(self.admin(service, "orgs", "list"), r"(?m)^shop +team +active +The Shop$")
        self.assertRegex(self.admin(service, "plans", "list"), r"(?m)^free +no features; people 25, ")
        key = self.admin(service, "universes", "create", "run-1", "--org", "shop",
                         "--clock", "2026-03-02T09:00:00Z").strip()
        self.assertEqual(service.get("/api/clock", key=key).json()["now"], "2026-03-02T09:00:00Z")
        password = self.admin(service, "users", "create", "ann@shop.test", "--role", "shop=member").strip()
        self.assertEqual(service.good("POST", "/api/session", {"email": "ann@shop.test", "password": password})["user"],
                         {"email": "ann@shop.test", "orgs": {"shop": "member"}, "administrator": False})
        self.admin(service, "users", "change", "ann@shop.test", "--role", "shop=admin", "--administrator", "yes")
        self.assertRegex(self.admin(service, "users", "list"), r"(?m)^ann@shop.test +administrator shop=admin$")
        self.admin(service, "orgs", "suspend", "shop")
        self.assertEqual(service.get("/api/clock", key=key).status, 403)
        self.admin(service, "orgs", "resume", "shop")
        self.admin(service, "orgs", "change", "shop", "--plan", "free")
        self.assertEqual(service.get("/api/plan", key=key).json()["plan"], "free")
        self.admin(service, "users", "delete", "ann@shop.test")
        self.admin(service, "users", "delete", "ann@shop.test", refused="no user")
        made = self.admin(service, "keys", "create", "run-1", "--role", "viewer").strip()
        self.admin(service, "keys", "revoke", made.split("_")[1])
        self.assertEqual(service.get("/api/clock", key=made).status, 401)
        self.admin(service, "universes", "delete", "run-1")
        self.assertNotIn("run-1", self.admin(service, "universes", "list"))
        self.assertEqual(service.stop(), 0)

    def test_check(self) -> None:
        """Damage is found whether the service runs or not; a damaged journal is told by C{/readyz} too."""
        folder = self.folder()
        done = command("admin", "--state", str(folder), "check")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no mail in", done.stderr)
        service = self.service()
        service.start()
        for number in range(3):
            with service.smtp() as session:
                session.sendmail(LOGIN, [LOGIN], message(LOGIN, LOGIN, f"number {number}", "x" * 50))
        self.assertRegex(self.admin(service, "check"), r"^\d+ messages in \d+ folders and \d+ segments of the journal "
                         r"were looked at: all is well\n(?:\S+: mail and database fit together\n)+$")
        service.kill()
        journal = service.state / "journal"
        path = next(path for path in sorted(journal.glob("*.journal")) if b"number 1" in path.read_bytes())
        # The writer of a service that was killed still finishes.
        until(lambda: not busy(journal / "lock"))
        octets = path.read_bytes()
        path.write_bytes(octets.replace(b"number 1", b"number ?"))
        mail = next(one for one in (service.state / "mail").rglob("new/*") if b"number 1" in one.read_bytes())
        os.truncate(mail, 10)
        service.start()
        ready = service.get("/readyz")
        self.assertEqual(ready.status, 200)
        self.assertRegex(ready.json()["warnings"][0], r"^journal: \d+\.journal: \d+ octets at \d+ cannot be read$")
        self.assertIn("the journal is damaged", service.logged())
        for _ in range(2):
            done = command("admin", "check", "--state", str(service.state))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stdout, r"(?m)^journal/\d+\.(journal|damaged): \d+ octets at \d+ cannot be read\b")
            # It is linked to the copy in Sent.
            self.assertEqual(len(re.findall(r"(?m)^mail/main/.*: has 10 octets of \d+\b", done.stdout)), 2)
            self.assertRegex(done.stdout, r": 3 things are damaged\n")
            if service.process is not None and service.process.poll() is None:
                self.assertEqual(service.stop(), 0)

    def test_log_moved(self) -> None:
        """A log that was moved away is opened anew at SIGUSR1 and SIGHUP, and not before."""
        service = self.service()
        service.start()
        process = service.process
        assert process is not None
        for name, number in (("one", signal.SIGUSR1), ("two", signal.SIGHUP)):
            moved = Path(f"{service.log}.{name}")
            os.rename(service.log, moved)
            process.send_signal(number)
            until(service.log.exists)
            service.get(f"/api/status?{name}=1")
            until(lambda name=name: re.search(rf"GET /api/status\?{name} ", service.log.read_text()))
            self.assertNotIn(f"status?{name}", moved.read_text())
        self.assertEqual(service.stop(), 0)

    def test_people_of_a_file(self) -> None:
        """A file of personas that is wrong changes nobody, at a start and at SIGHUP, and is told until it is right."""
        file = self.folder() / "people.yaml"
        good = ("- {name: Ann, addresses: [ann@shop.test], temperament: busy}\n"
                "- {name: Bob, addresses: [bob@shop.test], temperament: busy}\n")
        file.write_text(good, encoding="utf-8")
        service = self.service({"people": {"file": str(file)}})
        service.start()

        def people() -> list[str]:
            return [one["name"] for one in service.good("GET", "/api/personas") if one["provider"] == "config"]

        def warnings() -> list[str]:
            answer = service.get("/readyz")
            self.assertEqual((answer.status, answer.json()["status"]), (200, "ready"))
            found: list[str] = answer.json()["warnings"]
            return found

        self.assertEqual((people(), warnings()), (["Ann", "Bob"], []))
        ann = next(one["id"] for one in service.good("GET", "/api/personas") if one["name"] == "Ann")
        service.good("POST", f"/api/personas/{ann}/memory", {"text": "likes tea"})
        assert service.process is not None
        for n, bad in enumerate(("", good[:-40], good.replace("busy", "bzy"), good + good, "- &a [*a]\n",
                                 good.replace("name: Ann", "name: Ann, name: Eve"))):
            file.write_text(bad, encoding="utf-8")
            service.process.send_signal(signal.SIGHUP)
            until(lambda: service.logged().count("the personas were not read again: ") == n + 1)
            self.assertEqual(people(), ["Ann", "Bob"], bad)
            [told] = warnings()
            self.assertRegex(told, r"people\.yaml|personas\.\d")
        self.assertEqual(service.stop(), 0)
        service.start()
        self.assertEqual(people(), ["Ann", "Bob"])
        self.assertIn("stands twice", " ".join(warnings()))
        self.assertIn("started with the personas there were: ", service.logged())
        file.write_text(good.replace("Bob", "Bea"), encoding="utf-8")
        service.process.send_signal(signal.SIGHUP)
        until(lambda: people() == ["Ann", "Bea"])
        self.assertEqual(warnings(), [])
        self.assertEqual(service.good("GET", f"/api/personas/{ann}/memory"), {"": ["likes tea"]})
        # One that is being written is waited for.
        with open(file, "w", encoding="utf-8") as slow:
            slow.write(good.split("\n")[0] + "\n")
            slow.flush()
            service.process.send_signal(signal.SIGHUP)
            time.sleep(0.2)
            slow.write(good.split("\n")[1] + "\n")
        until(lambda: people() == ["Ann", "Bob"])
        self.assertEqual([one["data"]["name"] for one in service.events("persona.updated")].count("Bea"), 1)


def busy(lock: Path) -> bool:
    """Whether somebody writes the journal."""
    with open(lock, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
