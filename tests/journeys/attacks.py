"""Clients that mean ill, or do not know what they do: each answers what it saw of a running service."""

from __future__ import annotations

import base64
import random
import socket
import ssl
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.journeys.running import LOGIN, SOON, Service

#: What may stand before and behind a dot without ending a message; (CRLF, CRLF) is the true end.
ENDS = (b"\n", b"\r", b"\r\n", b"\n\r", b"\r\x00\n", b"\x85", b"\xe2\x80\xa8")
FALSE_ENDS = tuple(dict.fromkeys(
    before + b"." + after for before in ENDS for after in ENDS if (before, after) != (b"\r\n", b"\r\n")))

#: Commands with an octet that ends lines elsewhere; none may be accepted.
SPLIT_COMMANDS = tuple(
    form.replace(b"?", octet)
    for form in (b"EHLO a?b", b"MAIL FROM:<a?@b.test>", b"MAIL FROM:<a@b.test>?RCPT TO:<evil@sim.test>",
                 b"RCPT TO:<a?@sim.test>", b"RCPT TO:<a@sim.test>?DATA")
    for octet in (b"\r", b"\n", b"\x00"))

_PIECES = (
    b"EHLO x\r\n", b"HELO y\r\n", b"EHLO\r\n", b"MAIL FROM:<a@b.test>\r\n", b"MAIL FROM:<>\r\n", b"MAIL FROM:<a@b\r\n",
    b"MAIL FROM:<\xff@b.test> SMTPUTF8\r\n", b"MAIL FROM:<a@b.test> SIZE=99999999999\r\n", b"MAIL FROM:<@r:a@b>\r\n",
    b"MAIL FROM:<a@b.test> RET=HDRS ENVID=+FF\r\n", b"RCPT TO:<app@sim.test>\r\n", b"RCPT TO:<a@[::1]>\r\n",
    b"RCPT TO:<" + b"a" * 300 + b"@b.test>\r\n", b"RCPT TO:<app@sim.test> NOTIFY=NEVER,FAILURE\r\n",
    b"RCPT TO:<app@sim.test> ORCPT=rfc822;+\r\n", b"DATA\r\n", b".\r\n", b"\r\n.\r\n", b"RSET\r\n", b"VRFY a\r\n",
    b"HELP\r\n", b"AUTH\r\n", b"AUTH PLAIN\r\n", b"AUTH LOGIN\r\n", b"AUTH PLAIN =\r\n", b"AUTH PLAIN !\r\n", b"*\r\n",
    b"BDAT 5\r\nhello", b"BDAT 3 LAST\r\nabc", b"BDAT 0 LAST\r\n", b"BDAT 1000000\r\n", b"BDAT -1\r\n", b"BDAT x\r\n",
    b"Subject: =?utf-8?b?\xff?=\r\n", b"Content-Type: multipart/mixed; boundary=\"\r\n", b"From: (((((((\r\n",
    b"To: " + b"a@b," * 200 + b"\r\n", b"\r\n", b"\n", b"\r", b"\0", b".\n", b"x" * 9000, b"\x16\x03\x01\x02\x00",
    b"QUIT\r\n",
)


_BEGINNINGS = (
    b"EHLO x\r\n", b"EHLO x\r\n", b"EHLO x\r\nMAIL FROM:<a@sim.test>\r\nRCPT TO:<app@sim.test>\r\n",
    b"EHLO x\r\nMAIL FROM:<a@sim.test>\r\nRCPT TO:<maria@acme.test>\r\nRCPT TO:<new@sim.test>\r\nDATA\r\n")


class Conversation:
    """A socket and what it says."""

    def __init__(self, service: Service, port: str = "smtp", source: str = "", timeout: float = SOON) -> None:
        self.socket = socket.create_connection(
            ("127.0.0.1", service.port(port)), timeout, (source, 0) if source else None)

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def line(self) -> bytes:
        """One line; what there is, when the server hangs up."""
        found = bytearray()
        while not found.endswith(b"\n"):
            octet = self.socket.recv(1)
            if not octet:
                break
            found += octet
        return bytes(found)

    def reply(self) -> bytes:
        """The last line of one SMTP reply."""
        while True:
            line = self.line()
            if line[3:4] != b"-":
                return line

    def ask(self, octets: bytes) -> bytes:
        """Send something; the reply to it."""
        self.socket.sendall(octets)
        return self.reply()

    def rest(self) -> bytes:
        """All that comes until the server hangs up."""
        found = b""
        try:
            while octets := self.socket.recv(65536):
                found += octets
        except ConnectionError:
            pass
        return found


