"""
THREAD and UID THREAD: conversations by subject or by references.

Source: RFC 5256 section 3.  Nothing recurses: a conversation may be as deep
as the folder is long.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from simmail.core.message.sort import Criterion
from simmail.core.message.thread_keys import ThreadKeys
from simmail.core.records.folder import Columns
from simmail.imap.connection import ImapConnection
from simmail.imap.kept_answers import LONGEST, KeptAnswer
from simmail.imap.search.search import find, numbered
from simmail.imap.selected import Selected
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.search_keys import check_charset, parse_keys

#: Messages fetched, conversations shown, at once; messages looked at between two looks at the clock.
SLICE, STEP = 1000, 500
#: Of each message that is threaded by what it refers to; the first one of those threaded by subject.
_FIELDS = ThreadKeys._fields

YieldToReactor = Callable[[], Awaitable[None]]


class ThreadMessage(NamedTuple):
    """A message to be threaded; C{at}: its place in the order of sent dates."""

    uid: int
    at: int
    subject: str
    is_reply: bool
    message_id: str
    chain: Sequence[str]


class Node:
    """A message of a conversation, or the place of one that is not here (C{uid} 0)."""

    __slots__ = ("uid", "at", "subject", "is_reply", "parent", "children")

    def __init__(self, uid: int = 0, at: int = 0, subject: str = "", is_reply: bool = False) -> None:
        self.uid, self.at, self.subject, self.is_reply = uid, at, subject, is_reply
        self.parent: Node | None = None
        self.children: list[Node] = []


async def thread(imap: ImapConnection, arguments: Arguments, uid: bool = False) -> bytes:
    """THREAD and UID THREAD."""
    selected = imap.require_selected()
    arguments.space()
    algorithm = arguments.word()
    if algorithm not in (b"ORDEREDSUBJECT", b"REFERENCES"):
        raise Bad("Unknown threading algorithm")
    arguments.space()
    check_charset(arguments.astring())
    arguments.space()
    keys = parse_keys(arguments)
    arguments.end()
    found = list(await find(imap, selected, keys))
    called = found if uid else await numbered(imap, selected, found)
    uids = array("I", found)
    numbers = uids if called is found else array("I", called)
    answer = imap.context.answers.find(selected.folder, algorithm, uids, numbers)
    if answer is None:
        slices, lasting = await _slices(imap, selected, found, _FIELDS if algorithm == b"REFERENCES" else _FIELDS[:1])
        pieces: list[bytes] = []
        octets = 0
        async for piece in _pieces(imap, selected, algorithm, found, slices, uid):
            await imap.send(piece)
            octets += len(piece)
            if lasting and octets <= LONGEST:
                pieces.append(piece)
        if lasting and octets <= LONGEST:
            imap.context.answers.keep(selected.folder, algorithm, KeptAnswer(uids, numbers, b"".join(pieces)))
    else:
        await imap.send(answer)
    return b"THREAD completed"


async def _pieces(
    imap: ImapConnection, selected: Selected, algorithm: bytes, found: list[int], slices: Slices, uid: bool
) -> AsyncIterator[bytes]:
    """The answer, by what the messages are threaded by."""
    # By sent date, then by number.
    ordered = await selected.folder.ordered(found, (Criterion("at"),))
    places: dict[int, int] = {}
    for begin in range(0, len(ordered), SLICE):
        places.update(zip(ordered[begin:begin + SLICE], range(begin, len(ordered))))
        await imap.yield_to_reactor()
    if algorithm == b"REFERENCES":
        rows = await related(slices, places, imap.yield_to_reactor)
        trees = await by_references(rows, imap.yield_to_reactor)
        below = {row.at for row in rows}
    else:
        trees = await by_subject(slices, places, imap.yield_to_reactor)
        below = set(places.values())
    before = b"* THREAD "
    for begin in range(0, len(ordered), SLICE):
        some = ordered[begin:begin + SLICE]
        numbers = some if uid else await numbered(imap, selected, some)
        pieces = [
            # Each is forgotten when it is shown.
            shown(trees.pop(place), selected, uid) if place in trees else b"" if place in below else b"(%d)" % number
            for place, number in enumerate(numbers, begin)]
        yield before + b"".join(pieces)
        before = b""
    yield b"\r\n" if ordered else b"* THREAD\r\n"


#: UIDs, and fields of theirs; each slice is taken from the end when it is looked at last.
Slices = list[Columns]


async def _slices(
    imap: ImapConnection, selected: Selected, uids: Sequence[int], names: Sequence[str]
) -> tuple[Slices, bool]:
    """What messages are threaded by, and whether that stays so."""
    slices: Slices = []
    lasting = True
    for begin in range(0, len(uids), SLICE):
        some, stays = await selected.folder.threaded(uids[begin:begin + SLICE], names)
        slices.append(some)
        lasting = lasting and stays
        await imap.yield_to_reactor()
    slices.reverse()
    return slices, lasting


async def related(slices: Slices, places: Mapping[int, int], yield_to_reactor: YieldToReactor) -> list[ThreadMessage]:
    """
    Those messages that have to do with one another: each of the others is a conversation.

    They are what refers to others, what others refer to, and what has the subject of another.

    @param places: of messages in the order of sent dates; one that is not there is gone.
    """
    subjects: Counter[str] = Counter()
    referred: set[str] = set()
    for _, (some, _, _, chains) in slices:
        subjects.update(some)
        referred.update(chain.from_iterable(chains))
        await yield_to_reactor()
    # Conversations without a subject are not joined.
    del subjects[""]
    rows: list[ThreadMessage] = []
    while slices:
        uids, columns = slices.pop()
        rows += [
            ThreadMessage(uid, places[uid], subject, is_reply, message_id, above)
            for uid, subject, is_reply, message_id, above in zip(uids, *columns)
            if (above or message_id in referred or subjects[subject] > 1) and uid in places]
        await yield_to_reactor()
    return rows


async def by_subject(slices: Slices, places: Mapping[int, int], yield_to_reactor: YieldToReactor) -> dict[int, Node]:
    """ORDEREDSUBJECT: the first message of each base subject, by its place, with the others below it."""
    groups: dict[str, list[int]] = {}
    while slices:
        uids, (subjects,) = slices.pop()
        for uid, subject in zip(uids, subjects):
            if uid in places:
                groups.setdefault(subject, []).append(uid)
        await yield_to_reactor()
    found: dict[int, Node] = {}
    for number, uids in enumerate(groups.values()):
        uids.sort(key=places.__getitem__)
        found[places[uids[0]]] = root = Node(uids[0])
        root.children = list(map(Node, uids[1:]))
        if not number % STEP:
            await yield_to_reactor()
    return found


async def by_references(rows: list[ThreadMessage], yield_to_reactor: YieldToReactor) -> dict[int, Node]:
    """REFERENCES: conversations by Message-IDs, those of one subject joined, by the place of their first message."""
    nodes = await _linked(rows, yield_to_reactor)
    tops: list[Node] = []
    while nodes:
        for node in reversed(nodes[-STEP:]):
            if node.parent is None:
                tops.append(node)
            # Only the links downwards are needed from here on; without circles nothing is left to collect.
            node.parent = None
        del nodes[-STEP:]
        await yield_to_reactor()
    roots = await _pruned(tops[::-1], yield_to_reactor)
    await _sort_below(roots, yield_to_reactor)
    roots = await _joined(await _in_order(roots, yield_to_reactor), yield_to_reactor)
    await _sort_below(roots, yield_to_reactor)
    found: dict[int, Node] = {}
    for begin in range(0, len(roots), STEP):
        found.update([(_place(root), root) for root in roots[begin:begin + STEP]])
        await yield_to_reactor()
    return found


async def _in_order(nodes: list[Node], yield_to_reactor: YieldToReactor) -> list[Node]:
    """By their places, of which no two are the same."""
    if len(nodes) <= STEP:
        return sorted(nodes, key=_place)
    stretches: dict[int, list[Node]] = {}
    for number, node in enumerate(nodes):
        stretches.setdefault(_place(node) // STEP, []).append(node)
        if not number % STEP:
            await yield_to_reactor()
    ordered: list[Node] = []
    for stretch in sorted(stretches):
        ordered += sorted(stretches[stretch], key=_place)
        await yield_to_reactor()
    return ordered


def _place(node: Node) -> int:
    """Where it is shown; a missing message counts as its first child."""
    while not node.uid and node.children:
        node = node.children[0]
    return node.at


async def _linked(rows: list[ThreadMessage], yield_to_reactor: YieldToReactor) -> list[Node]:
    """Step 1: what each message refers to in a row, where that has no place yet, and the message below the last."""
    by_id: dict[str, Node] = {}
    nodes: list[Node] = []
    #: Those that have had something below them.
    parents: set[Node] = set()
    for number, (uid, at, subject, is_reply, message_id, above) in enumerate(rows):
        node = by_id.get(message_id) if message_id else None
        if node is None or node.uid:
            # No Message-ID, or one used before: a message of its own.
            node = Node()
            nodes.append(node)
            if message_id and message_id not in by_id:
                by_id[message_id] = node
        node.uid, node.at, node.subject, node.is_reply = uid, at, subject, is_reply
        for one in above:
            if one not in by_id:
                by_id[one] = Node()
                nodes.append(by_id[one])
        work = 0
        for upper, lower in zip(above, above[1:]):
            if by_id[lower].parent is None:
                work += _link(by_id[upper], by_id[lower], parents)
        # A message knows its own parent best: the place that others gave it is taken from it, even where the new one
        # cannot be, because that would close a circle.
        parent = by_id[above[-1]] if above else None
        if node.parent is not parent:
            node.parent = None
            if parent is not None:
                work += _link(parent, node, parents)
        if work > STEP or not number % STEP:
            await yield_to_reactor()
    for number, node in enumerate(nodes):
        if node.parent is not None:
            node.parent.children.append(node)
        if not number % STEP:
            await yield_to_reactor()
    return nodes


def _link(parent: Node, child: Node, parents: set[Node]) -> int:
    """Put a message that has no place below another, unless that would close a circle; how many were looked at."""
    steps = 0
    if child in parents or child is parent:
        # Only what has something below it can be above its parent.
        node: Node | None = parent
        while node is not None:
            if node is child:
                return steps
            node = node.parent
            steps += 1
    child.parent = parent
    parents.add(parent)
    return steps


async def _below(roots: Iterable[Node], yield_to_reactor: YieldToReactor) -> list[Node]:
    """All messages, each after those above it."""
    found: list[Node] = []
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(node.children)
        if not len(found) % STEP:
            await yield_to_reactor()
    return found


async def _pruned(roots: list[Node], yield_to_reactor: YieldToReactor) -> list[Node]:
    """Step 3: places of missing messages go, their children move up; at the top only when there is one child."""
    for number, node in enumerate(reversed(await _below(roots, yield_to_reactor))):
        kept: list[Node] = []
        for child in node.children:
            if child.uid:
                kept.append(child)
            else:
                kept.extend(child.children)
        node.children = kept
        if not number % STEP:
            await yield_to_reactor()
    result: list[Node] = []
    for root in roots:
        if root.uid or len(root.children) > 1:
            result.append(root)
        else:
            result.extend(root.children)
    return result


async def _sort_below(roots: list[Node], yield_to_reactor: YieldToReactor) -> None:
    """Steps 4 and 6: siblings by date, from the bottom up."""
    for number, node in enumerate(reversed(await _below(roots, yield_to_reactor))):
        if len(node.children) > 1:
            node.children = await _in_order(node.children, yield_to_reactor)
        if not number % STEP:
            await yield_to_reactor()


def _subject_of(root: Node) -> tuple[str, bool]:
    node = root if root.uid or not root.children else root.children[0]
    return node.subject, node.is_reply


async def _joined(roots: list[Node], yield_to_reactor: YieldToReactor) -> list[Node]:
    """Step 5: conversations with one subject become one."""
    table: dict[str, Node] = {}
    for number, root in enumerate(roots):
        if not number % STEP:
            await yield_to_reactor()
        subject, is_reply = _subject_of(root)
        there = table.get(subject)
        if there is None or (not root.uid and there.uid) or (_subject_of(there)[1] and not is_reply and there.uid):
            table[subject] = root
    result: list[Node] = []
    places: dict[Node, int] = {}
    for number, root in enumerate(roots):
        if not number % STEP:
            await yield_to_reactor()
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
