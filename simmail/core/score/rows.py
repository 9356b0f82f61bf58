"""
Recorded events as what is graded.
"""

from __future__ import annotations

import msgspec

from simmail.core.records.event import Recorded
from simmail.core.score.truth import ApplicationMail, PersonaMail, Truth

#: The types that tell what came and what was written.
READ: tuple[str, ...] = ("mail.delivered", "persona.sent", "world.mail")


_decode = msgspec.json.Decoder(Recorded).decode


def read_row(octets: bytes) -> tuple[int, Truth | PersonaMail | ApplicationMail]:
    """Return the number of a recorded event of one of L{READ}, and what it tells of; a mail is without its text."""
    row = _decode(octets)
    data, addresses = row.data, () if row.persona is None else row.persona.addresses
    if row.type == "world.mail":
        senders = [data["from"]] if "from" in data else list(addresses)
        return row.id, msgspec.convert({
            **data, "at": row.at, "senders": [one.lower() for one in senders],
            "thread": data.get("thread") or data["message_id"]}, Truth)
    if row.type == "persona.sent":
        return row.id, PersonaMail(
            data["message_id"], row.at, next(iter(addresses), "").lower(), data["subject"],
            tuple(data.get("answers") or ()), data["kind"] == "ooo")
    return row.id, ApplicationMail(
        data["message_id"], row.at, data["from"].lower(), tuple(one.lower() for one in data["to"]), data["subject"],
        in_reply_to=data.get("in_reply_to", ""))
