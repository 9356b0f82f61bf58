"""Text that tries to become a header, a line or a path of its own, through every door."""

from __future__ import annotations

import base64
import contextlib
import re
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.journeys.attacks import Conversation
from tests.journeys.running import LOGIN, Answer, Service, until

#: What ends a line somewhere, raw or once it is decoded; a header would follow.
BREAKS = ("\r\n", "\n", "\r", "\r\n\r\n", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x00", "\x1c", "%0d%0a",
          "\\r\\n", "=0D=0A", "&#13;&#10;", "\ud800", "\r\n ")
WORDS = ("=?utf-8?q?a=0D=0AX-Injected:_yes?=", "=?utf-8?b?YQ0KWC1JbmplY3RlZDogeWVz?=",
         "=?utf-16?q?=00a=00=0D=00=0A=00X=00-?=", "=?utf-8?q?a=0AX-Injected:_yes?=\r\n X")
INJECTED = "X-Injected: yes"

_ADDED = re.compile(rb"^x-injected", re.IGNORECASE | re.MULTILINE)


def _variants(good: str) -> Iterator[str]:
    for each in BREAKS:
        yield f"{good}{each}{INJECTED}"
        yield f"{each}{INJECTED}{each}{good}"
    for word in WORDS:
        yield f"{good} {word}"


def injections(service: Service) -> tuple[int, list[str]]:
    """
    Put text that ends a line into every field of C{POST /api/send} and into mail over SMTP.

    @return: how many were tried; what was added anywhere: to mail that was filed, to what persons and
        MAILER-DAEMON write about it, to answers of the API, to the log.
    """
    person = "inject@acme.test"
    service.good("POST", "/api/personas", {
        "addresses": [person], "temperament": "responsive", "style": {"filter": "none"},
        "timing": {"reply_rate": 1, "delay": {"median": "10m", "spread": 1.1}}})
    found: list[str] = []
    tried = 0
    content = base64.b64encode(b"x").decode()
    good: dict[str, Any] = {"from": LOGIN, "to": [person], "subject": "Could we meet?", "text": "On Monday?"}
    for field in ("from", "to", "cc", "subject", "in_reply_to", "references", "filename", "content_type", "html",
                  "name"):
        for text in _variants({"from": LOGIN, "to": person, "cc": person, "in_reply_to": "<a@b.test>",
                               "references": "<a@b.test>", "content_type": "text/plain", "name": f"Maria <{person}>",
                               }.get(field, "a")):
            body = dict(good)
            if field in ("filename", "content_type"):
                body["attachments"] = [{
                    "filename": "a.txt", "content_type": "text/plain", "data": content, field: text}]
            elif field == "name":
                body["to"] = [f'"{text}" <{person}>']
            elif field == "html":
                body["html"] = f'<img src="data:image/png;name={text};base64,{content}">'
            else:
                body[field] = [text] if field in ("to", "cc", "references") else text
            answer = service.call("POST", "/api/send", body)
            tried += 1
            if answer.status not in (200, 400, 413):
                found.append(f"send {field} {text!r}: {answer.status} {answer.body[:80]!r}")
    for text in _variants("a"):
        tried += 1
        found += _over_smtp(service, text.encode("utf-8", "surrogatepass"), person)
    service.call("PUT", f"/api/mailboxes/{person}/status", {"status": "full"})
    for text in WORDS:
        tried += 1
        found += _over_smtp(service, text.encode(), person)
    service.good("POST", "/api/clock/advance", {"by": "2d"})
    for box in (LOGIN, person):
        found += _added(service, box)
    log = service.logged()
    if re.search(r"^(?!\d{4}-|\s|Traceback)", log.rstrip("\n"), re.MULTILINE) or "\nX-Injected" in log:
        found.append("a line in the log")
    return tried, found


def _over_smtp(service: Service, text: bytes, person: str) -> list[str]:
    """In EHLO, MAIL, RCPT parameters, and in a header that is well formed as SMTP goes."""
    with Conversation(service) as one, contextlib.suppress(OSError):
        one.socket.settimeout(3)
        one.reply()
        for command in (b"EHLO " + text, b"EHLO x", b"MAIL FROM:<%b> ENVID=%b" % (LOGIN.encode(), text),
                        b"MAIL FROM:<%b>" % LOGIN.encode(), b"RCPT TO:<%b> ORCPT=rfc822;%b" % (person.encode(), text),
                        b"RCPT TO:<%b>" % person.encode()):
            one.socket.sendall(command + b"\r\n")
            with contextlib.suppress(socket.timeout):
                one.reply()
        # Line ends in a command are answered as often as there are lines: begun anew, so that DATA is DATA.
    line = re.sub(rb"[\r\n\x00]+", b" ", text)
    with Conversation(service) as one:
        one.reply()
        for command in (b"EHLO x\r\n", b"MAIL FROM:<%b>\r\n" % LOGIN.encode(), b"RCPT TO:<%b>\r\n" % person.encode(),
                        b"DATA\r\n"):
            one.ask(command)
        answer = one.ask(b"From: \"%b\" <%b>\r\nTo: %b\r\nSubject: Could we meet? %b\r\nMessage-ID: <%b@x>\r\n\r\n"
                         b"On Monday at 10:00?\r\n.\r\n" % (line, LOGIN.encode(), person.encode(), line, line))
    return [] if answer[:1] in b"25" else [f"SMTP {text!r}: {answer!r}"]


