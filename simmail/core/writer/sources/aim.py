"""
What somebody is after, and how a bargain goes: what is offered is taken if it is that, and prices meet step by step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from msgspec import UNSET, Struct, convert

from simmail.core.language.tables import Language
from simmail.core.language.text import say
from simmail.core.language_data import read_optional
from simmail.core.records.persona import Persona
from simmail.core.writer.sources.marks import amount_of

#: How often each temperament names a price of its own before it takes what it can get.
STEPS: Mapping[str, int] = MappingProxyType({
    "responsive": 2, "busy": 1, "procedural": 3, "skeptical": 3, "flaky": 1, "difficult": 4, "ghost": 1})
#: A price this near to the offered one is not argued about.
NEAR = 0.01
#: Where a discount is wanted and nothing says how much.
USUAL = 0.1

_STOPS = ".,;:!?"
_WORD = re.compile(r"[\w']+")
_SHARE = re.compile(r"([0-9]{1,2}(?:[.,][0-9])?) ?(?:%|percent|per cent|prozent)", re.IGNORECASE)
_PRICE = re.compile(r"(€|\$|£|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK)? ?"
                    r"([0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]{2})?|[0-9][0-9.,']*[0-9]|[0-9]) ?"
                    r"(€|\$|£|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|[Ee]uros?|[Pp]ounds?|[Dd]ollars?)?")
#: A sum in small letters, whatever its currency.
_SUM = re.compile(r"[€$£]? ?[0-9][0-9.,']*"
                  r"(?: ?(?:€|\$|£|eur[os]{0,2}\b|pounds?\b|dollars?\b|usd\b|gbp\b|chf\b))?(?<=[^.,])")


class AimWords(Struct, frozen=True):
    """The words of aims in one language; the data files say what each field is for."""

    aims: Mapping[str, tuple[str, ...]] = {}
    remedies: frozenset[str] = frozenset()
    wishes: tuple[str, ...] = ()
    stubborn: tuple[str, ...] = ()
    yielding: tuple[str, ...] = ()
    denying: frozenset[str] = frozenset()
    free: tuple[str, ...] = ()
    turning: frozenset[str] = frozenset()
    money_back: tuple[str, ...] = ()
    returned: frozenset[str] = frozenset()


@cache
def aim_words(code: str) -> AimWords:
    """Return the words of a language."""
    return convert(read_optional(code, "kinds.yaml") or {}, AimWords, strict=False)


class Aim(Struct, frozen=True):
    """
    What a persona is after.

    @ivar kinds: of the aims of the data, those it names; text: as it was given.
    @ivar share: the part of a price that it wants off; price: the price that it wants; both 0 for none.
    """

    kinds: frozenset[str]
    text: str
    share: float = 0.0
    price: float = 0.0


def aim(persona: Persona, language: Language) -> Aim | None:
    """Return what a persona is after, None for nothing."""
    wants = "" if persona.wants is UNSET else say(persona.wants, 200)
    if not wants:
        return None
    how = aim_words(language.code)
    # "The money back, not a replacement" is after one thing; what is but denied is none.
    meant = (one for one in _parts(wants, how.turning) if how.denying.isdisjoint(_WORD.findall(one)))
    low = " ".join(meant) or wants.lower()
    kinds = frozenset(kind for kind, cues in how.aims.items() if any(map(low.__contains__, cues)))
    share = _SHARE.search(wants)
    sums = [amount_of(match.group(2)) for match in _PRICE.finditer(wants) if match.group(1) or match.group(3)]
    if sums and not kinds and not how.returned.isdisjoint(_WORD.findall(low)):
        kinds = frozenset(("refund",))  # "wants £64 back"
    return Aim(kinds=kinds, text=wants, share=amount_of(share.group(1)) / 100 if share else 0.0,
               price=sums[0] if sums else 0.0)


def offered(text: str, language: Language) -> frozenset[str]:
    """Return the remedies that a text speaks of, but for those it says there are none of: "we cannot refund it"."""
    words = aim_words(language.code)
    text = " ".join(text.lower().split())
    for phrase in words.free:
        text = text.replace(phrase, "")  # "at no cost" denies nothing
    low = f" {' '.join(one for one in _parts(text, words.turning) if words.denying.isdisjoint(_WORD.findall(one)))} "
    return frozenset(kind for kind, cues in words.aims.items() if kind in words.remedies and any(
        map(low.__contains__, cues)))


def _parts(text: str, turning: frozenset[str]) -> list[str]:
    """A text in lower case, cut at its marks and where it turns: "we cannot refund you but can send a new one"."""
    parts = [""]
    for word in text.lower().replace("\u2019", "'").split():
        if word.strip(_STOPS) in turning:
            parts.append("")
        parts[-1] += f" {word}"
        if word[-1] in _STOPS:
            parts.append("")
    return parts


def wants_money_back(text: str, language: Language) -> bool:
    """Return whether a text asks for money back; C{#} in the phrases is any sum of it."""
    low = " ".join(_SUM.sub(" #", text.lower().replace("\u2019", "'")).split())
    return any(map(low.__contains__, aim_words(language.code).money_back))


def steps(persona: Persona, language: Language) -> int:
    """Return how often a persona names a price of its own: by temperament, and by what is said of its character."""
    character = "" if persona.character is UNSET else persona.character.lower()
    words = aim_words(language.code)
    more = any(map(character.__contains__, words.stubborn)) - any(map(character.__contains__, words.yielding))
    return max(1, STEPS[persona.temperament] + 2 * more)


def counter(one: Aim, price: str, step: int, most: int) -> str:
    """
    Return the price that is named against an offered one, C{""} when that is taken.

    @param price: as offered, C{EUR 1,240.00}; step: how often a price was named before, and C{most}.
    """
    if not (now := price_of(price)) or step >= most:
        return ""
    wanted = one.price if one.price and "refund" not in one.kinds else now * (1 - (one.share or USUAL))
    named = wanted + (now - wanted) * step / most
    return "" if abs(named - now) / now < NEAR or wanted >= now else as_price(named, price)


def price_of(price: str) -> float:
    """Return what a price comes to, 0 where it names no sum."""
    match = _PRICE.search(price)
    return amount_of(match.group(2)) if match is not None else 0.0


def as_price(value: float, price: str) -> str:
    """Return a sum as a price is written: C{£3,000} for C{£3,450}."""
    match = _PRICE.search(price)
    return "" if match is None else f"{price[:match.start(2)]}{_like(value, match.group(2))}{price[match.end(2):]}"


def _like(value: float, given: str) -> str:
    """A sum written as another one is: "1,240.00", "1.240,00", "89"."""
    cents = len(given) > 2 and given[-3] in ".,"
    point = given[-3] if cents else ""
    thousand = next((sign for sign in given if sign in ".,' " and sign != point), {".": ",", ",": "."}.get(point, ""))
    rounded = round(value, 2) if cents else float(round(value, -1) if value >= 200 else round(value))
    whole, _, part = f"{rounded:.2f}".partition(".")
    grouped = f"{int(whole):,}".replace(",", thousand) if thousand else whole
    return f"{grouped}{point}{part}" if cents else grouped
