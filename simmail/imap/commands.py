"""
The commands: who does them, in which states, and whether messages may vanish at their end.

Each is C{await run(imap, arguments)}; what it returns is the text of the
tagged OK.  Source: RFC 3501 section 6 and the extensions each module names.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import MappingProxyType
from typing import Any, NamedTuple

from simmail.imap.command.append import append
from simmail.imap.command.capability import capability, enable
from simmail.imap.command.compress import compress
from simmail.imap.command.copymove import copy, expunge, move
from simmail.imap.command.idle import idle
from simmail.imap.command.list import list_mailboxes, list_subscribed
from simmail.imap.command.login import authenticate, login, start_tls
from simmail.imap.command.mailbox import create, delete, rename, status, subscribe, unsubscribe
from simmail.imap.command.metadata import get_metadata, set_metadata
from simmail.imap.command.notify import notify
from simmail.imap.command.quota import get_quota, get_quota_root
from simmail.imap.command.replace import replace
from simmail.imap.command.select import close, examine, identify, logout, namespace, noop, select, unselect
from simmail.imap.command.store import store
from simmail.imap.connection import ImapConnection
from simmail.imap.fetch.fetch import fetch
from simmail.imap.search.search import search
from simmail.imap.search.sort import sort
from simmail.imap.search.thread import thread
from simmail.imap.search.updates import cancel_update
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad

Run = Callable[[ImapConnection, Arguments], Awaitable["bytes | None"]]

_ANY = frozenset(("unauth", "auth", "select"))
_BEFORE = frozenset(("unauth",))
_AFTER = frozenset(("auth", "select"))
_SELECTED = frozenset(("select",))


class Verb(NamedTuple):
    """
    One command.

    @ivar expunges: whether sequence numbers may change at its end (RFC 3501 section 7.4.1).
    @ivar numbered: whether it takes or answers sequence numbers.
    """

    run: Run
    states: frozenset[str]
    expunges: bool = True
    numbered: bool = False


_UID: MappingProxyType[bytes, Callable[..., Awaitable[Any]]] = MappingProxyType({
    b"FETCH": fetch, b"STORE": store, b"SEARCH": search, b"COPY": copy, b"MOVE": move, b"EXPUNGE": expunge,
    b"SORT": sort, b"THREAD": thread, b"REPLACE": replace})


async def by_uid(imap: ImapConnection, arguments: Arguments) -> bytes:
    """UID: a command on messages whose arguments and answers are UIDs."""
    arguments.space()
    name = arguments.word()
    run = _UID.get(name)
    if run is None:
        raise Bad(f"There is no UID {name.decode('ascii')[:50]}")
    text: bytes = await run(imap, arguments, uid=True)
    return text


COMMANDS: MappingProxyType[bytes, Verb] = MappingProxyType({
    b"CAPABILITY": Verb(capability, _ANY), b"NOOP": Verb(noop, _ANY), b"LOGOUT": Verb(logout, _ANY),
    b"ID": Verb(identify, _ANY),
    b"STARTTLS": Verb(start_tls, _BEFORE), b"AUTHENTICATE": Verb(authenticate, _BEFORE), b"LOGIN": Verb(login, _BEFORE),
    b"COMPRESS": Verb(compress, _AFTER),
    b"ENABLE": Verb(enable, _AFTER), b"SELECT": Verb(select, _AFTER), b"EXAMINE": Verb(examine, _AFTER),
    b"CREATE": Verb(create, _AFTER), b"DELETE": Verb(delete, _AFTER), b"RENAME": Verb(rename, _AFTER),
    b"SUBSCRIBE": Verb(subscribe, _AFTER), b"UNSUBSCRIBE": Verb(unsubscribe, _AFTER),
    b"LIST": Verb(list_mailboxes, _AFTER), b"LSUB": Verb(list_subscribed, _AFTER),
    b"NAMESPACE": Verb(namespace, _AFTER), b"STATUS": Verb(status, _AFTER), b"APPEND": Verb(append, _AFTER),
    b"IDLE": Verb(idle, _AFTER), b"GETQUOTA": Verb(get_quota, _AFTER), b"GETQUOTAROOT": Verb(get_quota_root, _AFTER),
    b"GETMETADATA": Verb(get_metadata, _AFTER), b"SETMETADATA": Verb(set_metadata, _AFTER),
    b"NOTIFY": Verb(notify, _AFTER),
    b"CHECK": Verb(noop, _SELECTED), b"CLOSE": Verb(close, _SELECTED), b"UNSELECT": Verb(unselect, _SELECTED),
    b"EXPUNGE": Verb(expunge, _SELECTED), b"SEARCH": Verb(search, _SELECTED, False, True),
    b"SORT": Verb(sort, _SELECTED, False, True), b"THREAD": Verb(thread, _SELECTED, False, True),
    b"FETCH": Verb(fetch, _SELECTED, False, True), b"STORE": Verb(store, _SELECTED, False, True),
    b"COPY": Verb(copy, _SELECTED, True, True), b"MOVE": Verb(move, _SELECTED, True, True),
    b"REPLACE": Verb(replace, _SELECTED, True, True), b"CANCELUPDATE": Verb(cancel_update, _SELECTED),
    b"UID": Verb(by_uid, _SELECTED),
})
