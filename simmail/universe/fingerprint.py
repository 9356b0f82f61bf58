"""
The fingerprint: one hash over what is the case, so that two runs can be told alike.

Left out is what may differ between equal runs: UIDs, UIDVALIDITY, file names,
event numbers, secrets, remote addresses, real times, Received lines; the
application's own Message-IDs and Dates are replaced by their ordinal.
Source: decisions, "Conventions".
"""

from __future__ import annotations

import re
from hashlib import sha256
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct

from simmail.concurrency import LongWork, portions
from simmail.core.compose.complete import without
from simmail.core.message.parse import read_headers
from simmail.core.mime.headers import fields_end
from simmail.core.records.commit import EventQuery, JobQuery
from simmail.universe.universe import Universe

#: Event types that tell of real time or of other programs, not of the simulation.
OUTSIDE = frozenset(("auth.ok", "auth.failed", "webhook.failed", "account.updated", "inspect.scored",
                     "inspect.links"))

LEFT_OUT = frozenset(("remote", "real", "ms", "hash"))

PAGE = 1000

#: Octets of messages that are read at once, each of which is counted as somewhat more.
ROOM, LEAST = 1 << 22, 1 << 14

_MESSAGE_ID = re.compile(r"<[^<>\s]{3,250}>")


class Fingerprint(Struct, frozen=True):
    """
    What repeats under one seed.

    @ivar fingerprint: SHA-256 over it, in hexadecimal; counts: how many records of which kind went into it.
    """

    fingerprint: str
    counts: dict[str, int]


async def fingerprint(universe: Universe) -> Fingerprint:
    """Return the fingerprint of a universe, in hexadecimal."""
    return await _Reading(universe).taken()


class _Reading:
    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._work = LongWork(universe.reactor)
        self._hash = sha256()
        self._counts: dict[str, int] = {}
        self._ordinals: dict[str, str] = {}

    async def taken(self) -> Fingerprint:
        universe = self._universe
        await universe.when_idle()
        await self._events()
        await self._mail()
        for table in ("personas", "memory", "cases", "settings"):
            for key, octets in sorted((await universe.database.table(universe.id, table)).items()):
                await self._record(table, key, msgspec.json.decode(octets))
        for persona in sorted(universe.people.everyone(), key=lambda one: one.id):
            for address, dossier in (await universe.memories.dossiers(persona.id)).items():
                await self._record("relations", persona.id + " " + address, msgspec.to_builtins(dossier))
        await self._jobs()
        return Fingerprint(self._hash.hexdigest(), self._counts)

    async def _record(self, kind: str, key: str, value: Any) -> None:
        await self._add(kind, key, self._canonical(value))

    async def _add(self, kind: str, key: str, value: Any) -> None:
        """Count a record in, that is canonical."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        text = msgspec.json.encode([kind, key, value], order="deterministic")
        self._hash.update(b"%d:" % len(text) + text)
        await self._work.yield_to_reactor()

    def _canonical(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._canonical(one) for key, one in value.items() if key not in LEFT_OUT and key != "uid"}
        if isinstance(value, (list, tuple)):
            return [self._canonical(one) for one in value]
        if isinstance(value, str):
            return self._replaced(value)
        return value

    def _replaced(self, text: str) -> str:
        return _MESSAGE_ID.sub(lambda found: self._ordinals.get(found[0], found[0]), text)

    async def _events(self) -> None:
        universe, after = self._universe, 0
        rows: list[dict[str, Any]] = []
        while True:
            page = await universe.log.query(EventQuery(after=after, limit=PAGE))
            if not page:
                break
            rows += [msgspec.json.decode(row) for row in page]
            after = rows[-1]["id"]
        for row in rows:
            if row["type"] == "mail.delivered":
                message_id = row["data"]["message_id"]
                self._ordinals.setdefault(message_id, f"<app-{len(self._ordinals) + 1}>")
        # Unrelated pairs may be accepted in another order: what happened at one instant is a set.
        kept: list[tuple[bytes, Any]] = []
        for row in rows:
            if row["type"] not in OUTSIDE:
                one = [row["at"], row["type"], self._canonical(row["data"])]
                kept.append((msgspec.json.encode(one, order="deterministic"), one))
                await self._work.yield_to_reactor()
        for _, one in sorted(kept, key=itemgetter(0)):
            await self._add("events", "", one)

    async def _mail(self) -> None:
        universe = self._universe
        for address in universe.store.mailboxes():
            for status in await universe.store.folders(address):
                if not status.total:
                    continue
                folder = await universe.store.folder(address, status.name)
                texts, begin, entries = [], 0, folder.entries(list(folder.uids))
                for end in portions([one.size + LEAST for one in entries], ROOM):
                    flags = {one.uid: sorted(one.flags) for one in entries[begin:end]}
                    for uid, octets in await folder.reads(list(flags)):
                        texts.append([flags[uid], self._message(octets)])
                        await self._work.yield_to_reactor()
                    begin = end
                for one in sorted(texts):
                    await self._add("mail", f"{address} {status.name}", one)

    def _message(self, octets: bytes) -> str:
        end = fields_end(octets)
        header = without(octets[:end], (b"received", b"return-path", b"x-service-delivery"))
        message_id = read_headers(octets).message_id
        if message_id in self._ordinals:
            header = without(header, (b"date", b"message-id"))
            header += f"Message-ID: {self._ordinals[message_id]}\r\n".encode()
        return self._replaced((header + octets[end:]).decode("latin-1"))

    async def _jobs(self) -> None:
        after: str | None = None
        while True:
            page = await self._universe.database.jobs(self._universe.id, JobQuery(after=after, limit=PAGE))
            if not page:
                return
            for job in page:
                fields = msgspec.to_builtins(job)
                # What a notice will return of the original: its Message-ID, Date and trace are the application's.
                fields["data"].pop("original", None)
                await self._record("jobs", job.id, fields)
            after = page[-1].id
