"""
API keys: C{sm_<prefix>_<secret>}, each for one universe.

Of a key only a digest is stored.  Sources: API contract, "Authentication";
decisions, section 1.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from datetime import UTC, datetime
from secrets import token_hex, token_urlsafe
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from simmail.core.records.commit import Commit
from simmail.errors import Invalid, NotFound, Unauthenticated
from simmail.server.documents import ServerDocuments
from simmail.server.organizations import Universes
from simmail.server.users import User, token_digest

Role = Literal["viewer", "member", "admin"]
ToolSet = Literal["mail", "world"]


class Identity(NamedTuple):
    """
    Who calls the API: an API key, a signed-in person, a pass of the console, or anybody who looks at the demo.

    @ivar kind: C{key}, C{user}, C{pass} or C{demo}; prefix: under what calls are counted.
    @ivar universe: C{""} for a person who has not named one.
    @ivar tools: the tools of C{/mcp} that are all it may call; C{None}: whatever its role may.
    """

    kind: str
    prefix: str
    name: str
    universe: str
    role: Role
    administrator: bool
    user: User | None = None
    tools: ToolSet | None = None


class Key(Struct, frozen=True):
    """An API key as stored: never its secret.  C{tools}: as in L{Identity}."""

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
        if role not in ("viewer", "member", "admin"):
            raise Invalid("role", "must be viewer, member or admin")
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

    async def identify(self, token: str) -> Identity:
        """
        Who a bearer token belongs to.

        @raise Unauthenticated: nobody.
        """
        parts = token.split("_", 2)
        key = self._keys.get(parts[1]) if len(parts) == 3 and parts[0] == "sm" else None
        # A digest is compared for unknown prefixes too, so that both take as long.
        good = hmac.compare_digest(key.digest if key else "0" * 64, token_digest(token))
        if key is None or not good:
            raise Unauthenticated("the API key is not valid")
        return Identity("key", key.prefix, key.name, key.universe, key.role, key.administrator, tools=key.tools)
