"""
The encodings of a part undone: its transfer encoding (RFC 2045 section 6), and its charset, whatever the label says.

Only text codecs on this list are ever looked up by a foreign name: Python's
registry also holds compressors, C{idna} and C{unicode_escape}.  Nothing here
raises on foreign octets.  Source: RFC 2046 section 4.1.2; the WHATWG encoding
labels for what browsers make of wrong ones.
"""

from __future__ import annotations

import codecs
import re
from binascii import Error as Base64Error
from binascii import a2b_base64, a2b_qp
from types import MappingProxyType

from simmail.core.mime import structure

_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_BASE64 = bytes(octet for octet in range(256) if octet not in _BASE64)
# Looked at from where the blanks begin only, so that a long row of them is gone through once.
_BLANKS = re.compile(rb"(?<![ \t])[ \t]++(?=\r?\n|\Z)")

#: Octets of UTF-7 that are decoded.
LONGEST_UTF_7 = 1 << 20

_WESTERN = "cp1252"

_CODECS = MappingProxyType({
    "ansi_x3.4-1968": _WESTERN, "ascii": _WESTERN, "us-ascii": _WESTERN, "iso-8859-1": _WESTERN, "iso8859-1": _WESTERN,
    "iso_8859-1": _WESTERN, "latin1": _WESTERN, "latin-1": _WESTERN, "l1": _WESTERN, "windows-1252": _WESTERN,
    "cp1252": _WESTERN, "x-cp1252": _WESTERN,
    "utf-8": "utf-8", "utf8": "utf-8", "unicode-1-1-utf-8": "utf-8", "utf-7": "utf-7", "unicode-1-1-utf-7": "utf-7",
    "utf-16": "utf-16", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be",
    "utf-32": "utf-32", "utf-32le": "utf-32-le", "utf-32be": "utf-32-be",
    "gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030", "cp936": "gb18030", "x-gbk": "gb18030",
    "hz-gb-2312": "hz", "big5": "big5hkscs", "big5-hkscs": "big5hkscs", "cn-big5": "big5hkscs", "cp950": "big5hkscs",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "cp932": "cp932", "ms_kanji": "cp932", "euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp_ext",
    "iso-2022-jp-1": "iso2022_jp_1", "iso-2022-jp-2": "iso2022_jp_2", "iso-2022-jp-3": "iso2022_jp_3",
    "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "ksc5601": "cp949", "cp949": "cp949", "windows-949": "cp949",
    "iso-2022-kr": "iso2022_kr", "koi8-r": "koi8-r", "koi8-u": "koi8-u", "koi8-ru": "koi8-u",
    "tis-620": "cp874", "windows-874": "cp874", "iso-8859-11": "cp874",
    "macintosh": "mac_roman", "mac-roman": "mac_roman", "x-mac-roman": "mac_roman", "x-mac-cyrillic": "mac_cyrillic",
    "ibm437": "cp437", "ibm850": "cp850", "ibm852": "cp852", "ibm866": "cp866",
    "cp437": "cp437", "cp850": "cp850", "cp852": "cp852", "cp866": "cp866", "viscii": "cp1258",
    "iso-8859-8-i": "iso8859_8", "iso-8859-8-e": "iso8859_8", "iso-8859-6-i": "iso8859_6", "iso-8859-6-e": "iso8859_6",
    "latin2": "iso8859_2", "latin9": "iso8859_15", "iso-8859-9": "cp1254", "latin5": "cp1254",
    **{f"windows-{n}": f"cp{n}" for n in (1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)},
    **{f"cp{n}": f"cp{n}" for n in (1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)},
    **{f"iso-8859-{n}": f"iso8859_{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
})

_ONE_OCTET = ("cp12", "cp4", "cp8", "iso8859", "koi8", "mac")


def unquoted(octets: bytes) -> bytes:
    """
    What quoted-printable stands for.

    Blanks at the end of a line were put there on the way and are none of it, also behind the C{=} of a soft break
    (section 6.7 (3)); what is no encoding stays as it is.
    """
    if b" \r" in octets or b" \n" in octets or b"\t\r" in octets or b"\t\n" in octets or octets[-1:] in (b" ", b"\t"):
        octets = _BLANKS.sub(b"", octets)
    return a2b_qp(octets)


def base64_octets(encoded: bytes) -> bytes:
    """What base64 stands for, as far as it goes: cut off, without padding, or with anything in between."""
    try:
        return a2b_base64(encoded)
    except Base64Error:
        pure = encoded.translate(None, _NOT_BASE64)
        whole = len(pure) // 4 * 4
        rest = pure[whole:]
        return a2b_base64(pure[:whole] + (rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""))


def content_of(octets: bytes, part: structure.Part) -> bytes:
    """The content of a part of a message with its transfer encoding undone."""
    content = octets[part.body:part.end]
    if part.head.encoding == b"base64":
        return base64_octets(content)
    if part.head.encoding == b"quoted-printable":
        return unquoted(content)
    return content


def codec(label: str) -> str:
    """The name of the Python codec for a charset label, C{""} for one that is not on the list."""
    # RFC 2231 section 5 lets a language follow the charset of an encoded word.
    return _CODECS.get(label[:64].partition("*")[0].strip(" \t\"'").lower(), "")


def decode(octets: bytes, label: str = "") -> str:
    """
    Octets as text.  UTF-8 is believed before a Western label or one we do not know, since mislabelled mail is mostly
    UTF-8; what no codec makes sense of becomes U+FFFD.  The text holds no lone surrogates.
    """
    name = codec(label)
    if name in ("", _WESTERN):
        try:
            return octets.decode("utf-8")
        except UnicodeDecodeError:
            name = _WESTERN
    if name.startswith(_ONE_OCTET):
        # A table without holes: the codecs' own way of replacing costs microseconds an octet.
        return codecs.charmap_decode(octets, "strict", bytes(range(256)).decode(name, "replace"))[0]
    if name == "utf-7" and len(octets) > LONGEST_UTF_7:
        # Nobody writes it, and its decoder is slow on purpose-made input.
        return octets.decode("latin-1")
    try:
        text = octets.decode(name, "replace")
    except UnicodeError:
        # UTF-16 and UTF-32 may still refuse a cut-off tail.
        return octets.decode("latin-1")
    if name == "utf-7":
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
