"""
C{/api/accounts}: logins of mail programs, and signatures.

Source: API contract, "Login (SMTP/IMAP account)"; decisions, section 23 ("Logins").
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from simmail.core.mime.address import parse, stored
from simmail.errors import Conflict, Invalid
from simmail.rest.route import Body, Call, Deleted, Route
from simmail.server.accounts import Accounts, Tried
from simmail.universe.policy import Account

HEADING = "Logins"

LONGEST_SIGNATURE = 10_000


class LoginItem(Struct, frozen=True):
    """
    A login of a mail program.

    @ivar display_name: name of its owner, C{""} for none.
    @ivar username: name to sign in with other than the address, C{""} for none.
    @ivar allow_smtp: may send; allow_imap: may read; disabled: switched off; note: free text.
    @ivar aliases: as which other addresses it may send where C{smtp.sender} is C{own}.
    @ivar can_login: has a password, and is not switched off; messages: in all folders of its mailbox.
    """

    address: str
    display_name: str
    username: str
    allow_smtp: bool
    allow_imap: bool
    disabled: bool
    note: str
    aliases: tuple[str, ...]
    can_login: bool
    messages: int


class NewLogin(Body, frozen=True, kw_only=True):
    """
    A new login; without a password it is on file and cannot sign in.

    @ivar address: of its mailbox; display_name: name of its owner.
    @ivar password: without one it is on file and cannot sign in; username: name to sign in with other than the address.
    @ivar allow_smtp: may send; allow_imap: may read; both unless told otherwise; disabled: switched off.
    @ivar note: free text; aliases: as which other addresses it may send where C{smtp.sender} is C{own}.
    @ivar can_login: only shown, not changed; messages: only shown, not changed.
    """

    address: str
    display_name: str | None | UnsetType = UNSET
    password: str | UnsetType = UNSET
    username: str | None | UnsetType = UNSET
    allow_smtp: bool | UnsetType = UNSET
    allow_imap: bool | UnsetType = UNSET
    disabled: bool | UnsetType = UNSET
    note: str | None | UnsetType = UNSET
    aliases: list[str] | UnsetType = UNSET
    can_login: bool | UnsetType = UNSET
    messages: Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": 2**53})] | UnsetType = UNSET


class LoginChange(NewLogin, frozen=True, kw_only=True):
    """
    What to change of a login; what is left out stays; null takes away.

    @ivar address: only shown, not changed; password: the new one; an empty one leaves the old.
    @ivar clear_password: take the password away, and the login cannot sign in.
    """

    address: str | UnsetType = UNSET  # type: ignore[assignment] # it is in the path
    clear_password: bool | UnsetType = UNSET


class Trial(Body, frozen=True):
    """
    A password to be tried.

    @ivar username: name to sign in with; the address unless given; password: the one to try.
    @ivar proto: where; both unless given.
    """

    password: str
    username: str = ""
    proto: Literal["smtp", "imap"] | None = None


class Signature(Body, frozen=True):
    """What stands below the mail of an address.  C{signature}: the text, at most 10000 characters; C{""} for none."""

    signature: str


def _accounts(call: Call) -> Accounts:
    return call.services.server.accounts(call.universe)


async def account(call: Call) -> Account:
    """Return the login the path names.  @raise NotFound: there is none."""
    return _accounts(call).get(call.path["address"])


async def _shown(call: Call, one: Account) -> LoginItem:
    return LoginItem(
        one.address, one.display_name, one.username, one.allow_smtp, one.allow_imap, one.disabled, one.note,
        one.aliases, one.can_login, await _accounts(call).messages(one.address))


def _fields(body: Struct) -> dict[str, Any]:
    given = msgspec.structs.asdict(body)
    return {name: value for name, value in given.items()
            if value is not UNSET and name not in ("messages", "can_login")}


async def list_accounts(call: Call) -> list[LoginItem]:
    return [await _shown(call, one) for one in _accounts(call).list()]


async def create_account(call: Call) -> LoginItem:
    return await _shown(call, await _accounts(call).create(_fields(call.body)))


async def get_account(call: Call) -> LoginItem:
    return await _shown(call, call.found)


async def change_account(call: Call) -> LoginItem:
    fields = _fields(call.body)
    if stored(fields.pop("address", call.found.address)) != call.found.address:
        raise Invalid("address", "the address of a login cannot be changed")
    return await _shown(call, await _accounts(call).change(call.found.address, fields))


async def delete_account(call: Call) -> Deleted:
    await _accounts(call).delete(call.found.address)
    return Deleted()


async def test_account(call: Call) -> Tried:
    asked: Trial = call.body
    return await _accounts(call).test(stored(call.path["address"]), asked.password, asked.username, asked.proto,
                                      getattr(call.request.getClientAddress(), "host", ""))


def _persona(call: Call, address: str) -> Any:
    return call.universe.people.at(address)


def get_signature(call: Call) -> Signature:
    address = parse(call.path["address"], "address")
    persona = _persona(call, address)
    if persona is not None:
        style = persona.style or None
        return Signature((style.signature if style else "") or "")
    known = call.universe.policy.account(address)
    return Signature(known.signature if known is not None and not known.deleted else "")


async def change_signature(call: Call) -> Signature:
    address, text = parse(call.path["address"], "address"), call.body.signature
    if len(text) > LONGEST_SIGNATURE:
        raise Invalid("signature", f"must not be longer than {LONGEST_SIGNATURE} characters")
    if "\0" in text:
        raise Invalid("signature", "must not contain NUL")
    persona = _persona(call, address)
    if persona is None:
        await _accounts(call).set_signature(address, text)
        return Signature(text)
    # For a persona's address it is what the persona writes under its mail (decisions, section 23).
    if persona.provider == "config":
        raise Conflict(f"persona {persona.id} comes from a YAML file and cannot be edited")
    style = msgspec.to_builtins(replace(persona.style, signature=text) if persona.style else {"signature": text})
    await call.universe.people.patch(persona.id, {"style": style})
    return Signature(text)


_LOGIN = {
    "address": "app@sim.test", "display_name": "Billing", "username": "billing", "allow_smtp": True,
    "allow_imap": True, "disabled": False, "note": "", "aliases": ["sales@sim.test"], "can_login": True, "messages": 12,
}
_ONE = "/api/accounts/{address}"

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/accounts", list_accounts, "List logins, by address", list[LoginItem], polled=True,
          answer_example=[_LOGIN]),
    Route("POST", "/api/accounts", create_account, "Create a login and its mailbox", LoginItem, role="admin",
          body=NewLogin, example={"address": "app2@sim.test", "password": "correct horse", "username": "billing"},
          answer_example=_LOGIN),
    Route("GET", _ONE, get_account, "Read a login", LoginItem, locate=account, answer_example=_LOGIN),
    Route("PATCH", _ONE, change_account, "Change a login: what is left out stays", LoginItem, role="admin",
          body=LoginChange, locate=account, example={"allow_smtp": False, "note": "reads only"},
          answer_example={**_LOGIN, "allow_smtp": False, "note": "reads only"}),
    Route("DELETE", _ONE, delete_account, "Delete a login; its mailbox and mail are kept", Deleted, role="admin",
          locate=account, answer_example={"status": "deleted"}),
    Route("POST", _ONE + "/test", test_account, "Try a password for SMTP and IMAP", Tried, role="member", body=Trial,
          statuses=(429,), example={"password": "correct horse"},
          answer_example={"smtp": {"ok": True, "address": "app@sim.test"}, "imap": {"ok": False, "address": ""}}),
    Route("GET", _ONE + "/signature", get_signature, "Read the signature of an address", Signature,
          answer_example={"signature": "Billing, The Shop"}),
    Route("PUT", _ONE + "/signature", change_signature, "Set the signature of an address", Signature, role="admin",
          body=Signature, statuses=(409,), example={"signature": "Billing, The Shop"},
          answer_example={"signature": "Billing, The Shop"}),
)