def _added(service: Service, box: str) -> list[str]:
    """Messages of a mailbox that have the header, as filed and as their readers see them."""
    found = []
    for folder in service.good("GET", f"/api/mailboxes/{quote(box)}/folders"):
        before = ""
        while True:
            path = f"/api/mailboxes/{quote(box)}/messages"
            page = service.good("GET", f"{path}?folder={quote(folder['name'])}&limit=100{before}")
            for item in page:
                where = f"{path}/{quote(folder['name'])}/{item['uid']}"
                head = service.get(where + "/raw").body.partition(b"\r\n\r\n")[0]
                shown = service.get(where)
                if _ADDED.search(head) or re.search(rb"[^\r]\n|\r[^\n]|\x00", head):
                    found.append(f"{where}: a line in the header")
                if "x-injected" in {name.lower() for name in shown.json()["message"]["headers"]}:
                    found.append(f"{where}: a header shown")
                answers = [service.get(where + "/raw"), shown, *(
                    service.get(f"{where}/attachments/{n}") for n in range(len(item["attachments"])))]
                found += [f"{where}: a header of the answer" for one in answers if _in_answer(one)]
            if len(page) < 100:
                break
            before = f"&before={page[-1]['uid']}"
    return found


def _in_answer(answer: Answer) -> bool:
    return any(name.lower() == "x-injected" for name in answer.headers)


# S9

_UP = "../" * 9
#: Names that lead elsewhere for those who use them as paths; C{escaped} is what is then looked for.
NAMES = (
    "../escaped", _UP + "escaped", "..", ".", "../..", "/escaped", "/tmp/escaped", "a/../../../../escaped", "./escaped",
    "..\\..\\escaped", "%2e%2e%2fescaped", "..%2fescaped", "..%00/escaped", "~/escaped", "~root/escaped",
    "....//escaped", "..;/escaped", "escaped/..",
    "INBOX/../../escaped", ".Sent/../../escaped", "new/escaped", "cur", "tmp",
    ".tmp/escaped", ".gone/escaped", "simmail-uids", ".uidvalidity", "..&AC8-escaped", "&AC4ALg-/&AC4ALg-/escaped",
    "&AC8-escaped",
    "&AC4-.escaped", "e\u2024\u2024/escaped", "\uff0e\uff0e\uff0fescaped", "con", "nul", "escaped\x7f",
    "x" * 300 + "escaped", "-rf", "*", "escaped:2,S", "escaped,U=1,S=1", "$(touch escaped)", "`touch escaped`",
    "; touch escaped", "| escaped",
)


