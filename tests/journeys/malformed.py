"""IMAP dialogs and MIME messages that no client would send: generated, thrown at a running service, looked at again."""

from __future__ import annotations

import http.client
import random
import re
import threading
from collections.abc import Callable, Sequence
from urllib.parse import quote

from tests.journeys.attacks import Conversation
from tests.journeys.running import LOGIN, Service

#: Who gets malformed messages besides the first login.
READER = "reader@acme.test"

_NAMES = (
    b"INBOX", b"inbox", b"Sent", b'"A B"', b'""', b"../x", b"&&", b"&AGEAY", b"%", b"*", b'"*"', b"{5}\r\nINBOX",
    b"{5+}\r\nINBOX", b"{3+}\r\n\xff\xfe\x00", b"x" * 300, b"a//b", b"/", b"NIL", b'"a\\"b"', b'"\x80"', b"~", b"#news",
    b"{99999999999999999999}", b"{-3}", b"{0+}\r\n")
_SETS = (b"1", b"1:*", b"*:1", b"*", b"0", b"1,2,3", b"4294967295", b"4294967296", b"1:4294967295", b"$", b"-1", b"1:",
         b",", b"1,,2", b"a", b"*:*", b"9" * 50, b",".join(b"%d" % n for n in range(1, 3000, 2)))
_ITEMS = (
    b"FLAGS", b"(FLAGS UID)", b"ALL", b"FULL", b"BODY[]", b"BODY.PEEK[HEADER.FIELDS (Subject)]<0.5>",
    b"BODY[1.2.3.4.5]",
    b"BODY[0]", b"BODY[TEXT.MIME]", b"BODY[", b"BODY[]<-1.2>", b"BODY[]<0.0>", b"BODY[]<4294967296.1>", b"ENVELOPE",
    b"BODYSTRUCTURE", b"BINARY[1]", b"BINARY.SIZE[1.1]", b"PREVIEW (LAZY)", b"MODSEQ", b"(((FLAGS)))", b"()", b"RFC822",
    b"X-GM-MSGID", b"BODY[HEADER.FIELDS ({3}\r\nabc)]", b"BODY[HEADER.FIELDS.NOT (" + b"a " * 500 + b")]", b"EMAILID")
_KEYS = (
    b"ALL", b"NOT", b"OR", b"OR ALL", b"(", b")", b"(ALL", b"SUBJECT x", b"SUBJECT", b"TEXT \"\"", b"BODY {3+}\r\nabc",
    b"HEADER x", b"HEADER \"\" \"\"", b"SINCE 31-Feb-2026", b"SINCE 1-Jan-0000", b"BEFORE x", b"LARGER 99999999999999",
    b"UID 1:*", b"1:*", b"KEYWORD \xff", b"MODSEQ 0", b"MODSEQ 18446744073709551616", b"OLDER 0", b"YOUNGER 4294967296",
    b"CHARSET X-NONE ALL", b"CHARSET UTF-8 TEXT \xff\xfe", b"RETURN (MIN MAX", b"RETURN () ALL", b"NOT " * 200 + b"ALL",
    b"RETURN (UPDATE PARTIAL 1:2) ALL", b"RETURN (PARTIAL -1:2) ALL", b"RETURN (SAVE UPDATE CONTEXT) UID 1:*",
    b"SAVEDON x", b"SAVEDSINCE 1-Feb-2026", b"(" * 300, b"OR " * 300, b"FUZZY ALL", b"EMAILID x", b"SENTON", b"$")
_FLAGS = (b"\\Seen", b"(\\Seen \\Deleted)", b"(\\Recent)", b"(\\*)", b"(\\Nope)", b"x" * 200, b"()", b"(",
          b"(a b c d e)", b"(\"q\")", b"(" + b" ".join(b"k%d" % n for n in range(100)) + b")", b"NIL", b"({3}\r\nabc)")
_DATES = (b'"01-Jan-2026 00:00:00 +0000"', b'"31-Feb-2026 00:00:00 +0000"', b'"x"', b'" 1-Jan-0001 00:00:00 +2400"',
          b'""')
