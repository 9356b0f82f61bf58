"""
A mail's text as the sentences its writer wrote this time.

Quoted mail, the sign-off and the signature are set apart; lists give one
sentence an item.  Every step is one pass, and only so much text is read.
"""

from __future__ import annotations

import re

from msgspec import Struct

from simmail.core.language.clause.indirect import direct
from simmail.core.language.clause.opening import asked_apart, opens
from simmail.core.language.tables import Language, every
from simmail.core.language.text import READ, clean
from simmail.core.message.splitting import split_reply

#: Characters of a line that goes on in the next one where that begins with a capital, as nouns do or only names.
_WRAPPED = 50, 75
#: Letters of an abbreviation.
_SHORT = 5
#: Sentences that are looked at.
SENTENCES = 120
_LINE = 2_000

# One step a character: no repetition can give characters back.
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|(?<=\s)[:;]-?[)D(P]+(?=\s+[^\W\da-z])")
_BULLET = re.compile(r"(?:[-*•–·]|\(?[0-9a-zA-Z][0-9]?[.)])\s")
#: The items of a list inside of a line: "1. when 2. where".
_INLINE = re.compile(r"(?:^|(?<=\s))\(?([1-9])[.)]\s+(?=\w+\W+\w)")


class Prose(Struct, frozen=True):
    """
    What was read.

    @ivar greeting: its line, C{""} for none; sentences: those of the body.
    @ivar sign_off: the lines from the closing words on, closing words left out.
    @ivar body: greeting and sentences' lines as one text; quoted: what stood below it.
    @ivar items: those of the sentences that are an item of a list.
    """

    greeting: str
    sentences: tuple[str, ...]
    sign_off: tuple[str, ...]
    body: str
    quoted: str
    items: frozenset[str] = frozenset()


def read_prose(text: str, language: Language) -> Prose:
    """Return the parts of a mail's plain text."""
    return prose_of(*split_reply(clean(text)), language)


def prose_of(new: str, below: str, language: Language) -> Prose:
    """Return the parts of a text that was cleaned, and split from what it quotes."""
    lines = [line[:_LINE].strip() for line in new.split("\n")]
    end = _new_lines(lines)
    quoted = "\n".join([*lines[end:], *(line[:_LINE].strip() for line in below.split("\n"))])
    del lines[end:]
    size = 0
    for position, line in enumerate(lines):
        size += len(line) + 1
        if size > READ:
            del lines[position:]
            break
    greeting = ""
    first = next((index for index, line in enumerate(lines) if line), None)
    if first is not None and is_greeting(lines[first], language):
        greeting, rest = _cut_greeting(lines[first].lstrip("¡"), language)
        lines = ([rest] if rest else []) + lines[first + 1:]
    closing = _closing_line(lines, language)
    sign_off = tuple(line for line in lines[closing + 1:closing + 9] if line) if closing is not None else ()
    if closing is not None:
        del lines[closing:]
    body = "\n".join(([greeting] if greeting else []) + lines)
    items: set[str] = set()
    return Prose(
        greeting=greeting, sentences=tuple(_sentences(lines, language, items)), sign_off=sign_off, body=body,
        quoted=quoted, items=frozenset(items),
    )


def is_greeting(line: str, language: Language) -> bool:
    """Return whether a line greets somebody."""
    low = line.lower().lstrip("¡")
    return len(line) <= 400 and low.startswith(language.greeting_words) and any(
        low.startswith(word) and not low[len(word):len(word) + 1].isalnum() for word in language.greeting_words
    )


def _cut_greeting(line: str, language: Language) -> tuple[str, str]:
    # "Hi is the table still there?" greets nobody.
    word = max((one for one in language.greeting_words if line.lower().startswith(f"{one} ")), key=len, default="")
    behind = line[len(word):].strip()
    if word and behind[:1].islower() and opens(behind, language):
        return line[:len(word)], behind
    # "Hi Maria, could you ..." and "Hello! We ..." have their first sentence on the same line.
    for position, character in enumerate(line[:80]):
        if character == "," and line[:position].lower() in language.greeting_words and _named(line[position + 1:]):
            continue  # "Hola, María: ..."
        if character in ",!:" or (character in ".–—" and position > 12) or line.startswith(" - ", position) or (
                character == "." and _greets(line[:position], line[position + 1:], language)):
            return line[:position].strip(), line[position + 1:].strip(" -–—")
    return (line, "") if len(line) <= 60 else ("", line)


def _greets(head: str, rest: str, language: Language) -> bool:
    """Whether a greeting ends at its full stop: "Hi Ruth. Are you in?", and not "Dear Mr. Cole"."""
    word = head.rpartition(" ")[2].lower()
    return rest[:1] == " " and rest[1:2].isupper() and len(word) > 1 and word not in language.honorifics and (
        word not in every("abbreviations"))


def _named(rest: str) -> bool:
    end = min((rest.find(mark) for mark in ":!" if 0 < rest.find(mark) < 60), default=0)
    return bool(end) and _is_name(rest[:end])


