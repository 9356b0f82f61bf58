"""
API keys: C{sm_<prefix>_<secret>}, each for one universe.

Of a key only a digest is stored.  Sources: API contract, "Authentication";
decisions, section 1.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_hex, token_urlsafe
from typing import Literal

import msgspec
from msgspec import Struct

from simmail.core.records.commit import Commit
from simmail.errors import Invalid, NotFound, Unauthenticated
from simmail.server.documents import ServerDocuments
from simmail.server.organizations import Universes

Role = Literal["viewer", "member", "admin"]
ToolSet = Literal["mail", "world"]

#: Lowest to highest; API contract, "Authentication", point 5.
ROLES: tuple[Role, ...] = ("viewer", "member", "admin")


def check_role(field: str, role: str) -> None:
    """Check a role.  @raise Invalid: there is no such."""
    if role not in ROLES:
        raise Invalid(field, "must be viewer, member or admin")


def token_digest(token: str) -> str:
    """Return what is kept of a key or a ticket: nobody guesses it, so no slow hash is wanted."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Key(Struct, frozen=True):
    """
    An API key as stored: never its secret.

    @ivar prefix: under what its calls are counted.
    @ivar tools: the tools of C{/mcp} that are all it may call; C{None}: whatever its role may.
    """

    prefix: str
    digest: str
    universe: str
    role: Role
    name: str
    created: datetime
    administrator: bool = False
    tools: ToolSet | None = None

    def document(self) -> tuple[str, str, bytes]:
        """Return how it is stored, for a commit."""
        return "keys", self.prefix, msgspec.json.encode(self)


class ApiKeys:
    """
    The API keys of a server.

    @param seconds: real Unix time.
    """

    def __init__(
        self, documents: ServerDocuments, universes: Universes, seconds: Callable[[], float]
    ) -> None:
        self._documents = documents
        self._universes = universes
        self._seconds = seconds
        self._keys: dict[str, Key] = {}

    async def start(self) -> None:
        """Learn them."""
        await self._documents.keep("keys", self._learn)

    def _learn(self, prefix: str, octets: bytes | None) -> None:
        self.forget(prefix)
        if octets is not None:
            self.took(msgspec.json.decode(octets, type=Key))

    async def create(
        self, universe: str, role: Role, name: str, administrator: bool = False,
        kept: Callable[[str], object] = lambda token: None, tools: ToolSet | None = None,
    ) -> str:
        """
        A new API key; this is the only time its secret is seen.

        @param kept: called with it before it is valid, so that there is none that nobody knows.
        @raise NotFound: no such universe.
        """
        check_role("role", role)
        self._universes.record(universe)
        token, key = self.new(universe, role, name, administrator, tools)
        kept(token)
        await self._documents.commit(Commit(puts=(key.document(),)))
        self.took(key)
        return token

    def new(
        self, universe: str, role: Role, name: str, administrator: bool = False, tools: ToolSet | None = None,
    ) -> tuple[str, Key]:
        """Make up a key and its secret; it is valid once its document is stored and it was taken in."""
        prefix, secret = token_hex(5), token_urlsafe(24).replace("_", "-")
        token = f"sm_{prefix}_{secret}"
        return token, Key(prefix, token_digest(token), universe, role, name,
                          datetime.fromtimestamp(self._seconds(), UTC), administrator, tools)

    def took(self, key: Key) -> None:
        """The document of a key is stored: it works."""
        self._keys[key.prefix] = key

    def all(self) -> list[Key]:
        """All keys, by creation."""
        return sorted(self._keys.values(), key=lambda key: (key.created, key.prefix))

    async def revoke(self, prefix: str) -> None:
        """
        The key works no more.

        @raise NotFound: no such key.
        """
        if prefix not in self._keys:
            raise NotFound(f"no key {prefix}")
        await self._documents.drop(("keys", prefix))
        self.forget(prefix)
        self._documents.tell()

    def forget(self, prefix: str) -> None:
        """The document of a key is gone."""
        self._keys.pop(prefix, None)

    async def identify(self, token: str) -> Key:
        """
        Return the key that a bearer token is.

        @raise Unauthenticated: it is none.
        """
        parts = token.split("_", 2)
        key = self._keys.get(parts[1]) if len(parts) == 3 and parts[0] == "sm" else None
        # A digest is compared for unknown prefixes too, so that both take as long.
        good = hmac.compare_digest(key.digest if key else "0" * 64, token_digest(token))
        if key is None or not good:
            raise Unauthenticated("the API key is not valid")
        return key
