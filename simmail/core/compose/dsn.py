"""
Delivery status notifications: what a mail system writes to a sender.

A C{multipart/report} with text for people, fields for programs and the
original's header (all of it when asked for), in the dialect of the mail
system that sends it.  The same notice gives the same octets.  Sources: RFC
3464, RFC 3461 sections 4 and 6, RFC 6522, RFC 6533, RFC 3834; decisions,
section 8 step 1.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from hashlib import blake2b
from textwrap import wrap
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from simmail.core.compose.complete import without
from simmail.core.compose.dsn_dialects import Dialect, VOICES, Voice
from simmail.core.mime import encoded_word, xtext
from simmail.core.mime.address import ascii_form, domain_of
from simmail.core.mime.headers import fields_end
from simmail.core.records.bad_address import BadKind, REPLIES
from simmail.core.rng import Dice
from simmail.core.time.instant import email_date

Action = Literal["failed", "delayed", "delivered"]

#: An original larger than this is returned as its header only, whatever was asked for.
LARGEST_RETURN = 10 * 1024 * 1024

#: What is kept of the original's subject.
LONGEST_SUBJECT = 150

#: Characters of a line that a server said; UTF-8 has up to four octets for each, and a line has 998.
LONGEST_LINE = 200

#: A Message-ID that may be repeated.
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>")

#: Who is known to run whose mail.
_PROVIDERS: dict[str, Dialect] = {
    "gmail.com": "gmail", "googlemail.com": "gmail",
    "outlook.com": "exchange", "hotmail.com": "exchange", "live.com": "exchange", "msn.com": "exchange",
    "office365.com": "exchange", "onmicrosoft.com": "exchange",
}

#: Shares of mail systems where nothing is known.
_SHARES: tuple[tuple[Dialect, float], ...] = (("postfix", 0.4), ("exchange", 0.3), ("exim", 0.15), ("gmail", 0.15))


class Notice(Struct, frozen=True):
    """
    One notification about one recipient.

    @ivar message_id: with angle brackets; date: simulated instant.
    @ivar server: the domain of the mail system that writes.
    @ivar to: the reverse-path of the original.
    @ivar recipient: whom it is about.
    @ivar kind: what is wrong with the address, None where nothing is or C{said} tells.
    @ivar said: the reply of the recipient's server; the contract's for C{kind} when empty.
    @ivar original: octets of the original; original_id: its Message-ID, C{""} for none.
    @ivar ret, envid, orcpt, arrived: what was asked of it, as given (RFC 3461), and when it was accepted.
    """

    message_id: str
    date: datetime
    server: str
    to: str
    recipient: str
    original: bytes
    arrived: datetime
    dialect: Dialect = "postfix"
    action: Action = "failed"
    kind: BadKind | None = None
    said: str = ""
    original_id: str = ""
    subject: str = ""
    ret: str = ""
    envid: str = ""
    orcpt: str = ""

    @property
    def reply(self) -> str:
        """What the recipient's server said, on one line."""
        if self.said:
            return " ".join(self.said.split())
        if self.kind is not None:
            return "%d %s %s" % REPLIES[self.kind]
        return "250 2.1.5 OK" if self.action == "delivered" else "451 4.4.1 Connection timed out"

    @property
    def status(self) -> str:
        """The enhanced status code (RFC 3463)."""
        words = self.reply.split(" ", 2)
        if len(words) > 1 and words[1][:2] == words[0][:1] + ".":
            return words[1]
        return {"failed": "5.0.0", "delayed": "4.0.0", "delivered": "2.0.0"}[self.action]


def wanted(action: Action, notify: tuple[str, ...], sender: str) -> bool:
    """
    Whether a notification is sent (RFC 3461 section 4.1).

    Never to the null reverse-path; without NOTIFY only of failures.
    """
    if not sender or "NEVER" in notify:
        return False
    word = {"failed": "FAILURE", "delayed": "DELAY", "delivered": "SUCCESS"}[action]
    return word in notify if notify else action == "failed"


