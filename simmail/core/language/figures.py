"""
What has digits in a text: sums of money, references, percentages, minutes, codes, marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from simmail.core.language.tables import Language
from simmail.core.language.tables import language as known

#: More of each is not looked for.
MOST = 6

#: Signs and codes of currencies, as one of a pattern's choices.
CURRENCIES = "€|\\$|£|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|JPY"
_CURRENCY = f"{CURRENCIES}|Euro|euros"
_SUM = r"[0-9]{1,12}(?:[.,' ][0-9]{2,3}){0,4}"
# Bounded, and a currency sign or a digit has to stand at the start of each try.
_AMOUNT = re.compile(rf"(?:(?<![\w])(?:{_CURRENCY}) ?{_SUM}(?![\w])|(?<![\w.,-]){_SUM} ?(?:{_CURRENCY})(?![\w]))")
_MINUTES = re.compile(r"(?<![0-9])([1-9][0-9]{0,2})[- ]?min")
_PERCENTAGE = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:[.,][0-9]{1,2})? ?%")
_CODE = re.compile(r"(?<![\w.,/-])[0-9]{4,8}(?![\w/-]|[.,][0-9])")
#: What a word of two figures has, at the least.
_FIGURES = re.compile(r"\d\S*\d")
_EDGES = ".,;:!?()[]{}<>\"'“”„’‘*_"


def amounts(text: str, sentences: Sequence[str], language: Language) -> tuple[str, ...]:
    """Return the sums of money, first the one that is to be paid: the one that a sentence calls the total."""
    found = tuple(_unique(match.group() for match in _AMOUNT.finditer(text)))
    for sentence in sentences if len(found) > 1 else ():
        low = sentence.lower()
        cue = max(map(low.rfind, language.total_words))
        match = _AMOUNT.search(sentence, cue) if cue >= 0 else None
        if match is not None:
            total = " ".join(match.group().split())
            return total, *(one for one in found if one != total)
    return found


def _unique(found: Iterable[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for one in found:
        one = " ".join(one.split())
        if one not in kept:
            kept.append(one)
        if len(kept) >= MOST:
            break
    return tuple(kept)


def minutes(text: str) -> str:
    """Return how long something takes, C{""} where nothing says it."""
    return _first(_MINUTES.search(text), 1)


def percentage(text: str, language: Language) -> str:
    """Return the first percentage as the language writes it, C{""} for none."""
    return _first(_PERCENTAGE.search(text), 0).replace(" ", language.figure_blank)


def has_code(text: str) -> bool:
    """Return whether a text has something like a code."""
    return _CODE.search(text) is not None


def highest_mark(text: str, language: Language) -> int:
    """Return the highest mark of a scale that is asked for ("from 1 to 5"), 0 for none."""
    low = text.lower()
    if not any(map(low.__contains__, language.rating_words)):
        return 0
    return int(_first(_scale(language.code).search(low), 1) or 0)


@cache
def _scale(code: str) -> re.Pattern[str]:
    joints = "|".join(map(re.escape, sorted(known(code).range_words | {".."})))
    return re.compile(rf"(?<![0-9])[01] ?(?:{joints}) ?(5|6|7|10)(?![0-9])")


def _first(match: re.Match[str] | None, group: int) -> str:
    return match.group(group) if match is not None else ""


def references(text: str, language: Language) -> list[tuple[str, str]]:
    """Return each reference, bare and as it is spoken of: a bare number with its noun, C{order 77120}."""
    found: dict[str, str] = {}
    words = ["", *text.split()[:3000]] if _FIGURES.search(text) else []
    for last, word in zip(words, words[1:]):
        if not _FIGURES.search(word):
            continue
        bare = word.strip(_EDGES)
        before = last.strip(_EDGES).lower().strip(".:")
        # "Order 77120", "No. 5530", and what is a reference by its looks: INV-2041, #48213, PO7781.
        plain = bare.lstrip("#")
        digits = sum(character.isdigit() for character in plain)
        looks = 3 <= len(plain) <= 24 and plain.isascii() and digits >= 2 and all(
            character.isalnum() or character in "-/_." for character in plain
        )
        if looks and before not in language.account_words and "://" not in bare and "." not in plain.strip("."):
            lettered = plain.upper() == plain and plain.lower() != plain and (
                plain[0].isupper() or before in language.reference_words)
            numbered = plain.isdigit() and digits >= (3 if before in language.reference_nouns else 4) and (
                bare.startswith("#") or before in language.reference_words)
            if (lettered and not plain.startswith(("EUR", "USD", "GBP", "CHF")) or numbered) and bare not in found:
                noun = before if plain.isdigit() and before in language.reference_nouns else ""
                noun = noun.capitalize() if language.inflected else noun
                found[bare] = f"{noun} {bare}".lstrip()
    return list(found.items())[:MOST]


def unlabelled_images(html: str) -> int:
    """Return how many pictures of HTML have no description."""
    low = html[:200_000].lower()
    count = 0
    at = low.find("<img")
    while at >= 0 and count < 50:
        end = low.find(">", at)
        if end < 0:
            break
        tag = low[at:min(end, at + 4000)]
        if "alt=" not in tag or 'alt=""' in tag or "alt=''" in tag:
            count += 1
        at = low.find("<img", end)
    return count
