"""
The ports: taken before anything else starts, so that a busy one is an error and not a half-started daemon.

Sockets that systemd holds (a C{.socket} unit) are taken from it, by their ports: connections wait in them while the
service starts again.  Source: sd_listen_fds(3).
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from simmail.config import Listen
from simmail.core.net.loopback import is_loopback
from simmail.errors import Invalid

#: Listener names as C{endpoints.json} has them, in the order they are shown.
NAMES = ("smtp", "submission", "smtps", "imap", "imaps", "http", "auth")

TITLES = {"smtp": "SMTP", "smtps": "SMTPS", "submission": "SUBMISSION", "imap": "IMAP", "imaps": "IMAPS",
          "http": "HTTP", "auth": "AUTH"}

BACKLOG = 1024

#: Where those ask who are on this machine.
LOOPBACK = "127.0.0.1"

DEFAULT = Listen()


class Listener(NamedTuple):
    """A bound, listening socket."""

    name: str
    host: str
    port: int
    socket: socket.socket


#: The first descriptor of those that systemd passes on, and where it says how many to whom.
FIRST, COUNT, WHOSE = 3, "LISTEN_FDS", "LISTEN_PID"


def inherited(environment: Mapping[str, str], pid: int, first: int = FIRST) -> list[socket.socket]:
    """
    Return the sockets that this process was started with.

    @raise Invalid: one is no socket that listens for TCP.
    """
    count = environment.get(COUNT, "")
    if environment.get(WHOSE) != str(pid) or not count.isdecimal():
        return []
    found = []
    for number in range(first, first + int(count)):
        try:
            one = socket.socket(fileno=number)
            if one.family not in (socket.AF_INET, socket.AF_INET6) or not one.getsockopt(
                    socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                raise OSError
        except OSError:
            raise Invalid(COUNT, f"descriptor {number} does not listen for TCP connections") from None
        one.set_inheritable(False)
        one.setblocking(False)
        found.append(one)
    return found


def bind(listen: Listen, port_base: int = 0, given: Iterable[socket.socket] = ()) -> list[Listener]:
    """
    Take all configured ports, or none.

    @param port_base: added to every port that is the default one; what was chosen stays as it was chosen.
    @param given: sockets that listen at some of the ports.
    @raise Invalid: a port is busy or not allowed; the text says which and what to do.
    """
    taken: list[Listener] = []
    waiting = {one.getsockname()[1]: one for one in given}
    try:
        for name in NAMES:
            port = getattr(listen, name)
            if port is None:
                continue
            number = port + port_base if port == getattr(DEFAULT, name) else port
            if not 0 <= number <= 65535:
                raise Invalid(f"listen.{name}", f"port {number} is not from 0 to 65535")
            held = waiting.pop(number, None)
            host = LOOPBACK if name == "auth" else listen.host
            taken.append(_bound(name, host, number) if held is None else _held(name, host, number, held))
        for port in waiting:
            raise Invalid(COUNT, f"nothing is configured to listen at port {port}; see listen: in the configuration")
    except BaseException:
        for one in taken:
            one.socket.close()
        raise
    return taken


def _held(name: str, host: str, number: int, made: socket.socket) -> Listener:
    real = made.getsockname()[0]
    # What others can reach asks for more of who signs in and sends mail, and goes by listen.host in that.
    if is_loopback(host) and not is_loopback(real):
        raise Invalid("listen.host", f"is {host}, but {TITLES[name]} was given a socket that listens at {real}")
    return Listener(name, real, number, made)


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


def reached_at(listeners: Iterable[Listener]) -> dict[str, dict[str, object]]:
    """Return where to connect, by listener."""
    return {one.name: {"host": one.host, "port": one.port} for one in listeners}
