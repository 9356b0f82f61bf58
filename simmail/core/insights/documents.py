"""
The state as documents of tables, so that what changed can be written down with the event number it stands for.

Tables and keys: C{insights}: C{state}, and C{day <n>}; C{insights_groups}: the number of a group; C{insights_mail}:
the number of a chunk, for the mails whose events are next to each other: many small documents take long to read.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from simmail.core.insights.cells import Cells
from simmail.core.insights.state import Changed, Mails, ReceivedMail, SentMail, State

DAYS, GROUPS, MAILS = "insights", "insights_groups", "insights_mail"
TABLES: tuple[str, ...] = (DAYS, GROUPS, MAILS)

_HEAD = "state"

_encode = msgspec.msgpack.Encoder().encode
_cells = msgspec.msgpack.Decoder(Cells).decode
_mails = msgspec.msgpack.Decoder(tuple[dict[str, SentMail], dict[str, ReceivedMail]]).decode


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
    for chunk in changed.chunks:
        mails = state.chunks.get(chunk)
        if mails is not None and (mails.sent or mails.received):
            puts.append((MAILS, str(chunk), _encode(mails)))
        else:
            state.chunks.pop(chunk, None)
            drops.append((MAILS, str(chunk)))
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
    for chunk in sorted(map(int, tables[MAILS])):
        # Tables have no order; within a chunk the mails are in theirs.
        sent, received = _mails(tables[MAILS][str(chunk)])
        state.restore_mails(chunk, Mails(sent, received))
    return state
