"""
Rules about the header: what must stand there, once, and how.
"""

from __future__ import annotations

import re

from simmail.core.inspection.finding import Observation, failed, passed
from simmail.core.inspection.subject import InspectedMail
from simmail.core.mime.address import is_valid

#: Fields that stand at most once, RFC 5322 section 3.6.
_ONCE = (b"date", b"from", b"sender", b"reply-to", b"to", b"cc", b"bcc", b"message-id", b"in-reply-to", b"references",
         b"subject")
_MESSAGE_ID = re.compile(r"<[^\s<>@]{1,500}@[^\s<>@]{1,500}>")
_ENCODED = re.compile(r"=\?[^?\s]{1,60}\?[BbQq]\?[^?]{0,2000}\?=")
_FREE = ("gmail.com", "googlemail.com", "yahoo.com", "outlook.com", "hotmail.com", "live.com", "aol.com")


def from_present(one: InspectedMail) -> Observation:
    """Say whether From names somebody with an address."""
    values = one.all(b"from")
    if not values:
        return failed("there is no From field")
    address = one.mail.from_.address
    return passed(f"From is {address}") if is_valid(address) else failed(f"From names no address: {values[0][:100]}")


def from_single(one: InspectedMail) -> Observation:
    """Say whether there is one author, in one From field."""
    values = one.all(b"from")
    if len(values) > 1:
        return failed(f"{len(values)} From fields")
    authors = values[0].count("@") - values[0].count('"@') if values else 0
    if one.mail.named and len(one.mail.named[0]) > 1:
        return failed(f"{len(one.mail.named[0])} authors in From")
    return passed("one From field") if authors else failed("no From field with an address")


def date_present(one: InspectedMail) -> Observation:
    """Say whether there is a date that can be read."""
    values = one.all(b"date")
    if not values:
        return failed("there is no Date field")
    if "date" in one.envelope.added:
        return failed("it came without a Date field; this server added one")
    if one.mail.date is None:
        return failed(f"Date cannot be read: {values[0][:100]}")
    return passed(f"Date is {values[0][:60]}")


def message_id_present(one: InspectedMail) -> Observation:
    """Say whether there is a Message-ID."""
    values = one.all(b"message-id")
    if "message-id" in one.envelope.added:
        return failed("it came without a Message-ID; this server added one")
    return passed(f"Message-ID is {values[0][:120]}") if values and values[0] else failed("there is no Message-ID")


def message_id_form(one: InspectedMail) -> Observation:
    """Say whether the Message-ID is one."""
    values = one.all(b"message-id")
    if not values or not values[0] or "message-id" in one.envelope.added:
        return failed("there is no Message-ID whose form could be right")
    if _MESSAGE_ID.fullmatch(values[0]):
        return passed(f"{values[0][:120]} has the form <left@right>")
    return failed(f"{values[0][:120]} is not of the form <left@right>")


def recipient_shown(one: InspectedMail) -> Observation:
    """Say whether the mail names a recipient."""
    if one.mail.to or one.mail.cc:
        return passed(f"to {(one.mail.to or one.mail.cc)[0].address}")
    return failed("neither To nor Cc names anybody")


def fields_once(one: InspectedMail) -> Observation:
    """Say whether fields that must stand once do."""
    names = [name for name, _ in one.fields]
    twice = [name.decode() for name in _ONCE if names.count(name) > 1]
    return failed(f"more than once: {', '.join(twice)}") if twice else passed("no field stands twice")


def header_ascii(one: InspectedMail) -> Observation:
    """Say whether the header is ASCII, or UTF-8 as RFC 6532 allows it only between servers that announced it."""
    for name, raw in one.fields:
        if not raw.isascii():
            return failed(f"{name.decode('ascii', 'replace')} holds octets that are not ASCII and not encoded")
    return passed("every field is ASCII")


def header_lines(one: InspectedMail) -> Observation:
    """Say whether the lines of the header are short enough."""
    longest = max(map(len, one.header.split(b"\r\n")), default=0)
    return failed(f"a line of {longest} octets") if longest > 998 else passed(f"the longest line has {longest} octets")


def encoded_words(one: InspectedMail) -> Observation:
    """Say whether encoded words in the subject are read by all clients."""
    for value in one.all(b"subject"):
        left = _ENCODED.sub("", value)
        if "=?" in left and "?=" in left:
            return failed(f"an encoded word that cannot be read: {value[:100]}")
    return passed("nothing is encoded that cannot be read")


def reply_to_valid(one: InspectedMail) -> Observation:
    """Say whether answers get somewhere."""
    values = one.all(b"reply-to")
    if not values:
        return passed("answers go to From")
    if one.mail.reply_to and all(is_valid(address.address) for address in one.mail.reply_to):
        return passed(f"answers go to {one.mail.reply_to[0].address}")
    return failed(f"Reply-To names no address: {values[0][:100]}")


def from_no_reply(one: InspectedMail) -> Observation:
    """Say whether the address asks not to be answered."""
    local = one.mail.from_.address.partition("@")[0].replace("-", "").replace("_", "").replace(".", "")
    if local.startswith(("noreply", "donotreply")) and not one.mail.reply_to:
        return failed(f"{one.mail.from_.address} cannot be answered, and there is no Reply-To")
    return passed("it can be answered")


def from_not_free(one: InspectedMail) -> Observation:
    """Say whether mail to many is sent under a domain of the sender's own."""
    domain = one.author_domain
    if domain in _FREE and (one.bulk or one.envelope.ip):
        return failed(f"{domain} sends its mail itself: others that use it in From fail its DMARC policy")
    return passed(f"From is at {domain}" if domain else "From is at no provider")


def subject_present(one: InspectedMail) -> Observation:
    """Say whether there is a subject."""
    return passed(f"{len(one.mail.subject)} characters") if one.mail.subject.strip() else failed("there is no subject")