# S1, S2

def false_ends(service: Service) -> list[bytes]:
    """Those of the false ends of data that end it, or bring anything behind them into being."""
    found = []
    for end in FALSE_ENDS:
        with Conversation(service) as one:
            one.reply()
            for command in (b"EHLO x\r\n", b"MAIL FROM:<a@sim.test>\r\n", b"RCPT TO:<app@sim.test>\r\n", b"DATA\r\n"):
                one.ask(command)
            answer = one.ask(b"Subject: false end\r\n\r\ntext" + end + b"MAIL FROM:<evil@sim.test>\r\n.\r\n")
            bare = end.replace(b"\r\n", b"")
            wanted = b"550 5.6.11" if b"\r" in bare or b"\n" in bare else b"250"
            # One reply, and the next is that to the next command: nothing was taken for a command.
            if not answer.startswith(wanted) or one.ask(b"VRFY x\r\n")[:3] != b"252":
                found.append(end)
    return found


def split_commands(service: Service) -> list[bytes]:
    """Those of the commands with CR, LF or NUL in them that are accepted."""
    found = []
    for command in SPLIT_COMMANDS:
        with Conversation(service) as one:
            one.reply()
            if not command.startswith(b"EHLO"):
                one.ask(b"EHLO x\r\n")
            if command.startswith(b"RCPT"):
                one.ask(b"MAIL FROM:<a@sim.test>\r\n")
            if one.ask(command + b"\r\n")[:1] == b"2":
                found.append(command)
    return found


def injections(service: Service, trust: ssl.SSLContext) -> list[str]:
    """The protocols that answer what was sent in clear text behind STARTTLS, or remember what came before it."""
    found = []
    with Conversation(service) as one:
        one.reply()
        one.ask(b"EHLO x\r\n")
        one.ask(b"MAIL FROM:<a@sim.test>\r\n")
        one.ask(b"STARTTLS\r\nRSET\r\nNOOP\r\nMAIL FR")
        one.socket = trust.wrap_socket(one.socket, server_hostname="localhost")
        # Not what was injected, not the transaction, not the greeting: HELO has to come again.
        if one.ask(b"RCPT TO:<app@sim.test>\r\n")[:3] != b"503" or one.ask(b"MAIL FROM:<a@sim.test>\r\n")[:3] != b"503":
            found.append("smtp")
    with Conversation(service, "imap") as one:
        one.line()
        one.socket.sendall(b"a STARTTLS\r\nb NOOP\r\nc CAPABILITY\r\n")
        said = one.rest()
        if b"b OK" in said or b"c OK" in said or b"* CAPABILITY" in said:
            found.append("imap")
    return found


# S3

class Guessing(NamedTuple):
    """
    What trying passwords brings.

    @ivar tried: tries that were looked at in a minute; per_connection: before the server hung up.
    @ivar known, unknown: the usual seconds of a first failure.
    @ivar elsewhere: whether the right password works from another address meanwhile.
    """

    tried: int
    per_connection: int
    known: float
    unknown: float
    elsewhere: bool


