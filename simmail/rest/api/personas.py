"""
C{/api/personas}, C{/api/memory} and C{/api/temperaments}: the people of a universe.

Source: API contract, "Personas"; decisions, section 23 ("Personas").
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from simmail.core.decide.preview import Preview
from simmail.core.language.tables import language
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.mime.address import stored
from simmail.core.records.conversation import Appointment, Remark
from simmail.core.records.persona import Persona, TEMPERAMENTS, TemperamentName
from simmail.core.records.relationship import Relation, Stance
from simmail.core.time.instant import format_duration
from simmail.core.writer.agenda import Calendar
from simmail.core.writer.context import own_written, tongues
from simmail.core.writer.sources.self_sheet import SelfSheet
from simmail.errors import Invalid, Refusal
from simmail.rest.api.mailboxes import check_header, crlf
from simmail.rest.openapi import some_of
from simmail.rest.render.compose import composed, one_address
from simmail.rest.render.shown import heavy
from simmail.rest.route import Body, Call, Deleted, Query, Route
from simmail.universe.people.learning import Learned, learn_persona
from simmail.universe.usage import LEARNED

HEADING = "Personas"


#: For the OpenAPI document; C{core.records.persona} takes them.
PersonaFields = some_of(
    "PersonaFields", Persona, "What may be said of a persona; what is left out is drawn, or stays.",
    without=("id", "provider", "created"))


class MemoryNote(Body, frozen=True):
    """
    A note for a persona's memory; with a C{source} it is kept as C{(source) text}.

    It stays however many notes the persona makes itself; at most 1000 are kept for one persona.

    @ivar text: the note; case_id: the case it is about, C{""} outside any; source: where it comes from.
    """

    text: str
    case_id: str = ""
    source: str = ""


class ExternalNote(Body, frozen=True):
    """
    A note for a persona, found by its id elsewhere.

    @ivar system: name of the other system, as in C{external_ids}; id: the persona's id there; text: the note.
    @ivar case_id: the case it is about, C{""} outside any; source: where it comes from; the system unless given.
    """

    system: str
    id: str
    text: str
    case_id: str = ""
    source: str = ""


class Remembered(Struct, frozen=True):
    """The note was added to this persona's memory.  C{status}: always C{ok}."""

    persona_id: str
    status: str = "ok"


class WhichCase(Query, frozen=True):
    """C{case_id}: only what is kept of this case, C{""} of what lies outside any; left out, everything."""

    case_id: str | None = None


class WhichMemory(Query, frozen=True):
    """Which parts of its memory.  C{threads}: with what was said in its threads."""

    threads: bool = False


class ThreadMemory(Struct, frozen=True):
    """
    What a persona keeps of one thread.

    @ivar key: Message-ID of the thread's first mail; case_id: case the thread is linked to, C{""} for none.
    @ivar remarks: what was said, both ways, oldest first.
    """

    key: str
    case_id: str
    remarks: tuple[Remark, ...]


class WholeMemory(Struct, frozen=True):
    """
    What a persona remembers.

    @ivar memory: its notes by case id, C{""} outside any case; threads: what was said in threads, oldest first.
    @ivar appointments: times that are taken, in order.
    """

    memory: dict[str, list[str]]
    threads: list[ThreadMemory]
    appointments: tuple[Appointment, ...]


class OwnFact(Struct, frozen=True):
    """
    One thing that a persona knows of itself, and tells who asks.

    @ivar field: which thing; label: what it is called, in the language that it writes by itself.
    @ivar value: what it is, in that language; private: told only in a private conversation.
    """

    field: str
    label: str
    value: str
    private: bool


class WhichAddress(Query, frozen=True):
    """C{address}: forget this correspondent only; left out, everyone."""

    address: str | None = None


class Relations(Struct, frozen=True):
    """
    What a persona holds about its correspondents.

    @ivar relations: one for each correspondent; stances: how it sees them in cases.
    """

    relations: list[Relation]
    stances: list[Stance]


class Learn(Body, frozen=True):
    """
    Whose mail to learn from.

    @ivar address: the mailbox, or a sender found in others; paused: the new persona does not answer yet.
    """

    address: str
    paused: bool = False


class PreviewMail(Body, frozen=True, rename={"from_": "from"}):
    """
    A mail that might come: C{raw}, or C{from}, C{subject} and C{text} or C{html}.

    @ivar from_: its sender; beside C{raw} the reverse-path, which unless given is the address in its From.
    @ivar text: its plain body; html: its HTML body; raw: the whole message (RFC 5322).
    """

    from_: str | None = None
    subject: str | None = None
    text: str | None = None
    html: str | None = None
    raw: str | None = None


class TemperamentItem(Struct, frozen=True):
    """
    One temperament.

    @ivar name: as in C{temperament} of a persona; weight: the odds of being drawn, against the others.
    @ivar reply_rate: share of the mails that are answered, 0 to 1.
    @ivar median_delay: half of the replies take no longer: a duration of simulated time; text: what such people do.
    """

    name: TemperamentName
    weight: int
    reply_rate: float
    median_delay: str
    text: str


