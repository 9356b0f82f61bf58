"""
Personas learned from the mail that is really there.

Source: API contract, "Learn a persona from an address's mail".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simmail.core.address import parse
from simmail.core.learn import MOST, Letter, learn
from simmail.core.persona import Persona
from simmail.core.reading import read
from simmail.errors import Invalid, NotFound

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Folders whose mail is not what somebody wrote or was written.
PASSED_OVER = frozenset(("Drafts", "Trash", "Junk"))


class LearnedPersona(NamedTuple):
    """C{by} says from what; C{people}: correspondents already known, by address."""

    persona: Persona
    by: str
    people: tuple[str, ...]


async def learn_persona(universe: Universe, address: str, paused: bool = False) -> LearnedPersona:
    """
    Make a persona of an address from its mailboxes.

    @raise Invalid: not an address, a persona already, or no mail to learn from.
    @raise NotFound: no such mailbox.
    """
    address = parse(address)
    if universe.people.at(address) is not None:
        raise Invalid("address", f"{address} belongs to a persona already")
    if not universe.store.exists(address):
        raise NotFound(f"no mailbox {address}")
    letters: list[Letter] = []
    for status in await universe.store.folders(address):
        if status.name in PASSED_OVER:
            continue
        folder = await universe.store.folder(address, status.name)
        for uid in list(folder.uids)[-MOST:]:
            entry = folder.entry(uid)
            if entry is None:
                continue
            try:
                mail = read(await folder.read(uid))
            except NotFound:
                continue
            letters.append(Letter(mail, mail.date or entry.date, mail.from_.address.lower() == address))
    if not letters:
        raise Invalid("address", f"there is no mail of {address} to learn from")
    learned = learn(address, letters)
    fields = dict(learned.fields)
    if paused:
        fields["paused"] = True
    persona = await universe.people.create(fields, "mail", why=learned.told)
    known = tuple(one for one in learned.people if universe.people.at(one) is not None)
    return LearnedPersona(persona, learned.told, known)