def guess(service: Service) -> Guessing:
    """Try passwords until nobody looks at them any more; each address of 127.0.0.0/8 is a place of its own."""
    times: dict[str, list[float]] = {LOGIN: [], "nobody@sim.test": []}
    for n in range(4):
        for m, name in enumerate(times):
            with Conversation(service, source=f"127.0.1.{2 * n + m + 1}") as one:
                one.reply()
                one.ask(b"EHLO x\r\n")
                begin = time.monotonic()
                one.ask(_plain(name, "wrong"))
                times[name].append(time.monotonic() - begin)
    tried = most = 0
    begin = time.monotonic()
    while time.monotonic() - begin < 60:
        with Conversation(service, source="127.0.2.1", timeout=90) as one:
            one.reply()
            one.ask(b"EHLO x\r\n")
            looked = 0
            for n in range(20):
                answer = one.ask(_plain(LOGIN, f"wrong{n}"))
                looked += answer[:3] == b"535"
                if answer[:3] != b"535":
                    break
            most = max(most, n + 1)
            # The one that is cut off has been looked at, unless nothing is any more.
            tried += looked + (answer[:3] == b"421" and looked > 0)
            if not looked:
                break
    with Conversation(service) as one:
        one.reply()
        one.ask(b"EHLO x\r\n")
        elsewhere = one.ask(_plain(LOGIN, service.password))[:3] == b"235"
    known, unknown = (statistics.median(times[name]) for name in times)
    return Guessing(tried, most, known, unknown, elsewhere)


def guess_at_once(service: Service, port: str, count: int = 40, source: str = "") -> int:
    """Try passwords over many connections at once from one address: how many are looked at."""
    source = source or ("127.0.2.2" if port == "smtp" else "127.0.2.3")
    talks = [Conversation(service, port, source, 60) for _ in range(count)]
    try:
        for one in talks:
            one.reply() if port == "smtp" else one.line()
            if port == "smtp":
                one.ask(b"EHLO x\r\n")
        for n, one in enumerate(talks):
            one.socket.sendall(_plain(LOGIN, f"wrong{n}") if port == "smtp" else b"a LOGIN %b wrong%d\r\n" % (
                LOGIN.encode(), n))
        return sum(one.line().startswith((b"535", b"a NO [AUTHENTICATIONFAILED]")) for one in talks)
    finally:
        for one in talks:
            one.socket.close()


def _plain(name: str, password: str) -> bytes:
    return b"AUTH PLAIN " + base64.b64encode(f"\0{name}\0{password}".encode()) + b"\r\n"


# R8, R9

class Watch:
    """
    Another client, asking all the time.

    @ivar longest: the most real seconds it has waited.
    """

    def __init__(self) -> None:
        self.longest = 0.0

    @contextmanager
    def over(self, service: Service) -> Iterator[Watch]:
        """Watch while something is done."""
        done = threading.Event()

        def look() -> None:
            with Conversation(service, source="127.0.3.1", timeout=60) as one:
                one.reply()
                one.ask(b"EHLO x\r\n")
                n = 0
                while not done.is_set():
                    begin = time.monotonic()
                    # A transaction now and then: a session without effect is closed.
                    one.ask(b"RSET\r\n" if n % 2 else b"MAIL FROM:<a@sim.test>\r\n")
                    self.longest = max(self.longest, time.monotonic() - begin)
                    n += 1
                    if n % 40 == 0:
                        one.ask(b"RSET\r\n")
                        one.ask(b"MAIL FROM:<w@sim.test>\r\n")
                        one.ask(b"RCPT TO:<watch@sim.test>\r\n")
                        one.ask(b"DATA\r\n")
                        one.ask(b"Subject: still here\r\n\r\n.\r\n")
                        n = 0
                    time.sleep(0.01)

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield self
        finally:
            done.set()
            thread.join(60)


