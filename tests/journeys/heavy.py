"""Input that is dear to look at: messages, IMAP commands and HTTP requests, and how long others wait meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from tests.journeys.attacks import Conversation, Watch
from tests.journeys.running import LOGIN, Service


def heavy() -> Iterator[tuple[str, bytes]]:
    """Messages that cost those dear who look at each octet twice."""
    yield "100,000 address headers", b"To: a@b.test\r\n" * 70_000 + b"\r\n\r\n"
    yield "one header of 100,000 commas", b"To: " + b",\r\n " * 20_000 + b"\r\n\r\n"
    yield "nested parts", b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(5000)) + b"\r\n"
    yield "100,000 parts", b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 100_000
    yield "messages in messages", b"Content-Type: message/rfc822\r\n\r\n" * 20_000
    yield "encoded words", b"Subject: " + b"=?utf-8?q?=41?=\r\n " * 5000 + b"\r\n\r\n"
    yield "open tags", b"Content-Type: text/html\r\n\r\n" + b"<div a=\"<b><!--\r\n" * 500_000
    yield "quotes", b"Subject: x\r\n\r\n" + b"> > > > > > > > On x wrote:\r\n" * 100_000
    yield "20 MiB of text", b"Subject: x\r\n\r\n" + (b"word " * 15 + b"\r\n") * 270_000
    yield "20 MiB of base64", (b"Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n"
                               + (b"QUFB" * 19 + b"\r\n") * 268_000)


def send_heavy(service: Service) -> dict[str, tuple[bytes, float]]:
    """Send each to a person and to the first login: the reply, and how long another client waited meanwhile."""
    found = {}
    if service.call("POST", "/api/personas", {
            "addresses": ["heavy@acme.test"], "temperament": "responsive", "style": {"filter": "none"}}).status != 200:
        raise AssertionError("there is no person to read it")
    for name, octets in heavy():
        watch = Watch()
        with watch.over(service), Conversation(service, timeout=120) as one:
            one.reply()
            for command in (b"EHLO x\r\n", b"MAIL FROM:<a@sim.test>\r\n", b"RCPT TO:<heavy@acme.test>\r\n",
                            b"RCPT TO:<app@sim.test>\r\n", b"DATA\r\n"):
                one.ask(command)
            answer = one.ask(octets + b"\r\n.\r\n")
            time.sleep(0.5)
        found[name] = answer[:40].strip(), watch.longest
    return found


def imap_commands(total: int) -> Iterator[tuple[str, bytes]]:
    """IMAP commands that cost those dear who go back and forth, on a folder of so many messages."""
    stars = b"*a" * 200 + b"b"
    some = b",".join(b"%d" % n for n in range(1, 12_000, 2))
    yield "LIST of many stars", b'LIST "" "' + stars + b'"'
    yield "LSUB of many stars", b'LSUB "" "' + stars.replace(b"*", b"%*") + b'"'
    yield "FETCH 1:* twenty times", b"FETCH " + b",".join([b"1:*"] * 2000) + b" (FLAGS)"
    yield "a set of 6,000", b"UID FETCH " + some + b" (FLAGS)"
    yield "UID FETCH 1:4294967295", b"UID FETCH 1:4294967295 (UID FLAGS INTERNALDATE RFC822.SIZE)"
    yield "envelopes and structures", b"FETCH 1:* (ENVELOPE BODYSTRUCTURE BODY PREVIEW)"
    names = b" ".join(b"x%d" % n for n in range(9000))
    yield "headers by name", b"FETCH 1:* (BODY.PEEK[HEADER.FIELDS (" + names + b")])"
    yield "all of all", b"FETCH 1:* (BODY.PEEK[])"
    yield "parts of all", b"FETCH 1:* (" + b" ".join(b"BODY.PEEK[%d]" % n for n in range(1, 500)) + b")"
    yield "NOT NOT", b"SEARCH " + b"NOT " * 15_000 + b"ALL"
    yield "OR OR", b"SEARCH " + b"OR " * 6000 + b"ALL " * 6001
    yield "parentheses", b"SEARCH " + b"(" * 30_000
    yield "many texts", b"SEARCH " + b" ".join(b"TEXT w%d" % n for n in range(4000))
    yield "many headers", b"SEARCH " + b" ".join(b'HEADER x%d ""' % n for n in range(4000))
    yield "a text of 60,000", b"SEARCH TEXT {60000+}\r\n" + b"a" * 59_999 + b"b"
    yield "sets in a search", b"SEARCH " + b" ".join([b"UID " + some[:9000]] * 6)
    yield "SORT", b"SORT (SUBJECT FROM TO CC DATE SIZE ARRIVAL) UTF-8 ALL"
    yield "THREAD", b"THREAD REFERENCES UTF-8 ALL"
    yield "ESEARCH and SAVE", b"SEARCH RETURN (SAVE ALL COUNT MIN MAX) " + b"OR ALL " * 5000 + b"ALL"
    yield "flags", b"STORE 1:* +FLAGS (" + b" ".join(b"k%d" % n for n in range(9000)) + b")"
    yield "ID", b"ID (" + b" ".join(b'"k%d" "v"' % n for n in range(6000)) + b")"
    yield "quotes", b'STATUS "' + b"\\\\" * 30_000 + b'" (MESSAGES)'
    yield "a literal of nothing, often", b"SEARCH" + b" SUBJECT {0+}\r\n" * 300
    yield "COPY to itself", b"COPY 1:* INBOX"
    yield "STORE on all", b"STORE 1:* +FLAGS.SILENT (\\Flagged)"
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(5000))
    yield "APPEND of nested parts", b"APPEND INBOX {%d+}\r\n" % len(nested) + nested
    yield "EXPUNGE", b"EXPUNGE"


def ask_heavy(service: Service) -> dict[str, tuple[bytes, float]]:
    """Ask each, after another: the end of the answer, and how long another client waited meanwhile."""
    found = {}
    with service.imap() as session:
        total = int(session.select("INBOX")[1][0] or b"0")
    for n, (name, command) in enumerate(imap_commands(total)):
        watch = Watch()
        with watch.over(service), Conversation(service, "imap", timeout=60) as one:
            one.line()
            one.socket.sendall(f"a LOGIN {LOGIN} {service.password}\r\nb SELECT INBOX\r\n".encode())
            said = _answer(one, b"b ")
            one.socket.sendall(b"c " + command + b"\r\n")
            try:
                said = _answer(one, b"c ")
            except TimeoutError:
                said = b"no answer"
        found[name] = said[:60], watch.longest
    return found


def _answer(one: Conversation, tag: bytes) -> bytes:
    """The tagged line of a command, or the last before the server hangs up."""
    kept = b""
    while octets := one.socket.recv(1 << 20):
        kept = (kept + octets)[-4096:]
        at = kept.rfind(b"\r\n" + tag)
        if (at >= 0 or kept.startswith(tag)) and kept.endswith(b"\r\n"):
            return kept[at + 2 if at >= 0 else 0:].strip()
    return kept[-100:].strip()


def requests() -> Iterator[tuple[str, str, str, Any]]:
    """HTTP requests that cost those dear who look at each octet twice."""
    box = f"/api/mailboxes/{quote(LOGIN)}"
    yield "threads", "GET", f"{box}/threads?limit=1000", None
    yield "a long list", "GET", f"{box}/messages?limit=1000", None
    yield "a search of many words", "GET", "/api/search?q=" + "+".join(f"w{n}" for n in range(900)), None
    yield "a search of many nots", "GET", "/api/search?q=" + "+".join(f"-subject:w{n}" for n in range(400)), None
    yield "a search of quotes", "GET", "/api/search?q=" + quote('"' * 5000), None
    yield "codes in digits", "POST", "/api/extract", {"text": "1" * 900_000}
    yield "codes in many words", "POST", "/api/extract", {"text": "code 123-456 " * 70_000}
    yield "links in many dots", "POST", "/api/extract", {"text": "http://" + "a." * 450_000}
    yield "tags", "POST", "/api/extract", {"html": "<a href='" * 90_000}
    yield "rules", "PUT", "/api/faults", [{"kind": "delay", "stage": "mail", "match": "x" * 500}] * 1500
    yield "personas", "POST", "/api/personas", {"addresses": [f"a{n}@heavy.test" for n in range(30_000)]}
    yield "a wait", "GET", f"/api/wait?to={LOGIN}&existing=1&timeout=1s&text=" + "a" * 5000, None
    yield "depth", "POST", "/api/cases", _deep(60)


def _deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"facts": value}
    return value


def request_heavy(service: Service) -> dict[str, tuple[bytes, float]]:
    """Make each, then read messages of the first login with safe HTML: the status, and how long others wait."""
    found = {}
    rows = service.good("GET", f"/api/mailboxes/{quote(LOGIN)}/messages?limit=40")
    more = [(f"message {row['uid']} ({row['subject'][:20]})", "GET",
             f"/api/mailboxes/{quote(LOGIN)}/messages/INBOX/{row['uid']}", None) for row in rows]
    for name, method, path, body in (*requests(), *more):
        watch = Watch()
        with watch.over(service):
            answer = service.call(method, path, body, timeout=120)
            time.sleep(0.1)
        found[name] = b"%d" % answer.status, watch.longest
    return found
