"""Webhooks of a real daemon: endpoints on loopback, the libraries that consumers use, kill -9 in the middle."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from base64 import b64encode
from pathlib import Path

import standardwebhooks
import svix

from tests.journeys.receiver import Receiver
from tests.journeys.running import JourneyCase, Service, until

SECRET = "whsec_" + b64encode(b"a secret of some length").decode()
OLD = "whsec_" + b64encode(b"the secret from before").decode()

#: Verifies requests given as lines of JSON, with the library and the secret it is given.
NODE = """
const { Webhook } = require("standardwebhooks");
const lines = require("fs").readFileSync(0, "utf8").split("\\n").filter(Boolean).map(JSON.parse);
for (const one of lines) new Webhook(one.secret).verify(one.body, one.headers);
const bad = lines[0];
let refused = false;
try { new Webhook(bad.secret).verify(bad.body + " ", bad.headers); } catch (e) { refused = true; }
console.log(lines.length, refused);
"""


class WebhookTests(JourneyCase):
    """What endpoints get."""

    def receiver(self, status: int = 200, delay: float = 0.0) -> Receiver:
        """An endpoint, closed at the end."""
        made = Receiver(status, delay)
        self.addCleanup(made.close)
        return made

    def lab(self, *receivers: Receiver) -> Service:
        """A service that may reach them."""
        service = self.service({"webhooks": {"lab_hosts": [one.place for one in receivers[:1]]}}, tuple(
            word for one in receivers[1:] for word in ("--webhook-host", one.place)))
        service.start()
        return service

    def happen(self, service: Service, count: int) -> None:
        """So many events."""
        for n in range(count):
            service.good("PUT", "/api/pace", {"factor": n + 1})

    def test_libraries(self) -> None:
        """What arrives is verified by the official libraries, also during a rotation."""
        one = self.receiver()
        service = self.lab(one)
        hook = {"url": one.url, "events": ["pace"]}
        service.good("PUT", "/api/webhooks", [{**hook, "secret": OLD}])
        self.happen(service, 3)
        until(lambda: len(one.got) == 3)
        service.good("PUT", "/api/webhooks", [{**hook, "secret": SECRET}])
        self.happen(service, 3)
        until(lambda: len(one.got) == 6)
        plain = "c2VjcmV0c2VjcmV0"
        service.good("PUT", "/api/webhooks", [{**hook, "secret": plain, "overlap": "0s"}])
        self.happen(service, 1)
        until(lambda: len(one.got) == 7)
        cases = [*((got, OLD) for got in one.got[:6]), *((got, SECRET) for got in one.got[3:6]), (one.got[6], plain)]
        for got, secret in cases:
            standardwebhooks.Webhook(secret).verify(got.body, got.headers)
            svix.Webhook(secret).verify(got.body, got.headers)
        with self.assertRaises(standardwebhooks.WebhookVerificationError):
            standardwebhooks.Webhook(SECRET).verify(one.got[0].body, one.got[0].headers)
        lines = "\n".join(json.dumps({"secret": secret, "body": got.body.decode(), "headers": got.headers})
                          for got, secret in cases)
        self.assertEqual(self.in_node(lines), f"{len(cases)} true")

    def in_node(self, lines: str) -> str:
        """What the JavaScript library says."""
        folder = Path(self.mktemp())
        folder.mkdir()
        if not (shutil.which("node") and shutil.which("npm")):
            self.skipTest("Node is not installed")
        installed = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "standardwebhooks"],
                                   cwd=folder, capture_output=True, timeout=120)
        if installed.returncode:
            self.skipTest("npm finds no package registry")
        return subprocess.run(["node", "-e", NODE], cwd=folder, input=lines, text=True, capture_output=True,
                              timeout=60, check=True).stdout.strip()

    def test_killed(self) -> None:
        """Every event arrives at every endpoint that works, in order where that is wanted; a dead one harms nobody."""
        fast, strict, failing, dead = self.receiver(), self.receiver(), self.receiver(500), self.receiver(-1)
        service = self.lab(fast, strict, failing, dead)
        service.good("PUT", "/api/webhooks", [
            {"url": one.url, "events": ["pace"], "order": "strict" if one is strict else "any"}
            for one in (fast, strict, failing, dead)])
        for _ in range(3):
            self.happen(service, 60)
            service.kill()
            service.start()
        self.happen(service, 20)
        wanted = [one["id"] for one in service.events("pace")]
        self.assertEqual(len(wanted), 200)
        until(lambda: len(set(fast.ids)) == 200 and len(set(strict.ids)) == 200, 30)
        self.assertEqual(sorted(set(fast.ids)), wanted)
        # Once more after a kill, but never an earlier one for the first time after a later one.
        firsts = list(dict.fromkeys(strict.ids))
        self.assertEqual(firsts, wanted)
        # The most that a kill may repeat is what half a second and what was under way were.
        self.assertLess(len(fast.got), 600)
        self.assertEqual({one.headers["webhook-id"] for one in fast.got}, {f"evt_main_{n}" for n in wanted})
        health = {one["url"]: one["health"] for one in service.good("GET", "/api/webhooks")}
        self.assertEqual(health[fast.url]["behind"], 0)
        self.assertEqual(health[failing.url]["state"], "failing")

    def test_four_attempts(self) -> None:
        """A failing endpoint gets each event four times, at the right times, and it is told."""
        failing = self.receiver(500)
        service = self.lab(failing)
        service.good("PUT", "/api/webhooks", [{"url": failing.url, "events": ["pace"]}])
        self.happen(service, 1)
        until(lambda: len(failing.got) == 2)
        # What was not noted yet would be tried once more.
        time.sleep(1.5)
        service.kill()
        service.start()
        until(lambda: service.events("webhook.failed"), 60)
        self.assertEqual(len(failing.got), 4)
        gaps = [round(b.at - a.at, 1) for a, b in zip(failing.got, failing.got[1:])]
        for gap, wanted in zip(gaps, (3, 9, 27)):
            self.assertTrue(wanted - 0.2 <= gap <= wanted + 4, gaps)
        self.assertEqual(len({one.headers["webhook-id"] for one in failing.got}), 1)
        (told,) = service.events("webhook.failed")
        self.assertEqual((told["data"]["url"], told["data"]["error"]), (failing.url, "HTTP status 500"))
        time.sleep(0.5)
        self.assertEqual(len(failing.got), 4)
