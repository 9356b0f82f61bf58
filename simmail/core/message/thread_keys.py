"""
What messages are threaded by, read from their headers: far sooner than a digest.

Source: RFC 5256 section 3.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from simmail.core.message.base_subject import SUBJECT, base_subject, is_reply
from simmail.core.message.parse import message_ids, read_headers
from simmail.core.message.sort import collation_key
from simmail.core.message.summarize import REFERENCES
from simmail.core.mime.headers import header_end

_FOLD = re.compile(r"\n(?=[ \t])")
_BLANK_COLON = re.compile(r"\n(?:subject|message-id|in-reply-to|references)[ \t]")
_NAMES = ("\nsubject:", "\nmessage-id:", "\nin-reply-to:", "\nreferences:")


class ThreadKeys(NamedTuple):
    """Fields of a L{Digest}, under their names there."""

    order_subject: str
    is_reply: bool
    message_id: str
    chain: tuple[str, ...]


def thread_keys(octets: bytes) -> ThreadKeys:
    """
    Read what a message is threaded by.

    @param octets: of a message, or of its header section.
    """
    header = octets[:header_end(octets)]
    ends = header.count(b"\r\n")
    if header.isascii() and header.find(b"=?") < 0 and header.count(b"\n") == ends == header.count(b"\r"):
        text = "\n" + header.decode("ascii").replace("\r\n", "\n")
        if "\n " in text or "\n\t" in text:
            text = _FOLD.sub("", text)
        folded = text.lower()
        if _BLANK_COLON.search(folded) is None:
            subject, message_id, answered, references = [_value(text, folded, name) for name in _NAMES]
            if subject.isprintable():
                ids, above = message_ids(message_id) if message_id else (), message_ids(answered) if answered else ()
                return _keys(subject, ids[0] if ids else "", above[0] if above else "",
                             message_ids(references) if references else ())
    mail = read_headers(header)
    return _keys(mail.subject, mail.message_id, mail.in_reply_to, mail.references)


def _value(text: str, folded: str, name: str) -> str:
    """What the first field of a name says in an unfolded header."""
    at = folded.find(name)
    if at < 0:
        return ""
    at += len(name)
    end = text.find("\n", at)
    return text[at:end if end >= 0 else len(text)].strip(" \t")


def _keys(subject: str, message_id: str, in_reply_to: str, references: tuple[str, ...]) -> ThreadKeys:
    subject = subject[:SUBJECT]
    base = base_subject(subject)
    return ThreadKeys(
        collation_key(base), len(base) < len(subject) and is_reply(subject), message_id,
        references[-REFERENCES:] or ((in_reply_to,) if in_reply_to else ()))
