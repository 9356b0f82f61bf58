"""
What a subject is without that which replies and forwards put around it.

Source: RFC 5256 section 2.1.
"""

from __future__ import annotations

import re

#: Characters of a subject that are looked at.
SUBJECT = 2000

_BLOB = re.compile(r"\[[^\[\]]*+\]\s*+")
_REPLY = re.compile(r"(?:re|fwd?)\s*+(?:\[[^\[\]]*+\]\s*+)?:\s*+", re.IGNORECASE)
_FORWARDED = re.compile(r"\[fwd:(.*)\]", re.IGNORECASE)


def base_subject(subject: str) -> str:
    """The base subject."""
    return _apart(subject)[0]


def is_reply(subject: str) -> bool:
    """
    Whether it is that of a reply or a forward: one of C{Re:}, C{Fwd:}, C{(fwd)} or C{[Fwd: ]} is around it.

    What a mailing list puts before it in brackets says nothing of that.
    """
    return _apart(subject)[1]


def _apart(subject: str) -> tuple[str, bool]:
    """Both."""
    text = " ".join(subject[:SUBJECT].split())
    answers = False
    while True:
        # (2) trailers
        while text[-5:].lower() == "(fwd)":
            text, answers = text[:-5].rstrip(), True
        # (3) to (5) leaders
        while True:
            match = _REPLY.match(text)
            if match is None:
                blob = _BLOB.match(text)
                if blob is None:
                    break
                # A blob may stand before "Re:", and is taken off unless nothing would be left.
                match = _REPLY.match(text, blob.end())
                if match is None:
                    if blob.end() >= len(text):
                        break
                    text = text[blob.end():]
                    continue
            text, answers = text[match.end():], True
        # (6) a forward in brackets
        forwarded = _FORWARDED.fullmatch(text)
        if forwarded is None:
            return text, answers
        text, answers = forwarded[1].strip(), True
