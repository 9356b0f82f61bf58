"""
Content transfer encodings undone (RFC 2045 section 6).
"""

from __future__ import annotations

import re
from binascii import a2b_qp

# Looked at from where the blanks begin only, so that a long row of them is gone through once.
_BLANKS = re.compile(rb"(?<![ \t])[ \t]++(?=\r?\n|\Z)")


def unquoted(octets: bytes) -> bytes:
    """
    What quoted-printable stands for.

    Blanks at the end of a line were put there on the way and are none of it, also behind the C{=} of a soft break
    (section 6.7 (3)); what is no encoding stays as it is.
    """
    if b" \r" in octets or b" \n" in octets or b"\t\r" in octets or b"\t\n" in octets or octets[-1:] in (b" ", b"\t"):
        octets = _BLANKS.sub(b"", octets)
    return a2b_qp(octets)
