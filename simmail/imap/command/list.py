"""
LIST and LSUB.

Patterns are matched in one pass over the name, with all places in the pattern
that fit so far in one integer, so that no pattern takes long.
Source: RFC 3501 sections 6.3.8 and 6.3.9; RFC 5258 (LIST-EXTENDED); RFC 5819
(LIST-STATUS); RFC 6154 (SPECIAL-USE); RFC 3348 (CHILDREN).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from simmail.core.records.folder import FolderStatus
from simmail.imap.connection import ImapConnection
from simmail.imap.untagged.mailbox_data import attributes_of, names_above, status_items, status_line
from simmail.imap.wire.names import quoted_name
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad

_MOST_PATTERNS = 100


class Pattern:
    """A name with C{*} (anything) and C{%} (anything up to a separator)."""

    def __init__(self, pattern: str) -> None:
        pieces: list[str] = []
        for char in pattern:
            if char in "*%" and pieces and pieces[-1] in "*%":
                # Side by side they are as wide as the wider one.
                if char == "*":
                    pieces[-1] = "*"
                continue
            pieces.append(char)
        self._literal: dict[str, int] = {}
        self._stars = self._wilds = 0
        for at, char in enumerate(pieces):
            if char == "*":
                self._stars |= 1 << at
            if char in "*%":
                self._wilds |= 1 << at
            else:
                self._literal[char] = self._literal.get(char, 0) | 1 << at
        self._end = 1 << len(pieces)

    def matches(self, name: str) -> bool:
        """Whether a name fits; INBOX fits in any case."""
        inbox = 5 if name[:5] == "INBOX" and name[5:6] in ("", "/") else 0
        literal, stars, wilds = self._literal, self._stars, self._wilds
        places = 1
        places |= (places & wilds) << 1
        for at, char in enumerate(name):
            fits = literal.get(char, 0)
            if at < inbox:
                fits |= literal.get(char.lower(), 0)
            places = ((places & fits) << 1) | (places & (stars if char == "/" else wilds))
            if not places:
                return False
            places |= (places & wilds) << 1
        return bool(places & self._end)


class _Options(NamedTuple):
    select: frozenset[bytes]
    returned: frozenset[bytes]


class _Shown(NamedTuple):
    name: str
    attributes: list[bytes]
    has_below: bool
    found: FolderStatus | None


_SELECT: Mapping[bytes, None] = MappingProxyType(
    dict.fromkeys((b"SUBSCRIBED", b"REMOTE", b"RECURSIVEMATCH", b"SPECIAL-USE")))
_RETURN: Mapping[bytes, Callable[[Arguments], list[bytes]] | None] = MappingProxyType(
    {b"SUBSCRIBED": None, b"CHILDREN": None, b"SPECIAL-USE": None, b"STATUS": status_items})


async def list_mailboxes(imap: ImapConnection, arguments: Arguments) -> None:
    """LIST, with or without options."""
    arguments.space()
    extended = False
    select = frozenset[bytes]()
    if arguments.peek() == b"(":
        extended = True
        select = frozenset(arguments.options(_SELECT, "selection option"))
        arguments.space()
    reference = arguments.mailbox()
    arguments.space()
    patterns = _patterns(arguments)
    extended = extended or patterns is not None and len(patterns) != 1
    returned: Mapping[bytes, list[bytes]] = {}
    if not arguments.at_end():
        arguments.space()
        arguments.expect(b"RETURN ")
        extended = True
        returned = arguments.options(_RETURN, "return option")
    arguments.end()
    if b"RECURSIVEMATCH" in select and select <= {b"RECURSIVEMATCH", b"REMOTE"}:
        raise Bad("RECURSIVEMATCH needs another selection option")
    if patterns == [""] and not extended:
        imap.write(b'* LIST (\\Noselect) "/" ""\r\n')
        return
    options, status = _Options(select, frozenset(returned)), returned.get(b"STATUS")
    for one in await _chosen(imap, [_joined(reference, pattern) for pattern in patterns], options, extended):
        line = b'* LIST (%b) "/" %b' % (b" ".join(one.attributes), quoted_name(one.name, imap.utf8))
        if one.has_below:
            line += b' ("CHILDINFO" (%b))' % b" ".join(
                b'"%b"' % option for option in (b"SUBSCRIBED", b"SPECIAL-USE") if option in options.select)
        line += b"\r\n"
        if status and one.found is not None:
            line += await status_line(imap, one.found, status)
        await imap.send(line)


def _joined(reference: str, pattern: str) -> str:
    return pattern if pattern.startswith("/") else reference + pattern


def _patterns(arguments: Arguments) -> list[str]:
    if arguments.peek() != b"(":
        return [arguments.pattern()]
    patterns: list[str] = []
    for _ in arguments.listed(1):
        patterns.append(arguments.pattern())
        if len(patterns) > _MOST_PATTERNS:
            raise Bad("Too many patterns")
    return patterns


async def _chosen(imap: ImapConnection, patterns: list[str], options: _Options, extended: bool) -> list[_Shown]:
    store, address = imap.store, imap.address
    folders = {status.name: status for status in await store.folders(address)}
    wants_subscribed = b"SUBSCRIBED" in options.select or b"SUBSCRIBED" in options.returned
    subscribed: set[str] = await store.subscribed(address) if wants_subscribed else set()
    names = dict.fromkeys(folders)
    parents = names_above(folders)
    names.update(dict.fromkeys(sorted(parents)))
    if b"SUBSCRIBED" in options.select:
        names.update(dict.fromkeys(sorted(subscribed)))
    fitting = {name for name in names if _fits(name, folders.get(name), subscribed, options)}
    # RFC 5258 section 4: also what lies above a mailbox that fits.
    above = names_above(fitting) if b"RECURSIVEMATCH" in options.select else set()
    compiled = [Pattern(pattern) for pattern in patterns]
    with_children = b"CHILDREN" in options.returned or not extended
    result: list[_Shown] = []
    for name in names:
        await imap.yield_to_reactor()
        if not any(pattern.matches(name) for pattern in compiled):
            continue
        found = folders.get(name)
        attributes = attributes_of(name, found, subscribed, parents if with_children else None, extended)
        if name in fitting or name in above:
            result.append(_Shown(name, attributes, name in above, found))
    # RFC 5258 section 3.5: that there is something below is not told where it is told itself.
    told = names_above({one.name for one in result if one.name in fitting})
    hidden = names_above(fitting.difference([one.name for one in result])) if above else set()
    result = [one._replace(has_below=one.has_below and one.name in hidden) for one in result
              if one.name in fitting or one.name in hidden or one.name not in told]
    return result


def _fits(name: str, found: FolderStatus | None, subscribed: set[str], options: _Options) -> bool:
    """Whether a mailbox is what the selection options ask for."""
    return (b"SUBSCRIBED" not in options.select or name in subscribed) and (
        b"SPECIAL-USE" not in options.select or bool(found is not None and found.special_use))


async def list_subscribed(imap: ImapConnection, arguments: Arguments) -> None:
    """LSUB: names subscribed to; with C{%}, also what lies above them."""
    arguments.space()
    reference = arguments.mailbox()
    arguments.space()
    pattern = Pattern(_joined(reference, arguments.pattern()))
    arguments.end()
    store, address = imap.store, imap.address
    subscribed: set[str] = await store.subscribed(address)
    existing = {status.name for status in await store.folders(address)}
    names = {name: name in existing for name in subscribed}
    shown = {name: b"" if exists else b"\\Noselect" for name, exists in names.items() if pattern.matches(name)}
    for name in subscribed:
        for above in names_above((name,)):
            # RFC 3501 section 6.3.9: "foo/bar" makes "%" answer a \Noselect "foo".
            if above not in names and not pattern.matches(name) and pattern.matches(above):
                shown[above] = b"\\Noselect"
    for name in sorted(shown):
        await imap.send(b'* LSUB (%b) "/" %b\r\n' % (shown[name], quoted_name(name, imap.utf8)))
