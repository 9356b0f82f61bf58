"""A universe is carried to another server: mail under its UIDs, people and their jobs, events, keys; whole or not."""

from __future__ import annotations

import imaplib
import os
import random
import time
from pathlib import Path

from tests.journeys.running import LOGIN, JourneyCase, Service, command, message, until


class TransferTests(JourneyCase):
    """C{simmail admin universes export} and C{import}."""

    ROUNDS = 1

    def admin(self, service: Service, *arguments: str) -> tuple[int, str]:
        """What C{simmail admin universes} says, and its status."""
        done = command("admin", "universes", *arguments, "--state", str(service.state),
                       "--config", str(service.state.parent / "config.yaml"))
        return done.returncode, done.stdout or done.stderr

    def told(self, service: Service, login: str, password: str) -> tuple[bytes, list[bytes]]:
        """What IMAP shows of an INBOX: UIDVALIDITY, UIDs and flags."""
        with imaplib.IMAP4("127.0.0.1", service.port("imap")) as session:
            session.login(login, password)
            session.select("INBOX")
            validity = session.response("UIDVALIDITY")[1][0]
            assert isinstance(validity, bytes)
            return validity, session.uid("FETCH", "1:*", "(FLAGS)")[1]

    def test_carried(self) -> None:
        """From a server that runs to one that does not, which then runs; killed in the midst, nothing is left."""
        first, second = self.service(), self.service()
        first.start()
        with first.smtp() as session:
            for n in range(12):
                session.sendmail(LOGIN, ["maria@acme.test", LOGIN], message(
                    LOGIN, "maria@acme.test", f"Lunch {n}?", "Could we meet for lunch on Friday at 12:30?"))
        first.good("POST", "/api/clock/advance", {"by": "2d"})
        first.good("PUT", "/api/clock", {"frozen": True})
        with first.imap() as session:
            session.store("2:4", "+FLAGS", "(\\Seen $Label1)")
            session.store("5", "+FLAGS", "\\Deleted")
            session.expunge()
        export = first.state.parent / "export"
        status, said = self.admin(first, "export", "main", str(export))
        self.assertEqual((status, said.split()[1]), (0, "messages,"), said)
        fingerprint = first.good("GET", "/api/fingerprint")["fingerprint"]
        self.assertIn(f"Fingerprint {fingerprint}\n", said)
        counted = said
        self.assertEqual(self.admin(first, "export", "main", str(export)),
                         (1, f"simmail: {export} is there already\n"))
        before, password, key = self.told(first, LOGIN, first.password), first.password, first.key
        events = first.events("*")

        # Where nothing was ever started; there is a main, so it is called something else.
        status, said = self.admin(second, "import", str(export), "--as", "carried")
        self.assertEqual((status, said.split("\n")[:2]), (0, ["Universe carried", f"Fingerprint {fingerprint}"]), said)
        self.assertEqual(list((second.state / "exports").iterdir()), [])
        second.start()
        admin = second.key
        self.assertEqual(second.good("GET", "/api/fingerprint", key=key)["fingerprint"], fingerprint)
        there = second.events("*", key=key)
        self.assertEqual((f"{len(there)} events" in counted, there), (True, events[:len(there)]))
        self.assertEqual(self.told(second, f"{LOGIN}%carried", password), before)
        self.assertNotIn(f"{key.split('_')[1]}", [one["prefix"] for one in second.good("GET", "/api/admin/keys")
                                                  if one["administrator"]])
        # What is planned is done, as it would have been.
        for service in (first, second):
            service.good("POST", "/api/clock/advance", {"by": "3d"}, key=key)
        self.assertEqual(second.good("GET", "/api/fingerprint", key=key),
                         first.good("GET", "/api/fingerprint", key=key))
        self.check_killed(second, export, admin)

    def check_killed(self, service: Service, export: Path, key: str) -> None:
        """Killed at moments of an import and an export, all of it is there or nothing, and it can be done again."""
        for n in range(self.ROUNDS):
            for what in (("import", str(export), "--as", f"again{n}"), ("export", "carried", f"{export}-{n}")):
                child = os.fork()
                if not child:
                    try:
                        self.admin(service, *what)
                    finally:
                        os._exit(0)
                until(lambda: any((service.state / "exports").iterdir()), every=0.001)
                time.sleep(random.uniform(0.0, 0.3))
                service.kill()
                os.waitpid(child, 0)
                service.start()
                found = {one["id"] for one in service.good("GET", "/api/admin/universes", key=key)}
                if what[0] == "export":
                    self.assertEqual((export.parent / f"{export.name}-{n}").exists(),
                                     (export.parent / f"{export.name}-{n}" / "manifest.json").exists())
                elif f"again{n}" not in found:
                    self.assertFalse((service.state / "mail" / f"again{n}").exists())
                    self.assertEqual(self.admin(service, *what)[0], 0)
        mail = sorted(one.name for one in (service.state / "mail").iterdir() if not one.name.startswith("."))
        self.assertEqual([one for one in mail if "export" in one], [])
