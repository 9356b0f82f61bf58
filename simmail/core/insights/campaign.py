"""
Which mails are one campaign: those of one sender whose subjects are alike but for names, numbers and reply marks.

Source: decisions, section 15.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from simmail.core.language.names import named_by
from simmail.core.language.tables import every
from simmail.core.message.base_subject import base_subject

#: Characters of a subject that are shown.
LONGEST = 120

#: Characters of a subject that are read; addresses of which it is remembered what names they suggest.
MOST_READ, _MOST_KEPT = 500, 4096

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_EDGE = " \t,;:.-–—|/\\#*&+~<>=_"
_MARKS = _EDGE + "%€$£°!?()[]{}\"'“”„‘’«»"


def clean_subject(subject: str, names: Collection[str] = ()) -> str:
    """
    Return a subject without reply marks, numbers, addresses and C{names}; C{""} when nothing is left.

    A word that holds a digit is a number.  C{names}: words in lower case, taken out where they begin with a capital.
    """
    kept = [word for word in _bare(base_subject(subject[:MOST_READ])).split() if not _personal(word, names)]
    text = " ".join(kept)
    for opening, closing in ("()", "[]", "{}"):
        if text.count(opening) != text.count(closing):
            text = text.replace(opening, "").replace(closing, "")
    return text.strip(_EDGE)[:LONGEST].rstrip(_EDGE)


def name_words(address: str, name: str = "") -> frozenset[str]:
    """
    Return the words of somebody's name, in lower case.

    @param name: as far as it is known; without it what the address suggests.
    """
    return _words(name) if name else _suggested(address)


def without_people(subject: str, people: Collection[str]) -> str:
    """Return a cleaned subject without whole names; C{people}: in lower case, of two words or more."""
    words = subject.split()
    low = [word.strip(_MARKS).casefold() for word in words]
    kept, at = [], 0
    while at < len(words):
        long = next((n for n in (4, 3, 2) if " ".join(low[at:at + n]) in people and at + n <= len(words)), 0)
        if not long:
            kept.append(words[at])
        at += long or 1
    return clean_subject(" ".join(kept)) if len(kept) < len(words) else subject


def _personal(word: str, names: Collection[str]) -> bool:
    """Whether a word of a subject is a number, an address, a name or nothing but marks."""
    if "@" in word or "://" in word or word[:4].lower() == "www." or _DIGIT.search(word):
        return True
    bare = word.strip(_MARKS)
    if not bare:
        return True
    if not names or not bare[0].isupper():
        return False
    low = bare.casefold()
    return low in names or low.removesuffix("'s").removesuffix("’s") in names


def _bare(subject: str) -> str:
    """Without what replies and forwards are called in other languages than that of RFC 5256."""
    while True:
        low = subject.lower()
        if not low.startswith(_prefixes()):
            return subject
        mark = next(one for one in _prefixes() if low.startswith(one))
        subject = base_subject(subject[len(mark):].lstrip())


@cache
def _prefixes() -> tuple[str, ...]:
    return tuple(sorted(every("reply_prefixes"), key=len, reverse=True))


@lru_cache(_MOST_KEPT)
def _suggested(address: str) -> frozenset[str]:
    # The same few are written to again and again.
    return _words(str(named_by(address).get("name", "")))


def _words(name: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _parts(name) if len(word) > 1)


def _parts(name: str) -> Iterable[str]:
    for whole in _WORD.findall(name[:200]):
        yield whole
        yield from whole.replace("’", "'").replace("'", "-").split("-")
