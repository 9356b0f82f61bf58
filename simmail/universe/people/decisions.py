"""
What a persona makes of one mail: all that the rules ask for is gathered, and what they answer becomes a commit.

The rules are C{core.decide}; nothing is decided here, and nothing committed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from simmail.config import Config
from simmail.core.decide.decide import react
from simmail.core.decide.decision import (
    DecisionInput, LoopLimits, PlannedReply, Reactions, SpamVerdict, correspondent, keyed, reply_address,
)
from simmail.core.decide.preview import Preview, previewed
from simmail.core.message.conversations import thread_key
from simmail.core.message.mail import Mail
from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy
from simmail.core.records.persona import Persona
from simmail.core.records.relationship import Dossier
from simmail.core.rng import Dice
from simmail.core.rules.spam import THRESHOLDS, score
from simmail.errors import NotFound
from simmail.interfaces import IMailStore
from simmail.universe.cache import LONGEST_READ, MailCache
from simmail.universe.meaning import Meaning
from simmail.universe.pending import PendingJobs
from simmail.universe.people.cases import Cases
from simmail.universe.people.effects import Setting, enact
from simmail.universe.people.memory import Memories
from simmail.universe.people.personas import Personas, persona_tag
from simmail.universe.policy import Policy
from simmail.universe.settings import Settings


class Decisions:
    """What the personas of one universe make of mail."""

    def __init__(
        self, config: Config, store: IMailStore, mail_cache: MailCache, people: Personas, memories: Memories,
        cases: Cases, pending: PendingJobs, policy: Policy, settings: Settings, meaning: Meaning | None,
        dice: Dice, now: Callable[[], datetime],
    ) -> None:
        self._limits = LoopLimits(config.people.replies_per_day, config.people.thread_messages_per_hour)
        self._lab_hosts = frozenset(config.links.lab_hosts)
        self._store = store
        self._mail_cache = mail_cache
        self._people = people
        self._memories = memories
        self._cases = cases
        self._pending = pending
        self._policy = policy
        self._settings = settings
        self._meaning = meaning
        self._dice = dice
        self._now = now

    def expect(self, arrivals: Sequence[Arrival], octets: bytes) -> None:
        """Ask for what a decision about a message needs, which is about to be filed, meanwhile."""
        if len(arrivals) == 1 and len(octets) <= LONGEST_READ:
            arrival = arrivals[0]
            mail = self._mail_cache.read(octets)
            self._memories.expect(arrival.persona_id, correspondent(mail, arrival.sender), thread_key(mail))

    async def decide(self, arrival: Arrival, octets: bytes | None) -> Commit:
        """Return the commit of what a persona makes of a mail; of one that is gone, that it is decided about."""
        gone = Commit(once=arrival.id, leave=(arrival.id,))
        persona = self._people.known(arrival.persona_id)
        if persona is None:
            return gone
        if octets is None:
            octets = await self._read(arrival.copy)
        if octets is None:
            return gone
        mail = await self._mail_cache.understand(octets)
        self._mail_cache.filed(arrival.copy, octets)
        place = {"mailbox": arrival.copy.mailbox, "folder": arrival.copy.folder, "uid": arrival.copy.uid,
                 "message_id": mail.message_id}
        spam = None
        if arrival.spam:
            spam = SpamVerdict(arrival.spam["score"], arrival.spam["threshold"], arrival.spam["why"])
        situation, memory = await self._situation(
            persona, mail, arrival.mailbox, arrival.sender, arrival.at, spam, place, arrival.hints)
        return replace(
            enact(await self._reactions(situation), Setting(
                persona, persona_tag(persona), arrival.at, mail, self._pending.by_id, memory)),
            once=arrival.id, leave=(arrival.id,))

    async def _read(self, copy: Copy) -> bytes | None:
        try:
            folder = await self._store.folder(copy.mailbox, copy.folder)
            octets: bytes = await folder.read(copy.uid)
            return octets
        except NotFound:
            return None

    async def _situation(
        self, persona: Persona, mail: Mail, recipient: str, sender: str, now: datetime,
        spam: SpamVerdict | None, place: dict[str, Any], dsn: dict[str, Any],
    ) -> tuple[DecisionInput, dict[str, list[str]]]:
        who = correspondent(mail, sender)
        key = thread_key(mail)
        dossier, thread, memory, appointments = await self._memories.recall(persona.id, who, key)
        if dossier is not None and dossier.promises:
            dossier = self._kept_up(dossier)
        case, how = self._cases.match(mail, persona, who, thread)
        other = self._people.at(who)
        situation = DecisionInput(
            mail=mail, envelope_sender=sender, recipient=recipient, persona=persona, now=now,
            dice=keyed(self._dice, who, recipient, (dossier.received if dossier else 0) + 1),
            thread=thread, dossier=dossier, sender_id=other.id if other else "",
            status=self._policy.status(recipient), case=case, how=how,
            notes=tuple(memory.get(case.id if case else "", ())),
            pace=self._settings.pace, limits=self._limits, spam=spam, planned=None, links=self._settings.links,
            lab_hosts=self._lab_hosts, place=place, dsn=dsn, appointments=appointments,
            meaning=self._meaning,
        )
        return situation, memory

    async def _reactions(self, situation: DecisionInput) -> Reactions:
        return self._reacted(situation) if self._meaning is None else await self._meaning.worked_out(
            lambda: self._reacted(situation))

    def _reacted(self, situation: DecisionInput) -> Reactions:
        # What is planned for somebody else in the thread does not reach who wrote this.
        job = self._pending.reply_in(
            situation.persona.id, situation.thread.key, reply_address(situation)[0])
        return react(replace(situation, planned=PlannedReply(job.id, job.due) if job is not None else None))

    def _kept_up(self, dossier: Dossier) -> Dossier:
        """Return the dossier with promises whose job was skipped or failed taken for forgotten until somebody asks."""
        pending = self._pending.by_id
        return replace(dossier, promises=tuple(
            replace(one, job_id="", fate="forgotten") if one.by == "persona" and one.job_id not in pending else one
            for one in dossier.promises))

    async def preview(self, persona: Persona, mail: Mail, sender: str) -> Preview:
        """
        Say what the persona would do with a mail to its first address, came it now; nothing is stored.

        @param sender: the reverse-path.
        """
        situation, _ = await self._situation(
            persona, mail, persona.address, sender, self._now(),
            spam_verdict(persona, persona.address, sender, mail), {}, {})
        return previewed(await self._reactions(situation))


def spam_verdict(persona: Persona, recipient: str, sender: str, mail: Mail) -> SpamVerdict:
    """Return the spam score of a mail against the persona's filter."""
    style = persona.style or None
    level = (style.filter if style else None) or "normal"
    scored = score(mail, sender, recipient)
    return SpamVerdict(scored.score, THRESHOLDS[level], scored.why)


def spam_hints(persona: Persona, recipient: str, sender: str, mail: Mail) -> dict[str, Any]:
    """Return the same as an arrival keeps it, with C{junk}: whether it goes to the folder of that name."""
    verdict = spam_verdict(persona, recipient, sender, mail)
    return {"score": verdict.score, "threshold": verdict.threshold, "why": verdict.why, "junk": verdict.junk}
