"""The command line against a running service, and its log put aside while it runs."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from tests.journeys.running import JourneyCase, Service, command, until


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
