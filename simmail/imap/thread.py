"""
THREAD and UID THREAD: conversations by subject or by references.

Source: RFC 5256 section 3.  Nothing recurses: a conversation may be as deep
as the folder is long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from simmail.imap.copying import selected_of
from simmail.imap.replies import Bad
from simmail.imap.search_keys import check_charset, parse_keys
from simmail.imap.searching import Search
from simmail.imap.session import Selected
from simmail.imap.sort import Breathe, lasts, let_go, sorted_in_turns
from simmail.imap.tokens import Arguments

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

#: Messages fetched, conversations shown, at once; messages looked at between two looks at the clock.
SLICE, STEP = 1000, 500
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Node:
    """A message of a conversation, or the place of one that is not here (C{uid} 0)."""

    __slots__ = ("uid", "at", "subject", "is_reply", "parent", "children")

    def __init__(self, uid: int = 0, at: float = 0.0, subject: str = "", is_reply: bool = False) -> None:
        self.uid, self.at, self.subject, self.is_reply = uid, at, subject, is_reply
        self.parent: Node | None = None
        self.children: list[Node] = []

    @property
    def order(self) -> tuple[float, int]:
        """By sent date, then by number; a missing message counts as its first child."""
        node = self
        while not node.uid and node.children:
            node = node.children[0]
        return node.at, node.uid


async def thread(imap: ImapServer, arguments: Arguments, uid: bool = False) -> bytes:
    """THREAD and UID THREAD."""
    selected = selected_of(imap)
    arguments.space()
    algorithm = arguments.word()
    if algorithm not in (b"ORDEREDSUBJECT", b"REFERENCES"):
        raise Bad("Unknown threading algorithm")
    arguments.space()
    check_charset(arguments.astring())
    arguments.space()
    keys = parse_keys(arguments)
    arguments.end()
    found = await Search(selected, imap.login.universe.clock.now(), imap.breathe).find(keys)
    rows = await _rows(imap, selected, found)
    roots = await (by_references if algorithm == b"REFERENCES" else by_subject)(rows, imap.breathe)
    imap.write(b"* THREAD")
    separator = b" "
    pieces: list[bytes] = []
    await let_go(rows, imap.breathe)
    roots.reverse()
    while roots:
        # Each is forgotten when it is shown.
        pieces.append(shown(roots.pop(), selected, uid))
        if len(pieces) >= SLICE:
            await imap.send(separator + b"".join(pieces))
            separator, pieces = b"", []
    if pieces:
        await imap.send(separator + b"".join(pieces))
    imap.write(b"\r\n")
    return b"THREAD completed"


#: (uid, seconds, digest fields)
Row = tuple[int, float, tuple[Any, ...]]
_FIELDS = ("sent", "base_subject", "subject", "message_id", "references", "in_reply_to")


async def _rows(imap: ImapServer, selected: Selected, uids: Sequence[int]) -> list[Row]:
    rows: list[Row] = []
    for begin in range(0, len(uids), SLICE):
        slice = uids[begin:begin + SLICE]
        kept = await selected.folder.digested(slice, _FIELDS)
        dates = selected.folder.column("date", slice)
        for uid, filed in zip(slice, dates):
            if uid in kept and filed is not None:
                rows.append((uid, ((kept[uid][0] or filed) - _EPOCH).total_seconds(), kept[uid]))
        await imap.breathe()
    return rows


async def by_subject(rows: Sequence[Row], breathe: Breathe) -> list[Node]:
    """ORDEREDSUBJECT: messages of one base subject; the first is the root, the others its children."""
    keyed: list[tuple[str, float, int]] = []
    for begin in range(0, len(rows), STEP):
        keyed += [(kept[1].casefold(), at, uid) for uid, at, kept in rows[begin:begin + STEP]]
        await breathe()
    ordered = await sorted_in_turns(keyed, breathe)
    roots: list[Node] = []
    for number, (_, group) in enumerate(groupby(ordered, key=lambda row: row[0])):
        first, *others = [Node(uid, at) for _, at, uid in group]
        first.children = others
        roots.append(first)
        if not number % STEP:
            await breathe()
    return await _in_order(roots, breathe)


async def by_references(rows: list[Row], breathe: Breathe) -> list[Node]:
    """REFERENCES: by Message-IDs, then conversations of one subject are joined."""
    nodes = await _linked(rows, breathe)
    tops: list[Node] = []
    while nodes:
        for node in reversed(nodes[-STEP:]):
            if node.parent is None:
                tops.append(node)
            # Only the links downwards are needed from here on; without circles nothing is left to collect.
            node.parent = None
        del nodes[-STEP:]
        await breathe()
    roots = await _pruned(tops[::-1], breathe)
    await _sort_below(roots, breathe)
    roots = await _joined(await _in_order(roots, breathe), breathe)
    await _sort_below(roots, breathe)
    return await _in_order(roots, breathe)


async def _in_order(roots: list[Node], breathe: Breathe) -> list[Node]:
    keyed: list[tuple[float, int, int]] = []
    for begin in range(0, len(roots), STEP):
        keyed += [(*root.order, begin + at) for at, root in enumerate(roots[begin:begin + STEP])]
        await breathe()
    ordered = await sorted_in_turns(keyed, breathe)
    await let_go(keyed, breathe)
    return [roots[number] for number in await lasts(ordered, breathe)]


async def _linked(rows: list[Row], breathe: Breathe) -> list[Node]:
    """Step 1: every message below the last it refers to, and what it refers to in a row."""
    by_id: dict[str, Node] = {}
    nodes: list[Node] = []
    chains: list[tuple[Node, list[str]]] = []
    tops: dict[Node, Node] = {}
    for number, (uid, at, (_, base, subject, message_id, references, in_reply_to)) in enumerate(rows):
        node = by_id.get(message_id) if message_id else None
        if node is None or node.uid:
            # No Message-ID, or one used before: a message of its own.
            node = Node()
            nodes.append(node)
            if message_id and message_id not in by_id:
                by_id[message_id] = node
        node.uid, node.at, node.subject = uid, at, base
        node.is_reply = len(base) < len(" ".join(subject.split()))
        chain = list(references) if references else [in_reply_to] if in_reply_to else []
        for one in chain:
            if one not in by_id:
                by_id[one] = Node()
                nodes.append(by_id[one])
        chains.append((node, chain))
        if not number % STEP:
            await breathe()
    # A message knows its own parent best, so those links are made first.
    for number, (node, chain) in enumerate(chains):
        if chain:
            _link(by_id[chain[-1]], node, tops)
        if not number % STEP:
            await breathe()
    for number, (_, chain) in enumerate(chains):
        for above, below in zip(chain, chain[1:]):
            _link(by_id[above], by_id[below], tops)
        if not number % STEP:
            await breathe()
    return nodes


def _link(parent: Node, child: Node, tops: dict[Node, Node]) -> None:
    """Put a message below another unless it has a place, or that would close a circle."""
    if child.parent is None and child is not parent and _top(parent, tops) is not child:
        child.parent = parent
        parent.children.append(child)
        tops[child] = parent


def _top(node: Node, tops: dict[Node, Node]) -> Node:
    """The root above a message, by way of short cuts that are made shorter on the way."""
    path: list[Node] = []
    while node in tops:
        path.append(node)
        node = tops[node]
    for one in path[:-1]:
        tops[one] = node
    return node


async def _below(roots: Iterable[Node], breathe: Breathe) -> list[Node]:
    """All messages, each after those above it."""
    found: list[Node] = []
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(node.children)
        if not len(found) % STEP:
            await breathe()
    return found


async def _pruned(roots: list[Node], breathe: Breathe) -> list[Node]:
    """Step 3: places of missing messages go, their children move up; at the top only when there is one child."""
    for number, node in enumerate(reversed(await _below(roots, breathe))):
        kept: list[Node] = []
        for child in node.children:
            if child.uid:
                kept.append(child)
            else:
                kept.extend(child.children)
        node.children = kept
        if not number % STEP:
            await breathe()
    result: list[Node] = []
    for root in roots:
        if root.uid or len(root.children) > 1:
            result.append(root)
        else:
            result.extend(root.children)
    return result


async def _sort_below(roots: list[Node], breathe: Breathe) -> None:
    """Steps 4 and 6: siblings by date, from the bottom up."""
    for number, node in enumerate(reversed(await _below(roots, breathe))):
        if len(node.children) > 1:
            node.children = await _in_order(node.children, breathe)
        if not number % STEP:
            await breathe()


def _subject_of(root: Node) -> tuple[str, bool]:
    node = root if root.uid or not root.children else root.children[0]
    return node.subject.casefold(), node.is_reply


async def _joined(roots: list[Node], breathe: Breathe) -> list[Node]:
    """Step 5: conversations with one subject become one."""
    table: dict[str, Node] = {}
    for number, root in enumerate(roots):
        if not number % STEP:
            await breathe()
        subject, is_reply = _subject_of(root)
        there = table.get(subject)
        if there is None or (not root.uid and there.uid) or (_subject_of(there)[1] and not is_reply and there.uid):
            table[subject] = root
    result: list[Node] = []
    places: dict[Node, int] = {}
    for number, root in enumerate(roots):
        if not number % STEP:
            await breathe()
        subject, is_reply = _subject_of(root)
        there = table[subject]
        if there is root or not subject:
            places[root] = len(result)
            result.append(root)
        elif not root.uid and not there.uid:
            there.children.extend(root.children)
        elif not there.uid or (is_reply and not _subject_of(there)[1]):
            there.children.append(root)
        else:
            # Two of equal standing: both go below a place that no message has.
            above = Node()
            above.children = [there, root]
            table[subject] = above
            places[above] = places[there]
            result[places[there]] = above
    return result


def shown(root: Node, selected: Selected, uid: bool) -> bytes:
    """One conversation as the answer shows it: a row of numbers, and parentheses where it divides."""
    pieces: list[bytes] = []
    # What is still to be written: a node, or octets.
    waiting: list[Node | bytes] = [b")", root, b"("]
    while waiting:
        one = waiting.pop()
        if isinstance(one, bytes):
            pieces.append(one)
            continue
        if one.uid:
            if pieces[-1] != b"(":
                pieces.append(b" ")
            pieces.append(b"%d" % (one.uid if uid else selected.sequence(one.uid)))
        if len(one.children) == 1:
            waiting.append(one.children[0])
        elif one.children:
            if pieces[-1] != b"(":
                pieces.append(b" ")
            for child in reversed(one.children):
                waiting += [b")", child, b"("]
    return b"".join(pieces)
