"""
Rules and logins held in memory, so that verdicts are immediate.

SMTP asks for a verdict at RCPT and must have it without waiting.  What the
rules are is C{core.rules.recipients}; who may sign in is C{server.accounts}.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Lock
from simmail.core.mime.address import u_labels
from simmail.core.rules.recipients import RecipientRules, RecipientVerdict, rules_of, verdict
from simmail.interfaces import IDatabase, IMailStore
from simmail.universe.settings import Settings


class Account(Struct, frozen=True, omit_defaults=True):
    """
    A login as stored.

    @ivar hash: argon2 of its password, C{""} for none: it cannot sign in.
    """

    address: str
    hash: str = ""
    display_name: str = ""
    username: str = ""
    allow_smtp: bool = True
    allow_imap: bool = True
    disabled: bool = False
    note: str = ""
    signature: str = ""
    aliases: tuple[str, ...] = ()
    deleted: bool = False

    @property
    def can_login(self) -> bool:
        """Whether the login works for some protocol."""
        return bool(self.hash) and not self.disabled and not self.deleted and (self.allow_smtp or self.allow_imap)


class Policy:
    """
    The rules and logins of one universe.

    @param seed: of the universe; some rules draw.
    @ivar turn: held by who changes the rules.
    """

    def __init__(
        self, universe: str, database: IDatabase, store: IMailStore, settings: Settings, seed: str,
        reactor: IReactorTime,
    ) -> None:
        self._universe = universe
        self._database = database
        self._store = store
        self._settings = settings
        self._seed = seed
        self._accounts: dict[str, Account] = {}
        self._by_username: dict[str, Account] = {}
        self.turn = Lock(reactor)
        self.rules = RecipientRules()

    async def start(self) -> None:
        """Learn rules and logins."""
        for octets in (await self._database.table(self._universe, "accounts")).values():
            self.took(msgspec.json.decode(octets, type=Account))
        self.refresh()

    def refresh(self) -> None:
        """The recipient rules were changed."""
        value = self._settings.get("recipients")
        self.rules = RecipientRules() if value is None else msgspec.convert(value, RecipientRules)

    async def put_rules(self, value: Any) -> RecipientRules:
        """
        Replace the recipient rules.

        @param value: a settings document.  @raise Invalid: a bad field, by its path.
        """
        rules = rules_of(value)
        async with self.turn:
            await self._put(rules)
        return rules

    async def set_status(self, address: str, status: str) -> None:
        """Force what mail to an address meets; C{ok} lifts it.  One map with the rules' C{status}."""
        async with self.turn:
            forced: dict[str, Any] = dict(self.rules.status)
            forced.pop(address, None)
            if status != "ok":
                forced[address] = status
            await self._put(replace(self.rules, status=forced))

    async def _put(self, rules: RecipientRules) -> None:
        await self._settings.put("recipients", rules)
        self.refresh()

    def took(self, account: Account) -> None:
        """A login as it is from now on."""
        old = self._accounts.get(account.address)
        if old is not None and old.username:
            name = old.username.lower()
            # Of a login that was deleted the name may be another's by now.
            if self._by_username.get(name, old).address == old.address:
                self._by_username.pop(name, None)
        self._accounts[account.address] = account
        if account.username:
            self._by_username[account.username.lower()] = account

    def account(self, address: str) -> Account | None:
        """The login of an address."""
        return self._accounts.get(address)

    def login(self, name: str) -> Account | None:
        """The login of a name (lower case): its address, or its separate username."""
        if "@xn--" in name or ".xn--" in name:
            local, at, domain = name.rpartition("@")
            name = f"{local}{at}{u_labels(domain)}"
        account = self._accounts.get(name) or self._by_username.get(name)
        return None if account is None or account.deleted else account

    def accounts(self) -> list[Account]:
        """All logins on file, sorted by address."""
        return [self._accounts[address] for address in sorted(self._accounts)]

    def status(self, address: str) -> str:
        """The forced status of a mailbox, C{ok} for none."""
        return self.rules.status.get(address, "ok")

    def recipient(self, address: str, sender: str) -> RecipientVerdict:
        """What happens to mail for an address (API contract, "Recipient rules")."""
        own = address in self._accounts or address in self._settings.world_inboxes
        return verdict(address, self.rules, exists=self._store.exists(address), own=own, seed=self._seed)

    def unseen(self, address: str) -> RecipientVerdict:
        """What happened to mail for an address when it was new."""
        own = address in self._accounts or address in self._settings.world_inboxes
        return verdict(address, self.rules, exists=False, own=own, seed=self._seed)

    def names(self, domain: str) -> bool:
        """Return whether a domain is named here: in the recipient rules, or as one of the World's company."""
        return domain in self.rules.domains or domain in self._settings.world_domains
