"""Somebody damages mail by hand under a running service, and before its start: that mailbox is harmed, no other."""

from __future__ import annotations

import imaplib
import os
import shutil
import smtplib
from collections.abc import Callable
from pathlib import Path

from tests.journeys.running import LOGIN, JourneyCase, message, until

OTHER = "other@sim.test"

#: A file over the limit of a message, sparse, octets; and what either process may grow by at most, KiB.
LARGE, GROWTH = 3 * 1024 ** 3, 64 * 1024


class DamageTests(JourneyCase):
    """The INBOX of the first login, with mail in it."""

    def setUp(self) -> None:
        self.running = self.service()
        self.running.start()
        self.number = 0
        for _ in range(3):
            self.send(LOGIN)

    @property
    def box(self) -> Path:
        return self.running.state / "mail" / "main" / LOGIN

    def send(self, to: str) -> str:
        """Send a message; its subject."""
        self.number += 1
        subject = f"Number {self.number}"
        with self.running.smtp() as session:
            session.sendmail("boss@corp.test", [to], message("boss@corp.test", to, subject, "Hello"))
        return subject

    def validity(self) -> int:
        """UIDVALIDITY of the INBOX, as a session of its own sees it."""
        with self.running.imap() as session:
            return int(session.response("UIDVALIDITY")[1][0])

    def subjects(self) -> list[str]:
        """Subjects in the INBOX, oldest first."""
        return [one["subject"] for one in self.running.good("GET", f"/api/mailboxes/{LOGIN}/messages")][::-1]

    def troubles(self) -> list[str]:
        """What the readiness probe says; it is ready all the same."""
        answer = self.running.get("/readyz")
        self.assertEqual(answer.status, 200)
        found: list[str] = answer.json()["warnings"]
        self.assertNotIn("@", "".join(found))
        return found

    def others_are_well(self) -> None:
        """Another mailbox takes mail and shows it; the lists are there."""
        subject = self.send(OTHER)
        found = self.running.good("GET", f"/api/mailboxes/{OTHER}/messages")
        self.assertEqual(found[0]["subject"], subject)
        for path in ("/api/mailboxes", "/api/status", "/api/search?q=hello"):
            self.running.good("GET", path)

    def test_new_uidvalidity(self) -> None:
        """Removed, replaced, its UID file broken: sessions are told goodbye, and find a greater UIDVALIDITY."""
        def replace(box: Path) -> None:
            shutil.rmtree(box)
            for part in ("new", "cur", "tmp"):
                (box / part).mkdir(parents=True)

        damages: tuple[Callable[[Path], object], ...] = (
            shutil.rmtree, replace, lambda box: (box / "simmail-uids").write_bytes(b"rubbish\n" * 30),
            lambda box: (box / "simmail-uids").unlink())
        for spoil in damages:
            before = self.validity()
            with imaplib.IMAP4("127.0.0.1", self.running.port("imap"), timeout=20) as idle:
                idle.login(LOGIN, self.running.password)
                idle.select()
                idle.send(b"x IDLE\r\n")
                self.assertIn(b"idling", idle.readline())
                spoil(self.box)
                self.assertIn(b"* BYE", idle.readline())
                idle.state = "LOGOUT"
            subject = self.send(LOGIN)
            self.assertGreater(self.validity(), before)
            self.assertEqual(self.subjects()[-1], subject)
            self.others_are_well()
        self.assertIn("main: simmail-uids of a folder was damaged; the folder has a new UIDVALIDITY", self.troubles())

    def test_in_its_place(self) -> None:
        """A FIFO in the place of the mailbox: what was taken arrives when it is back, the rest is refused for now."""
        aside = self.box.with_name(".aside")
        told = "main: something that is no directory is in the place of a mailbox"
        os.rename(self.box, aside)
        os.mkfifo(self.box)
        taken = []
        try:
            taken.append(self.send(LOGIN))
        except smtplib.SMTPDataError as error:
            self.assertEqual(error.smtp_code, 451)
        until(lambda: self.troubles() == [told])
        for _ in range(2):
            with self.assertRaises(smtplib.SMTPDataError) as raised:
                self.send(LOGIN)
            self.assertEqual(raised.exception.smtp_code, 451)
            self.others_are_well()
            self.assertEqual(self.running.stop(), 0)
            self.running.start()
            self.assertIn(told, self.troubles())
            self.others_are_well()
        self.box.unlink()
        os.rename(aside, self.box)
        until(lambda: told not in self.troubles())
        self.assertEqual(self.running.stop(), 0)
        self.running.start()
        self.assertEqual(self.troubles(), [])
        taken.append(self.send(LOGIN))
        until(lambda: set(taken) <= set(self.subjects()))
        self.assertEqual(len(self.subjects()), 3 + len(taken))

    def test_message(self) -> None:
        """A FIFO in the place of a message is shown as what cannot be read; the others are read."""
        path = next(one for part in ("new", "cur") for one in (self.box / part).iterdir() if ",U=2," in one.name)
        path.unlink()
        os.mkfifo(path)
        with self.running.imap() as session:
            _, found = session.fetch("1:*", "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])")
        self.assertEqual([one[1].strip() for one in found if isinstance(one, tuple)], [
            b"Subject: Number 1", b"Subject: This message cannot be read", b"Subject: Number 3"])
        self.assertEqual(self.subjects(), ["Number 1", "This message cannot be read", "Number 3"])
        self.assertEqual(self.troubles(), ["main: a message cannot be read: it is no file"])
        self.others_are_well()

    def test_index(self) -> None:
        """The index is cut to nothing, or overwritten: the process lives, and everything is answered."""
        pid = self.running.process.pid if self.running.process is not None else 0
        for spoil in (lambda path: os.truncate(path, 0), lambda path: path.write_bytes(os.urandom(100_000))):
            self.others_are_well()
            for path in (self.running.state / "index").iterdir():
                spoil(path)
            subject = self.send(LOGIN)
            with self.running.imap() as session:
                for criterion, count in (("TEXT hello", 3), ("SUBJECT Number", 3)):
                    _, (uids,) = session.search(None, criterion)
                    self.assertGreaterEqual(len(uids.split()), count)
            self.assertEqual(self.subjects()[-1], subject)
            self.others_are_well()
        self.assertEqual(self.running.process.pid if self.running.process is not None else 0, pid)

    def test_large(self) -> None:
        """A file of 3 GiB is shown as a stub with its size; no process grows by more than little."""
        assert self.running.process is not None
        pid = self.running.process.pid
        pids = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
        for one in pids:
            Path(f"/proc/{one}/clear_refs").write_text("5")
        before = {one: self.peak(one) for one in pids}
        path = self.box / "tmp" / "1.large"
        with open(path, "wb") as file:
            file.write(b"From: Boss <boss@corp.test>\nSubject: Very large\n\n")
            file.truncate(LARGE)
        path.rename(self.box / "new" / "1.large")
        until(lambda: "Very large" in self.subjects())
        full = self.running.good("GET", f"/api/mailboxes/{LOGIN}/messages/INBOX/4")
        self.assertIn(f"This message has {LARGE} octets.", full["message"]["text"])
        with self.running.imap() as session:
            _, found = session.fetch("4", "(RFC822.SIZE BODY[])")
        self.assertIn(b"RFC822.SIZE %d " % len(found[0][1]), found[0][0])
        for one in pids:
            self.assertLess(self.peak(one) - before[one], GROWTH)

    def peak(self, pid: int) -> int:
        """The most memory that a process had, KiB."""
        return int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0])