_PIECES = (
    b"{3+}\r\nabc", b"~{3+}\r\na\0c", b"{0+}\r\n", b"CATENATE (TEXT {3+}\r\nabc)", b"CATENATE (URL /INBOX/;UID=1)",
    b'CATENATE (URL "/INBOX/;UID=1/;SECTION=1.MIME" TEXT {1+}\r\nx', b"CATENATE ()", b"CATENATE (URL {5+}\r\n;UID=)")
_WORDS = (*_NAMES, *_SETS, *_ITEMS, *_KEYS, *_FLAGS, *_DATES, b"\x00", b"\r", b"(", b")", b"\\", b'"', b"{", b"}", b"=")
_VERBS: tuple[tuple[bytes, tuple[Sequence[bytes], ...]], ...] = (
    (b"SELECT", (_NAMES,)), (b"EXAMINE", (_NAMES,)), (b"SELECT INBOX (QRESYNC", (_SETS, _SETS, _SETS)),
    (b"CREATE", (_NAMES,)), (b"RENAME", (_NAMES, _NAMES)), (b"SUBSCRIBE", (_NAMES,)), (b"LIST", (_NAMES, _NAMES)),
    (b"LSUB", (_NAMES, _NAMES)), (b"LIST (SUBSCRIBED X)", (_NAMES, _NAMES)), (b"STATUS", (_NAMES, _ITEMS)),
    (b"APPEND", (_NAMES, _FLAGS, _DATES, _NAMES)), (b"APPEND INBOX", (_PIECES, _FLAGS, _PIECES)),
    (b"REPLACE", (_SETS, _NAMES, _PIECES)), (b"UID REPLACE", (_SETS, _NAMES, _PIECES)),
    (b"SETMETADATA", (_NAMES, (b"(", b"(/private/x", b"/private/x"), (b"NIL)", b'"x")', b"~{3+}\r\na\0b)", b"{x}"))),
    (b"GETMETADATA", (_NAMES, (b"(/private/x)", b"(DEPTH 1) /private", b"/*", b"(MAXSIZE"))),
    (b"CANCELUPDATE", (_WORDS,)),
    (b"NOTIFY SET", ((b"(SELECTED (MessageNew (", b"STATUS (SELECTED-DELAYED (MessageNew ("), _ITEMS,
                     (b") MessageExpunge))", b"MessageExpunge))"))),
    (b"NOTIFY SET", ((b"(SUBTREE", b"(MAILBOXES (", b"STATUS (PERSONAL"), _NAMES, (
        b"(MailboxName))", b") (MessageNew MessageExpunge FlagChange)", b"NONE) (INBOXES (AnnotationChange))"))),
    (b"NOTIFY", (_WORDS,)),
    (b"UID SORT RETURN (UPDATE)", ((b"(DATE)", b"(X)"), (b"UTF-8", b"X"), _KEYS)), (b"COMPRESS", (_WORDS,)),
    (b"ENABLE", ((b"UIDONLY", b"METADATA QRESYNC"),)), (b"FETCH", (_SETS, _ITEMS)), (b"UID FETCH", (_SETS, _ITEMS)),
    (b"SEARCH", (_KEYS,)), (b"SEARCH", (_KEYS, _KEYS)), (b"UID SEARCH", (_KEYS,)), (b"SORT (DATE)", (_NAMES, _KEYS)),
    (b"SORT (REVERSE", (_NAMES, _KEYS)), (b"THREAD REFERENCES", (_NAMES, _KEYS)), (b"THREAD X", (_NAMES, _KEYS)),
    (b"STORE", (_SETS, (b"FLAGS", b"+FLAGS", b"-FLAGS.SILENT", b"*FLAGS", b"(UNCHANGEDSINCE x) FLAGS"), _FLAGS)),
    (b"UID STORE", (_SETS, (b"+FLAGS", b"+X"), _FLAGS)), (b"COPY", (_SETS, _NAMES)), (b"UID EXPUNGE", (_SETS,)),
    (b"GETQUOTAROOT", (_NAMES,)), (b"ENABLE", (_WORDS,)), (b"ID", (_WORDS,)), (b"NOOP", ()), (b"CHECK", ()),
    (b"IDLE", ()), (b"CAPABILITY", (_WORDS,)), (b"NAMESPACE", ()), (b"UNSELECT", ()), (b"CLOSE", ()), (b"STARTTLS", ()),
    (b"AUTHENTICATE", (_WORDS,)), (b"UID", (_WORDS,)), (b"DONE", ()), (b"LOGOUT", ()), (b"XYZZY", (_WORDS,)),
)

