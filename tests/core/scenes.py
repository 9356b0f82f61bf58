"""Short ways to make people, mails and situations for tests."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from simmail.core.decide.decision import DecisionInput, PlannedJob, Reaction, Reactions, keyed
from simmail.core.message.mail import Attachment, Mail
from simmail.core.mime.address import Address
from simmail.core.records.persona import Persona, new_persona
from simmail.core.records.relationship import ThreadState
from simmail.core.rng import Dice

#: A Monday, 10:00 UTC.
NOW = datetime(2026, 3, 2, 10, tzinfo=timezone.utc)
SEED = Dice("tests")
APP, MARIA = "alice@app.test", "maria@acme.test"


def after(**span: float) -> datetime:
    """An instant so much later than NOW."""
    return NOW + timedelta(**span)


def person(id: str = "p_maria", **fields: Any) -> Persona:
    """A persona with these fields."""
    fields.setdefault("addresses", [MARIA])
    fields.setdefault("temperament", "responsive")
    return new_persona(fields, id, "api", NOW, SEED.on("persona", id))


def mail(text: str = "The figures for March are in the usual place.\n", **fields: Any) -> Mail:
    """A plain mail from Alice to Maria; headers as keyword C{headers} of (name, value)."""
    values: dict[str, Any] = {
        "message_id": "<1@app.test>", "in_reply_to": "", "references": (), "from_": Address("Alice Smith", APP),
        "reply_to": (), "to": (Address("", MARIA),), "cc": (), "subject": "Figures for March", "date": None,
        "text": text, "html": "", "format": "text", "attachments": (), "headers": (), "size": len(text) + 200,
    }
    values.update(fields)
    return Mail(**values)


def attached(filename: str) -> Attachment:
    """An attachment of that name."""
    return Attachment(filename, "application/octet-stream", b"x")


def situation(given: Mail | None = None, persona: Persona | None = None, **fields: Any) -> DecisionInput:
    """That mail arriving at that persona on a Monday morning."""
    who = persona if persona is not None else person()
    dossier = fields.get("dossier")
    sender = fields.get("envelope_sender", APP)
    nth = (dossier.received if dossier is not None else 0) + 1
    values: dict[str, Any] = {
        "mail": given if given is not None else mail(), "envelope_sender": sender, "recipient": who.address,
        "persona": who, "now": NOW, "thread": ThreadState("<1@app.test>"),
        "dice": keyed(fields.pop("seed", SEED), sender, who.id, nth),
        "place": {"mailbox": who.address, "folder": "INBOX", "uid": 1},
    }
    values.update(fields)
    return DecisionInput(**values)


def of(kind: type[Any], reactions: Reactions) -> list[Any]:
    """The reactions of one kind."""
    return [one for one in reactions if isinstance(one, kind)]


def only(kind: type[Any], reactions: Reactions) -> Any:
    """The one reaction of its kind."""
    found = of(kind, reactions)
    if len(found) != 1:
        raise AssertionError(f"{len(found)} of {kind.__name__} in {reactions}")
    return found[0]


def plans(kind: str, reactions: tuple[Reaction, ...]) -> list[Any]:
    """The plans of one kind."""
    return [one for one in reactions if isinstance(one, PlannedJob) and one.kind == kind]
