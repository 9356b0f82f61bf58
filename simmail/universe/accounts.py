"""
Logins as the API and the command line change them.

Source: API contract, "Login (SMTP/IMAP account)".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from simmail.core.address import parse
from simmail.core.events import Event
from simmail.database.records import Commit
from simmail.errors import Invalid
from simmail.universe.passwords import Passwords
from simmail.universe.policy import Account

if TYPE_CHECKING:
    from simmail.universe.universe import Universe


class Accounts:
    """The logins of one universe."""

    def __init__(self, universe: Universe, passwords: Passwords) -> None:
        self._universe = universe
        self._passwords = passwords

    async def put(self, address: str, password: str | None = None, change: str = "created",
                  **fields: Any) -> Account:
        """
        Create or change a login and its mailbox; what is not given stays.

        @raise Invalid: not an address.
        """
        address = parse(address)
        universe = self._universe
        old = universe.policy.account(address) or Account(address)
        try:
            account = replace(old, deleted=False, **fields)
        except TypeError as error:
            raise Invalid("", str(error)) from None
        if password:
            account = replace(account, hash=await self._passwords.hash(password))
        await universe.store.create(address)
        await universe.commit(Commit(
            puts=(("accounts", address, msgspec.json.encode(account)),),
            events=(Event("account.updated", universe.clock.now(), {"address": address, "change": change}),)))
        universe.policy.took(account)
        return account
