"""People, mails and requests for the tests of words."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from simmail.core.message.mail import Attachment, Mail
from simmail.core.mime.address import Address
from simmail.core.records.persona import Hours, Persona, Style, Timing
from simmail.core.rng import Dice
from simmail.core.writer import Kind, WordsRequest, Written, write

#: A Monday morning; mails are half an hour old.
NOW = datetime(2026, 3, 2, 9, 40, tzinfo=timezone.utc)
TEMPERAMENTS = ("responsive", "busy", "procedural", "skeptical", "flaky", "difficult", "ghost")
DANA = Address("Dana Novak", "dana.novak@brightdesk.example")
OFFICE = Hours(tz="Europe/Stockholm", days="mon-fri", from_="08:30", to="17:00")


def maria(temperament: str = "responsive", style: Style | None = None, **fields: Any) -> Persona:
    """A buyer at a print shop in Sweden."""
    return Persona(**{
        "id": "p_maria", "provider": "api", "created": NOW, "name": "Maria Lindqvist",
        "addresses": ("maria@norrland-print.example",), "temperament": temperament, "role": "Head of Purchasing",
        "org": "Norrland Print", "timing": Timing(hours=OFFICE), **({"style": style} if style else {}), **fields,
    })


def mail(
    text: str, subject: str = "Hello", sender: Address = DANA, attachments: tuple[Attachment, ...] = (), html: str = "",
    date: datetime | None = None, headers: tuple[tuple[str, str], ...] = (),
) -> Mail:
    """A mail to Maria."""
    return Mail(
        message_id="<1@brightdesk.example>", in_reply_to="", references=(), from_=sender, reply_to=(),
        to=(Address("Maria Lindqvist", "maria@norrland-print.example"),), cc=(), subject=subject,
        date=date or NOW - timedelta(minutes=30), text=text, html=html, format="text", attachments=attachments,
        headers=headers, size=len(text) + 100,
    )


def request(
    *mails: Mail, temperament: str = "responsive", kind: Kind = "reply", seed: str = "seed", **fields: Any
) -> WordsRequest:
    """A request to Maria's words."""
    persona = fields.pop("persona", None) or maria(temperament, fields.pop("style", None))
    return WordsRequest(**{
        "kind": kind, "persona": persona, "mails": mails, "now": NOW, "dice": Dice(seed).on("words", temperament),
        "correspondent": mails[-1].from_ if mails else DANA, **fields,
    })


def wrote(*mails: Mail, **fields: Any) -> Written:
    """What Maria writes."""
    return write(request(*mails, **fields))
