"""
NOTIFY: what a client asks to be told of, in its selected mailbox and in others.

What it is told then is in L{simmail.imap.untagged.notifications}.
Source: RFC 5465.
"""

from __future__ import annotations


from simmail.imap.connection import ImapConnection
from simmail.imap.untagged.event_groups import ABOUT_MESSAGES, EVENTS, EventGroup, EventGroups
from simmail.imap.untagged.notifications import Notifications
from simmail.imap.wire.fetch_items import Item, parse_items
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No

#: Event groups, and names in them, of one command.
MOST = 1000

_NAMED = frozenset((b"SUBTREE", b"MAILBOXES"))
#: Mail may be filed into any mailbox, so that these are the same (RFC 5465 section 6.3).
_ALL = frozenset((b"PERSONAL", b"INBOXES"))
_BY_NAME = {name.upper().encode("ascii"): name for name in EVENTS}


async def notify(imap: ImapConnection, arguments: Arguments) -> None:
    """NOTIFY."""
    arguments.space()
    word = arguments.word()
    if word == b"NONE":
        arguments.end()
        watch, status = EventGroups(), False
    elif word == b"SET":
        arguments.space()
        status = arguments.skip(b"STATUS")
        if status:
            arguments.space()
        watch = _groups(arguments)
        arguments.end()
    else:
        raise Bad("Expected SET or NONE")
    if any(item.kind == "MODSEQ" for item in watch.items):
        imap.enabled.add(b"CONDSTORE")
    notifier = imap.notifier
    if not isinstance(notifier, Notifications):
        imap.notifier = notifier = Notifications(imap)
        imap.pending.until(notifier.stop)
    await notifier.set(watch, status)


def _groups(arguments: Arguments) -> EventGroups:
    watch, count, selected = EventGroups(), 0, False
    while not count or not arguments.at_end():
        if count:
            arguments.space()
            if arguments.at_end():
                break
        arguments.expect(b"(")
        kind = arguments.word()
        names = frozenset[str]()
        if kind in _NAMED:
            arguments.space()
            names = _names(arguments)
        arguments.space()
        events, items = _events(arguments)
        arguments.expect(b")")
        count += 1 + len(names)
        if count > MOST:
            raise No("That is too much to watch", "NOTIFICATIONOVERFLOW")
        if kind in (b"SELECTED", b"SELECTED-DELAYED"):
            if selected:
                raise Bad("More than one group for the selected mailbox")
            if not events <= ABOUT_MESSAGES:
                raise Bad("Only events of messages are told of the selected mailbox")
            selected = True
            watch = watch._replace(selected=events, delayed=kind == b"SELECTED-DELAYED", items=items)
        elif items:
            raise Bad("Only messages of the selected mailbox are fetched")
        elif kind in _ALL or kind == b"SUBSCRIBED" or kind in _NAMED:
            shown = "ALL" if kind in _ALL else kind.decode("ascii")
            watch = watch._replace(groups=(*watch.groups, EventGroup(shown, names, events)))
        else:
            raise Bad(f"Unknown mailboxes {kind.decode('ascii', 'replace')[:50]}")
    return watch


def _names(arguments: Arguments) -> frozenset[str]:
    """One mailbox name or a list of them; one that cannot be names nothing."""
    names: set[str] = set()
    many = arguments.peek() == b"("
    for _ in arguments.listed(1) if many else range(1):
        octets = arguments.astring()
        try:
            names.add(arguments.named(octets).rstrip("/"))
        except No:
            continue
    return frozenset(names)


def _events(arguments: Arguments) -> tuple[frozenset[str], tuple[Item, ...]]:
    """
    A list of events, with what is to be fetched of new messages.

    @raise No: some are not told here.
    """
    if arguments.skip(b"NONE"):
        return frozenset(), ()
    events: set[str] = set()
    items: tuple[Item, ...] = ()
    for _ in arguments.listed(1):
        word = arguments.word()
        event = _BY_NAME.get(word)
        if event is None:
            raise No(f"There is no event {word.decode('ascii', 'replace')[:50]} here",
                     f"BADEVENT ({' '.join(EVENTS)})")
        events.add(event)
        if event == "MessageNew" and arguments.follows(b" ("):
            arguments.space()
            items = tuple(parse_items(arguments))
    if len(events & {"MessageNew", "MessageExpunge"}) == 1 or (
            "FlagChange" in events and "MessageNew" not in events):
        raise Bad("MessageNew and MessageExpunge go together, and FlagChange with them")
    return frozenset(events), items
