"""
Object identifiers: what stays the same when a message is copied, moved, or its conversation goes on (RFC 8474).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

from simmail.core.message.conversations import thread_key

#: Fields of the digest that a THREADID is made of.
THREAD_FIELDS = ("references", "in_reply_to", "message_id")


def _hashed(kind: bytes, text: str) -> bytes:
    return kind + blake2b(text.encode("utf-8", "replace"), digest_size=15).hexdigest().encode("ascii")


def email_id(key: str | None) -> bytes:
    """The EMAILID of a message with this key in the store."""
    return _hashed(b"M", key or "")


def thread_id(fields: Sequence[Any], uid: int) -> bytes:
    """
    The THREADID of a message: its conversation is named by the Message-ID it began with.

    @param fields: the values of C{THREAD_FIELDS}.
    """
    root = thread_key(SimpleNamespace(**dict(zip(THREAD_FIELDS, fields))))
    return _hashed(b"T", root or f"message {uid} without a name")
