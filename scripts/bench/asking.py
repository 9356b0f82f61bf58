"""A client that asks an IMAP server many questions and reads what it answers, for C{scripts/bench/differential}."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from typing import Any

_LITERAL = re.compile(rb"~?\{(\d+)\}\r\n\Z")
_TOKEN = re.compile(
    rb'"((?:[^"\\]|\\.)*)"|~?\{(\d+)\}\r\n|([()])|([^\s()"]*\[[^\]]*\](?:<\d+>)?)|([^\s()"]+)|(\s+)', re.DOTALL)


class Asking:
    """One session with a mailbox selected."""

    def __init__(self, port: int, user: str, password: str, folder: str = "INBOX") -> None:
        self._begin = port, (f'LOGIN "{user}" "{password}"', f"SELECT {folder}")
        self._number = 0
        self._open()

    def _open(self) -> None:
        port, commands = self._begin
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self._file = self._socket.makefile("rb")
        self._file.readline()
        for command in commands:
            self.ask([command])

    def close(self) -> None:
        """Leave."""
        self._file.close()
        self._socket.close()

    def each(self, item: str, uids: Sequence[int]) -> dict[int, Any]:
        """An item of messages, by UID; C{closed} for one of which the server would rather close."""
        try:
            return fetched(self.ask([f"UID FETCH {uids[0]}:{uids[-1]} ({item})"])[0][1])
        except ConnectionError:
            self.close()
            self._open()
            if len(uids) == 1:
                return {uids[0]: "closed"}
            half = len(uids) // 2
            return self.each(item, uids[:half]) | self.each(item, uids[half:])

    def ask(self, commands: Sequence[str | bytes]) -> list[tuple[bytes, list[bytes]]]:
        """For each command its tagged answer without the tag, and the untagged responses, literals in them."""
        answers = []
        for command in commands:
            # One after the other: Dovecot answers those sent ahead as it likes.
            self._number += 1
            tag = b"q%d" % self._number
            self._socket.sendall(b"%b %b\r\n" % (tag, command.encode() if isinstance(command, str) else command))
            answers.append(self._take(tag))
        return answers

    def _take(self, tag: bytes) -> tuple[bytes, list[bytes]]:
        untagged: list[bytes] = []
        while True:
            response = self._response()
            if response.startswith(tag + b" "):
                return response[len(tag) + 1:].rstrip(b"\r\n"), untagged
            untagged.append(response)

    def _response(self) -> bytes:
        response = b""
        while True:
            line = self._file.readline()
            if not line:
                raise ConnectionError("closed")
            response += line
            match = _LITERAL.search(line)
            if match is None:
                return response
            response += self._file.read(int(match[1]))


def values(octets: bytes) -> list[Any]:
    """A response as lists and octets; NIL is None."""
    stack: list[list[Any]] = [[]]
    at = 0
    while at < len(octets):
        match = _TOKEN.match(octets, at)
        if match is None:
            raise ValueError(f"cannot read {octets[at:at + 60]!r}")
        at = match.end()
        quoted, size, special, label, atom, _ = match.groups()
        if quoted is not None:
            stack[-1].append(re.sub(rb"\\(.)", rb"\1", quoted))
        elif size is not None:
            stack[-1].append(octets[at:at + int(size)])
            at += int(size)
        elif special == b"(":
            stack.append([])
        elif special == b")":
            inner = stack.pop()
            stack[-1].append(inner)
        elif label is not None or atom is not None:
            word = label if label is not None else atom
            stack[-1].append(None if word.upper() == b"NIL" else word)
    return stack[0]


def fetched(untagged: Sequence[bytes]) -> dict[int, Any]:
    """Of each message, by UID, the value of the one item that was asked for beside its UID; absent where it is not."""
    found: dict[int, Any] = {}
    for response in untagged:
        read = values(response)
        if len(read) < 4 or read[2] != b"FETCH":
            continue
        pairs = dict(zip(map(bytes, read[3][::2]), read[3][1::2]))
        uid = int(pairs.pop(b"UID"))
        for value in pairs.values():
            found[uid] = value
    return found
