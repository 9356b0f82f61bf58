"""
Sentences that ask without being questions: C{I wondered if you'd feed the cat} is C{Would you feed the cat?}.

What they begin with, and what is asked by it, are data (C{templates/<code>/indirect.yaml}); what stands before such a
beginning, set off by a mark or "and", stays a sentence of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct, convert

from simmail.core.language.clause.inverted import participle, plain_of_ing
from simmail.core.language.clause.tables import restating
from simmail.core.language.text import capital
from simmail.core.language_data import read_optional

#: Characters of the longest sentence that is looked at.
_LONGEST = 400
#: A beginning that takes the verb behind it in the form of what goes on, and one behind which something is had done.
_ING, _DONE = "...ing", "...ed"
#: Among so many words stands what is done with it.
_NEAR = 6


class Indirect(Struct, frozen=True, forbid_unknown_fields=True):
    """
    How one language asks without a question.

    @ivar leads: beginnings, and the beginning of the question they are, C{...ing} behind one whose verb goes on,
        C{...ed} behind one that wants something done with what it names.
    @ivar unless: words that behind a beginning make none of it; ends: what the question does not go on with.
    @ivar others: what behind a comma begins something else.
    @ivar before: what may stand before a beginning besides a mark.
    """

    leads: Mapping[str, str] = {}
    unless: frozenset[str] = frozenset()
    ends: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@cache
def _indirect(code: str) -> Indirect:
    return convert(read_optional(code, "indirect.yaml") or {}, Indirect, strict=False)


@cache
def _begins(code: str) -> re.Pattern[str]:
    """Where a beginning may stand: at the head, behind a mark, or behind a word like "and"."""
    how = _indirect(code)
    leads = "|".join(re.escape(one.removesuffix(_ING).removesuffix(_DONE).strip()) for one in sorted(
        how.leads, key=len, reverse=True))
    before = "|".join(map(re.escape, how.before))
    start = rf"(?:^|[,;:(–—-]\s+|\s(?:{before})\s)(?:(?:{before})\s)*"
    return re.compile(rf"{start}({leads})\s+(?=\w)" if leads else r"(?!)")


def direct(sentence: str, code: str) -> list[str]:
    """Return a sentence as it is, or what stands before what it asks for, that as a question, and what is behind."""
    low = sentence.lower().replace("\u2019", "'")
    if len(low) != len(sentence) or len(low) > _LONGEST:
        return [sentence]
    found = _begins(code).search(low)
    if found is None:
        return [sentence]
    how, lead = _indirect(code), found.group(1)
    another = _begins(code).search(low, found.end())
    end = another.start() if another is not None else len(sentence)
    rest, more = sentence[found.end():end].rstrip(" .!?…"), sentence[end:].lstrip(" ,;:–—-")
    for word in how.before:
        more = more.removeprefix(f"{word} ")
    for mark in how.ends:
        rest = rest[:low.find(mark, found.end()) - found.end()] if 0 < low.find(mark, found.end()) < end else rest
    after = next((at for other in how.others if (at := rest.lower().find(f", {other} ")) > 0), 0)
    rest, aside = (rest[:after], [f"{rest[after + 2:after + 3].upper()}{rest[after + 3:]}."]) if after else (rest, [])
    question = _question(lead, rest, how, code)
    if not question:
        return [sentence]
    head = sentence[:found.start(1)].rstrip(" ,;:(–—-")
    for word in how.before:
        head = head.removesuffix(f" {word}").rstrip(" ,;:")
    behind = direct(capital(more), code) if more else []
    return [*([f"{head}."] if len(head.split()) > 1 else []), question, *aside, *behind]


def _question(lead: str, rest: str, how: Indirect, code: str) -> str:
    """What is asked by a beginning and what stands behind it, C{""} for nothing."""
    first, _, behind = rest.partition(" ")
    asked, done = how.leads.get(lead), how.leads.get(f"{lead} {_DONE}")
    if done is not None:
        known = restating(code)
        near = rest.lower().split()[lead.rpartition(" ")[2] in known.determiners:_NEAR]
        asked = done if any(participle(word.strip(",.;"), known) for word in near) else asked
        if asked is None:
            return ""
    if asked is None:
        plain = plain_of_ing(first.lower(), restating(code))
        asked, rest = how.leads[f"{lead} {_ING}"], f"{plain} {behind}".strip() if plain else ""
    if not rest.strip(" ,") or first.lower() in how.unless:
        return ""
    question = f"{asked} {rest.rstrip(' ,')}".strip()
    return f"{capital(question)}?"