async def persona(call: Call) -> Persona:
    """The persona the path names.  @raise NotFound: there is none."""
    return call.universe.people.found(call.path["id"])


async def list_personas(call: Call) -> list[Persona]:
    return [call.universe.cases.shown(one) for one in call.universe.people.everyone()]


async def create_persona(call: Call) -> Persona:
    call.universe.plan().check("people", len(call.universe.people))
    return call.universe.cases.shown(await call.universe.people.create(call.body))


async def get_persona(call: Call) -> Any:
    return call.universe.cases.shown(call.found)


async def change_persona(call: Call) -> Persona:
    return call.universe.cases.shown(await call.universe.people.patch(call.path["id"], call.body))


async def delete_persona(call: Call) -> Deleted:
    await call.universe.people.delete(call.path["id"])
    return Deleted()


async def read_memory(call: Call) -> dict[str, list[str]] | WholeMemory:
    memories = call.universe.memories
    notes = {case: list(map(str, some)) for case, some in (await memories.memory(call.path["id"])).items()}
    if not call.query.threads:
        return notes
    return WholeMemory(notes, [
        ThreadMemory(one.key, one.case_id, one.remarks) for one in await memories.threads(call.path["id"])],
        await memories.appointments(call.path["id"]))


async def read_sheet(call: Call) -> list[OwnFact]:
    one: Persona = call.found
    notes = [str(note) for some in (await call.universe.memories.memory(one.id)).values() for note in some]
    sheet = SelfSheet(one, Calendar(one, call.universe.clock.now()), language(own_written(tongues(one))), notes=notes)
    return [OwnFact(told.field, told.label, told.value, told.private) for told in sheet.everything()]


async def add_memory(call: Call) -> Remembered:
    note: MemoryNote = call.body
    await call.universe.memories.remember(call.found.id, note.text, note.case_id, note.source)
    return Remembered(call.found.id)


async def clear_memory(call: Call) -> Deleted:
    await call.universe.memories.forget(call.path["id"], call.query.case_id)
    return Deleted()


async def add_memory_by_external(call: Call) -> Remembered:
    note: ExternalNote = call.body
    for field in ("system", "id"):
        if not getattr(note, field):
            raise Invalid(field, "must not be empty")
    known = call.universe.people.by_external(note.system, note.id)
    await call.universe.memories.remember(known.id, note.text, note.case_id, note.source or note.system)
    return Remembered(known.id)


async def read_relations(call: Call) -> Relations:
    return Relations(*await call.universe.memories.relations(call.path["id"]))


async def forget_relations(call: Call) -> Deleted:
    address = call.query.address
    await call.universe.memories.forget_relations(call.path["id"], None if address is None else stored(address))
    return Deleted()


async def learn(call: Call) -> Learned:
    asked: Learn = call.body
    universe = call.universe
    plan, usage, keep = universe.plan(), universe.usage, universe.committer.keep
    plan.check("people", len(universe.people))
    plan.check(LEARNED, usage.used(LEARNED))
    # Counted before, given back on a refusal: many at once do not get past the allowance.
    keep(usage.count(LEARNED))
    try:
        return await learn_persona(
            universe.people, universe.store, universe.search.newest, asked.address, asked.paused)
    except Refusal:
        keep(usage.count(LEARNED, -1))
        raise


async def preview(call: Call) -> Preview:
    asked: PreviewMail = call.body
    if asked.raw is None and asked.from_ is None:
        raise Invalid("from", "is required unless raw is given")
    sender = "" if asked.from_ is None else one_address(asked.from_, "from").address
    if asked.raw is not None:
        if asked.subject is not None or asked.text is not None or asked.html is not None:
            raise Invalid("raw", "give either raw, or subject and text or html")

    def understand() -> Mail:
        if asked.raw is not None:
            octets = crlf(asked.raw.encode("utf-8"))
        else:
            octets = composed(call.universe.clock.now(), asked.from_ or "", [call.found.address],
                              subject=asked.subject or "", text=asked.text, html=asked.html or "")
        limits = call.services.config.limits
        check_header(octets, limits.header, limits.header_field)
        return read(octets)

    size = len(asked.raw or "") + len(asked.text or "") + len(asked.html or "")
    mail: Mail = await heavy(call.services.in_thread, understand, size)
    return await call.universe.decisions.preview(call.found, mail, sender or mail.from_.address)


async def list_temperaments(call: Call) -> list[TemperamentItem]:
    return [TemperamentItem(one.name, one.weight, one.reply_rate, format_duration(one.median_delay), one.text)
            for one in TEMPERAMENTS]


