"""
A season: many people, some cases, and an application that writes to them and answers what comes back.

Everything is drawn from dice, so that two seasons of one seed are the same.
It is driven by C{async} calls and never waits, so it runs in memory and
against the real providers alike.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from simmail.core.message.parse import read_headers
from simmail.core.rng import Dice
from simmail.core.time.instant import email_date, format_instant
from simmail.universe.mailflow.envelope import Recipient, Submission
from simmail.universe.universe import Universe

_FIRST = ("Maria", "Tom", "Aisha", "Jonas", "Chen", "Priya", "Lukas", "Elena", "Omar", "Ingrid", "Paul", "Sofia",
          "Ravi", "Hanna", "Diego", "Mei")
_LAST = ("Rossi", "Baker", "Khan", "Berg", "Wei", "Nair", "Vogel", "Petrova", "Haddad", "Lund", "Martin", "Silva",
         "Mehta", "Koch", "Ramos", "Tan")
_COMPANIES = ("acme", "norrland", "brightdesk", "fenwick", "otago", "solaris", "kestrel", "maple")
_ZONES = ("Europe/Berlin", "America/New_York", "UTC", "Asia/Tokyo", "Europe/London", "Australia/Sydney")
_APPLICATION = ("billing", "support", "hello", "events")

#: Subject and text of what the application writes first.
_MAILS = (
    ("Invoice {ref} is due", "Dear {first},\n\ninvoice {ref} for EUR {amount}.00 is due on {day}. Could you tell us "
     "when we can expect payment?\n\nKind regards,\nDana Novak\nAccounts"),
    ("Time for a call?", "Hi {first},\n\nwould Tuesday at 10:00, Wednesday at 14:00 or Thursday at 16:30 suit you for "
     "a 30 minute call about {thing}?\n\nBest,\nSam Ortiz"),
    ("Your ticket {ref}", "Hello {first},\n\nwe have looked into your problem with {thing}. Please restart the "
     "device and try again. Does that solve it?\n\nSupport team"),
    ("Contract for {thing}", "Hi {first},\n\nplease send us the signed contract for {thing} by Friday.\n\n"
     "Thanks,\nDana"),
    ("Welcome to Brightdesk", "Hi {first},\n\nyour account is ready. You can sign in with your e-mail address.\n\n"
     "The Brightdesk team"),
    ("Two questions about {thing}", "Hi {first},\n\n1. How many seats do you need?\n2. Who will sign the order?\n\n"
     "Thanks!\nSam"),
    ("Your order {ref} has shipped", "Hi {first},\n\norder {ref} left our warehouse today. I will send you the "
     "tracking number by tomorrow.\n\nSam"),
    ("We are sorry about {thing}", "Dear {first},\n\nI am sorry about the trouble with {thing}. We can offer a "
     "refund of EUR {amount} or a replacement. Which do you prefer?\n\nDana Novak"),
    ("Spring offers just for you", "Dear customer,\n\nthis week everything about {thing} is 20 % off. Read more in our "
     "shop.\n\nUnsubscribe at any time."),
    ("You have won!", "Dear friend,\n\nyou have won the lottery! Claim your prize of EUR {amount}, act now!!!"),
    ("Rechnung {ref}", "Sehr geehrte Damen und Herren,\n\nanbei die Rechnung {ref} über {amount} EUR. Wann können "
     "wir mit der Zahlung rechnen?\n\nMit freundlichen Grüßen\nDana Novak"),
)
_THINGS = ("the printer fleet", "the office move", "the new portal", "the spring campaign", "order handling",
           "the warehouse lease")

#: What the application says to an answer; C{None}: nothing.
_ANSWERS: tuple[tuple[str | None, float], ...] = (
    (None, 0.55),
    ("Hi {first},\n\nthank you, that helps a lot.\n\nDana", 0.12),
    ("Hi {first},\n\nthanks. I will send you the documents by {day}.\n\nSam", 0.1),
    ("Hi {first},\n\nas promised, please find the documents attached.\n\nSam", 0.06),
    ("Hi {first},\n\nthanks for the quick answer. Could you also tell me who signs on your side?\n\nSam", 0.09),
    ("Hi {first},\n\nI have not heard from you about {thing}. Any update?\n\nDana", 0.05),
    ("Hi {first},\n\nI must say I am disappointed. That is not what we agreed.\n\nDana", 0.03),
)


#: The application answers nothing further down a thread.
LONGEST_THREAD = 10


class Sent(NamedTuple):
    """What the application sent, and to whom."""

    message_id: str
    to: str


class Season:
    """
    A universe over some weeks.

    @param people, cases: how many there are.
    """

    def __init__(self, universe: Universe, people: int, cases: int, seed: str = "season") -> None:
        self.universe = universe
        self.sent: list[Sent] = []
        self._dice = Dice(seed)
        self._people = people
        self._cases = cases
        self._addresses: list[str] = []
        self._read: dict[str, int] = {}

    async def populate(self) -> None:
        """Create everybody and every case."""
        for n in range(self._people):
            fields = self.persona(n)
            self._addresses.append(fields["addresses"][0])
            await self.universe.people.create(fields)
        for n in range(self._cases):
            await self.universe.case_editor.push(self._case(n))

    def persona(self, n: int) -> dict[str, Any]:
        """The fields of one person: every behaviour is somebody's."""
        dice = self._dice.on("person", n)
        first, last = dice.choice(_FIRST, "first"), dice.choice(_LAST, "last")
        company = dice.choice(_COMPANIES, "company")
        fields: dict[str, Any] = {
            "name": f"{first} {last}", "org": company.capitalize(),
            "addresses": [f"{first}.{last}{n}@{company}.test".lower()],
        }
        timing: dict[str, Any] = {}
        if dice.chance(0.8, "hours"):
            timing["hours"] = {"tz": dice.choice(_ZONES, "zone"), "days": "mon-fri", "from": "08:30", "to": "17:30"}
        if dice.chance(0.15, "away"):
            begin = self.universe.clock.now() + timedelta(days=dice.below(80, "away from"))
            timing["ooo"] = [{"from": f"{begin:%Y-%m-%d}", "to": f"{begin + timedelta(days=7):%Y-%m-%d}",
                              "message": "" if dice.chance(0.5, "told") else "I am away and will answer later."}]
        if timing:
            fields["timing"] = timing
        behaviors: dict[str, Any] = {}
        for name, share in (("double_reply", 0.1), ("cc_someone", 0.1)):
            if dice.chance(share, name):
                behaviors[name] = 0.5
        if self._addresses and dice.chance(0.03, "forwards"):
            behaviors["forward_to"] = dice.choice(self._addresses, "forwards to")
        if dice.chance(0.02, "bounces"):
            behaviors["bounce"] = 0.2
        if behaviors:
            fields["behaviors"] = behaviors
        if dice.chance(0.02, "paused"):
            fields["paused"] = True
        return fields

    def _case(self, n: int) -> dict[str, Any]:
        dice = self._dice.on("case", n)
        on = [dice.choice(self._addresses, "on", i) for i in range(2)]
        now = self.universe.clock.now()
        return {
            "id": f"c_season{n}", "title": f"Lease {n}", "keys": [f"LEASE-{n}"],
            "facts": {"rent": f"{dice.below(900, 'rent') + 100} EUR", "start": "1 May"},
            "secrets": {"limit": f"{dice.below(9000, 'limit') + 10000} pounds"},
            "people": [
                *({"persona_id": one.id, "wants": "a date for the handover"} for address in dict.fromkeys(on)
                  if (one := self.universe.people.at(address)) is not None),
                {"address": self.application(n)}],
            "deliverables": [{"name": "the floor plan", "persona_id": person.id, "due": format_instant(
                now + timedelta(days=3 + dice.below(60, "due"), hours=7))}
                for person in (self.universe.people.at(on[0]),) if person is not None],
        }

    @staticmethod
    def application(n: int) -> str:
        """One of the application's addresses."""
        return f"{_APPLICATION[n % len(_APPLICATION)]}@app.test"

    async def write(self, n: int) -> None:
        """The application writes its n-th mail to somebody."""
        dice = self._dice.on("mail", n)
        subject, text = dice.choice(_MAILS, "mail")
        to = dice.choice(self._addresses, "to")
        subject = self._text(subject, dice, to)
        if dice.chance(0.1, "case") and self._cases:
            subject += f" (LEASE-{dice.below(self._cases, 'which')})"
        await self._submit(self.application(dice.below(4, "from")), to, subject, self._text(text, dice, to),
                           f"<m{n}@app.test>", (), dice)

    async def answer(self) -> None:
        """The application reads what came and answers some of it."""
        for n in range(len(_APPLICATION)):
            address = self.application(n)
            if not self.universe.store.exists(address):
                continue
            folder = await self.universe.store.folder(address, "INBOX")
            for uid in [uid for uid in folder.uids if uid > self._read.get(address, 0)]:
                self._read[address] = uid
                mail = read_headers(await folder.read(uid))
                dice = self._dice.on("answer", address, mail.message_id)
                text = dice.weighted(_ANSWERS, "what")
                # Notices are for nobody to answer, and at some time all is said.
                if text is None or mail.header("Auto-Submitted") or len(mail.references) > LONGEST_THREAD:
                    continue
                subject = mail.subject if mail.subject[:3].lower() == "re:" else f"Re: {mail.subject}"
                await self._submit(
                    address, mail.from_.address, subject, self._text(text, dice, mail.from_.address),
                    f"<a{len(self.sent)}@app.test>", (*mail.references, mail.message_id), dice)

    def _text(self, text: str, dice: Dice, to: str) -> str:
        person = self.universe.people.at(to)
        return text.format(
            first=person.name.split()[0] if person is not None else "there",
            ref=f"INV-{dice.below(9000, 'ref') + 1000}", amount=dice.below(900, "amount") + 50,
            thing=dice.choice(_THINGS, "thing"),
            day=dice.choice(("Friday", "Monday", "tomorrow", "Wednesday"), "day"))

    async def _submit(
        self, sender: str, to: str, subject: str, text: str, message_id: str, references: tuple[str, ...], dice: Dice
    ) -> None:
        threading = f"In-Reply-To: {references[-1]}\nReferences: {' '.join(references)}\n" if references else ""
        octets = (
            f"From: Brightdesk <{sender}>\nTo: {to}\nSubject: {subject}\n"
            f"Date: {email_date(self.universe.clock.now())}\nMessage-ID: {message_id}\n{threading}"
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
            f"Content-Transfer-Encoding: 8bit\n\n{text}\n").replace("\n", "\r\n").encode()
        verdict = self.universe.policy.recipient(to, sender)
        await self.universe.postoffice.accept(Submission(
            sender=sender, recipients=(Recipient(to, verdict),), octets=octets, via="api"))
        self.sent.append(Sent(message_id, to))

    async def run(self, until: datetime, mails: int, step: timedelta = timedelta(hours=4)) -> int:
        """
        Let time go by: answers after each step, and first mails until there are C{mails} of both, spread evenly.

        @return: how many jobs ran.
        """
        start, jobs, sent, written = self.universe.clock.now(), 0, len(self.sent), 0
        while self.universe.clock.now() < until:
            now = self.universe.clock.now()
            share = (now + step - start) / (until - start)
            while len(self.sent) - sent < min(mails, round(mails * share)):
                await self.write(written)
                written += 1
            moved = await self.universe.scheduler.advance(to=min(now + step, until))
            jobs += moved.jobs_run
            await self.answer()
        return jobs
