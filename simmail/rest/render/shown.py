"""
Messages as JSON, with their safe HTML, kept at hand.

What is shown of a message depends on nothing but its octets, where it is, its
flags and how it is asked for; a UID means one message for ever as long as
UIDVALIDITY is the same (RFC 3501 section 2.3.1.1).  So a message that is
looked at again is neither read from disk nor cleaned again, and the text of HTML
is that of the index when it has rendered it already.  The case its
thread is linked to may change, and is not kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec
from twisted.internet.defer import Deferred

from simmail.core.lru import Lru
from simmail.core.message.conversations import thread_key
from simmail.core.message.mail import Mail
from simmail.core.message.parse import is_rendered, read
from simmail.core.message.summarize import TEXT
from simmail.core.records.folder import Entry
from simmail.errors import NotFound
from simmail.interfaces import IFolder
from simmail.rest.render.message import full

T = TypeVar("T")

#: Octets kept of all messages together, and of one at most; those looked at longest ago go first.
ROOM, MOST = 32 * 1024 * 1024, 512 * 1024

#: Messages over so many octets are read and cleaned in a thread.
LARGE = 96 * 1024

#: What a kept message costs besides its own octets.
_OVERHEAD = 600

_encode = msgspec.json.Encoder().encode

#: C{in_thread(work)}: what C{work()} answers, or a Deferred of it when it is done elsewhere.
InThread = Callable[[Callable[[], Any]], Any]


class RenderedMessage(NamedTuple):
    """
    One message, ready to be sent.

    @ivar message, safe: JSON.
    @ivar thread: the key of its conversation; named: the case it names itself, C{""} for none.
    """

    message: bytes
    safe: bytes
    thread: str
    named: str


class Showings:
    """JSON of whole messages, of all universes."""

    def __init__(self, room: int = ROOM) -> None:
        self._kept: Lru[tuple[Any, ...], RenderedMessage] = Lru(room, _cost)

    @property
    def size(self) -> int:
        """Octets kept."""
        return self._kept.spent

    async def one(
        self, universe: int, folder: IFolder, entry: Entry, in_thread: InThread, remote: bool = False,
        light: bool = False, opened: Any = None,
    ) -> RenderedMessage:
        """
        Return one message.

        @param universe: its number (L{UniverseNumbers}).
        @param remote, light: as C{message.full} has them.
        @param opened: the message (C{IOpened}), if it is a large one; it is then looked at once for all who want it.
        @raise NotFound: it is gone meanwhile.
        """
        key = (universe, folder.mailbox, folder.name, folder.uidvalidity, entry.uid, entry.flags, remote, light)
        kept = self._kept.use(key)
        if kept is not None:
            return kept

        def present(octets: bytes, text: str | None) -> RenderedMessage:
            return shown(folder.mailbox, folder.name, entry, read(octets, text=text), remote, light)

        if opened is not None:
            known = await _text(folder, entry.uid)
            made: RenderedMessage = await opened.derive(
                key, lambda octets: present(octets, known if is_rendered(octets) else None), in_thread)
        else:
            octets: bytes = await folder.read(entry.uid)
            text = await _text(folder, entry.uid) if is_rendered(octets) else None
            made = await heavy(in_thread, lambda: present(octets, text), len(octets))
        if folder.entry(entry.uid) is None:
            raise NotFound(f"no message {entry.uid} in {folder.name} of {folder.mailbox}")
        if _cost(made) <= MOST:
            self._kept.put(key, made)
        return made


async def _text(folder: IFolder, uid: int) -> str | None:
    """The text of a message as the index has it, None when that may not be all of it."""
    text: str | None = await folder.kept_text(uid)
    return text if text and len(text) < TEXT else None


async def heavy(in_thread: InThread, work: Callable[[], T], size: int) -> T:
    """Return what C{work()} answers; done in a thread when it is about more than L{LARGE} octets."""
    if size <= LARGE:
        return work()
    done: T | Deferred[T] = in_thread(work)
    return await done if isinstance(done, Deferred) else done


def shown(
    mailbox: str, folder: str, entry: Entry, mail: Mail, remote: bool = False, light: bool = False
) -> RenderedMessage:
    """Return a message made ready to be sent."""
    made = full(mailbox, folder, entry, mail, None, remote, light)
    return RenderedMessage(_encode(made.message), _encode(made.safe), thread_key(mail), mail.header("X-Service-Case"))


def _cost(made: RenderedMessage) -> int:
    return len(made.message) + len(made.safe) + _OVERHEAD
