"""
Arguments of MAIL and RCPT, read.

Strict about what could be smuggled on (control characters, addresses that are
none), lenient about what real clients get wrong (a blank after the colon,
missing angle brackets, source routes).  Sources: RFC 5321 sections 4.1.1.2,
4.1.1.3 and 4.1.2, RFC 1870, RFC 3461 sections 4 and 5, RFC 6152, RFC 6531,
RFC 4954 section 5.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from simmail.core.mime import xtext
from simmail.core.mime.address import parse
from simmail.errors import Invalid
from simmail.smtp import replies
from simmail.smtp.replies import CommandRefused

#: RFC 3461 sections 4.2 and 4.4.
LONGEST_ORCPT, LONGEST_ENVID = 500, 100

#: RFC 5322 section 3.2.3, without blanks and comments.
_ATOM = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+", re.ASCII)

#: Arguments that are remembered with what they say, for the same few write to the same few; longer ones are not.
MOST_KEPT, SHORT = 512, 256


class MailFrom(NamedTuple):
    """
    A MAIL command.

    @ivar path: the reverse-path as spelled, C{""} for the null one; address: the same as it is compared.
    @ivar size: octets as declared, 0 when not.
    """

    path: str
    address: str
    size: int = 0
    utf8: bool = False
    ret: str = ""
    envid: str = ""


class RcptTo(NamedTuple):
    """A RCPT command."""

    address: str
    notify: tuple[str, ...] = ()
    orcpt: str = ""


def mail_from(argument: bytes) -> MailFrom:
    """
    What follows C{MAIL}.

    @raise CommandRefused: with the reply.
    """
    read = _mail_from if len(argument) <= SHORT else _mail_from.__wrapped__
    return read(argument)


@lru_cache(MOST_KEPT)
def _mail_from(argument: bytes) -> MailFrom:
    path, rest = _path(argument, b"FROM:", replies.BAD_MAIL)
    if not rest and path.isascii():
        return MailFrom(path, _address(path, replies.BAD_SENDER) if path else "")
    size, utf8, ret, envid = 0, False, "", ""
    for name, value in _parameters(rest):
        if name == "SIZE":
            # isdigit alone would let other scripts' digits through; 20 digits are more than any disk.
            if not (value.isascii() and value.isdigit() and len(value) <= 20):
                raise CommandRefused(replies.parameter_bad(name))
            size = int(value)
        elif name == "BODY":
            if value.upper() not in ("7BIT", "8BITMIME"):
                raise CommandRefused(replies.parameter_bad(name))
        elif name == "SMTPUTF8":
            if value:
                raise CommandRefused(replies.parameter_bad(name))
            utf8 = True
        elif name == "RET":
            ret = value.upper()
            if ret not in ("FULL", "HDRS"):
                raise CommandRefused(replies.parameter_bad(name))
        elif name == "ENVID":
            envid = value
            if not 0 < len(value) <= LONGEST_ENVID or xtext.decode(value) is None:
                raise CommandRefused(replies.parameter_bad(name))
        elif name == "AUTH":
            # RFC 4954 section 5: nobody is trusted to say on whose behalf, so it is read and forgotten.
            if not value or xtext.decode(value) is None:
                raise CommandRefused(replies.parameter_bad(name))
        else:
            raise CommandRefused(replies.parameter_unknown(name))
    if not utf8 and not path.isascii():
        raise CommandRefused(replies.NEEDS_SMTPUTF8)
    address = _address(path, replies.BAD_SENDER) if path else ""
    return MailFrom(path, address, size, utf8, ret, envid)


def rcpt_to(argument: bytes, domain: str, utf8: bool) -> RcptTo:
    """
    What follows C{RCPT}.

    @param domain: whose C{<postmaster>} is (RFC 5321 section 4.1.1.3).
    @param utf8: the transaction was begun with SMTPUTF8.
    @raise CommandRefused: with the reply.
    """
    read = _rcpt_to if len(argument) <= SHORT else _rcpt_to.__wrapped__
    return read(argument, domain, utf8)


@lru_cache(MOST_KEPT)
def _rcpt_to(argument: bytes, domain: str, utf8: bool) -> RcptTo:
    path, rest = _path(argument, b"TO:", replies.BAD_RCPT)
    if path.lower() == "postmaster":
        path = f"postmaster@{domain}"
    if not utf8 and not path.isascii():
        raise CommandRefused(replies.NEEDS_SMTPUTF8)
    address = _address(path, replies.BAD_RECIPIENT)
    if not rest:
        return RcptTo(address)
    notify: tuple[str, ...] = ()
    orcpt = ""
    for name, value in _parameters(rest):
        if name == "NOTIFY":
            notify = tuple(dict.fromkeys(value.upper().split(",")))
            if notify != ("NEVER",) and not set(notify) <= {"SUCCESS", "FAILURE", "DELAY"}:
                raise CommandRefused(replies.parameter_bad(name))
        elif name == "ORCPT":
            kind, colon, text = value.partition(";")
            if not (colon and kind and text and len(value) <= LONGEST_ORCPT) or not _is_orcpt(kind, text, utf8):
                raise CommandRefused(replies.parameter_bad(name))
            orcpt = value
        else:
            raise CommandRefused(replies.parameter_unknown(name))
    return RcptTo(address, notify, orcpt)


def _path(argument: bytes, keyword: bytes, refusal: bytes) -> tuple[str, bytes]:
    """The path without brackets and route, and what follows it."""
    argument = argument.strip(b" \t")
    if argument[:len(keyword)].upper() != keyword:
        raise CommandRefused(refusal)
    argument = argument[len(keyword):].lstrip(b" ")
    if argument[:1] == b"<":
        end = argument.find(b">") if b'"' not in argument else _closing(argument)
        if end < 0:
            raise CommandRefused(refusal)
        path, rest = argument[1:end], argument[end + 1:]
        if rest[:1] not in (b"", b" "):
            raise CommandRefused(refusal)
        if path[:1] == b"@":
            # A source route is recognised and ignored (RFC 5321 appendix C).
            path = path.partition(b":")[2]
    else:
        path, _, rest = argument.partition(b" ")
        if not path:
            raise CommandRefused(refusal)
    try:
        return path.decode("utf-8"), rest
    except UnicodeDecodeError:
        raise CommandRefused(refusal) from None


def _closing(argument: bytes) -> int:
    """Where the bracket closes that is not inside a quoted local part, -1 for nowhere."""
    quoted = escaped = False
    for index, octet in enumerate(argument):
        if escaped:
            escaped = False
        elif quoted and octet == 0x5C:
            escaped = True
        elif octet == 0x22:
            quoted = not quoted
        elif octet == 0x3E and not quoted:
            return index
    return -1


def _address(path: str, refusal: bytes) -> str:
    try:
        return parse(path)
    except Invalid:
        raise CommandRefused(refusal) from None


def _parameters(rest: bytes) -> list[tuple[str, str]]:
    """Names in upper case and values, each name once."""
    found: dict[str, str] = {}
    for part in rest.split():
        try:
            name, _, value = part.decode("utf-8").partition("=")
        except UnicodeDecodeError:
            raise CommandRefused(replies.parameter_bad("(not UTF-8)")) from None
        name = name.upper()
        if name in found:
            raise CommandRefused(replies.parameter_bad(name))
        found[name] = value
    return list(found.items())


def _is_orcpt(kind: str, text: str, utf8: bool) -> bool:
    """Whether an original recipient is well formed: an atom and xtext, or as RFC 6533 section 3 has it."""
    if kind.lower() == "utf-8":
        return xtext.is_unicode(text, utf8)
    return _ATOM.fullmatch(kind) is not None and xtext.decode(text) is not None
