"""
People who sign in to the API and its pages: users, sessions and short passes.

Of a session and a pass only a digest is stored; both end by real time.
Sources: decisions, sections 1, 2 (sign in), 17 (passes) and 23.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from secrets import token_urlsafe
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from simmail.core.mime.address import parse
from simmail.core.records.commit import Commit
from simmail.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from simmail.server.apikeys import check_role, Role, token_digest
from simmail.server.documents import SERVER, ServerDocuments
from simmail.server.organizations import Organizations, Universes
from simmail.server.passwords import Passwords
from simmail.server.signin import Record
from simmail.server.signin_limit import SignInLimit
from simmail.universe.universe import UniverseRecord

T = TypeVar("T")

#: Real seconds that a session and a pass last.
SESSION, PASS = 14 * 86400.0, 15 * 60.0

SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 1024


class User(Struct, frozen=True):
    """Somebody who can sign in; C{orgs}: role by organisation."""

    email: str
    hash: str
    orgs: dict[str, Role] = {}
    administrator: bool = False


class Ticket(Struct, frozen=True):
    """
    A session, or a pass for one universe with at most one role; C{ends} in Unix time.

    @ivar universe: of a pass; of a session the one that is meant where none is named, C{""} for none.
    @ivar session: the digest of the session that made the pass, which ends with it.
    """

    email: str
    ends: float
    universe: str = ""
    role: Role | None = None
    session: str = ""


class Users:
    """
    The users of a server.

    @param record: records in a universe that somebody signed in, or tried to.
    @param seconds: real Unix time.
    """

    def __init__(
        self, documents: ServerDocuments, universes: Universes, organizations: Organizations, passwords: Passwords,
        limit: SignInLimit, record: Record, seconds: Callable[[], float],
    ) -> None:
        self._documents = documents
        self._universes = universes
        self._organizations = organizations
        self._passwords = passwords
        self._limit = limit
        self._record = record
        self._seconds = seconds
        self._users: dict[str, User] = {}
        self._tickets: dict[str, Ticket] = {}

    async def start(self) -> None:
        """Learn users and open sessions."""
        await self._documents.keep("users", partial(_learn, self._users, User))
        await self._documents.keep("tickets", partial(_learn, self._tickets, Ticket))

    def all(self) -> list[User]:
        """All users, by e-mail."""
        return [self._users[email] for email in sorted(self._users)]

    def get(self, email: str) -> User:
        """One user.  @raise NotFound: there is none."""
        user = self._users.get(email.lower())
        if user is None:
            raise NotFound(f"no user {email}")
        return user

    async def create(
        self, email: str, password: str, orgs: dict[str, Role] | None = None, administrator: bool = False
    ) -> User:
        """
        A new user.

        @raise Invalid: not an address, a password too short or long, no such organisation.
        @raise Conflict: there is one.
        """
        self._documents.check_mine(SERVER)
        email = parse(email, "email")
        async with self._documents.alone():
            if email in self._users:
                raise Conflict(f"user {email} exists")
            return await self._put(User(email, "", orgs or {}, administrator), password)

    async def change(
        self, email: str, password: str | None = None, orgs: dict[str, Role] | None = None,
        administrator: bool | None = None,
    ) -> User:
        """Change what is given.  @raise NotFound: no such user.  @raise Invalid: as C{create}."""
        user = self.get(email)
        return await self._put(replace(
            user, orgs=user.orgs if orgs is None else orgs,
            administrator=user.administrator if administrator is None else administrator), password)

    async def _put(self, user: User, password: str | None) -> User:
        for org, role in user.orgs.items():
            if org not in {one.id for one in self._organizations.all()}:
                raise Invalid("orgs", f"no organization {org}")
            check_role(f"orgs.{org}", role)
        if password is not None:
            if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
                raise Invalid("password", f"must have from {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
            user = replace(user, hash=await self._passwords.hash(password))
        await self._documents.put("users", user.email, user)
        self._users[user.email] = user
        self._documents.tell()
        return user

    async def delete(self, email: str) -> None:
        """The user is gone, signed out everywhere.  @raise NotFound: there is none."""
        user = self.get(email)
        gone = [digest for digest, ticket in self._tickets.items() if ticket.email == user.email]
        await self._documents.commit(Commit(drops=(("users", user.email), *(("tickets", one) for one in gone))))
        # Somebody else may have done the same meanwhile.
        self._users.pop(user.email, None)
        for digest in gone:
            self._tickets.pop(digest, None)
        self._documents.tell()

    # Signing in

    async def sign_in(self, email: str, password: str, remote: str) -> str:
        """
        The token of a new session.

        @param email: may end with C{%} and the id of the universe that requests mean which name none.
        @raise Unauthenticated: wrong name or password.  @raise TooMany: too many failures.
        @raise Forbidden: the user may not open that universe.
        """
        name, universe = self._universes.named(email.strip().lower())
        user = await self._limit.attempt(
            remote, "person " + name, lambda: self._looked_up(name, password, remote))
        if universe:
            self.role(user, universe)
        token = await self._issue("sms_", Ticket(user.email, self._seconds() + SESSION, universe))
        await self._record_in_all(user.email, True, remote, "", universe)
        return token

    async def _looked_up(self, name: str, password: str, remote: str) -> User:
        user = self._users.get(name)
        if not await self._passwords.verify(user.hash if user else "", password, remote) or user is None:
            if user is not None:
                await self._record_in_all(user.email, False, remote, "wrong password")
            raise Unauthenticated("wrong e-mail or password")
        return user

    async def _record_in_all(self, *what: Any) -> None:
        """In all processes: C{record}."""
        self.record(*what)
        await self._documents.ask("record", *what)

    def record(self, email: str, good: bool, remote: str, why: str, named: str = "") -> None:
        """
        Record that a user signed in, or tried to, in all universes here that the user may open.

        In a separate one, which is for a test or a program, only if it was named.
        """
        orgs = self._users[email].orgs if email in self._users else {}
        for universe in self._universes.all():
            if universe.id == named or universe.org in orgs and not universe.record.separate and not named:
                self._record(universe, good, "dashboard", email, email, remote, why)

    async def sign_out(self, token: str) -> None:
        """
        The session is over, and with it the passes it has made.

        @raise Unavailable: it is not.
        """
        digest = token_digest(token)
        if digest not in self._tickets:
            return
        # Also passes that were being made meanwhile.
        while gone := [one for one, ticket in self._tickets.items() if digest in (one, ticket.session)]:
            await self._documents.commit(Commit(drops=tuple(("tickets", one) for one in gone)))
            for one in gone:
                self._tickets.pop(one, None)
        self._documents.tell()

    async def create_pass(self, user: User, universe: str, session: str) -> str:
        """
        A pass for one universe: until C{session} (its token) ends, 15 minutes at most; at most C{member}.

        @raise Forbidden: the user may not open it.
        """
        role = self.role(user, universe)
        return await self._issue("smp_", Ticket(
            user.email, self._seconds() + PASS, universe, "viewer" if role == "viewer" else "member",
            token_digest(session)))

    def role(self, user: User, universe: str) -> Role:
        """A user's role in a universe.  @raise Forbidden: none."""
        role = user.orgs.get(self._universes.record(universe).org)
        if user.administrator:
            return "admin"
        if role is None:
            raise Forbidden(f"{user.email} may not open the universe {universe}")
        return role

    def universes(self, user: User) -> list[UniverseRecord]:
        """Return the universes a user can open."""
        return [one for one in self._universes.records() if user.administrator or one.org in user.orgs]

    def holder(self, token: str) -> tuple[User, Ticket]:
        """
        Whose session or pass a token is.

        @raise Unauthenticated: nobody's, or it has ended.
        """
        ticket = self._tickets.get(token_digest(token))
        if (ticket is None or ticket.ends <= self._seconds() or ticket.email not in self._users
                # Made while its session was being ended.
                or ticket.session and ticket.session not in self._tickets):
            raise Unauthenticated("the session has ended; sign in again")
        return self._users[ticket.email], ticket

    def ends(self, token: str) -> float | None:
        """When a session or pass ends (real Unix time); None for a token that is neither."""
        ticket = self._tickets.get(token_digest(token))
        return ticket.ends if ticket is not None else None

    async def _issue(self, prefix: str, ticket: Ticket) -> str:
        token = prefix + token_urlsafe(32)
        digest, now = token_digest(token), self._seconds()
        over = [one for one, old in self._tickets.items() if old.ends <= now]
        await self._documents.commit(Commit(
            drops=tuple(("tickets", one) for one in over),
            puts=(("tickets", digest, msgspec.json.encode(ticket)),)))
        for one in over:
            self._tickets.pop(one, None)
        self._tickets[digest] = ticket
        return token


def _learn(known: dict[str, T], kind: type[T], key: str, octets: bytes | None) -> None:
    """Take in a document, or that it is gone."""
    known.pop(key, None)
    if octets is not None:
        known[key] = msgspec.json.decode(octets, type=kind)
