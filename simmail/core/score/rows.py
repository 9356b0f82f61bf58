"""
Recorded events as what is graded.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from simmail.core.score.truth import ApplicationMail, PersonaMail, Truth

#: The types that tell what came and what was written.
READ: tuple[str, ...] = ("mail.delivered", "persona.sent", "world.mail")


class _Tag(Struct, frozen=True):
    addresses: tuple[str, ...] = ()


class _Row(Struct, frozen=True):
    id: int
    at: datetime
    type: str
    data: dict[str, Any]
    persona: _Tag = _Tag()


_decode = msgspec.json.Decoder(_Row).decode


def read_row(octets: bytes) -> tuple[int, Truth | PersonaMail | ApplicationMail]:
    """Return the number of a recorded event of one of L{READ}, and what it tells of; a mail is without its text."""
    row = _decode(octets)
    data = row.data
    if row.type == "world.mail":
        senders = [data["from"]] if "from" in data else list(row.persona.addresses)
        return row.id, msgspec.convert({
            **data, "at": row.at, "senders": [one.lower() for one in senders],
            "thread": data.get("thread") or data["message_id"]}, Truth)
    if row.type == "persona.sent":
        return row.id, PersonaMail(
            data["message_id"], row.at, next(iter(row.persona.addresses), "").lower(), data["subject"],
            tuple(data.get("answers") or ()), data["kind"] == "ooo")
    return row.id, ApplicationMail(
        data["message_id"], row.at, data["from"].lower(), tuple(one.lower() for one in data["to"]), data["subject"],
        in_reply_to=data.get("in_reply_to", ""))