_LINE = re.compile(rb"(?:\* |\+ ?|[^\s+*]+ (?:OK|NO|BAD) )[^\r\n]*\Z", re.DOTALL)
_LITERAL = re.compile(rb"\{(\d+)\}\Z")


def imap_dialog(dice: random.Random) -> bytes:
    """Commands that are nearly right, a little wrong, or noise; a good end."""
    pieces = []
    for n in range(dice.randrange(1, 12)):
        draw = dice.random()
        if draw < 0.85:
            verb, arguments = dice.choice(_VERBS)
            words = [verb, *(dice.choice(choices if dice.random() < 0.85 else _WORDS) for choices in arguments)]
            if dice.random() < 0.1:
                del words[dice.randrange(len(words))]
            octets = b"a%d " % n + b" ".join(words) + b"\r\n"
        elif draw < 0.95:
            octets = b"a%d " % n + b" ".join(dice.choice(_WORDS) for _ in range(dice.randrange(5))) + b"\r\n"
        else:
            octets = dice.randbytes(dice.randrange(80)) + dice.choice((b"\r\n", b"\n", b"\r", b""))
        pieces.append(octets)
    return b"".join(pieces) + b"\r\nzz LOGOUT\r\n"


def imap(service: Service, count: int, seed: int = 1, threads: int = 8) -> list[str]:
    """Hold so many dialogs, two of three of them signed in; answers what was no IMAP answer."""
    wrong: list[str] = []
    password = service.password.encode()

    def hold(n: int) -> None:
        dice = random.Random(seed * 1_000_000 + n)
        octets = imap_dialog(dice)
        with Conversation(service, "imap", source=f"127.0.5.{1 + n % 250}", timeout=0.2) as one:
            one.line()
            if n % 3:
                one.socket.sendall(b"a0 LOGIN %b %b\r\n" % (LOGIN.encode(), password))
                one.line()
                if n % 3 == 1:
                    one.socket.sendall(b"a1 SELECT INBOX\r\n")
            step = dice.choice((1 << 20, 500, 67))
            for at in range(0, len(octets), step):
                one.socket.sendall(octets[at:at + step])
            said = b""
            # What is in the midst of a literal waits for more: it is left alone.
            try:
                while b"\nzz " not in said and (more := one.socket.recv(1 << 16)):
                    said += more
            except TimeoutError:
                pass
        wrong.extend(f"dialog {n}: {line[:120]!r}" for line in _no_answers(said))

    _all(count, threads, hold)
    return wrong


def _no_answers(said: bytes) -> list[bytes]:
    """Lines that are no IMAP answers, or tell of a defect."""
    found, at = [], 0
    while at < len(said):
        begin, line = at, b""
        while True:
            end = said.find(b"\r\n", at)
            if end < 0:
                # Cut off: what there is of it is looked at no more.
                return found
            piece = said[at:end]
            line += piece
            at = end + 2
            literal = _LITERAL.search(piece)
            if literal is None:
                break
            at += int(literal[1])
        if not _LINE.match(line) or b"SERVERBUG" in line:
            found.append(said[begin:begin + 200])
    return found


