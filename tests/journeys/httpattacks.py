"""Clients of the HTTP API that mean ill, or do not know what they do: each answers what it saw of a running service."""

from __future__ import annotations

import json
import random
import re
import socket
import struct
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import quote

from tests.journeys.attacks import rss
from tests.journeys.running import SOON, Service, until

#: Answers that refuse, or let a client go on; 500 and 503 are none of them while everything is there.
REFUSALS = frozenset((100, 200, 302, 304, 400, 401, 403, 404, 405, 408, 409, 413, 414, 429, 431))

_LEAVES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 2**70, -(2**70), 1e308, "", "x", "a@b.test", "\r\nX: y", "\0", "../../etc/passwd",
    "\ud800", "é" * 50, "<a@b>", "2026-03-02T09:00:00Z", "9999-99-99", "1d", "-1d", "p_1", "INBOX", "a" * 3000, [], {},
    [[[[]]]], {"": None}, ["x"] * 300, {"a": {"b": {"c": []}}},
)
_OCTETS = (
    b"GET / HTTP/1.1\r\n", b"POST /api/send HTTP/1.1\r\n", b"GET /api/me HTTP/9.9\r\n", b"\r\n", b"\n", b"\0",
    b"Content-Length: -1\r\n", b"Content-Length: 99999999999\r\n", b"Content-Length: 3\r\nContent-Length: 4\r\n",
    b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: x\r\n", b"zz\r\n", b"ffffffffffffffff\r\n", b"0\r\n\r\n",
    b"Host: \xff\xfe\r\n", b"Expect: 100-continue\r\n", b"X: " + b"y" * 9000 + b"\r\n", b": x\r\n", b"A B\r\n",
    b"Authorization: Bearer \xff\r\n", b"Cookie: simmail_session=\x80\r\n", b"\x16\x03\x01\x02\x00\x01", b"{" * 300,
)


class Malformed(NamedTuple):
    """What became of malformed requests: how many of each status, and the answers that should not be."""

    statuses: Counter[int]
    wrong: list[str]


def operations(service: Service) -> list[tuple[str, str, Any]]:
    """Method, path with names filled in, and example of a body, of every operation of the document."""
    found = []
    for path, methods in service.good("GET", "/api/openapi.json")["paths"].items():
        if "/wait" in path or path.endswith("/stream"):
            continue
        for method, one in methods.items():
            for parameter in one["parameters"]:
                if parameter["in"] == "path":
                    path = path.replace(f"{{{parameter['name']}}}", quote(str(parameter["example"])))
            content = one.get("requestBody", {}).get("content", {}).get("application/json", {})
            found.append((method.upper(), path, content.get("example")))
    return found


def malformed(service: Service, count: int, seed: int = 1, threads: int = 8) -> Malformed:
    """Send so many requests that are wrong in some way: in a value, in the JSON, in the path, on the wire."""
    calls = [one for one in operations(service) if one[1] != "/api/session" and "/admin/universes/" not in one[1]]
    statuses: Counter[int] = Counter()
    wrong: list[str] = []
    numbers = iter(range(count))
    turn = threading.Lock()

    def work() -> None:
        while True:
            with turn:
                number = next(numbers, None)
            if number is None:
                return
            dice = random.Random(seed * 1_000_003 + number)
            octets = _request(dice, calls, service.key)
            try:
                status = exchange(service, octets)
            except OSError as error:
                status, octets = -1, repr(error).encode() + octets
            with turn:
                statuses[status] += 1
                if status and status not in REFUSALS:
                    wrong.append(f"{status}: {octets[:300]!r}")

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    return Malformed(statuses, wrong)


