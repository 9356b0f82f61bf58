"""
New text and quoted text told apart, whoever's program quoted it.

Looks for the line or block that introduces a quotation (in English and some
neighbours' languages) and for C{>}.  Every line is looked at once or twice.
"""

from __future__ import annotations

import re

#: An attribution is at most so many lines, and so many characters.
_LINES, _LENGTH = 4, 400

# What attributions begin and end with.
_BEGINNINGS = ("on ", "am ", "le ", "el ", "il ", "op ", "den ", "em ", "w dniu ", "dne ", "den ", "på ")
_ENDINGS = re.compile(
    r"(?:wrote|writes|schrieb|schreef|a écrit|escribió|ha scritto|escreveu|napisał(?:\(a\))?|napsal(?:\(a\))?|skrev)"
    r"(?: [^\n:]{1,200})? ?:$", re.IGNORECASE)
_DATED = re.compile(r"[0-9]{4}|[0-9]{1,2}:[0-9]{2}|[0-9]{1,2}[./][0-9]{1,2}")
_SEPARATORS = re.compile(
    r"(?:-{2,10} ?(?:original message|original appointment|forwarded message|forwarded by"
    r"|forwarded message from .{0,200}|ursprüngliche nachricht|weitergeleitete nachricht|original-nachricht"
    r"|message d'origine|mensaje original) ?-{0,10}"
    r"|begin forwarded message:|anfang der weitergeleiteten nachricht:)", re.IGNORECASE)
_RULE = re.compile(r"_{20,80}|-{20,80}")
_FIELD = re.compile(
    r"\*{0,2}(from|sent|date|to|cc|subject|von|gesendet|datum|an|betreff|de|envoyé|à|objet|enviado|para|asunto)"
    r" ?:\*{0,2}(?: |\t|$)", re.IGNORECASE)
#: What stands first in a line that introduces a quotation, whichever way.
_MAY_BEGIN = re.compile(
    r"(?:on|am|le|el|il|op|den|em|w dniu|dne|på) |\s*(?:--|begin|anfang)|\*{0,2}(?:from|von|de) ?:", re.IGNORECASE)
_FIRST = frozenset(("from", "von", "de"))


def split_reply(text: str) -> tuple[str, str]:
    """
    C{(new, quoted)}: what the author wrote, and what stands below, or between, as a quotation.

    Neither has blank lines at its ends.  Signatures stay with the new text.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    start, marked = _start(lines)
    if start < 0:
        if not any(line.startswith(">") for line in lines):
            return _joined(lines), ""
        return _joined([line for line in lines if not line.startswith(">")]), _joined(
            [line for line in lines if line.startswith(">")])
    if not marked:
        return _joined(lines[:start]), _joined(lines[start:])
    # Quoted with marks: what stands unmarked further down is an answer below, or in between.
    new, quoted = lines[:start], []
    end = start + _attribution(lines, start)
    quoted += lines[start:end]
    for line in lines[end:]:
        (quoted if not line.strip() or line.startswith(">") else new).append(line)
    return _joined(new), _joined(quoted)


def _start(lines: list[str]) -> tuple[int, bool]:
    """The line with which a quotation begins, C{-1} for none, and whether its lines are marked."""
    for n, line in enumerate(lines):
        bare = line.lstrip("> ")
        if _MAY_BEGIN.match(bare) is None:
            continue
        if _attribution(lines, n):
            following = next((one for one in lines[n + _attribution(lines, n):n + 6] if one.strip()), "")
            return n, line.startswith(">") or following.startswith(">")
        if _SEPARATORS.fullmatch(bare.strip()) is not None:
            return n, line.startswith(">")
        if _block(lines, n):
            # A rule above the block belongs to it.
            above = n - 1
            while above >= 0 and not lines[above].strip():
                above -= 1
            if above >= 0 and _RULE.fullmatch(lines[above].strip()):
                n = above
            return n, line.startswith(">")
    return -1, False


def _attribution(lines: list[str], n: int) -> int:
    """How many lines from C{n} on are an attribution (C{On ... wrote:}), 0 for none."""
    first = lines[n].lstrip("> ").lower()
    if not first.startswith(_BEGINNINGS):
        return 0
    gathered = ""
    for count, line in enumerate(lines[n:n + _LINES], 1):
        gathered = f"{gathered} {line.lstrip('> ').strip()}"[:_LENGTH].strip()
        if gathered.endswith(":"):
            # "On Monday I wrote:" is prose: a date or an address must be there.
            told = "@" in gathered or _DATED.search(gathered) is not None
            return count if told and _ENDINGS.search(gathered[-240:]) is not None else 0
        if not line.strip():
            return 0
    return 0


def _block(lines: list[str], n: int) -> bool:
    """Whether header fields of a quoted mail begin here: C{From:}, and two others right below."""
    match = _FIELD.match(lines[n].lstrip("> "))
    if match is None or match[1].lower() not in _FIRST:
        return False
    others = [_FIELD.match(line.lstrip("> ")) for line in lines[n + 1:n + 6]]
    return sum(one is not None for one in others) >= 2


def _joined(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n")
