"""
CSS of mail, cleaned: declarations that only say how things look.

Comments go first, escapes are decoded, and what is then left of a declaration
must be made of known properties, plain values and a handful of functions; so
no spelling of a URL gets through, known or unknown.  Colours can be given a
dark counterpart.  Source: CSS Syntax 3; CSS Color 4 and 5 (C{light-dark()}).
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType

#: Characters of a style attribute and of a style sheet that are looked at, declarations kept of one attribute.
LONGEST_STYLE, LONGEST_SHEET, MOST_DECLARATIONS = 16 * 1024, 1 << 20, 100

_PROPERTIES = frozenset(
    "background background-color border border-bottom border-bottom-color border-bottom-left-radius"
    " border-bottom-right-radius border-bottom-style border-bottom-width border-collapse border-color border-left"
    " border-left-color border-left-style border-left-width border-radius border-right border-right-color"
    " border-right-style border-right-width border-spacing border-style border-top border-top-color"
    " border-top-left-radius border-top-right-radius border-top-style border-top-width border-width box-sizing"
    " caption-side clear color direction display empty-cells float font font-family font-size font-stretch font-style"
    " font-variant font-weight height letter-spacing line-height list-style list-style-position list-style-type margin"
    " margin-bottom margin-left margin-right margin-top max-height max-width min-height min-width opacity outline"
    " outline-color outline-style outline-width overflow overflow-wrap overflow-x overflow-y padding padding-bottom"
    " padding-left padding-right padding-top table-layout text-align text-decoration text-decoration-color"
    " text-decoration-line text-decoration-style text-indent text-overflow text-transform unicode-bidi vertical-align"
    " visibility white-space width word-break word-spacing word-wrap".split())
_FUNCTIONS = frozenset(("rgb", "rgba", "hsl", "hsla", "calc"))
_COLOURED = frozenset((
    "color", "background-color", "border-color", "border-top-color", "border-right-color", "border-bottom-color",
    "border-left-color"))

# Possessive, or of classes that exclude what follows: nothing here backtracks.
COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*(?:\*/)?")
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\r\n\f])|(.))")
_PIECE = re.compile(r"\"[^\"]*+\"?|'[^']*+'?|\((?:[^()\"']++|\"[^\"]*+\"|'[^']*+')*\)?|;|[^;\"'(]++")
_PLAIN = re.compile(r"(?:[A-Za-z0-9 #%.,()+*/!_-]++|\"[\w .,+-]*+\"|'[\w .,+-]*+')+")
_FUNCTION = re.compile(r"([A-Za-z_-][A-Za-z0-9_-]*+)?\(")
_FETCHING = re.compile(
    r"(?:url|src|image|image-set|cross-fade|element)\(\s{0,20}[\"']?\s{0,20}(?:https?:|ftp:|//|/\\|\\\\)"
    r"|@import\s{0,20}[\"']\s{0,20}(?:https?:|//)", re.IGNORECASE)
_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_RGB = re.compile(
    r"rgba?\(\s*+([0-9]{1,3})(?:\.[0-9]{1,9})?\s*+[, ]\s*+([0-9]{1,3})(?:\.[0-9]{1,9})?\s*+[, ]\s*+([0-9]{1,3})"
    r"(?:\.[0-9]{1,9})?\s*+(?:[,/]\s*+([0-9.]{1,9}%?)\s*+)?\)")

_NAMED = MappingProxyType({
    "black": 0x000000, "white": 0xFFFFFF, "red": 0xFF0000, "green": 0x008000, "blue": 0x0000FF, "yellow": 0xFFFF00,
    "gray": 0x808080, "grey": 0x808080, "silver": 0xC0C0C0, "maroon": 0x800000, "purple": 0x800080, "navy": 0x000080,
    "teal": 0x008080, "olive": 0x808000, "lime": 0x00FF00, "aqua": 0x00FFFF, "cyan": 0x00FFFF, "fuchsia": 0xFF00FF,
    "magenta": 0xFF00FF, "orange": 0xFFA500, "darkgray": 0xA9A9A9, "darkgrey": 0xA9A9A9, "lightgray": 0xD3D3D3,
    "lightgrey": 0xD3D3D3, "dimgray": 0x696969, "dimgrey": 0x696969, "whitesmoke": 0xF5F5F5, "darkblue": 0x00008B,
    "darkred": 0x8B0000, "darkgreen": 0x006400, "lightblue": 0xADD8E6, "lightgreen": 0x90EE90, "ivory": 0xFFFFF0,
    "lightyellow": 0xFFFFE0, "beige": 0xF5F5DC, "pink": 0xFFC0CB, "brown": 0xA52A2A, "gold": 0xFFD700,
    "indigo": 0x4B0082, "windowtext": 0x000000, "aliceblue": 0xF0F8FF, "royalblue": 0x4169E1, "crimson": 0xDC143C,
})


def clean_style(style: str, dark: bool = False) -> str:
    """
    Return a style attribute with nothing in it but looks.

    @param dark: colours get a counterpart for dark mode.
    """
    style = style[:LONGEST_STYLE]
    if "/*" in style:
        style = COMMENT.sub("", style)
    kept: list[str] = []
    for declaration in _declarations(style):
        name, colon, value = declaration.partition(":")
        if not colon:
            continue
        if "\\" in declaration:
            name, value = _unescaped(name), _unescaped(value)
        name, value = name.strip().lower(), " ".join(value.split())
        if len(kept) >= MOST_DECLARATIONS:
            break
        if name == "background" and "(" in value and not harmless(value):
            # Pages give a colour together with a picture.
            name, value = "background-color", next((word for word in value.split(" ") if colour(word)), "")
        if name in _PROPERTIES and value and harmless(value):
            kept += _shown(name, value, dark)
    return "; ".join(kept)


def fetched_by(sheet: str) -> int:
    """How many remote pictures, fonts and sheets a style sheet would fetch."""
    sheet = COMMENT.sub(" ", sheet[:LONGEST_SHEET])
    if "\\" in sheet:
        sheet = _unescaped(sheet)
    return sum(1 for _ in _FETCHING.finditer(sheet))


def harmless(value: str) -> bool:
    """Whether a value is made of words, numbers, quoted names and functions that compute."""
    return _PLAIN.fullmatch(value) is not None and value.count("(") == value.count(")") and all(
        name.lower() in _FUNCTIONS for name in _FUNCTION.findall(value))


def colour(word: str) -> tuple[int, int, int] | None:
    """Red, green and blue of an opaque colour; None for what is none, or one we do not know."""
    word = word.lower()
    if word in _NAMED:
        number = _NAMED[word]
        return number >> 16, number >> 8 & 255, number & 255
    if _HEX.fullmatch(word):
        digits = word[1:]
        if len(digits) in (4, 8):
            return None
        if len(digits) == 3:
            digits = "".join(digit * 2 for digit in digits)
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    match = _RGB.fullmatch(word)
    if match is None or (match[4] is not None and match[4] not in ("1", "1.0", "100%")):
        return None
    red, green, blue = (min(int(part), 255) for part in match.groups()[:3])
    return red, green, blue


def _declarations(style: str) -> Iterator[str]:
    """Cut at the semicolons that stand outside quotes and brackets."""
    pieces: list[str] = []
    for match in _PIECE.finditer(style):
        if match[0] == ";":
            yield "".join(pieces)
            pieces = []
        else:
            pieces.append(match[0])
    yield "".join(pieces)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    code, newline, character = match.groups()
    if code is not None:
        number = int(code, 16)
        return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return "" if newline is not None else str(character)


def _shown(name: str, value: str, dark: bool) -> list[str]:
    """The declaration, and its dark counterpart below it: browsers that do not know C{light-dark()} keep the first."""
    shown = [f"{name}: {value}"]
    if dark:
        word, _, important = value.lower().partition(" !")
        name = "background-color" if name == "background" else name
        found = colour(word) if name in _COLOURED else None
        if found is not None:
            adapted = _adapted(found, name)
            shown.append(f"{name}: light-dark({word}, {adapted}){' !' + important if important else ''}")
    return shown


@lru_cache(1024)
def _adapted(found: tuple[int, int, int], name: str) -> str:
    """The same hue for dark mode: light grounds become dark, dark letters and lines light."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*(part / 255 for part in found))
    if name == "background-color":
        lightness = 0.09 + (1 - lightness) * 0.5 if lightness > 0.5 else lightness
    elif name == "color":
        lightness = max(1 - lightness, 0.62) if lightness < 0.62 else lightness
    else:
        lightness = 0.2 + (1 - lightness) * 0.5
    return "#" + "".join(f"{round(part * 255):02x}" for part in colorsys.hls_to_rgb(hue, lightness, saturation))