def _new_lines(lines: list[str]) -> int:
    """How many lines come before the quoted mail and the signature."""
    for position, line in enumerate(lines):
        if line.startswith(">") or line in ("--", "-- "):
            # "On … wrote:" above the first quoted line, perhaps folded.
            back = position
            for above in (position - 1, position - 2, position - 3):
                if 0 <= above and lines[above].endswith(":") and len(lines[above]) < 200:
                    back = above
            return back
        low = line[:40].lower()
        if low.startswith(every("quote_starts")):
            return position
        if line.endswith(":") and len(line) < 200 and low.startswith(every("attribution_starts")) and (
            line.endswith(every("attribution_ends")) or any(map(line.__contains__, every("attribution_verbs")))
        ):
            return position
        if low.startswith(every("quoted_from")) and any(
            after.lower().startswith(every("quoted_fields"))
            for after in lines[position + 1:position + 4]
        ):
            return position
    return len(lines)


def _closing_line(lines: list[str], language: Language) -> int | None:
    # From the end: a line of closing words that has a short block below it.
    for position in range(len(lines) - 1, max(-1, len(lines) - 14), -1):
        words = lines[position].lower().strip(" ,.!–-").replace(",", "")
        if words in language.closing_words:
            return position
        head, comma, name = lines[position].partition(",")
        if comma and len(lines[position]) < 60 and head.lower().strip() in language.closing_words and _is_name(name):
            lines[position + 1:position + 1] = [name.strip()]
            return position
    return None


def _is_name(text: str) -> bool:
    # "Thanks, Dana" ends a mail; "thank you, that helps a lot." is one.
    words = text.split()
    return len(words) <= 4 and all(word[0].isupper() for word in words) and not text.rstrip().endswith((".", "!", "?"))


def _sentences(lines: list[str], language: Language, items: set[str]) -> list[str]:
    found: list[str] = []
    paragraph: list[str] = []
    listed = False

    def close() -> None:
        nonlocal listed
        if paragraph:
            some = _split(" ".join(paragraph), language)
            found.extend(some)
            items.update(some[:listed])
            paragraph.clear()
        listed = False

    for line in (piece for one in lines for piece in _apart(one, language)):
        if len(found) > SENTENCES:
            break
        if not line:
            close()
            continue
        if listed and paragraph and len(paragraph[-1]) < _WRAPPED[not language.inflected] and line[:1].isupper():
            close()  # the list has ended
        bullet = _BULLET.match(line)
        if bullet is not None and not _month_follows(line, bullet.end(), language):
            close()
            line, listed = line[bullet.end():].strip(), True
            if not line:
                continue
        paragraph.append(line)
        if line.endswith((":", "?")):
            close()
    close()
    return found[:SENTENCES]


def _apart(line: str, language: Language) -> list[str]:
    """A line with each item of a list inside of it on its own: "we need: 1. a plan 2. the keys"."""
    starts = list(_INLINE.finditer(line)) if "1" in line else []
    if len(starts) < 2 or [one.group(1) for one in starts] != [str(1 + at) for at in range(len(starts))] or any(
            _month_follows(line, one.end(), language) for one in starts):
        return [line]
    edges = [0, *(one.start() for one in starts), len(line)]
    return [piece for piece in (line[start:end].strip() for start, end in zip(edges, edges[1:])) if piece]


def _month_follows(text: str, position: int, language: Language) -> bool:
    # "10. März" is a date, neither an item of a list nor the end of a sentence.
    word = text[position:position + 14].split(None, 1)[:1]
    return bool(word) and word[0].strip(".,").lower() in language.month_forms


def _split(text: str, language: Language) -> list[str]:
    parts = []
    start = 0
    # Who begins with a small letter begins every sentence so.
    small = text[:1].islower()
    for match in _END.finditer(text):
        end = match.end()
        if match.group().startswith("."):
            word = text[max(0, match.start() - 12):match.start()].rsplit(" ", 1)[-1].lower().lstrip("(")
            if word in every("abbreviations") or len(word) == 1 and word.isalpha():
                continue
            if word[-1:].isdigit() and (_month_follows(text, end, language) or language.inflected and text[
                    end:end + 2].strip()[:1].islower()):
                continue  # "am 14.9. um 18 Uhr"
            if text[end:end + 2].strip()[:1].isdigit() and word.isalpha() and len(word) < _SHORT:
                continue  # "zw. 8", "approx. 20"
        next = text[end:end + 2].strip()[:1]
        if not small and "?" not in match.group() and next.islower():
            continue  # "could you send it? thanks" asks
        if match.group().endswith(")") and "(" in text[start:end] and next.islower():
            continue  # "the colour (white or grey?) and the size"
        parts.append(text[start:end].strip())
        start = end
    parts.append(text[start:].strip())
    if "¿" in text or "¡" in text:
        # Spanish says where a question begins: what leads it in is no part of it, and the marks are none of its words.
        parts = [piece.strip() for part in parts for piece in part.replace("¡", "").split("¿")]
    return [piece for part in parts if part for asked in direct(part, language.code)
            for piece in asked_apart(asked, language)]