def dialect_of(address: str, dice: Dice) -> Dialect:
    """The mail system behind an address: a provider's own, else drawn, the same for all of a domain."""
    domain = domain_of(address)
    for known, dialect in _PROVIDERS.items():
        if domain == known or domain.endswith("." + known):
            return dialect
    return dice.on("mail system", domain).weighted(_SHARES, "dialect")


def notification(notice: Notice) -> bytes:
    """The whole message, lines ended by CRLF."""
    notice = replace(notice, recipient=ascii_form(notice.recipient), to=ascii_form(notice.to))
    voice = VOICES[notice.dialect]
    key = blake2b(notice.message_id.encode("utf-8"), digest_size=16).hexdigest()
    words = _words(notice, voice, key)
    returned = _returned(notice)
    # RFC 2046 section 5.1.1: at most 70 characters.
    boundary = voice.boundary.format(**words).encode("ascii", "replace").decode()[:60]
    while boundary.encode() in returned:
        boundary = key + boundary[:20] + boundary[-1]
        key = key[1:] + "x"
    report = _report(notice, voice, words)
    human = _lines(_of(voice.text, notice.action).format(**words))
    parts = [
        _part(voice.text_fields, human, f"text/plain; charset={'us-ascii' if human.isascii() else 'utf-8'}"),
        # RFC 6533 section 3: octets beyond ASCII have no place in the type of RFC 3464.
        _part(voice.report_fields, report, f"message/{'global-' * (not report.isascii())}delivery-status"),
        _original(notice, voice, returned),
    ]
    body = b"".join(b"--%b\r\n%b\r\n" % (boundary.encode(), part) for part in parts)
    preamble = _lines(voice.preamble) + b"\r\n" if voice.preamble else b""
    return _header(notice, voice, words, boundary, not body.isascii()) + b"\r\n%b%b--%b--\r\n" % (
        preamble, body, boundary.encode())


def _words(notice: Notice, voice: Voice, key: str) -> dict[str, str]:
    """What templates of a voice may name."""
    domain = domain_of(notice.recipient)
    original_id = notice.original_id if _MESSAGE_ID.fullmatch(notice.original_id) else ""
    explanation = voice.explanations.get(notice.kind or "other", "").format(
        recipient=notice.recipient, domain=domain)
    queue = "4" + key[:12].upper().translate(str.maketrans("01AEIOU", "BCDFGHJ"))
    return {
        "explanation": explanation, "server": notice.server, "recipient": notice.recipient, "domain": domain,
        "to": notice.to, "to_type": _type(notice.to), "reply": _wrapped(notice.reply, "\n    "),
        "status": notice.status,
        "subject": encoded_word.clean(notice.subject)[:LONGEST_SUBJECT] or "(no subject)", "key": key, "queue": queue,
        "number": str(int(key[:8], 16)), "seconds": str(int(notice.date.timestamp())),
        "original_id": original_id, "date": email_date(notice.date), "arrived": email_date(notice.arrived),
        "waited": _waited(notice.date - notice.arrived),
        "mx": f"mx.{domain}" if not domain.startswith("[") else domain,
        "failed": notice.recipient if notice.action == "failed" else "",
    }


def _wrapped(text: str, between: str) -> str:
    """A text in lines that are within the limit whatever the letters (RFC 5322 section 2.1.1)."""
    return between.join(wrap(text, LONGEST_LINE, break_on_hyphens=False)) if len(text) > LONGEST_LINE else text


