"""
The ports: taken before anything else starts, so that a busy one is an error and not a half-started daemon.
"""

from __future__ import annotations

import socket
from typing import NamedTuple

from simmail.config import Listen
from simmail.errors import Invalid

#: Listener names as C{endpoints.json} has them, in the order they are shown.
NAMES = ("smtp", "submission", "smtps", "imap", "imaps", "http")

TITLES = {"smtp": "SMTP", "smtps": "SMTPS", "submission": "SUBMISSION", "imap": "IMAP", "imaps": "IMAPS",
          "http": "HTTP"}

BACKLOG = 1024

DEFAULT = Listen()


class Listener(NamedTuple):
    """A bound, listening socket."""

    name: str
    host: str
    port: int
    socket: socket.socket


def bind(listen: Listen, port_base: int = 0) -> list[Listener]:
    """
    Take all configured ports, or none.

    @param port_base: added to every port that is the default one; what was chosen stays as it was chosen.
    @raise Invalid: a port is busy or not allowed; the text says which and what to do.
    """
    taken: list[Listener] = []
    try:
        for name in NAMES:
            port = getattr(listen, name)
            if port is None:
                continue
            number = port + port_base if port == getattr(DEFAULT, name) else port
            if not 0 <= number <= 65535:
                raise Invalid(f"listen.{name}", f"port {number} is not from 0 to 65535")
            taken.append(_bound(name, listen.host, number))
    except BaseException:
        for one in taken:
            one.socket.close()
        raise
    return taken


def _bound(name: str, host: str, port: int) -> Listener:
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        made = socket.socket(family, kind, proto)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            made.listen(BACKLOG)
            made.setblocking(False)
        except BaseException:
            made.close()
            raise
    except (OSError, UnicodeError) as error:
        # The latter for what can be no host name: a label is empty or too long.
        raise Invalid(
            f"listen.{name}",
            f"{TITLES[name]} cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}. "
            "Stop what uses the port, or choose others with --port-base N or listen: in the configuration",
        ) from None
    return Listener(name, host, made.getsockname()[1], made)
