"""
Conversations of four or five turns: an application that answers what the persona wrote, and seven people.

C{conversations/<name>/<temperament>.txt} is what was said on both sides, approved as prose.  After a change
of the wording, look at what it does and approve it with::

    SIMMAILD_GOLDEN=write python -m twisted.trial tests.universe.test_conversations
    git diff tests/universe/conversations
"""

from __future__ import annotations

import os
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose.quoting import quote
from simmail.core.message.parse import read
from simmail.core.message.splitting import split_reply
from simmail.core.time.instant import email_date
from simmail.testing.universe import MemoryServer, now, turned
from tests.core.writer.samples import TEMPERAMENTS

HERE = Path(__file__).parent / "conversations"
MARIA = "maria@norrland.test"


class Turn(NamedTuple):
    """One mail of either side; C{attached}: names of files."""

    own: bool
    at: str
    text: str
    attached: tuple[str, ...] = ()


#: Sender, subject, and what the application says at each turn, two days apart.
THREADS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "contract": ("Dana Novak <dana@brightdesk.test>", "Framework agreement FA-118", (
        "Hi Maria,\n\ncould you please send us the signed framework agreement FA-118 by Friday?\n\nBest,\nDana",
        "Hi Maria,\n\nit is the version of 23 February; nothing was changed since we discussed it. Our legal team "
        "needs it for the file.\n\nDana",
        "Hi Maria,\n\njust checking in on the agreement. Any news?\n\nDana",
        "Perfect, thank you. That's all I needed!\n\nDana")),
    "invoice": ("Erik Sund <erik@sund-transport.test>", "Invoice 4471 overdue", (
        "Dear Maria,\n\nour invoice 4471 over EUR 1,280.00 of 2 February is still unpaid. When can we expect payment?"
        "\n\nErik Sund",
        "Dear Maria,\n\nthe invoice belongs to your order PO-7781, delivered on 28 January, by our driver.\n\nErik",
        "Dear Maria,\n\nthank you. We will wait for the transfer then.\n\nErik",
        "Hi Maria,\n\nthe money arrived today. Many thanks and have a nice weekend!\n\nErik")),
    "meeting": ("Tom Baker <tom@kestrel.test>", "Kickoff", (
        "Hi Maria,\n\ncould we talk about the kickoff next week? I could do Saturday at 10:00 or Sunday at 11:00."
        "\n\nTom",
        "Hi Maria,\n\nWednesday at 11:00 works for me. I'll send you an invitation.\n\nTom",
        "Hi Maria,\n\nI've sent the invitation. The agenda: 1. schedule, 2. budget, 3. contacts.\n\nTom",
        "Hi Maria,\n\nsorry, something came up, can we make it Thursday at the same time?\n\nTom",
        "Great, see you then!\n\nTom")),
    "termin": ("Sabine Roth <roth@druckhaus.test>", "Abstimmung", (
        "Hallo Maria,\n\nhast du am Donnerstag um 14:00 Uhr Zeit für eine kurze Abstimmung?\n\nLiebe Grüße\nSabine",
        "Hallo Maria,\n\ntut mir leid, mir ist etwas dazwischengekommen. Können wir den Termin auf Freitag zur selben "
        "Zeit verschieben?\n\nSabine",
        "Super, danke dir! Bis dann.\n\nSabine",
        "Hallo Maria,\n\ndanke für das gute Gespräch. Schickst du mir noch die Preisliste?\n\nSabine")),
}


def conversation(name: str, temperament: str) -> list[Turn]:
    """All mails of a thread in the order of their arrival."""
    sender, subject, texts = THREADS[name]
    address = sender.partition("<")[2].rstrip(">")
    server = MemoryServer()
    universe = server.universe(seed=name)
    now(universe.people.create({
        "name": "Maria Lindqvist", "role": "Head of Purchasing", "org": "Norrland Print", "addresses": [MARIA],
        "temperament": temperament, "style": {"client": "plain"}, "behaviors": {"keep_promises": 1},
        "timing": {"reply_rate": 1, "hours": {
            "tz": "Europe/London", "days": "mon-fri", "from": "08:30", "to": "17:00"}}}))
    turns: list[Turn] = []
    references: list[str] = []
    last, seen = None, 0
    for number, text in enumerate(texts):
        said = quote("gmail", text, last)[0] if last is not None else text
        threading = f"In-Reply-To: {references[-1]}\nReferences: {' '.join(references)}\n" if references else ""
        at = universe.clock.now()
        references.append(f"<m{number}@app.test>")
        server.send(universe, address, MARIA, (
            f"From: {sender}\nTo: {MARIA}\nSubject: {'Re: ' if number else ''}{subject}\nDate: {email_date(at)}\n"
            f"Message-ID: {references[-1]}\n{threading}MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
            f"Content-Transfer-Encoding: 8bit\n\n{said}\n").encode())
        turns.append(Turn(False, f"{at:%a %d %H:%M}", text))
        turned(universe, universe.scheduler.advance(by=timedelta(days=2 if number < len(texts) - 1 else 12)))
        if not universe.store.exists(address):
            continue
        folder = now(universe.store.folder(address, "INBOX"))
        for uid in [uid for uid in folder.uids if uid > seen]:
            seen = uid
            last = read(now(folder.read(uid)))
            references.append(last.message_id)
            assert last.date is not None
            turns.append(Turn(True, f"{last.date:%a %d %H:%M}", split_reply(last.text)[0].split("\n-- \n")[0].strip(),
                              tuple(one.filename for one in last.attachments)))
    return turns


def as_text(turns: list[Turn]) -> str:
    """A conversation as a readable file."""
    return "\n".join(
        f"{'Maria' if turn.own else 'Application'}, {turn.at}"
        f"{''.join(f', with {one}' for one in turn.attached)}\n\n"
        + "\n".join(f"    {line}".rstrip() for line in turn.text.split("\n")) + "\n" for turn in turns)


class ConversationTests(SynchronousTestCase):
    """Threads to their end."""

    def test_as_approved(self) -> None:
        """Each conversation is, to the letter, the one that was read and approved; no line is said twice in it."""
        writing = os.environ.get("SIMMAILD_GOLDEN") == "write"
        for name in THREADS:
            for temperament in TEMPERAMENTS:
                turns = conversation(name, temperament)
                told = as_text(turns)
                path = HERE / name / f"{temperament}.txt"
                if writing:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(told, encoding="utf-8")
                self.assertEqual(path.read_text(encoding="utf-8"), told, f"{name}, {temperament}")
                lines = Counter(line for turn in turns if turn.own for line in turn.text.split("\n")
                                if len(line.split()) > 6)
                self.assertEqual([line for line, count in lines.items() if count > 1], [], f"{name}, {temperament}")

    def test_agreements_end(self) -> None:
        """What was asked for comes once the persona's question is answered; nobody insists after a farewell."""
        for temperament in ("responsive", "busy", "procedural", "skeptical", "flaky"):
            turns = conversation("contract", temperament)
            self.assertIn("signed-framework-agreement-FA-118.pdf",
                          [file for turn in turns for file in turn.attached], temperament)
        for name in THREADS:
            for temperament in TEMPERAMENTS:
                turns = conversation(name, temperament)
                farewell = max(number for number, turn in enumerate(turns) if not turn.own)
                if name in ("contract", "meeting"):
                    self.assertNotIn("?", "".join(turn.text for turn in turns[farewell + 1:] if turn.own), temperament)
