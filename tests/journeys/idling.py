"""Clients that hold connections and do nothing, or never come to the point: what each costs."""

from __future__ import annotations

import resource
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tests.journeys.attacks import rss
from tests.journeys.running import LOGIN, Service


def many_files() -> int:
    """As many open files as may be, for this process and those it starts; how many that is."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class Idle(NamedTuple):
    """
    What idle connections cost.

    @ivar each: octets of the server's memory for each.
    @ivar login: the slowest seconds of a new login while all are there; dead: how many of a sample answer no more.
    """

    count: int
    each: float
    login: float
    dead: int


@contextmanager
def connections(count: int, make: Callable[[int], socket.socket], threads: int = 8) -> Iterator[list[socket.socket]]:
    """So many sockets, made by several threads, closed in the end."""
    made: list[socket.socket] = []
    failures: list[BaseException] = []

    def work(first: int) -> None:
        try:
            for n in range(first, count, threads):
                made.append(make(n))
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(first,)) for first in range(threads)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    try:
        if failures:
            raise failures[0]
        yield made
    finally:
        for each in made:
            each.close()


def idle(service: Service, imap: int, smtp: int, tls: bool = False) -> Idle:
    """
    IMAP sessions in IDLE, and SMTP sessions that have said EHLO and part of a command.

    Some come and go before anything is measured, so that what the process needs once is not counted.
    """
    trust = None
    if tls:
        trust = ssl.create_default_context(cadata=service.get("/api/connection/cert").body.decode("ascii"))
    password = service.password

    def secured(port: str) -> socket.socket:
        made = socket.create_connection(("127.0.0.1", service.port(port + "s" if trust else port)), 60)
        return trust.wrap_socket(made, server_hostname="localhost") if trust else made

    def idler(_: int) -> socket.socket:
        one = secured("imap")
        _until(one, b"\r\n")
        one.sendall(f"a LOGIN {LOGIN} {password}\r\nb SELECT INBOX\r\nc IDLE\r\n".encode())
        _until(one, b"\r\n+ ")
        return one

    def half(_: int) -> socket.socket:
        one = secured("smtp")
        _until(one, b"\r\n")
        one.sendall(b"EHLO x\r\n")
        _until(one, b"\r\n250 ")
        one.sendall(b"MAIL FROM:<a@s")
        return one

    def make(n: int) -> socket.socket:
        return idler(n) if n < imap else half(n)

    warm = min(300, max(40, (imap + smtp) // 10))
    with connections(warm, lambda n: idler(n) if n % 2 else half(n)):
        pass
    time.sleep(1.0)
    before = rss(service)
    with connections(imap + smtp, make) as made:
        time.sleep(2.0)
        each = (rss(service) - before) / (imap + smtp)
        slowest = 0.0
        for _ in range(5):
            begin = time.monotonic()
            idler(0).close()
            slowest = max(slowest, time.monotonic() - begin)
        dead = 0
        sample = made[::max(1, len(made) // 50)]
        for one in sample:
            one.sendall(b"im.test>\r\nDONE\r\nd NOOP\r\n")
            dead += not one.recv(100)
        return Idle(imap + smtp, each, slowest, dead)


def _until(one: socket.socket, end: bytes) -> bytes:
    said = b""
    while end not in said:
        more = one.recv(4096)
        if not more:
            raise AssertionError(f"it hung up: {said!r}")
        said += more
    return said


#: What clients send that never sign in: port and octets, of which none completes anything.
UNFINISHED = {
    "SMTP line": ("smtp", b"EHLO x\r\nMAIL FROM:<" + b"a" * 8000),
    "SMTP line without end": ("smtp", b"EHLO " + b"x" * (1 << 20)),
    "SMTP AUTH": ("smtp", b"EHLO x\r\nAUTH PLAIN\r\n" + b"A" * 8000),
    "SMTP pipelined": ("smtp", b"NOOP\r\n" * 100_000),
    "IMAP line": ("imap", b"a LOGIN " + b"x" * 8000),
    "IMAP line without end": ("imap", b"a NOOP " + b"x" * (1 << 20)),
    "IMAP literal": ("imap", b"a LOGIN {8000+}\r\n" + b"x" * 7999),
    "IMAP great literal": ("imap", b"a LOGIN {1000000+}\r\n" + b"x" * 999_999),
    "IMAP parentheses": ("imap", b"a SEARCH " + b"(" * 8000),
    "IMAP many literals": ("imap", b"a LOGIN" + b" {100+}\r\n" + b"x" * 100 + b" {1000+}\r\n" * 1000),
    "IMAP pipelined": ("imap", b"a NOOP\r\n" * 100_000),
    "HTTP header": ("http", b"GET /api/me HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 8000),
    "HTTP line without end": ("http", b"GET /" + b"x" * (1 << 20)),
}


def unfinished(service: Service, name: str, count: int = 300) -> float:
    """
    How many octets each such client costs beyond a connection that says nothing.

    The service is to be a fresh one: memory that it once had and gave up would be used again unseen.
    """
    port, octets = UNFINISHED[name]

    def silent(_: int) -> socket.socket:
        return socket.create_connection(("127.0.0.1", service.port(port)), 20)

    def talking(_: int) -> socket.socket:
        one = silent(0)
        one.settimeout(0.5)
        try:
            # Nobody reads what is answered.
            one.sendall(octets)
        except OSError:
            pass
        return one

    with connections(20, talking), connections(20, silent):
        time.sleep(0.5)
    begin = rss(service)
    with connections(count, silent):
        time.sleep(0.5)
        quiet = rss(service)
        with connections(count, talking, 32):
            time.sleep(0.5)
            return ((rss(service) - quiet) - (quiet - begin)) / count
