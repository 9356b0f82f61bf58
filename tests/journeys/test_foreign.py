"""Another program delivers into a Maildir: its mail counts as delivered, once, whatever happens meanwhile."""

from __future__ import annotations

import mailbox
import os
import random
import shutil
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from twisted.trial.unittest import SkipTest

from tests.journeys.running import LOGIN, JourneyCase, Service, message, until

VERA = "vera@acme.test"


class ForeignTests(JourneyCase):
    """Files in new/ of a persona's mailbox."""

    def started(self) -> tuple[Service, Path]:
        """A running service with Vera, and her Maildir."""
        service = self.service()
        service.start()
        service.good("POST", "/api/personas", {
            "addresses": [VERA], "temperament": "responsive", "style": {"filter": "none"},
            "timing": {"reply_rate": 1, "delay": {"median": "20m", "spread": 1.5}}})
        return service, service.state / "mail" / "main" / VERA

    def drop(self, maildir: Path, number: int | str, line: bytes = b"\n") -> str:
        """Deliver as procmail does: write in tmp/, then rename into new/; answers the Message-ID."""
        name = f"<foreign.{number}@sim.test>"
        octets = message(LOGIN, VERA, f"Could we meet, number {number}?", "Could we meet on Monday at 10:00?",
                         Message_ID=name)
        path = maildir / "tmp" / f"{number}.{os.getpid()}.host"
        path.write_bytes(octets.replace(b"\r\n", line))
        path.rename(maildir / "new" / path.name)
        return name

    def delivered(self, service: Service, types: str = "mail.delivered") -> Counter[str]:
        """How often each Message-ID has an event."""
        return Counter(event["data"]["message_id"] for event in service.events(types))

    def test_answered(self) -> None:
        """A file that appears becomes an event, a decision and an answer; a client that copies makes no event."""
        service, maildir = self.started()
        name = self.drop(maildir, 1)
        until(lambda: self.delivered(service, "persona.received")[name] == 1)
        (event,) = service.events("mail.delivered")
        self.assertEqual((event["data"]["from"], event["data"]["to"]), (LOGIN, [VERA]))
        service.good("POST", "/api/clock/advance", {"by": "2d"})
        (reply,) = service.good("GET", f"/api/mailboxes/{LOGIN}/messages")
        self.assertEqual(reply["in_reply_to"], name)
        # To an account: the event only.  What a client appends or copies was not delivered.
        own = service.state / "mail" / "main" / LOGIN
        other = self.drop(own, 2)
        until(lambda: self.delivered(service)[other] == 1)
        with service.imap() as session:
            session.append("INBOX", "", "", b"Subject: appended\r\n\r\nx\r\n")
            self.assertEqual(session.copy("1:*", "INBOX")[0], "OK")
            self.assertEqual(session.search(None, "ALL"), ("OK", [b"1 2 3 4 5 6"]))
        last = self.drop(own, 3)
        until(lambda: self.delivered(service)[last] == 1)
        self.assertEqual(self.delivered(service), Counter([name, other, last]))

    def test_other_programs(self) -> None:
        """The standard library's Maildir, mv between Maildirs and procmail, where it is installed, deliver."""
        service, maildir = self.started()
        box = mailbox.Maildir(maildir)
        box.add(message(LOGIN, VERA, "From Python", "Hello?", Message_ID="<python@sim.test>"))
        elsewhere = self.folder() / "box"
        mailbox.Maildir(elsewhere).add(message(LOGIN, VERA, "Moved", "Hello?", Message_ID="<mv@sim.test>"))
        (path,) = (elsewhere / "new").iterdir()
        subprocess.run(["mv", str(path), str(maildir / "new")], check=True)
        names = {"<python@sim.test>", "<mv@sim.test>"}
        procmail = shutil.which("procmail")
        if procmail:
            rules = self.folder() / "rc"
            rules.write_text(f"MAILDIR={maildir.parent}\nDEFAULT={maildir}/\n")
            subprocess.run([procmail, "-m", str(rules)], check=True, input=message(
                LOGIN, VERA, "Sorted", "Hello?", Message_ID="<procmail@sim.test>").replace(b"\r\n", b"\n"))
            names.add("<procmail@sim.test>")
        until(lambda: self.delivered(service, "persona.received") == Counter(names))
        self.assertEqual(self.delivered(service), Counter(names))
        if not procmail:
            raise SkipTest("procmail is not installed; the others deliver")

    def test_killed(self) -> None:
        """Mail comes while the service runs, is killed, starts and is down: each has its events once."""
        service, maildir = self.started()
        dice = random.Random(time.time_ns())
        names: list[str] = []
        done = threading.Event()

        def deliver() -> None:
            while not done.is_set():
                names.append(self.drop(maildir, len(names), dice.choice((b"\n", b"\r\n"))))
                time.sleep(0.01)

        thread = threading.Thread(target=deliver)
        thread.start()
        try:
            for _ in range(4):
                until(lambda: len(self.delivered(service)) > 20)
                time.sleep(dice.uniform(0.0, 0.7))
                service.kill()
                time.sleep(0.2)
                service.start()
        finally:
            done.set()
            thread.join()
        service.stop()
        names.append(self.drop(maildir, "last"))
        service.start()
        until(lambda: self.delivered(service, "persona.received") == Counter(names), 60.0)
        self.assertEqual(self.delivered(service), Counter(names))
        decided = [event for event in service.events("job.scheduled,persona.batched,persona.ignored")
                   if event["data"].get("kind") != "link"]
        self.assertEqual(len(decided), len(names))
        items = []
        before = ""
        while True:
            page = service.good("GET", f"/api/mailboxes/{VERA}/messages?limit=1000{before}")
            items += page
            if len(page) < 1000:
                break
            before = f"&before={page[-1]['uid']}"
        self.assertEqual(Counter(item["message_id"] for item in items), Counter(names))