def _waited(time: timedelta) -> str:
    """How long a message has been on the queue: minutes, from two hours on hours, as Exim counts."""
    minutes = max(1, time // timedelta(minutes=1))
    return f"{minutes // 60} hours" if minutes >= 120 else f"{minutes} minute{'s' * (minutes > 1)}"


def _header(notice: Notice, voice: Voice, words: dict[str, str], boundary: str, eight: bool) -> bytes:
    fields = [
        ("Return-Path", "<>"),
        ("From", voice.from_.format(**words)),
        ("To", f"<{notice.to}>" if voice.bracketed else notice.to),
        ("Subject", _text(_of(voice.subject, notice.action).format(**words))),
        ("Date", words["date"]),
        ("Message-ID", notice.message_id),
        ("In-Reply-To", words["original_id"]), ("References", words["original_id"]),
        ("Auto-Submitted", "auto-replied"),
        *((name, value.format(**words)) for name, value in voice.fields),
        ("X-Service-Simulated", "yes"),
        ("MIME-Version", "1.0"),
        # RFC 2045 section 6.4: a multipart is as wide as the widest of its parts.
        ("Content-Transfer-Encoding", "8bit" * eight),
        ("Content-Type", f'multipart/report; report-type=delivery-status;\r\n\tboundary="{boundary}"'),
    ]
    header = "".join(f"{name}: {value}\r\n" for name, value in fields if value)
    if notice.action == "failed" and voice.mark:
        header = f"{voice.mark}:\r\n{header}"
    return header.encode()


def _type(address: str) -> str:
    """The address type of an address (RFC 3464 section 2.1.2, RFC 6533 section 3)."""
    return "rfc822" if address.isascii() else "utf-8"


def _report(notice: Notice, voice: Voice, words: dict[str, str]) -> bytes:
    """The fields for programs (RFC 3464 section 2)."""
    orcpt_type, _, orcpt = notice.orcpt.partition(";")
    message = [
        ("Original-Envelope-Id", xtext.decode(notice.envid) or ""),
        ("Reporting-MTA", f"dns; {notice.server}"),
        *((name, value.format(**words)) for name, value in voice.message_fields),
        ("Arrival-Date", words["arrived"]),
    ]
    recipient = [
        ("Original-Recipient", f"{orcpt_type}; {_decoded(orcpt_type, orcpt)}" if orcpt else ""),
        ("Final-Recipient", f"{_type(notice.recipient)}; {notice.recipient}"),
        ("Action", notice.action),
        ("Status", notice.status),
        ("Remote-MTA", f"dns; {words['mx']}"),
        ("Diagnostic-Code", "smtp; " + _wrapped(notice.reply, "\r\n ")),
        ("Last-Attempt-Date", words["date"] if voice.dates else ""),
        ("Will-Retry-Until", email_date(notice.arrived + voice.patience)
         if voice.patience and notice.action == "delayed" else ""),
    ]
    return b"\r\n".join(
        "".join(f"{name}: {value}\r\n" for name, value in fields if value).encode() for fields in (message, recipient))


def _decoded(kind: str, value: str) -> str:
    return value if kind.lower() == "utf-8" else xtext.decode(value) or value


def _returned(notice: Notice) -> bytes:
    """What is returned of the original, without the trace of this server's door: that differs from run to run."""
    end = fields_end(notice.original)
    header = without(notice.original[:end], (b"return-path", b"received"))
    if notice.action == "failed" and notice.ret == "FULL" and len(notice.original) <= LARGEST_RETURN:
        return header + (notice.original[end:] or b"\r\n")
    return header


def _is_international(header: bytes) -> bool:
    """Whether a header section is one of RFC 6532: UTF-8, and more than ASCII.  Old charsets as they are make none."""
    try:
        return not header.decode("utf-8").isascii()
    except UnicodeDecodeError:
        return False


def _original(notice: Notice, voice: Voice, returned: bytes) -> bytes:
    header = returned[:fields_end(returned)]
    full = len(returned) > len(header)
    if _is_international(header):
        kind = "message/global" if full else "message/global-headers"
    else:
        kind = "message/rfc822" if full else "text/rfc822-headers"
    words = {"undelivered": "Undelivered " * (notice.action != "delivered"), "headers": " Headers" * (not full)}
    fields = tuple((name, value.format(**words)) for name, value in voice.original_fields)
    return _part(fields, returned, kind)


def _part(fields: tuple[tuple[str, str], ...], content: bytes, kind: str) -> bytes:
    names = [*fields, ("Content-Type", kind)]
    if not content.isascii():
        names.append(("Content-Transfer-Encoding", "8bit"))
    return "".join(f"{name}: {value}\r\n" for name, value in names).encode() + b"\r\n" + content


def _text(value: str) -> str:
    """An unstructured field."""
    return value if encoded_word.plain(value) else "\r\n ".join(encoded_word.encode(value))


def _of(texts: tuple[str, str, str], action: Action) -> str:
    return texts[("failed", "delayed", "delivered").index(action)]


def _lines(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()
