"""
The mailboxes an agent may see, and the names by which it speaks of mail in them.

These are the application's own, those with a login.  A message is called
C{<address>/<folder>/<UID>}, each part escaped as in a URL.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.mime.address import stored
from simmail.errors import Invalid, NotFound
from simmail.rest.render.shown import heavy
from simmail.rest.route import Call


class MailPlace(NamedTuple):
    """Where a message is."""

    address: str
    folder: str
    uid: int

    @property
    def id(self) -> str:
        """What it is called."""
        return f"{quote(self.address, safe='@')}/{quote(self.folder, safe='')}/{self.uid}"

    @property
    def path(self) -> dict[str, Any]:
        """The names in the paths of calls about it."""
        return {"address": self.address, "folder": self.folder, "uid": self.uid}


def accounts(call: Call) -> list[str]:
    """Return the addresses of the mailboxes that are shown."""
    only = stored(call.query.address) if call.query.address is not None else None
    return [one.address for one in call.universe.policy.accounts() if one.can_login and only in (None, one.address)]


def account(call: Call, named: str) -> str:
    """
    Return the address of one of them, the only one unless it is named.

    @raise NotFound: there is none of that name.
    @raise Invalid: there are several.
    """
    found = accounts(call)
    if named:
        address = stored(named)
        if address not in found:
            raise NotFound(f"there is no account {named[:100]}")
        return address
    if not found:
        raise NotFound("there is no account")
    if len(found) > 1:
        raise Invalid("account", f"name one of {', '.join(found[:20])}")
    return found[0]


def place(call: Call, id: str, field: str = "id") -> MailPlace:
    """
    Return where a message is.

    @raise NotFound: not in a mailbox that is shown.
    @raise Invalid: not such a name.
    """
    parts = id.split("/")
    if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdigit() and len(parts[2]) <= 10):
        raise Invalid(field, "must be the id of a message, as other tools return it")
    return MailPlace(account(call, unquote(parts[0]) or "-"), unquote(parts[1]), int(parts[2]))


async def mail_at(call: Call, place: MailPlace) -> Mail:
    """Return a message.  @raise NotFound: there is none."""
    _, octets = await call.universe.mailboxes.read(*place)
    mail: Mail = await heavy(call.services.in_thread, lambda: read(octets), len(octets))
    return mail
