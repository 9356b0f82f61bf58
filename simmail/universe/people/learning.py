"""
Personas learned from the mail that is really there.

Source: API contract, "Learn a persona from an address's mail".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simmail.core.decide.learn import LearnedMail, MOST, learn
from simmail.core.message import query
from simmail.core.message.parse import read
from simmail.core.mime.address import parse
from simmail.core.records.persona import Persona
from simmail.errors import Invalid, NotFound
from simmail.universe.mailflow.search import Finding

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
    Make a persona of an address from its mailbox, and from mail of it that lies in others.

    @raise Invalid: not an address, a persona already, or no mail to learn from.
    @raise NotFound: no such mailbox, and no mail from there in any other.
    """
    address = parse(address)
    if universe.people.at(address) is not None:
        raise Invalid("address", f"{address} belongs to a persona already")
    own = universe.store.exists(address)
    letters: list[LearnedMail] = []
    for status in await universe.store.folders(address) if own else ():
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
            letters.append(LearnedMail(mail, mail.date or entry.date, mail.from_.address.lower() == address))
    letters += await _elsewhere(universe, address, {letter.mail.message_id for letter in letters})
    if not letters and not own:
        raise NotFound(f"no mailbox {address}, and no mail of it in another")
    if not letters:
        raise Invalid("address", f"there is no mail of {address} to learn from")
    learned = learn(address, letters)
    fields = dict(learned.fields)
    if paused:
        fields["paused"] = True
    persona = await universe.people.create(fields, "mail", why=learned.told)
    known = tuple(one for one in learned.people if universe.people.at(one) is not None)
    return LearnedPersona(persona, learned.told, known)


async def _elsewhere(universe: Universe, address: str, known: set[str]) -> list[LearnedMail]:
    """Mail from an address in mailboxes of others, each message once; C{known}: Message-IDs that are there already."""
    letters = []
    for hit in await Finding(universe, query.parse(f"from:{address}")).newest(MOST, None):
        if hit.mailbox == address or hit.folder in PASSED_OVER:
            continue
        try:
            entry, octets = await universe.mailboxes.read(hit.mailbox, hit.folder, hit.uid)
        except NotFound:
            continue
        mail = read(octets)
        # What is looked for is found within other addresses too.
        if mail.from_.address.lower() == address and mail.message_id not in known:
            known.add(mail.message_id)
            letters.append(LearnedMail(mail, mail.date or entry.date, True))
    return letters
