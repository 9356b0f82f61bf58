"""
Object identifiers: what stays the same when a message is copied, moved, or its conversation goes on (RFC 8474).
"""

from __future__ import annotations

from hashlib import blake2b
from types import SimpleNamespace

from simmail.core.threads import thread_key

#: Fields of the digest that a THREADID is made of.
THREAD_FIELDS = ("references", "in_reply_to", "message_id")


def _hashed(kind: bytes, text: str) -> bytes:
    return kind + blake2b(text.encode("utf-8", "replace"), digest_size=15).hexdigest().encode("ascii")


def email_id(key: str | None) -> bytes:
    """The EMAILID of a message with this key in the store."""
    return _hashed(b"M", key or "")


def thread_id(references: tuple[str, ...], in_reply_to: str, message_id: str, uid: int) -> bytes:
    """The THREADID of a message: its conversation is named by the Message-ID it began with."""
    root = thread_key(SimpleNamespace(references=references, in_reply_to=in_reply_to, message_id=message_id))
    return _hashed(b"T", root or f"message {uid} without a name")
