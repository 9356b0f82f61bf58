"""
YAML that somebody writes by hand: configuration, plans and personas (YAML 1.1 as PyYAML's safe loader reads it).

What the loader lets pass is refused before anything is built: a key that stands twice in a mapping (YAML 1.2 section
3.2.1.1), of which the last would win in silence, and aliases that stand for more than they could by hand.
"""

from __future__ import annotations

from typing import Any

import yaml

from simmail.errors import Invalid

#: Octets of a file.
LARGEST = 8 * 1024 * 1024

#: Levels of collections.
DEEPEST = 50

#: Scalars and collections that aliases may stand for, in all.
MOST_BY_ALIAS = 100_000

# The one in C where there is one; both build only what is safe.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def decode(octets: bytes) -> Any:
    """
    The value of a document; None for an empty one.

    @raise Invalid: no UTF-8, no YAML, a key twice, too large, too deep or too many aliases; the text names the place.
    """
    if len(octets) > LARGEST:
        raise Invalid("", f"is larger than {LARGEST // 1024 // 1024} MiB")
    try:
        text = octets.decode("utf-8-sig")
        _Survey().look(text)
        return yaml.load(text, Loader=_LOADER)
    except Invalid:
        raise
    except UnicodeDecodeError as error:
        raise Invalid("", f"is not UTF-8 at octet {error.start}") from None
    except yaml.YAMLError as error:
        raise Invalid("", " ".join(str(error).split())) from None
    except (ValueError, OverflowError, RecursionError) as error:
        # A date or number that cannot be, as the loader makes values of plain scalars.
        raise Invalid("", f"holds a value that cannot be: {error}") from None


def line_of(octets: bytes, field: str) -> int:
    """Return the line, from 1, where a dotted field of a document stands, or else what it should stand in."""
    node: Any = yaml.compose(octets.decode("utf-8-sig"), Loader=_LOADER)
    line = 1
    for name in field.split("."):
        if isinstance(node, yaml.SequenceNode) and name.isdigit() and int(name) < len(node.value):
            node = node.value[int(name)]
            line = node.start_mark.line + 1
            continue
        found = [pair for pair in node.value if pair[0].value == name] if isinstance(node, yaml.MappingNode) else []
        if not found:
            break
        line, node = found[0][0].start_mark.line + 1, found[0][1]
    return line


class _Collection:
    """A mapping or sequence that is open; C{keys}: of a mapping, so far; C{key}: whether one comes next."""

    __slots__ = ("anchor", "keys", "key", "nodes")

    def __init__(self, anchor: str | None, mapping: bool) -> None:
        self.anchor = anchor
        self.keys: set[str] | None = set() if mapping else None
        self.key = mapping
        self.nodes = 1


class _Survey:
    """A look at all that a document holds, before anything is made of it."""

    def __init__(self) -> None:
        self._open: list[_Collection] = []
        #: By anchor: nodes it stands for, and its text when it is a scalar; None while it is open.
        self._anchors: dict[str, tuple[int, str | None] | None] = {}
        self._aliased = 0

    def look(self, text: str) -> None:
        """@raise Invalid, yaml.YAMLError: as C{decode}."""
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.ScalarEvent):
                if event.anchor is not None:
                    self._anchors[event.anchor] = 1, event.value
                self._node(event, 1, event.value)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                if len(self._open) >= DEEPEST:
                    raise Invalid("", f"has more than {DEEPEST} levels{_place(event)}")
                if event.anchor is not None:
                    self._anchors[event.anchor] = None
                self._open.append(_Collection(event.anchor, isinstance(event, yaml.MappingStartEvent)))
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                done = self._open.pop()
                if done.anchor is not None:
                    self._anchors[done.anchor] = done.nodes, None
                self._node(event, done.nodes, None)

    def _alias(self, event: Any) -> None:
        # One that is not there the loader names itself.
        found = self._anchors.get(event.anchor, (0, None))
        if found is None:
            raise Invalid("", f"the alias *{event.anchor} stands for what it is in{_place(event)}")
        self._aliased += found[0]
        if self._aliased > MOST_BY_ALIAS:
            raise Invalid("", f"its aliases stand for more than {MOST_BY_ALIAS} values{_place(event)}")
        self._node(event, *found)

    def _node(self, event: Any, nodes: int, text: str | None) -> None:
        """A node is complete: it goes into the collection it is in."""
        if not self._open:
            return
        inside = self._open[-1]
        inside.nodes += nodes
        if inside.keys is None:
            return
        if inside.key and text is not None:
            if text in inside.keys:
                raise Invalid("", f"the key {text[:60]!r} stands twice{_place(event)}")
            inside.keys.add(text)
        inside.key = not inside.key


def _place(event: Any) -> str:
    return f" (line {event.start_mark.line + 1}, column {event.start_mark.column + 1})"