def malformed(service: Service, count: int, seed: int = 1, threads: int = 8) -> list[str]:
    """Hold so many dialogs no client would hold; answers what was no SMTP reply."""
    wrong: list[str] = []

    def hold(numbers: Sequence[int]) -> None:
        for n in numbers:
            dice = random.Random(seed * 1_000_000 + n)
            # Half of them go wrong only after a good beginning.
            octets = dice.choice(_BEGINNINGS) + b"".join(
                dice.choice(_PIECES) if dice.random() < 0.8 else dice.randbytes(dice.randrange(60))
                for _ in range(dice.randrange(25)))
            try:
                with Conversation(service, source=f"127.0.4.{1 + n % 250}") as one:
                    at, step = 0, dice.choice((1 << 20, 700, 61))
                    while at < len(octets):
                        one.socket.sendall(octets[at:at + step])
                        at += step
                    one.socket.shutdown(socket.SHUT_WR)
                    said = one.rest()
            except TimeoutError:
                wrong.append(f"dialog {n}: never ended")
                continue
            except OSError:
                # It was cut off while it was still talking.
                continue
            for line in said.removesuffix(b"\r\n").split(b"\r\n"):
                if line and not (line[:1] in b"2345" and line[:3].isdigit() and line[3:4] in (b" ", b"-")):
                    wrong.append(f"dialog {n}: {line[:80]!r}")

    workers = [threading.Thread(target=hold, args=(range(one, count, threads),)) for one in range(threads)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    return wrong


# R11, R12

def silence(
    service: Service, port: str = "smtp", said: bytes = b"", most: float = 60.0, again: bytes = b"", pause: float = 0.0,
) -> tuple[float, bytes]:
    """Say something, perhaps once more later, and no more: when the server hangs up (seconds), and its last words."""
    begin = time.monotonic()
    with Conversation(service, port, timeout=most) as one:
        one.line()
        one.socket.sendall(said)
        if again:
            time.sleep(pause)
            one.socket.sendall(again)
        last = one.rest()
    return time.monotonic() - begin, last.removesuffix(b"\r\n").rpartition(b"\r\n")[2]


def trickle(service: Service, most: float, every: float = 0.5, octets: int = 20) -> tuple[float, bytes]:
    """Send a message a few octets at a time: after how many seconds it is cut, and the last words."""
    with Conversation(service, timeout=1) as one:
        one.reply()
        for command in (b"EHLO x\r\n", b"MAIL FROM:<a@sim.test>\r\n", b"RCPT TO:<app@sim.test>\r\n", b"DATA\r\n"):
            one.ask(command)
        begin = time.monotonic()
        one.socket.settimeout(every)
        last = b""
        while time.monotonic() - begin < most:
            try:
                one.socket.sendall(b"x" * (octets - 2) + b"\r\n")
                piece = one.socket.recv(1000)
                last += piece
                if not piece:
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        else:
            return most, b""
        return time.monotonic() - begin, last.strip()


class Crowd(NamedTuple):
    """What a crowd sees: those served, those turned away, the slowest of these in seconds, others."""

    served: int
    turned_away: int
    slowest: float
    other: int


def crowd(service: Service, port: str, limit: int, seconds: float) -> Crowd:
    """Hold as many connections as are allowed, and go on to connect for some time, ten times as many at least."""
    greeting, refusal = (b"220", b"421") if port == "smtp" else (b"* OK", b"* BYE")
    held = []
    served = away = other = 0
    slowest = 0.0
    begin = time.monotonic()
    try:
        while time.monotonic() - begin < seconds or served + away + other < 10 * limit:
            start = time.monotonic()
            one = Conversation(service, port)
            line = one.line()
            if line.startswith(greeting):
                served += 1
                held.append(one)
                continue
            slowest = max(slowest, time.monotonic() - start)
            away += line.startswith(refusal) and one.line() == b""
            other += not line.startswith(refusal)
            one.socket.close()
    finally:
        for one in held:
            one.socket.close()
    return Crowd(served, away, slowest, other)


def http_crowd(service: Service, limit: int) -> tuple[int, float]:
    """Hold as many HTTP connections as are allowed, and come 100 times more: how many get 503, and the slowest."""
    held = [Conversation(service, "http") for _ in range(limit)]
    refused, slowest = 0, 0.0
    try:
        time.sleep(0.3)
        for _ in range(100):
            begin = time.monotonic()
            with Conversation(service, "http") as one:
                one.socket.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
                refused += one.line().startswith(b"HTTP/1.1 503")
            slowest = max(slowest, time.monotonic() - begin)
    finally:
        for one in held:
            one.socket.close()
    return refused, slowest


def rss(service: Service) -> int:
    """The resident memory of the service, in octets: its process, and the one that writes its mail."""
    assert service.process is not None
    place = Path(f"/proc/{service.process.pid}")
    below = [Path("/proc", one) for task in place.glob("task/*/children") for one in task.read_text().split()]
    writers = [one for one in below if b"simmail.mailstore.writer.process" in (one / "cmdline").read_bytes()]
    return sum(_resident(one) for one in (place, *writers))


def _resident(place: Path) -> int:
    for line in (place / "status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")