def _all(count: int, threads: int, do: Callable[[int], None]) -> None:
    failures: list[BaseException] = []

    def work(numbers: Sequence[int]) -> None:
        for n in numbers:
            try:
                do(n)
            except OSError:
                # It was cut off while it was still talking.
                continue
            except BaseException as error:
                failures.append(error)
                return

    workers = [threading.Thread(target=work, args=(range(one, count, threads),)) for one in range(threads)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    if failures:
        raise failures[0]


# MIME

_HEADERS = (
    b"From: Maria <maria@acme.test>", b"From:", b"From: =?utf-8?b?", b"From: \xff\xfe <x@y.test>", b"To: a, b, c:;",
    b"To: " + b"(" * 60, b"Subject: =?utf-8?q?=0D=0AX-Injected:_yes?=", b"Subject: =?unicode_escape?q?=5Cu0000?=",
    b"Subject: =?zlib?b?eJw=?=", b"Subject: " + b"=?utf-8?q?a?= " * 50, b"Date: 99 Foo 99999 99:99:99 +9999", b"Date:",
    b"Message-ID: <<>>", b"Message-ID: " + b"<" * 100, b"References: " + b"<a@b> " * 200, b"In-Reply-To: x",
    b"MIME-Version: 1.0", b"Content-Type: text/plain; charset=\"", b"Content-Type: text/plain; charset=idna",
    b"Content-Type: text/html; charset=utf-7", b"Content-Type: ;;;", b"Content-Type: multipart/mixed",
    b"Content-Type: multipart/mixed; boundary=\"\"", b"Content-Type: multipart/alternative; boundary=b",
    b"Content-Type: multipart/related; boundary=\"b\"; type=x", b"Content-Type: message/rfc822",
    b"Content-Type: text/x; name*0*=utf-8'en'%FF; name*1=x; name*99=y", b"Content-Type: image/png; name=\"../../x\"",
    b"Content-Type: application/octet-stream; name*=utf-16''%00", b"Content-Type: text/calendar; method=REQUEST",
    b"Content-Type: message/partial; number=1; total=99999", b"Content-Type: message/external-body",
    b"Content-Disposition: attachment; filename=\"a\\\"b\"", b"Content-Disposition: ;filename*=x'y'%zz",
    b"Content-Transfer-Encoding: base64", b"Content-Transfer-Encoding: quoted-printable",
    b"Content-Transfer-Encoding: x-uuencode", b"Content-Transfer-Encoding: \"7bit", b"Content-ID: <..>", b"List-Id: x",
    b"Auto-Submitted: auto-replied", b"X-" + b"y" * 900 + b": z", b" folded first", b"no colon", b": no name",
    b"\tX: y", b"Reply-To: ,,,", b"Sender: @", b"Return-Path: <x", b"Precedence: bulk",
    b"Disposition-Notification-To: <>", b"Received: from x by y; never", b"Content-Type : text/plain",
    b"Resent-From: x", b"Bcc: secret@sim.test",
)
_BODIES = (
    b"--b\r\n", b"--b--\r\n", b"--\r\n", b"\r\n", b"text\r\n", b"AAAA====\r\n", b"=XY=\r\n", b"=\r\n",
    b"\xff\xfe\x00\r\n", b"<html><body><p>Hi<script>x</script>\r\n",
    b"<div " * 30 + b"\r\n",
    b"<![CDATA[<style>@import url(x)</style>\r\n", b"&#99999999;&#x0;&nosuch;\r\n", b"> > > quoted\r\n",
    b"On Monday Maria wrote:\r\n", b"begin 644 x\r\n", b"-- \r\n",
    b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:x\r\n", b"Can you send it by Friday?\r\n", b"http://[::1\r\n",
    b"https://x.test/?" + b"a" * 500 + b"\r\n", b"x" * 990 + b"\r\n", b"\x1b[31m\r\n", b"\xe2\x80\xa8\r\n",
)


def mime_message(dice: random.Random) -> bytes:
    """Headers and bodies that do not fit together, nested at random, sometimes damaged octet by octet."""
    def section(depth: int) -> bytes:
        head = b"".join(dice.choice(_HEADERS) + b"\r\n" for _ in range(dice.randrange(1, 7)))
        body = b"".join(
            section(depth + 1) if depth < 6 and dice.random() < 0.25 else dice.choice(_BODIES)
            for _ in range(dice.randrange(6)))
        return head + dice.choice((b"\r\n", b"\r\n", b"\r\n", b"")) + body

    octets = bytearray(section(0))
    if dice.random() < 0.4:
        for _ in range(dice.randrange(1, 10)):
            # It may have become empty by now.
            at = dice.randrange(len(octets) + 1)
            octets[at:at + dice.randrange(5)] = dice.randbytes(dice.randrange(5))
    return re.sub(rb"\r\n|\r|\n", b"\r\n", bytes(octets)).replace(b"\x00", b"?")


def mime(service: Service, count: int, seed: int = 1, threads: int = 8) -> list[str]:
    """Send so many messages to a person and to the first login; answers the replies that are neither 250 nor 5.6."""
    wrong: list[str] = []

    def send(first: int) -> None:
        with Conversation(service, source=f"127.0.6.{1 + first % 250}") as one:
            one.reply()
            one.ask(b"EHLO x\r\n")
            for n in range(first, min(count, first + 50)):
                octets = mime_message(random.Random(seed * 1_000_000 + n))
                for command in (b"MAIL FROM:<m@sim.test> BODY=8BITMIME\r\n", b"RCPT TO:<%b>\r\n" % READER.encode(),
                                b"RCPT TO:<%b>\r\n" % LOGIN.encode(), b"DATA\r\n"):
                    one.ask(command)
                stuffed = re.sub(rb"^\.", b"..", octets, flags=re.MULTILINE)
                answer = one.ask(stuffed + b"\r\n.\r\n")
                if answer[:3] != b"250" and answer[:7] != b"550 5.6":
                    wrong.append(f"message {n}: {answer[:120]!r}")

    _all((count + 49) // 50, threads, lambda n: send(n * 50))
    return wrong


def read_back(service: Service, sample: int = 2000) -> tuple[int, list[str]]:
    """
    Look at what the first login has as clients do: everything over IMAP, some over HTTP.

    @return: how many messages there are, and what went wrong.
    """
    wrong: list[str] = []
    with service.imap() as session:
        total = int(session.select("INBOX")[1][0] or b"0")
        for items in ("(UID FLAGS ENVELOPE BODYSTRUCTURE)", "(BODY PREVIEW RFC822.SIZE)",
                      "(BODY.PEEK[HEADER] BODY.PEEK[TEXT]<0.50>)", "(BODY.PEEK[1.MIME] BODY.PEEK[1.1])"):
            for first in range(1, total + 1, 1000):
                last = min(total, first + 999)
                state, parts = session.fetch(f"{first}:{last}", items)
                told = sum(isinstance(part, tuple) or part.rstrip().endswith(b")") for part in parts)
                if state != "OK" or told < last - first + 1:
                    wrong.append(f"FETCH {items}: {state}, {told} of {last - first + 1}")
        for keys in ("TEXT Friday", "SUBJECT x", "SENTSINCE 1-Jan-2000", "HEADER X-Injected yes"):
            state, found = session.search(None, keys)
            if state != "OK":
                wrong.append(f"SEARCH {keys}: {state} {found}")
        for command in ("SORT (DATE SUBJECT FROM) UTF-8 ALL", "THREAD REFERENCES UTF-8 ALL"):
            state, _ = session.uid(*command.split(" ", 1))
            if state != "OK":
                wrong.append(f"{command}: {state}")
    connection = http.client.HTTPConnection("127.0.0.1", service.port("http"), timeout=60)
    headers = {"Authorization": f"Bearer {service.key}"}

    def get(path: str) -> int:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    box = f"/api/mailboxes/{quote(LOGIN)}"
    paths = [f"{box}/messages?limit=1000", f"{box}/threads", "/api/search?q=Friday", "/api/search?q=from:maria"]
    step = max(1, total // sample)
    paths += [f"{box}/messages/INBOX/{uid}" for uid in range(1, total + 1, step)]
    paths += [f"{box}/messages/INBOX/{uid}/attachments/0" for uid in range(1, total + 1, 10 * step)]
    for path in paths:
        status = get(path)
        if status not in (200, 404) or (status == 404 and "attachments" not in path):
            wrong.append(f"{path}: {status}")
    connection.close()
    return total, wrong
