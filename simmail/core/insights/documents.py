"""
The state as documents of tables, so that what changed can be written down with the event number it stands for.

Tables and keys: C{insights}: C{state}, and C{day <n>}; C{insights_groups}: the number of a group; C{insights_mail}:
C{s} or C{r} (sent, received) and a Message-ID.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from simmail.core.insights.cells import Cells
from simmail.core.insights.state import Changed, ReceivedMail, SentMail, State

DAYS, GROUPS, MAILS = "insights", "insights_groups", "insights_mail"
TABLES: tuple[str, ...] = (DAYS, GROUPS, MAILS)

_HEAD = "state"

_encode = msgspec.msgpack.Encoder().encode
_cells = msgspec.msgpack.Decoder(Cells).decode
_sent = msgspec.msgpack.Decoder(SentMail).decode
_received = msgspec.msgpack.Decoder(ReceivedMail).decode


class _Head(Struct, array_like=True):
    through: int
    latest: int
    loops: dict[str, int]


_head = msgspec.msgpack.Decoder(_Head).decode

Puts = tuple[tuple[str, str, bytes], ...]
Drops = tuple[tuple[str, str], ...]


def changes(state: State, changed: Changed) -> tuple[Puts, Drops]:
    """Return the documents to be put, and to be dropped, for what has changed."""
    puts: list[tuple[str, str, bytes]] = [
        (DAYS, _HEAD, _encode(_Head(state.through, state.latest, state.loops)))]
    drops: list[tuple[str, str]] = []
    for day in changed.days:
        if day in state.days:
            puts.append((DAYS, f"day {day}", _encode(state.days[day])))
        else:
            drops.append((DAYS, f"day {day}"))
    for group in changed.groups:
        if group in state.names:
            puts.append((GROUPS, str(group), state.names[group].encode()))
        else:
            drops.append((GROUPS, str(group)))
    for letter, touched, mails in (("s", changed.sent, state.sent), ("r", changed.received, state.received)):
        for message_id in touched:
            mail = mails.get(message_id)  # type: ignore[attr-defined]
            if mail is not None:
                puts.append((MAILS, letter + message_id, _encode(mail)))
            else:
                drops.append((MAILS, letter + message_id))
    return tuple(puts), tuple(drops)


def restored(tables: Mapping[str, Mapping[str, bytes]]) -> State:
    """Return the state that documents hold; C{tables}: whole, by name."""
    state = State()
    days = dict(tables[DAYS])
    octets = days.pop(_HEAD, None)
    if octets is None:
        return state
    head = _head(octets)
    state.through, state.latest, state.loops = head.through, head.latest, head.loops
    for name, octets in days.items():
        state.days[int(name.removeprefix("day "))] = _cells(octets)
    for name, octets in tables[GROUPS].items():
        state.restore_group(int(name), octets.decode())
    sent, received = [], []
    for name, octets in tables[MAILS].items():
        if name[0] == "s":
            sent.append((name[1:], _sent(octets)))
        else:
            received.append((name[1:], _received(octets)))
    # Tables have no order.
    sent.sort(key=lambda one: one[1].number)
    received.sort(key=lambda one: one[1].number)
    state.sent = dict(sent)
    for message_id, mail in received:
        state.restore_received(message_id, mail)
    return state
