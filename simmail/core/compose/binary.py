"""
Binary mail as a mail store can keep it: parts that hold NUL, or say that they are binary, in base64.

Source: RFC 3516 section 4.4 ("convert to an encoding that it can store"), RFC 2045 section 6.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from simmail.core.compose.message import base64_lines
from simmail.core.mime.structure import Part, parse

_PLAIN = (b"7bit", b"8bit", b"binary")
_ENCODING = re.compile(rb"(?:^|(?<=\n))content-transfer-encoding[ \t]*+:[^\n]*+\n?(?:[ \t][^\n]*+\n?)*", re.IGNORECASE)


def without_nul(octets: bytes) -> bytes | None:
    """
    The message with its binary parts in base64, CRLF or not as it was; all else as it stands.

    None when NUL is where nothing can be encoded: in a header, between parts, in what is encoded already.
    """
    pieces: list[bytes] = []
    at = 0
    for part in _leaves(parse(octets)):
        content = octets[part.body:part.end]
        if part.head.encoding not in _PLAIN or (part.head.encoding != b"binary" and b"\0" not in content):
            continue
        header = _ENCODING.sub(b"", octets[part.start:part.body])
        # The blank line is told last; a section that was cut short has none.
        fields = header.rstrip(b"\r\n")
        pieces += [octets[at:part.start], fields, b"\r\n" if fields else b"",
                   b"Content-Transfer-Encoding: base64\r\n\r\n", base64_lines(content).rstrip(b"\r\n")]
        if part.end == len(octets):
            pieces.append(b"\r\n")
        at = part.end
    pieces.append(octets[at:])
    stored = b"".join(pieces)
    return None if b"\0" in stored else stored


def _leaves(root: Part) -> Iterator[Part]:
    """The parts that hold no others, in order."""
    waiting = [root]
    while waiting:
        part = waiting.pop()
        if part.parts:
            waiting.extend(reversed(part.parts))
        else:
            yield part