def _request(dice: random.Random, calls: list[tuple[str, str, Any]], key: str) -> bytes:
    method, path, example = dice.choice(calls)
    kind = dice.randrange(5)
    if kind == 0:
        begin = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n".encode()
        pieces = b"".join(dice.choice(_OCTETS) for _ in range(dice.randrange(1, 8)))
        return (begin if dice.random() < 0.5 else b"") + pieces + b"\r\n\r\n"
    body = b""
    if kind == 1:
        path = re.sub(r"(?<=/)[^/]+$", quote(str(dice.choice(_LEAVES)).encode("utf-8", "replace"), safe=""), path)
    elif kind == 2:
        path += "?" + "&".join(
            f"{dice.choice(('limit', 'before', 'after', 'q', 'since', 'folder', 'type', 'universe', 'x', '%ff'))}="
            f"{quote(str(dice.choice(_LEAVES)).encode('utf-8', 'replace'))}" for _ in range(dice.randrange(1, 4)))
    if example is not None and kind != 4:
        value = json.loads(json.dumps(example))
        place = value[0] if isinstance(value, list) else value
        place[dice.choice(sorted(place))] = dice.choice(_LEAVES)
        if dice.random() < 0.3:
            place = value = dice.choice(_LEAVES)
        body = json.dumps(value).encode()
    if kind == 4:
        whole = json.dumps(example if example is not None else {"a": [1, "x"]}).encode()
        at = dice.randrange(len(whole))
        body = dice.choice((
            whole[:at], whole[:at] + bytes([dice.randrange(256)]) + whole[at + 1:], b"[" * dice.randrange(1, 5000),
            b'{"a":' * dice.randrange(1, 2000), b"\xff\xfe" + whole, whole * 2, b"1" * 5000, b"NaN", b'"\\ud800"'))
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body


