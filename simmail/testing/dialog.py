"""
Dialogs as text files, played against a server protocol in memory.

A file reads like a session::

    # what it shows
    X: deliver INBOX hello.eml
    C: a1 SELECT INBOX
    S: * 1 EXISTS
    S: a1 OK [READ-WRITE] ...

C{C:} is a line the client sends, with CRLF; C{S:} is the next line the server
must have sent, in which C{...} stands for any run of characters.  C{S*} before
several lines lets them come in any order.  C{C2:} and C{S2:} belong to a second
connection (made when first named), and so on.  C{C|} is a line sent together
with the one that follows it, in one packet.  C{S!} says that the server has
hung up.  C{X:} is something the test does, named in the test; when it gives a
connection, that is the next one.  Whenever the client goes on, the server
must have said all that the file holds and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol as Typing


class DialogFailed(AssertionError):
    """The server did not say what the file says."""


class Line(NamedTuple):
    """One line of a file: what kind, of which connection, its text, and where it stands."""

    kind: str
    connection: int
    text: str
    number: int


class Wire(Typing):
    """One connection as the player needs it."""

    def send(self, octets: bytes) -> None:
        """Give octets to the server."""

    def taken(self) -> bytes:
        """What the server has sent since the last call."""

    def closed(self) -> bool:
        """Whether the server has hung up."""


def parse(text: str) -> list[Line]:
    """The lines of a file; blank lines and comments are left out."""
    found: list[Line] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        head, rest = line[:line.find(" ")] if " " in line else line, line.partition(" ")[2]
        kind, which, mark = head[0], head[1:-1], head[-1]
        if kind not in "CSX" or mark not in ":|*!" or (which and not which.isdigit()):
            raise DialogFailed(f"line {number}: not a line of a dialog: {line}")
        found.append(Line(kind + mark, int(which or 1), rest, number))
    return found


def fits(pattern: str, line: str) -> bool:
    """Whether a line is what a pattern says; C{...} is any run of characters."""
    pieces = pattern.split("...")
    if len(pieces) == 1:
        return line == pattern
    if not line.startswith(pieces[0]) or not line.endswith(pieces[-1]):
        return False
    at, end = len(pieces[0]), len(line) - len(pieces[-1])
    for piece in pieces[1:-1]:
        at = line.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return at <= end


class Dialog:
    """
    A file being played.

    @param connect: makes one more connection; the server's greeting is to come from it.
    @param actions: what C{X:} lines name: called with the words that follow.
    """

    def __init__(self, connect: Callable[[], Wire], actions: dict[str, Callable[..., Wire | None]]) -> None:
        self._connect = connect
        self._actions = actions
        self._wires: dict[int, Wire] = {}
        self._said: dict[int, list[str]] = {}

    def play(self, text: str, name: str = "dialog") -> None:
        """
        Play a whole file.

        @raise DialogFailed: what was said and what should have been, with the place.
        """
        packet: dict[int, bytes] = {}
        unordered: list[Line] = []
        for line in parse(text):
            where = f"{name}:{line.number}"
            if unordered and line.kind != "S*":
                self._any_order(unordered, name)
                unordered = []
            if line.kind[0] in "CX":
                self._quiet(where)
            if line.kind == "X:":
                words = line.text.split(" ")
                wire = self._actions[words[0]](*words[1:])
                if wire is not None:
                    self._wires[len(self._wires) + 1] = wire
            elif line.kind[0] == "C":
                octets = packet.pop(line.connection, b"") + line.text.encode("utf-8") + b"\r\n"
                if line.kind == "C|":
                    packet[line.connection] = octets
                else:
                    self._wire(line.connection).send(octets)
            elif line.kind == "S!":
                self._hung_up(line, where)
            elif line.kind == "S*":
                unordered.append(line)
            else:
                said = self._next(line.connection)
                if said is None or not fits(line.text, said):
                    raise DialogFailed(f"{where}: expected {line.text!r}, the server said {said!r}{self._rest(line)}")
        self._any_order(unordered, name)
        self._quiet(f"{name}: at the end")

    def _wire(self, connection: int) -> Wire:
        if connection not in self._wires:
            self._wires[connection] = self._connect()
            self._said[connection] = []
        return self._wires[connection]

    def _take(self, connection: int) -> list[str]:
        said = self._said[connection] if connection in self._said else self._said.setdefault(connection, [])
        octets = self._wire(connection).taken()
        if octets:
            lines = octets.decode("utf-8", "backslashreplace").split("\r\n")
            if lines[-1] == "":
                lines.pop()
            said.extend(lines)
        return said

    def _next(self, connection: int) -> str | None:
        self._wire(connection)
        said = self._take(connection)
        return said.pop(0) if said else None

    def _rest(self, line: Line) -> str:
        rest = self._take(line.connection)
        return "".join(f"\n    then {one!r}" for one in rest[:20])

    def _any_order(self, lines: Iterable[Line], name: str) -> None:
        wanted = list(lines)
        for _ in range(len(wanted)):
            said = self._next(wanted[0].connection)
            match = next((line for line in wanted if said is not None and fits(line.text, said)), None)
            if match is None:
                raise DialogFailed(
                    f"{name}:{wanted[0].number}: expected one of {[line.text for line in wanted]}, "
                    f"the server said {said!r}")
            wanted.remove(match)

    def _hung_up(self, line: Line, where: str) -> None:
        if not self._wire(line.connection).closed():
            raise DialogFailed(f"{where}: the server has not hung up")

    def _quiet(self, where: str) -> None:
        for connection in self._wires:
            said = self._take(connection)
            if said:
                raise DialogFailed(f"{where}: the server also said {said[:20]} on connection {connection}")