def escape(service: Service, names: Sequence[str] = NAMES) -> int:
    """Use each name as a folder, an address, an id and a file name, through every door; how many were tried."""
    tried = 0
    with service.imap() as session:
        for n, name in enumerate(names):
            quoted = b'"' + name.encode("utf-8").replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
            for form in (quoted, b"{%d+}\r\n%b" % (len(name.encode("utf-8")), name.encode("utf-8"))):
                for command in (b"CREATE " + form, b"SUBSCRIBE " + form, b"CREATE r%d" % n, b"RENAME r%d " % n + form,
                                b"RENAME " + form + b" s%d" % n, b"APPEND " + form + b" {3+}\r\nx\r\n",
                                b"SELECT " + form, b"STATUS " + form + b" (MESSAGES)", b"LIST \"\" " + form,
                                b"DELETE " + form):
                    session.send(b"t%d " % tried + command + b"\r\n")
                    end = b"t%d " % tried
                    while not (line := session.readline()).startswith(end) and line:
                        pass
                    tried += 1
    for name in names:
        local = name.replace("\\", "\\\\").replace('"', '\\"')
        addresses = (f'"{local}"@sim.test', f"{name}@sim.test", f"x@{name}", f"{name}", f"x@sim.test/{name}",
                     f"{name}@../x")
        for address in addresses:
            with Conversation(service) as one:
                one.reply()
                for command in ("EHLO x", "MAIL FROM:<> SMTPUTF8", f"RCPT TO:<{address}>", "DATA"):
                    answer = one.ask(command.encode("utf-8") + b"\r\n")
                if answer[:3] == b"354":
                    one.ask(b"Subject: x\r\n\r\nx\r\n.\r\n")
                tried += 1
            there = quote(address, safe="")
            for method, path, body in (
                ("POST", "/api/personas", {"addresses": [address], "name": name}),
                ("POST", "/api/accounts", {"address": address, "username": name, "password": "long enough"}),
                ("POST", "/api/inject", {"to": address, "from": LOGIN, "subject": name, "text": "x", "folder": name}),
                ("POST", "/api/send", {"from": address, "to": [address], "text": "x"}),
                ("GET", f"/api/mailboxes/{there}/folders", None),
                ("GET", f"/api/mailboxes/{there}/messages?folder={quote(name, safe='')}", None),
                ("PUT", f"/api/mailboxes/{there}/status", {"status": "ok"}),
            ):
                service.call(method, path, body)
                tried += 1
        plain, box = quote(name, safe=""), f"/api/mailboxes/{quote(LOGIN)}"
        for method, path, body in (
            ("POST", "/api/inject", {"to": LOGIN, "from": LOGIN, "subject": "x", "text": "x", "folder": name}),
            ("PATCH", f"{box}/messages/INBOX/1", {"move_to": name}),
            ("GET", f"{box}/messages/{plain}/1/raw", None), ("GET", f"{box}/messages/INBOX/{plain}/raw", None),
            ("POST", "/api/admin/universes", {"id": name}), ("POST", "/api/admin/orgs", {"id": name}),
            ("POST", "/api/cases", {"id": name, "external_id": name, "title": "x"}), ("GET", f"/docs/{plain}", None),
            ("GET", f"/{plain}", None), ("GET", f"/docs/{quote(_UP)}etc/passwd", None),
            ("POST", "/api/send", {"from": LOGIN, "to": [LOGIN], "text": "x", "attachments": [
                {"filename": name, "content_type": "text/plain", "data": "eA=="}]}),
            ("POST", f"/api/faults/scenarios/{plain}", {}), ("GET", f"/share/{plain}", None),
        ):
            answer = service.call(method, path, body)
            tried += 1
            if b"root:x:0" in answer.body or answer.status >= 500:
                raise AssertionError(f"{method} {path} {body}: {answer.status} {answer.body[:200]!r}")
    return tried


def astray(state: Path, outside: Path) -> list[str]:
    """
    What lies where it should not: outside of the state folder, or in it outside of the folder of a mailbox.

    @param outside: a folder far above the state folder, in which there was nothing else.
    """
    own = {state.parent / name for name in ("out", "err", "log", "config.yaml")}
    found = [str(path) for path in outside.rglob("*")
             if state not in (path, *path.parents) and path not in state.parents and path not in own]
    found += [str(path) for path in (Path("/escaped"), Path("/tmp/escaped")) if path.exists()]
    known = {"admin.key", "first-login.json", "certificate.pem", "key.pem", "daemon.lock", "endpoints.json", "mail",
             "numbers.json", "journal", "index", "redis"}
    found += [str(path) for path in state.iterdir() if path.name not in known]
    mailbox = re.compile(r"(?!\.)(?:[a-z0-9@_+.-]|%[0-9A-F]{2})+\Z")
    for universe in (state / "mail").iterdir():
        if universe.name == ".uidvalidity":
            continue
        for box in universe.iterdir():
            if box.name in (".tmp", ".gone", ".held"):
                found += [str(path) for path in box.rglob("*escaped*")]
                continue
            if not mailbox.match(box.name) or not (box / "cur").is_dir() or box.is_symlink():
                found.append(str(box))
            for inside in box.iterdir():
                if inside.is_dir() and inside.name not in ("new", "cur", "tmp") and (
                        not inside.name.startswith(".") or not (inside / "cur").is_dir()):
                    found.append(str(inside))
                elif inside.is_file() and not inside.name.startswith("simmail-") and inside.name != "subscriptions":
                    found.append(str(inside))
                elif inside.is_symlink():
                    found.append(str(inside))
    return found


def settled(service: Service) -> None:
    """What was thrown away is cleared away."""
    until(lambda: not any((universe / ".gone").exists() and any((universe / ".gone").iterdir())
                          for universe in (service.state / "mail").iterdir() if universe.is_dir()))
