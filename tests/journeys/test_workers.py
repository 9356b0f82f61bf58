"""Several processes that divide the universes among them are one service."""

from __future__ import annotations

import imaplib
import json
import os
import signal
import smtplib
import time
from multiprocessing.pool import ThreadPool
from pathlib import Path
from threading import Event
from typing import Any

from tests.journeys.running import JourneyCase, SOON, message, until

#: Universes of either process, by the names they are placed by.
NAMES = ("ash", "birch", "fir", "elm")

#: Connections that are made of each kind: one process takes all of them once in 128 times.
TRIES = 8


class WorkersJourney(JourneyCase):
    """A service with two workers."""

    def test_one_service(self) -> None:
        """Mail, reading and calls come to the universe they are for, on whichever connection."""
        self.running = service = self.service({"server": {"demo": False, "workers": 2}})
        service.start()
        self.keys, self.passwords = {}, {}
        for name in NAMES:
            self.keys[name] = service.universe(name, "2026-03-02T09:00:00Z")
            self.passwords[name] = f"secret of {name}"
            for who in ("app", "load"):
                self.good(name, "POST", "/api/accounts", {
                    "address": f"{who}@{name}.example", "password": self.passwords[name]})
            self.good(name, "POST", "/api/personas", {
                "name": "Maria Rossi", "addresses": [f"maria@{name}.example"],
                "timing": {"reply_rate": 1.0, "delay": {"median": "20m", "spread": 1.5}}})
        self.assertEqual({one["id"] for one in service.good("GET", "/api/admin/universes")}, {*NAMES, "main"})
        self._mail_without_login()
        self._mail_with_login()
        self._reading()
        self._killed()
        self._anew()
        self._people()
        self._refusals()
        service.kill()
        # Those that are left end with it; the folder is free then.
        service.change({"server": {"demo": False}})
        service.start()
        self.keys["elm"] = service.good("POST", "/api/admin/keys", {"universe": "elm", "role": "admin"})["key"]
        self._all_there()

    def workers(self) -> list[int]:
        """Process ids, the first worker's first."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if b"--worker" in words and str(self.running.state).encode() in words:
                    found[json.loads(words[words.index(b"--worker") + 1])["number"]] = int(entry.name)
        return [found[number] for number in sorted(found)]

    def _killed(self) -> None:
        """A worker is killed under load: what was acknowledged stays, and the others go on."""
        self.sent: dict[str, list[str]] = {"ash": [], "elm": []}
        self.failures: list[tuple[str, Exception]] = []
        ended = Event()
        self.addCleanup(ended.set)

        def send(name: str) -> None:
            at = 0
            while not ended.is_set():
                at += 1
                subject = f"Load {at}"
                try:
                    with self.running.smtp() as session:
                        session.login(f"load@{name}.example", self.passwords[name])
                        while not ended.is_set():
                            session.sendmail(f"load@{name}.example", [f"load@{name}.example"], message(
                                f"load@{name}.example", f"load@{name}.example", subject, "x"))
                            self.sent[name].append(subject)
                            at += 1
                            subject = f"Load {at}"
                except (OSError, smtplib.SMTPException) as error:
                    # One that was not acknowledged may be there or not; the number is not used again.
                    self.failures.append((name, error))

        senders = ThreadPool(2)
        work = [senders.apply_async(send, (name,)) for name in self.sent]
        before = self.workers()
        time.sleep(0.5)
        os.kill(before[1], signal.SIGKILL)
        until(lambda: len(now := self.workers()) == 2 and now[1] != before[1])
        count = len(self.sent["elm"])
        until(lambda: len(self.sent["elm"]) > count)
        ended.set()
        # The connection may have been one that the worker that died had accepted and carried.
        self.assertLessEqual(sum(name == "ash" for name, _ in self.failures), 1, self.failures)
        for one in work:
            one.get(SOON)
        senders.close()
        self._all_there()

    def _all_there(self) -> None:
        for name, sent in self.sent.items():
            found: list[str] = []
            while page := self.good(name, "GET", f"/api/mailboxes/load@{name}.example/messages?limit=100"
                                    f"&offset={len(found)}"):
                found += [one["subject"] for one in page]
            self.assertTrue(found, name)
            self.assertEqual(len(found), len(set(found)))
            self.assertEqual(set(sent) - set(found), set())

    def _anew(self) -> None:
        """SIGUSR2 starts the workers anew, one after the other; nobody is refused meanwhile."""
        before = self.workers()
        process = self.running.process
        assert process is not None
        process.send_signal(signal.SIGUSR2)

        def all_new() -> bool:
            self.good("ash", "GET", "/api/status")
            self.good("elm", "GET", "/api/status")
            now = self.workers()
            return len(now) == 2 and not {*before} & {*now}

        until(all_new)
        self._reading()

    def good(self, name: str, method: str, path: str, body: Any = None) -> Any:
        """What a call in a universe answers."""
        return self.running.good(method, path, body, key=self.keys[name])

    def _mail_without_login(self) -> None:
        """Of whoever has not signed in: the recipient says where it goes."""
        for at in range(TRIES):
            name = NAMES[at % len(NAMES)]
            with self.running.smtp() as session:
                session.sendmail("shop@elsewhere.example", [f"maria@{name}.example"], message(
                    "shop@elsewhere.example", f"maria@{name}.example", f"Plain {at}", "Please confirm the order."))
        # More than one transaction of one session, to universes of either process, and both at once.
        with self.running.smtp() as session:
            for name in NAMES:
                session.sendmail("shop@elsewhere.example", [f"maria@{name}.example"], message(
                    "shop@elsewhere.example", f"maria@{name}.example", f"Again {name}", "Please confirm the order."))
            session.mail("shop@elsewhere.example")
            said = {session.rcpt(f"maria@{name}.example")[0] for name in NAMES}
            self.assertEqual(said, {250, 452})

    def _mail_with_login(self) -> None:
        """Of whoever has signed in, with TLS or without: its login does."""
        certificate = self.running.state / "certificate.pem"
        self.assertTrue(certificate.exists())
        for at in range(TRIES):
            name = NAMES[at % len(NAMES)]
            with self.running.smtp() as session:
                if at >= TRIES // 2:
                    session.starttls()
                session.login(f"app@{name}.example", self.passwords[name])
                for turn in range(3):
                    session.sendmail(f"app@{name}.example", ["maria@nowhere.example", f"maria@{name}.example"], message(
                        f"app@{name}.example", f"maria@{name}.example", f"Login {at} {turn}", "Can we meet?"))
        with smtplib.SMTP_SSL("127.0.0.1", self.running.port("smtps"), timeout=SOON) as session:
            session.login("app@elm.example", self.passwords["elm"])
            self.assertEqual(session.noop()[0], 250)

    def _reading(self) -> None:
        """Nothing is there twice, and what is there is read on any connection."""
        for at in range(TRIES):
            name = NAMES[at % len(NAMES)]
            subjects = [one["subject"] for one in self.good(
                name, "GET", f"/api/mailboxes/maria@{name}.example/messages?limit=100")]
            expected = [f"Plain {one}" for one in range(TRIES) if NAMES[one % 4] == name] + [f"Again {name}"] + [
                f"Login {one} {turn}" for one in range(TRIES) if NAMES[one % 4] == name for turn in range(3)]
            self.assertEqual(sorted(subjects), sorted(expected), name)
            kind = imaplib.IMAP4_SSL if at >= TRIES // 2 else imaplib.IMAP4
            port = self.running.port("imaps" if at >= TRIES // 2 else "imap")
            with kind("127.0.0.1", port, timeout=SOON) as session:
                session.login(f"app@{name}.example", self.passwords[name])
                _, count = session.select("Sent")
                self.assertEqual(count, [b"6"], name)
                _, fetched = session.fetch("1:*", "(UID BODY.PEEK[HEADER.FIELDS (SUBJECT)])")
                self.assertEqual(len([one for one in fetched if isinstance(one, tuple)]), 6)

    def _people(self) -> None:
        """Clocks are those of the universes, and people answer."""
        for days, name in enumerate(NAMES, 1):
            self.good(name, "POST", "/api/clock/advance", {"by": f"{days}d"})
        for days, name in enumerate(NAMES, 1):
            self.assertEqual(self.good(name, "GET", "/api/clock")["now"], f"2026-03-0{2 + days}T09:00:00Z")

            def answered(name: str = name) -> bool:
                """Somebody has answered."""
                return bool(self.good(
                    name, "GET", f"/api/mailboxes/app@{name}.example/messages?limit=100"))

            until(answered)
        sent = [event["id"] for event in self.running.events("persona.sent", self.keys["ash"])]
        self.assertEqual(len(sent), len(set(sent)))

    def _refusals(self) -> None:
        """What is wrong is refused as ever, on whichever connection; a key that is revoked works nowhere."""
        for _ in range(TRIES):
            self.assertEqual(self.running.get("/api/status", key="sm_0_0").status, 401)
        share = self.good("elm", "POST", "/api/insights/shares", {"title": "Orders"})
        self.assertEqual({self.running.get(f"/share/{share['token']}.json").status for _ in range(TRIES)}, {200})
        self.assertEqual(self.running.get("/share/none.json").status, 404)
        self.assertEqual(self.running.get("/readyz").json()["checks"]["redis"], "ok")
        figures = self.running.get("/metrics").body.decode()
        for number in (0, 1):
            self.assertIn(f'simmail_universes{{worker="{number}"}}', figures)
        self.assertEqual(figures.count("# TYPE simmail_universes gauge"), 1)
        with self.running.smtp() as session:
            self.assertRaises(smtplib.SMTPAuthenticationError, session.login, "app@elm.example", "wrong")
        self.running.good("DELETE", f"/api/admin/keys/{self.keys['elm'].split('_')[1]}")
        self.running.good("DELETE", "/api/admin/universes/fir")
        for _ in range(TRIES):
            self.assertEqual(self.running.get("/api/status", key=self.keys["elm"]).status, 401)
            self.assertEqual(self.running.get("/api/status", key=self.keys["fir"]).status, 401)
