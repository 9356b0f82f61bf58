"""
Personas learned from the mail that is really there.

Source: API contract, "Learn a persona from an address's mail".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from simmail.core.decide.learn import LearnedMail, MOST, learn
from simmail.core.message import query
from simmail.core.message.parse import read
from simmail.core.mime.address import parse
from simmail.core.records.persona import Persona
from simmail.errors import Invalid, NotFound
from simmail.interfaces import IMailStore
from simmail.universe.people.personas import Personas

#: Finds the newest messages that fit some terms, so many at most: when each arrived, its mailbox, folder and UID.
Newest = Callable[[Sequence[query.Term], int], Awaitable[Sequence[tuple[int, str, str, int]]]]

#: Folders whose mail is not what somebody wrote or was written.
PASSED_OVER = frozenset(("Drafts", "Trash", "Junk"))


class Learned(Struct, frozen=True):
    """
    A persona that was learned from mail.

    @ivar persona: the new one; by: from how much mail it was learned, in a sentence.
    @ivar people: addresses of correspondents that are personas already.
    """

    persona: Persona
    by: str
    people: tuple[str, ...]


async def learn_persona(
    people: Personas, store: IMailStore, newest: Newest, address: str, paused: bool = False
) -> Learned:
    """
    Make a persona of an address from its mailbox, and from mail of it that lies in others.

    @param newest: as C{MailSearch.newest}.

    @raise Invalid: not an address, a persona already, or no mail to learn from.
    @raise NotFound: no such mailbox, and no mail from there in any other.
    """
    address = parse(address)
    if people.at(address) is not None:
        raise Invalid("address", f"{address} belongs to a persona already")
    own = store.exists(address)
    letters: list[LearnedMail] = []
    for status in await store.folders(address) if own else ():
        if status.name in PASSED_OVER:
            continue
        folder = await store.folder(address, status.name)
        for uid in list(folder.uids)[-MOST:]:
            entry = folder.entry(uid)
            if entry is None:
                continue
            try:
                mail = read(await folder.read(uid))
            except NotFound:
                continue
            letters.append(LearnedMail(mail, entry.date, mail.from_.address.lower() == address))
    letters += await _elsewhere(store, newest, address, {letter.mail.message_id for letter in letters})
    if not letters and not own:
        raise NotFound(f"no mailbox {address}, and no mail of it in another")
    if not letters:
        raise Invalid("address", f"there is no mail of {address} to learn from")
    learned = learn(address, letters)
    fields = dict(learned.fields)
    if paused:
        fields["paused"] = True
    persona = await people.create(fields, "mail", why=learned.told)
    known = tuple(one for one in learned.people if people.at(one) is not None)
    return Learned(persona, learned.told, known)


async def _elsewhere(store: IMailStore, newest: Newest, address: str, known: set[str]) -> list[LearnedMail]:
    """Mail from an address in mailboxes of others, each message once; C{known}: Message-IDs that are there already."""
    letters = []
    for _, mailbox, name, uid in await newest(query.parse(f"from:{address}"), MOST):
        if mailbox == address or name in PASSED_OVER:
            continue
        try:
            folder = await store.folder(mailbox, name)
            entry = folder.entry(uid)
            octets = await folder.read(uid)
        except NotFound:
            continue
        if entry is None:
            continue
        mail = read(octets)
        # What is looked for is found within other addresses too.
        if mail.from_.address.lower() == address and mail.message_id not in known:
            known.add(mail.message_id)
            letters.append(LearnedMail(mail, entry.date, True))
    return letters
