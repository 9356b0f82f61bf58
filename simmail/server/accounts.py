"""
Logins as the API and the command line change them.

Source: API contract, "Login (SMTP/IMAP account)" and "Login creation errors";
decisions, section 23 ("Logins").
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from simmail.core.mime.address import parse, stored
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.fields import Emails, convert
from simmail.core.rules.login_name import split
from simmail.errors import Invalid, NotFound, Unauthenticated
from simmail.server.organizations import Universes
from simmail.server.passwords import Passwords
from simmail.server.signin_limit import SignInLimit
from simmail.universe.policy import Account
from simmail.universe.universe import Universe

LONGEST_PASSWORD = 1024
LONGEST_TEXT = 1000

#: Fields that a body may set as they are.
_PLAIN = frozenset(("display_name", "allow_smtp", "allow_imap", "disabled", "note", "signature", "aliases"))


class TrialResult(Struct, frozen=True):
    """
    Whether it opens a login, and which.

    @ivar ok: whether it opens a login; address: of that login, C{""} where it opens none.
    """

    ok: bool
    address: str


class Tried(Struct, frozen=True):
    """What each protocol says.  C{smtp}: of submission; C{imap}: of reading."""

    smtp: TrialResult
    imap: TrialResult


class Accounts:
    """The logins of one universe."""

    def __init__(
        self, universe: Universe, universes: Universes, passwords: Passwords, limit: SignInLimit
    ) -> None:
        self._universe = universe
        self._policy = universe.policy
        self._universes = universes
        self._passwords = passwords
        self._limit = limit

    # Reading

    def list(self) -> list[Account]:
        """Logins that work or have settings on file, by address."""
        return [account for account in self._policy.accounts() if not account.deleted]

    def get(self, address: str) -> Account:
        """
        One login.

        @raise NotFound: there is none, or it was deleted.
        """
        account = self._policy.account(self._named(stored(address)))
        if account is None or account.deleted:
            raise NotFound(f"no login {address}")
        return account

    def _named(self, name: str) -> str:
        """A name in this universe, which may end with C{%} and the universe's."""
        plain, universe = split(name)
        return plain if universe == self._universe.id else name

    async def messages(self, address: str) -> int:
        """Messages in all folders of a mailbox."""
        if not self._universe.store.exists(address):
            return 0
        return sum(status.total for status in await self._universe.store.folders(address))

    # Changing

    async def create(self, fields: dict[str, Any]) -> Account:
        """
        A new login and its mailbox; one that was deleted comes back.

        @raise Invalid: not an address, a name that is taken, a password that is refused.
        @raise OverAllowance: the plan's logins are used up.
        """
        address = parse(fields.get("address") or "", "address")
        old = self._policy.account(address)
        if old is not None and not old.deleted and old.hash:
            raise Invalid("address", f"{address} is a login already")
        if old is None or old.deleted:
            self._universe.plan().check("logins", sum(1 for one in self.list() if one.hash))
        base = Account(address) if old is None or old.deleted else old
        return await self._put(base, {key: value for key, value in fields.items() if key != "address"}, "created")

    async def change(self, address: str, fields: dict[str, Any]) -> Account:
        """
        Change fields; those omitted, and an empty password, stay.

        @raise NotFound: no such login.  @raise Invalid: as C{create}.
        """
        return await self._put(self.get(address), fields, "updated")

    async def delete(self, address: str) -> None:
        """
        The login works no more; mailbox and mail stay.

        @raise NotFound: no such login.
        """
        await self._store(replace(self.get(address), deleted=True, hash="", disabled=True), "deleted")

    async def set_signature(self, address: str, signature: str) -> Account:
        """The signature of an address; it need not be a login that works."""
        address = parse(address)
        account = self._policy.account(address) or Account(address)
        return await self._put(account, {"signature": signature}, "updated")

    async def put(self, address: str, password: str, **fields: Any) -> Account:
        """Make or change a login without asking whether it was there."""
        address = parse(address)
        return await self._put(
            self._policy.account(address) or Account(address), {"password": password, **fields}, "created")

    async def _put(self, old: Account, fields: dict[str, Any], change: str) -> Account:
        plain = {name: "" if value is None else value for name, value in fields.items() if name in _PLAIN}
        if "aliases" in plain:
            plain["aliases"] = convert(plain["aliases"], Emails, "aliases")
        account = replace(old, deleted=old.deleted and change != "created", **plain)
        if change == "created" and old.deleted:
            account = replace(account, disabled=bool(fields.get("disabled", False)))
        for name in ("display_name", "note"):
            if len(getattr(account, name)) > LONGEST_TEXT:
                raise Invalid(name, f"at most {LONGEST_TEXT} characters")
        if "username" in fields:
            account = replace(account, username=(fields["username"] or "").strip())
        self._check_name(account)
        password = fields.get("password") or ""
        if len(password) > LONGEST_PASSWORD:
            raise Invalid("password", f"at most {LONGEST_PASSWORD} characters")
        if fields.get("clear_password"):
            if password:
                raise Invalid("clear_password", "and password exclude each other")
            account = replace(account, hash="")
        elif password:
            await self._check_password(account, password)
            account = replace(account, hash=await self._passwords.hash(password))
        return await self._store(account, change)

    def _check_name(self, account: Account) -> None:
        """A login name belongs to one login of an organisation."""
        universe, name = self._universe, account.username.lower()
        if any(ord(character) < 33 or character == "*" for character in name):
            raise Invalid("username", "must hold no blanks, control characters or *")
        if split(name)[1]:
            raise Invalid("username", "must not end as <name>%<universe> does, which says in which universe a login is")
        if name and name != account.address:
            other = self._policy.login(name)
            if other is not None and other.address != account.address:
                raise Invalid("username", f"{name} is already used by the login {other.address}")
        for one in self._universes.all():
            # Of a separate universe the logins say where they are, and are taken for no other.
            if one.org != universe.org or one.id == universe.id or one.record.separate or universe.record.separate:
                continue
            for mine in {name, account.address} - {""}:
                if one.policy.login(mine) is not None:
                    raise Invalid("username" if mine == name else "address",
                                  f"the login name {mine} is already in use in the universe {one.id}")

    async def _check_password(self, account: Account, password: str) -> None:
        """Where another organisation has the same name, the password must tell them apart."""
        for one in self._universes.all():
            if one.org == self._universe.org or one.record.separate or self._universe.record.separate:
                continue
            for name in {account.username.lower(), account.address} - {""}:
                other = one.policy.login(name)
                if other is not None and await self._passwords.verify(other.hash, password):
                    raise Invalid("password", f"choose another password for {name}")

    async def _store(self, account: Account, change: str) -> Account:
        universe = self._universe
        await universe.store.create(account.address)
        await universe.committer.commit(Commit(
            puts=(("accounts", account.address, msgspec.json.encode(account)),),
            events=(Event("account.updated", universe.clock.now(), {"address": account.address, "change": change}),)))
        self._policy.took(account)
        return account

    # Testing

    async def test(
        self, address: str, password: str, username: str = "", proto: Literal["smtp", "imap"] | None = None,
        remote: str = "",
    ) -> Tried:
        """
        Whether a password opens a login, for each protocol; one not asked about is not ok.

        @raise TooMany: C{remote} has tried too many wrong ones.
        """
        name = self._named((username or address).strip().lower())
        try:
            account = await self._limit.attempt(
                remote, "login " + name, lambda: self._opened(name, password, remote))
        except Unauthenticated:
            account = None

        def tried(one: str, allowed: bool) -> TrialResult:
            good = account is not None and not account.disabled and allowed and proto in (None, one)
            return TrialResult(good, account.address if account is not None and good else "")

        return Tried(tried("smtp", account is not None and account.allow_smtp),
                     tried("imap", account is not None and account.allow_imap))

    async def _opened(self, name: str, password: str, remote: str) -> Account:
        account = self._policy.login(name)
        good = await self._passwords.verify(account.hash if account else "", password, remote)
        if account is None or not good:
            raise Unauthenticated("authentication failed")
        return account