def exchange(service: Service, octets: bytes) -> int:
    """The status of the first answer, 0 when the connection was closed without one."""
    with socket.create_connection(("127.0.0.1", service.port("http")), SOON) as one:
        one.sendall(octets)
        try:
            one.shutdown(socket.SHUT_WR)
            answer = b""
            while len(answer) < 12:
                more = one.recv(4096)
                if not more:
                    break
                answer += more
        except (ConnectionResetError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            return 0
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0


# Clients that leave

def leave(service: Service, count: int, seed: int = 1) -> list[str]:
    """
    Send so many messages and cut the connection somewhere on the way.

    Each must be there whole or not at all: in Sent, in the INBOX, and in the log.  Answers those that are half done.
    """
    dice = random.Random(seed)
    for n in range(count):
        body = json.dumps({"from": "leaver@sim.test", "to": ["left@sim.test"], "subject": f"left {n}",
                           "text": "x" * dice.randrange(1, 200_000)}).encode()
        octets = (f"POST /api/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.key}\r\n"
                  f"Content-Length: {len(body)}\r\n\r\n").encode() + body
        one = socket.create_connection(("127.0.0.1", service.port("http")), SOON)
        whole = dice.random() < 0.7
        one.sendall(octets if whole else octets[:dice.randrange(len(octets))])
        # Reset, so that the server learns of it while it is at work.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        time.sleep(dice.choice((0, 0.0005, 0.002, 0.01)))
        one.close()

    def subjects(address: str, folder: str) -> Counter[str]:
        found = service.call("GET", f"/api/mailboxes/{address}/messages?folder={folder}&limit=1000")
        return Counter(one["subject"] for one in found.json()) if found.status == 200 else Counter()

    def half_done() -> list[str]:
        sent, came = subjects("leaver@sim.test", "Sent"), subjects("left@sim.test", "INBOX")
        told = Counter(one["data"]["subject"] for one in service.events("mail.delivered"))
        return sorted(subject for subject in sent | came | told
                      if not sent[subject] == came[subject] == told[subject] == 1)

    # By the time a later one is answered all have begun, and what has begun goes on without its client.
    service.good("POST", "/api/send", {
        "from": "leaver@sim.test", "to": ["left@sim.test"], "subject": "left behind", "text": "x"})
    with suppress(AssertionError):
        until(lambda: not half_done())
    return half_done()


# Crowds

class Crowd(NamedTuple):
    """Connections that were served and turned away at once (503), how long that took at most, what else happened."""

    served: int
    turned_away: int
    slowest: float
    other: int


def crowd(service: Service, limit: int, seconds: float) -> Crowd:
    """Hold as many connections as are allowed, and go on to connect for some time, ten times as many at least."""
    ask = f"GET /livez HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.key}\r\n\r\n".encode()
    held: list[socket.socket] = []
    served = away = other = 0
    slowest = 0.0
    begin = time.monotonic()
    try:
        while time.monotonic() - begin < seconds or served + away + other < 10 * limit:
            start = time.monotonic()
            one = socket.create_connection(("127.0.0.1", service.port("http")), SOON)
            try:
                one.sendall(ask)
                answer = one.recv(4096)
            except OSError:
                answer = b""
            if answer.startswith(b"HTTP/1.1 200"):
                served += 1
                held.append(one)
                continue
            slowest = max(slowest, time.monotonic() - start)
            # A refusal may be cut off by what the client goes on to send.
            away += answer.startswith(b"HTTP/1.1 503") or not answer
            other += bool(answer) and not answer.startswith(b"HTTP/1.1 503")
            one.close()
    finally:
        for one in held:
            one.close()
    return Crowd(served, away, slowest, other)


class Flood(NamedTuple):
    """Requests over the rate: answered, refused with 429, of those without C{Retry-After}, anything else."""

    good: int
    late: int
    unsaid: int
    other: int
    seconds: float


def _served(service: Service) -> socket.socket | None:
    """A connection that is not turned away."""
    one = socket.create_connection(("127.0.0.1", service.port("http")), SOON)
    with suppress(OSError):
        one.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        if one.recv(4096).startswith(b"HTTP/1.1 200"):
            return one
    one.close()
    return None


def flood(service: Service, key: str, seconds: float, connections: int = 4) -> Flood:
    """As many requests as go through some connections with one key."""
    seen: Counter[str] = Counter()
    turn = threading.Lock()
    begin = time.monotonic()
    ask = f"GET /api/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n".encode()

    def work() -> None:
        own: Counter[str] = Counter()
        # Of connections that were closed just now some may still be counted.
        with until(lambda: _served(service)) as one:
            while time.monotonic() - begin < seconds:
                one.sendall(ask)
                head, _, body = one.recv(65536).partition(b"\r\n\r\n")
                length = re.search(rb"Content-Length: (\d+)", head)
                while length is not None and len(body) < int(length[1]):
                    body += one.recv(65536)
                status = head[9:12].decode()
                own[status if status in ("200", "429") else "other"] += 1
                own["unsaid"] += status == "429" and b"\r\nRetry-After: " not in head
        with turn:
            seen.update(own)

    workers = [threading.Thread(target=work) for _ in range(connections)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return Flood(seen["200"], seen["429"], seen["unsaid"], seen["other"], time.monotonic() - begin)


# Streams nobody reads

class Unread(NamedTuple):
    """Octets that memory grew by meanwhile, streams that were dropped, seconds an event took to a good reader."""

    grown: int
    dropped: int
    seconds: float


def unread_streams(service: Service, streams: int, events: int) -> Unread:
    """Streams that nobody reads while so many events are recorded, a good one beside them."""
    ask = f"GET /api/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.key}\r\n\r\n".encode()
    held = []
    for _ in range(streams):
        one = socket.create_connection(("127.0.0.1", service.port("http")), SOON)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.sendall(ask)
        held.append(one)
    time.sleep(0.5)
    before = rss(service)
    made = service.good("POST", "/api/personas", {"addresses": ["noted@streams.test"]})["id"]
    padding = "note " * 300

    def note(first: int) -> None:
        for n in range(first, events, 8):
            service.good("PUT", "/api/pace", {"factor": 1 + n % 7 / 10})
            if n % 20 == 0:
                service.good("POST", f"/api/personas/{made}/memory", {"text": padding, "source": padding})

    workers = [threading.Thread(target=note, args=(first,)) for first in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    grown = rss(service) - before
    begin = time.monotonic()
    with socket.create_connection(("127.0.0.1", service.port("http")), SOON) as good:
        good.sendall(ask)
        good.recv(4096)
        begin = time.monotonic()
        service.good("PUT", "/api/pace", {"factor": 2})
        said = b""
        while b"event: pace" not in said:
            said += good.recv(65536)
        took = time.monotonic() - begin
    dropped = service.logged().count("an event stream was dropped")
    for one in held:
        one.close()
    return Unread(grown, dropped, took)


# Roles

def roles(service: Service) -> tuple[int, list[str]]:
    """How many pairs of operation and caller were tried, and those whose answer is not what the document says."""
    document = service.good("GET", "/api/openapi.json")["paths"]
    service.good("POST", "/api/admin/orgs", {"id": "rival"})
    for universe, org in (("one", "default"), ("two", "rival")):
        service.good("POST", "/api/admin/universes", {"id": universe, "org": org, "clock": "2026-03-02T09:00:00Z"})
    keys = {role: service.good("POST", "/api/admin/keys", {"universe": "one", "role": role})["key"]
            for role in ("viewer", "member", "admin")}
    keys["stranger"] = service.good("POST", "/api/admin/keys", {"universe": "two", "role": "admin"})["key"]
    rank = {"viewer": 0, "member": 1, "admin": 2}
    wrong, tried = [], 0
    for path, methods in document.items():
        filled = re.sub(r"\{(uid|n)\}", "7", path)
        filled = re.sub(r"\{[a-z_]+\}", "nope", filled)
        if "/wait" in path or path.endswith("/stream"):
            filled += "?colour=red"
        for method, one in methods.items():
            needed = one.get("x-role")
            if not needed:
                continue
            body = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")

            def status(key: str, more: str = "") -> int:
                return service.call(method.upper(), filled + more, body, key).status

            checks: list[tuple[str, bool]] = [
                ("no key", status("") == 401), ("bad key", status("sm_no_no") == 401),
                ("another's universe", status(keys["stranger"], f"{'&' if '?' in filled else '?'}universe=one") == 403)]
            for role in ("viewer", "member", "admin"):
                found = status(keys[role])
                low = rank[role] < rank[needed] or "/admin/" in path or path.startswith("/api/session")
                checks.append((role, found == 403 if low else found not in (401, 403)))
            tried += len(checks)
            wrong += [f"{method} {path}: {who}" for who, good in checks if not good]
    return tried, wrong


# Secrets

def secrets(service: Service) -> list[str]:
    """Where a secret can be seen that should not: in the log, in any answer, in any file of the state."""
    password, word, url_key = "correct horse 7391", "sign-in word 5518", ""
    service.good("POST", "/api/accounts", {"address": "secret@sim.test", "password": password})
    service.good("POST", "/api/admin/users", {"email": "s@sim.test", "password": word, "orgs": {"default": "admin"}})
    url_key = service.good("POST", "/api/admin/keys", {"universe": "main", "role": "member", "name": "url"})["key"]
    for path in ("/api/status", "/api/nope", "/api/events?limit=x"):
        service.get(f"{path}{'&' if '?' in path else '?'}token={url_key}", key="")
    service.call("POST", "/api/session", {"email": "s@sim.test", "password": word})
    cookie = ""
    with socket.create_connection(("127.0.0.1", service.port("http")), SOON) as one:
        body = json.dumps({"email": "s@sim.test", "password": word}).encode()
        one.sendall(b"POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        found = re.search(rb"simmail_session=([^;]+)", one.recv(65536))
        assert found is not None
        cookie = found[1].decode()
    service.good("POST", "/api/accounts/secret@sim.test/test", {"password": password})
    with service.smtp() as session:
        session.ehlo()
        session.login("secret@sim.test", password)
    with service.imap(None):
        pass
    hidden = {"a login's password": password, "a person's password": word, "an API key": url_key,
              "the first key": service.key, "a session": cookie, "the first login": service.password}
    seen = []
    for method, path, _ in operations(service):
        if method == "GET" and path != "/api/openapi.json":
            answer = service.get(path).body.decode("utf-8", "replace")
            seen += [f"{what} in GET {path}" for what, secret in hidden.items() if secret in answer]
    until(lambda: "/api/nope" in service.logged())
    logged = service.logged()
    seen += [f"{what} in the log" for what, secret in hidden.items() if secret in logged]
    for file in service.state.rglob("*"):
        # The first start keeps these for its owner.
        if file.is_file() and file.name not in ("admin.key", "first-login.json"):
            octets = file.read_bytes()
            seen += [f"{what} in {file.relative_to(service.state)}" for what, secret in hidden.items()
                     if secret.encode() in octets]
    modes = [oct(file.stat().st_mode & 0o777) for file in (
        service.state, service.state / "admin.key", service.state / "first-login.json")]
    return seen + [f"mode {one}" for one in modes if one not in ("0o700", "0o600")]
