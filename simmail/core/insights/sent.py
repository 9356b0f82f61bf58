"""
What became of the application's mail: it is counted on the day it was sent, whenever that was.

A mail is found again by its Message-ID; what nobody follows any more, and mail among people, is not counted.
Source: decisions, section 15.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Protocol

from simmail.core.html.links import Anchor, unsubscribes
from simmail.core.insights.campaign import MOST_READ, clean_subject, name_words
from simmail.core.insights.cells import BOUNCE_KINDS, DAY, Figure, time_slot
from simmail.core.insights.events import CountedEvent
from simmail.core.insights.state import SentMail, State
from simmail.core.records.persona import Persona

#: Recipients whose names are taken out of a subject, and domains of recipients that are known of one mail.
_MOST_NAMED, _MOST_DOMAINS = 10, 8

#: Subjects that are remembered as they are without names: most mail of a campaign has the same.
_cleaned = lru_cache(512)(clean_subject)

#: Where a fault rule that defers has a recipient before it.
_DEFERRING = frozenset(("rcpt", "data", "body"))


class Directory(Protocol):
    """The people, as they are now."""

    def at(self, address: str) -> Persona | None:
        """Return who has an address."""

    def known(self, persona_id: str) -> Persona | None:
        """Return somebody by id."""


class SentFold:
    """Counts what became of the application's mail."""

    def __init__(self, state: State, people: Directory) -> None:
        self._state = state
        self._people = people

    def take(self, row: CountedEvent) -> None:
        """Count an event, if it is about such mail."""
        counter = _COUNTERS.get(row.type)
        if counter is not None:
            counter(self, row)

    # The mail itself

    def _delivered(self, row: CountedEvent) -> None:
        sender, recipients, state = row.text("from").lower(), row.texts("to"), self._state
        campaign = state.campaign(sender, _cleaned(row.text("subject")[:MOST_READ], self._names(recipients)))
        domains: dict[str, int] = {}
        for domain in map(_domain, recipients):
            domains[domain] = domains.get(domain, 0) + 1
        message_id = row.text("message_id")
        if message_id:
            state.keep_sent(message_id, SentMail(
                row.number, row.at, campaign, tuple(domains)[:_MOST_DOMAINS]))
        state.add_mail(row.day, campaign, Figure.SENT, len(recipients))
        for domain, count in domains.items():
            state.add(row.day, state.domain(domain), Figure.SENT, count)

    def _names(self, recipients: list[str]) -> frozenset[str]:
        found: frozenset[str] = frozenset()
        for address in recipients[:_MOST_NAMED]:
            persona = self._people.at(address)
            # Whoever nobody has named is called after the address.
            named = persona is not None and persona.name.casefold() != address.partition("@")[0].casefold()
            words = name_words(address, persona.name if persona is not None and named else "")
            if words:
                found |= words
        return found

    # What became of it

    def _found(self, row: CountedEvent, letter: str, whose: str) -> tuple[int, SentMail] | None:
        """Return the day and the mail an event is about, unless this was counted of it before."""
        message_id = row.text("message_id")
        mail = self._state.sent.get(message_id)
        if mail is None or letter + whose in mail.done:
            return None
        mail.done += letter + whose,
        self._state.changed_mail(mail)
        return mail.at // DAY, mail

    def _count(self, row: CountedEvent, letter: str, slot: int, temperament: bool = True) -> None:
        """Count once what a persona did with a mail."""
        persona_id = row.text("persona_id")
        found = self._found(row, letter, persona_id)
        if found is None:
            return
        day, mail = found
        state = self._state
        state.add_mail(day, mail.campaign, slot)
        state.add(day, self._domain_of(row, mail), slot)
        if temperament:
            state.add(day, self._temperament(persona_id), slot)

    def _domain_of(self, row: CountedEvent, mail: SentMail) -> int:
        """The domain under which a persona got a mail, as a group."""
        domains = [_domain(one) for one in row.addresses]
        return self._state.domain(next((one for one in domains if one in mail.domains), domains[0] if domains else ""))

    def _temperament(self, persona_id: str) -> int:
        persona = self._people.known(persona_id)
        return self._state.temperament("unknown" if persona is None else str(persona.temperament))

    def _bounced(self, row: CountedEvent) -> None:
        state, address, kind = self._state, row.text("address"), row.text("kind")
        if "message_id" in row.data:
            found = self._found(row, "b", address.lower())
            if found is None:
                return
            day, campaign = found[0], found[1].campaign
        else:
            # Refused in the SMTP conversation, before anybody knew the subject.
            day, campaign = row.day, state.campaign(row.text("to").lower(), "")
            state.add_mail(day, campaign, Figure.SENT)
            state.add(day, state.domain(_domain(address)), Figure.SENT)
        state.add_mail(day, campaign, Figure.BOUNCED)
        state.add_mail(
            day, campaign, Figure.BOUNCE_KIND + BOUNCE_KINDS.index(kind if kind in BOUNCE_KINDS else "other"))
        state.add(day, state.domain(_domain(address)), Figure.BOUNCED)

    def _faulted(self, row: CountedEvent) -> None:
        code = row.data.get("code")
        if not isinstance(code, int) or not 400 <= code < 500 or row.data.get("stage") not in _DEFERRING:
            return
        state = self._state
        state.add_mail(row.day, state.campaign(row.text("from").lower(), ""), Figure.DEFERRED)
        state.add(row.day, state.domain(_domain(row.text("address"))), Figure.DEFERRED)

    def _received(self, row: CountedEvent) -> None:
        self._count(row, "v", Figure.RECEIVED)

    def _junked(self, row: CountedEvent) -> None:
        self._count(row, "j", Figure.JUNKED)

    def _ignored(self, row: CountedEvent) -> None:
        self._count(row, "i", Figure.IGNORED)

    def _answered(self, row: CountedEvent) -> None:
        kind, state = row.data.get("kind"), self._state
        if kind not in ("reply", "ooo"):
            return
        persona_id = row.text("persona_id")
        for message_id in row.texts("answers"):
            letter, slot = ("r", Figure.REPLIED) if kind == "reply" else ("a", Figure.AUTO_REPLIED)
            mail = state.sent.get(message_id)
            if mail is None or letter + persona_id in mail.done:
                continue
            mail.done += letter + persona_id,
            state.changed_mail(mail)
            day, temperament = mail.at // DAY, self._temperament(persona_id)
            for counted in (slot, time_slot(row.at - mail.at)) if letter == "r" else (slot,):
                state.add_mail(day, mail.campaign, counted)
                state.add(day, temperament, counted)
            state.add(day, self._domain_of(row, mail), slot)

    # Links and scores

    def _opened(self, row: CountedEvent) -> None:
        url, status = row.text("url"), row.data.get("status")
        good = isinstance(status, int) and 0 < status < 400
        if not good:
            self._broken(row, url)
        if unsubscribes(Anchor(url, row.text("text"))):
            if good:
                self._count(row, "u", Figure.UNSUBSCRIBED, temperament=False)
            return
        self._clicked(row)

    def _failed(self, row: CountedEvent) -> None:
        self._broken(row, row.text("url"))
        if not unsubscribes(Anchor(row.text("url"), row.text("text"))):
            self._clicked(row)

    def _clicked(self, row: CountedEvent) -> None:
        mail = self._state.sent.get(row.text("message_id"))
        if mail is not None:
            self._state.add_mail(mail.at // DAY, mail.campaign, Figure.CLICKS)
            self._count(row, "c", Figure.CLICKED)

    def _broken(self, row: CountedEvent, url: str) -> None:
        found = self._found(row, "l", url)
        if found is not None:
            self._state.add_mail(found[0], found[1].campaign, Figure.BROKEN_LINKS)

    def _checked(self, row: CountedEvent) -> None:
        for url in row.texts("broken"):
            self._broken(row, url)

    def _scored(self, row: CountedEvent) -> None:
        score = row.data.get("score")
        found = self._found(row, "s", "") if isinstance(score, (int, float)) else None
        if found is not None and isinstance(score, (int, float)):
            self._state.add_mail(found[0], found[1].campaign, Figure.SCORED)
            self._state.add_mail(found[0], found[1].campaign, Figure.SCORE, round(score * 10))


_COUNTERS: Mapping[str, Callable[[SentFold, CountedEvent], None]] = MappingProxyType({
    "mail.delivered": SentFold._delivered, "persona.bounced": SentFold._bounced, "fault.hit": SentFold._faulted,
    "persona.received": SentFold._received, "persona.junked": SentFold._junked, "persona.ignored": SentFold._ignored,
    "persona.sent": SentFold._answered, "link.opened": SentFold._opened, "link.failed": SentFold._failed,
    "inspect.links": SentFold._checked, "inspect.scored": SentFold._scored,
})


def _domain(address: str) -> str:
    domain = address.rpartition("@")[2].lower()
    return domain if domain.isascii() else domain.encode("utf-8", "replace").decode("utf-8")