_EXAMPLE = {
    "addresses": ["maria@acme.test"], "name": "Maria Keller", "role": "Buyer", "org": "Acme", "temperament": "busy",
    "style": {"client": "gmail", "signature": "Maria Keller, Acme"},
    "timing": {"reply_rate": 0.9, "delay": {"median": "45m", "spread": 1.5},
               "hours": {"tz": "Europe/Berlin", "days": "mon-fri", "from": "09:00", "to": "17:00"}},
}
_ANSWER = {"id": "p_7k2m9x4w1c8v", "provider": "api", "created": "2026-03-01T09:00:00Z", **_EXAMPLE, "knows": "some"}
_NOTES = {"": ["(crm) prefers to be called Mia"]}
_RELATION = {
    "address": "app@sim.test", "name": "Billing", "persona_id": None, "warmth": 0.52, "trust": 0.5, "patience": 0.45,
    "last_contact": "2026-03-01T09:00:00Z",
    "open_promises": [{"by": "persona", "what": "the signed contract", "due": "2026-03-03T09:00:00Z"}],
}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/personas", list_personas, "List personas, sorted by name", list[Persona], polled=True,
          answer_example=[_ANSWER]),
    Route("POST", "/api/personas", create_persona, "Create a persona and its mailbox", Persona, role="member",
          body=dict[str, Any], body_shown=PersonaFields, example=_EXAMPLE, answer_example=_ANSWER),
    Route("GET", "/api/personas/{id}", get_persona, "Read a persona", Persona, locate=persona,
          answer_example=_ANSWER),
    Route("PATCH", "/api/personas/{id}", change_persona,
          "Change a persona: fields left out stay; style, timing and behaviors are replaced whole", Persona,
          role="member", body=dict[str, Any], body_shown=PersonaFields, locate=persona, statuses=(409,),
          example={"paused": True}, answer_example={**_ANSWER, "paused": True}),
    Route("PUT", "/api/personas/{id}", change_persona, "The same as PATCH", Persona,
          role="member", body=dict[str, Any], body_shown=PersonaFields, locate=persona, statuses=(409,),
          example={"temperament": "ghost"}, answer_example={**_ANSWER, "temperament": "ghost"}),
    Route("DELETE", "/api/personas/{id}", delete_persona,
          "Delete a persona with its memory, relations and pending jobs; its mailbox and mail are kept", Deleted,
          role="member", locate=persona, statuses=(409,), answer_example={"status": "deleted"}),
    Route("GET", "/api/personas/{id}/memory", read_memory,
          "Read a persona's memory, by case id; \"\" is what lies outside any case",
          (dict[str, list[str]], WholeMemory), query=WhichMemory,
          locate=persona, answer_example=(_NOTES, {
              "memory": _NOTES, "threads": [], "appointments": []})),
    Route("POST", "/api/personas/{id}/memory", add_memory, "Add a note to a persona's memory", Remembered,
          role="member", body=MemoryNote, locate=persona, example={"text": "prefers to be called Mia", "source": "crm"},
          answer_example={"persona_id": "p_7k2m9x4w1c8v", "status": "ok"}),
    Route("DELETE", "/api/personas/{id}/memory", clear_memory, "Clear a persona's memory, or only a case's", Deleted,
          role="member", query=WhichCase, locate=persona, answer_example={"status": "deleted"}),
    Route("GET", "/api/personas/{id}/sheet", read_sheet, "Read what a persona knows of itself, and tells who asks",
          list[OwnFact], locate=persona, answer_example=[
              {"field": "diet", "label": "diet", "value": "I'm vegan", "private": False}]),
    Route("GET", "/api/personas/{id}/relations", read_relations, "Read what a persona holds about its correspondents",
          Relations, locate=persona, answer_example={
              "relations": [_RELATION],
              "stances": [{"address": "app@sim.test", "case_id": "", "text": "Is on ordinary working terms."}]}),
    Route("DELETE", "/api/personas/{id}/relations", forget_relations, "Forget a correspondent, or everyone", Deleted,
          role="member", query=WhichAddress, locate=persona, answer_example={"status": "deleted"}),
    Route("POST", "/api/memory/by-external", add_memory_by_external,
          "Add a note to the persona that carries an external id", Remembered, role="member", body=ExternalNote,
          statuses=(404,), example={"system": "crm", "id": "4711", "text": "asked for a discount"},
          answer_example={"persona_id": "p_7k2m9x4w1c8v", "status": "ok"}),
    Route("POST", "/api/personas/learn", learn, "Make a persona of an address from the mail in its mailbox", Learned,
          role="member", body=Learn, statuses=(404,), example={"address": "joe@shop.test", "paused": True},
          answer_example={"persona": {**_ANSWER, "provider": "mail"}, "by": "12 messages, 5 of them its own",
                          "people": ["maria@acme.test"]}),
    Route("POST", "/api/personas/{id}/preview", preview,
          "See what a persona would do with a mail; nothing is stored", Preview, role="member", body=PreviewMail,
          locate=persona, example={"from": "app@sim.test", "subject": "Lunch?", "text": "On Friday?"},
          answer_example={"decision": "reply", "why": ["reply draw 0.31 under 0.95"], "would_send": True,
                          "due": "2026-03-01T09:20:00Z", "remarks": []}),
    Route("GET", "/api/temperaments", list_temperaments, "List temperaments", list[TemperamentItem],
          answer_example=[{"name": "busy", "weight": 25, "reply_rate": 0.75, "median_delay": "3h",
                           "text": "Has little time."}]),
)
