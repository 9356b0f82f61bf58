"""
Mail that people write to the company: greeting, what it is about, sign-off, and what goes with it.

Each is written as its writer's mail program would; a further mail of a conversation has the facts of the first, is
threaded behind the last, and quotes it as that program does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from msgspec import UNSET

from simmail.core.compose import itip
from simmail.core.compose.message import compose
from simmail.core.compose.message_id import message_id
from simmail.core.compose.quoting import quote
from simmail.core.message.mail import Draft, as_sent
from simmail.core.mime.address import Address
from simmail.core.records.conversation import Appointment
from simmail.core.records.persona import Hours, Persona, Timing
from simmail.core.time.instant import UTC, zone
from simmail.core.world import papers
from simmail.core.world.facts import Matter, day, slots as drawn, trade_of
from simmail.core.world.occasion import Composition, Enclosures, Expected, Occasion, Resumption
from simmail.core.world.trace import traced
from simmail.core.world.words import (
    MailWords, Slots, TONGUES, WorldWords, common, fill, kind_words, sayable, slots_of,
)

#: Slots that tell who writes to whom, and nothing of the matter.
_OF_PEOPLE = frozenset(("company", "sender", "first", "firm", "address", "language", "start", "about", "sent_on"))

#: What mails are about that are not about what the company sells.
_MATTERS: Mapping[str, Matter] = MappingProxyType({
    "invoice": "supplies", "payment_reminder": "supplies", "sales_pitch": "supplies", "calendar": "topics"})

#: A meeting takes so long.
_MEETING = timedelta(minutes=45)


def letter(occasion: Occasion, expected: Expected, hours: float | None) -> Composition:
    """
    Return a mail of C{occasion.persona}.

    @param expected: the right handling of its kind; hours: within which it should be answered.
    """
    persona = occasion.persona
    assert persona is not None
    words, local = kind_words(occasion.kind, occasion.language), occasion.now.astimezone(_zone(persona))
    slots = drawn(
        occasion.language, occasion.dice.on("facts"), local, occasion.company.industry, occasion.company_name,
        persona.name, persona.org if persona.org is not UNSET else "", persona.address,
        _MATTERS.get(occasion.kind, "trade"))
    resumed = occasion.resumed
    if resumed is not None:
        thread = resumed.thread
        return _resumed(occasion, persona, words, Slots({
            **slots, **thread.slots, "about": thread.subject,
            "sent_on": day(common(occasion.language), thread.since.astimezone(local.tzinfo)),
        }), local, resumed, hours)
    dice = occasion.dice.on("words")
    trade = trade_of(common(occasion.language), occasion.company.industry).name
    mail = dice.choice([one for one in words.mails if not one.trades or trade in one.trades], "mail")
    greeting = fill(dice.choice(words.greetings or common(occasion.language).greetings, "greeting"), slots, dice, "g")
    body = "\n\n".join(filter(None, [
        fill(dice.choice(words.openings, "opening"), slots, dice, "o"), fill(mail.text.strip(), slots, dice, "t"),
        fill(dice.choice(words.endings, "ending"), slots, dice, "e")]))
    sign_off = _sign_off(occasion, persona, slots)
    enclosures = _ENCLOSURES.get(occasion.kind, _nothing)(occasion, persona, slots, local)
    subject = fill(dice.choice(mail.subject, "subject"), slots, dice, "s")
    return _sent(occasion, persona, subject, (greeting, body, sign_off), slots, local, (), enclosures, None,
                 mail.expected or expected, hours, mail)


def _resumed(
    occasion: Occasion, persona: Persona, words: WorldWords, slots: Slots, local: datetime, resumed: Resumption,
    hours: float | None,
) -> Composition:
    """One more mail of a conversation: asking again, or something further."""
    thread, dice = resumed.thread, occasion.dice.on("words")
    texts = sayable(words.questions if resumed.answered is not None else words.nudges, slots)
    parts = (fill(dice.choice(common(occasion.language).greetings, "greeting"), slots, dice, "g"),
             fill(dice.choice(texts, "text").strip(), slots, dice, "t"), _sign_off(occasion, persona, slots))
    references = (*thread.references, thread.last)
    if resumed.answered is not None:
        references = (*references, resumed.answered.message_id)
    return _sent(occasion, persona, answering(thread.subject), parts, slots, local,
                 tuple(dict.fromkeys(references)), Enclosures(), resumed, thread.expected, hours, None)


def answering(subject: str) -> str:
    """Return the subject of an answer."""
    return subject if subject[:3].lower() == "re:" else f"Re: {subject}"


def _sign_off(occasion: Occasion, persona: Persona, slots: Slots) -> str:
    dice = occasion.dice.on("sign-off")
    closings = kind_words(occasion.kind, occasion.language).closings or common(occasion.language).closings
    lines = [fill(dice.choice(closings, "closing"), slots, dice, "c"), persona.name]
    if persona.org is not UNSET and persona.org:
        lines.append(persona.org)
        if dice.chance(0.5, "phone"):
            lines.append(slots["phone"])
    return "\n".join(lines)


def _sent(
    occasion: Occasion, persona: Persona, subject: str, parts: tuple[str, str, str], slots: Slots, local: datetime,
    references: tuple[str, ...], enclosures: Enclosures, resumed: Resumption | None, expected: Expected,
    hours: float | None, mail: MailWords | None,
) -> Composition:
    client = persona.style.client if persona.style is not UNSET and persona.style.client is not UNSET else "plain"
    quoted = resumed.quoted if resumed is not None else None
    at = resumed.quoted_at.astimezone(local.tzinfo) if resumed is not None and resumed.quoted_at is not None else None
    greeting, body, sign_off = parts
    text = "\n\n".join((greeting, occasion.body or body, sign_off)) + "\n"
    plain, html = quote(client, text, quoted, forward=False, at=at, language=occasion.language)
    own = message_id(occasion.dice, client, persona.address, occasion.nth)
    author = Address(persona.name, persona.address)
    draft = Draft(
        message_id=own, date=local, from_=author, to=(Address(_shown(occasion), occasion.to),), subject=subject,
        text=plain, html=html, in_reply_to=references[-1] if references else "", references=references,
        attachments=enclosures.files, forms=enclosures.forms, client=client,
        extra=(("X-Service-Simulated", "yes"), ("X-Service-Persona", persona.id)), key=occasion.id)
    octets = compose(draft)
    said = {name: value for name, value in slots.said.items() if name not in _OF_PEOPLE}
    facts: dict[str, Any] = {"given": said, "must": [], "must_not": []}
    if mail is not None:
        facts["must"] = [one.format_map(slots) for one in mail.must]
        facts["must_not"] = [one.format_map(slots) for one in mail.must_not]
    return Composition(
        octets=traced(octets, persona.address, occasion.to, occasion.server, occasion.now, occasion.dice.on("trace"),
                      persona.address),
        message_id=own, sender=author, reverse_path=persona.address, subject=subject, expected=expected,
        hours=hours if expected in ("answer", "escalate") else None, facts=facts,
        slots={**(resumed.thread.slots if resumed is not None else {}), **said}, references=references,
        known=_known(occasion, slots),
        appointment=enclosures.appointment, mail=as_sent(draft, len(octets)), body=body)


def _known(occasion: Occasion, slots: Slots) -> dict[str, str]:
    """What the writer tells of the matter when asked: what was said of it, and what who writes such mail knows."""
    found: dict[str, str] = {}
    # The company may ask in a language that is not the writer's.
    for code in TONGUES:
        words = common(code).known
        told = {name: text for name, text in words["said"].items() if slots_of(text) <= slots.said.keys()}
        found.update({**told, **words.get(occasion.sort, {})})
    return {name: text.format_map(dict(slots)) for name, text in found.items()}


def _shown(occasion: Occasion) -> str:
    """What stands before the address of the company: people who have written it by hand know no name."""
    return occasion.company.name if occasion.mix != "new" else ""


def _zone(persona: Persona) -> Any:
    hours = persona.timing.hours if isinstance(persona.timing, Timing) else UNSET
    return zone(hours.tz) if isinstance(hours, Hours) and isinstance(hours.tz, str) else UTC


# What goes with them

def _nothing(occasion: Occasion, persona: Persona, slots: Slots, local: datetime) -> Enclosures:
    return Enclosures()


def _invoice(occasion: Occasion, persona: Persona, slots: Slots, local: datetime) -> Enclosures:
    return Enclosures((papers.invoice(slots, local),))


def _resume(occasion: Occasion, persona: Persona, slots: Slots, local: datetime) -> Enclosures:
    return Enclosures((papers.resume(slots, occasion.dice.on("resume"), local),))


def _invitation(occasion: Occasion, persona: Persona, slots: Slots, local: datetime) -> Enclosures:
    """An invitation to what the mail proposes, with the same time."""
    start = datetime.fromisoformat(slots["start"])
    summary = f"{slots['product']}: {occasion.company_name} / {slots['firm']}"
    uid = f"{occasion.id}@{persona.address.rpartition('@')[2]}"
    return Enclosures((), (itip.request(
        uid, Address(persona.name, persona.address), Address("", occasion.to), occasion.now, start, start + _MEETING,
        summary),), Appointment(start, start + _MEETING, summary, (occasion.to,), uid=uid))


_ENCLOSURES: Mapping[str, Callable[[Occasion, Persona, Slots, datetime], Enclosures]] = MappingProxyType({
    "invoice": _invoice, "payment_reminder": _invoice, "job_application": _resume, "calendar": _invitation})
