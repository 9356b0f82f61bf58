"""
Who writes to the company for the first time: the fields of a persona.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from simmail.core.rng import Dice
from simmail.core.world.words import CommonWords, common

#: How many of a sort write from an address of their own, and not from one of a firm.
_PRIVATE: Mapping[str, float] = MappingProxyType({"customer": 0.6, "applicant": 1.0})
#: Forms of addresses, before a number is put behind.
_FORMS = ("{first}.{last}", "{initial}.{last}")
_ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "o"})


def newcomer(language: str, sort: str, dice: Dice, taken: Callable[[str], bool]) -> dict[str, Any]:
    """
    Return the fields of somebody new.

    @param sort: C{customer}, C{supplier}, C{applicant} ...; taken: whether an address is somebody's already.
    """
    words = common(language)
    first, last = dice.choice(words.given, "given"), dice.choice(words.family, "family")
    private = dice.chance(_PRIVATE.get(sort, 0.0), "private")
    firm = dice.choice(words.agencies.get(sort) or words.firms, "firm")
    domain = dice.choice(words.private, "mailbox") if private else firm.domain
    fields: dict[str, Any] = {
        "name": f"{first} {last}", "addresses": [_address(first, last, domain, dice, taken)],
        "languages": [language, *(["en"] if language != "en" and dice.chance(0.8, "english") else [])],
    }
    if not private:
        fields["org"] = firm.name
        fields["timing"] = {"hours": {"tz": words.zone, "days": "mon-fri", "from": dice.choice(
            ("07:30", "08:00", "08:30", "09:00"), "from"), "to": dice.choice(
                ("16:30", "17:00", "17:30", "18:00"), "to")}}
    else:
        fields["timing"] = {"hours": {"tz": words.zone, "from": "07:00", "to": "22:30"}}
    return fields


def plain(text: str) -> str:
    """Return a name as it stands in an address: lower case ASCII letters and digits."""
    text = unicodedata.normalize("NFKD", text.lower().translate(_ASCII)).encode("ascii", "ignore").decode("ascii")
    return "".join(one for one in text if one.isalnum())


def _address(first: str, last: str, domain: str, dice: Dice, taken: Callable[[str], bool]) -> str:
    names = {"first": plain(first), "last": plain(last), "initial": plain(first)[:1]}
    for form in dice.shuffled(_FORMS, "form"):
        found = f"{form.format_map(names)}@{domain}"
        if not taken(found):
            return found
    number = 2 + dice.below(88, "number")
    while taken(f"{names['first']}.{names['last']}{number}@{domain}"):
        number += 1
    return f"{names['first']}.{names['last']}{number}@{domain}"


def street_of(words: CommonWords, dice: Dice) -> str:
    """Return a street and a number."""
    return dice.choice(words.streets, "street").format(n=1 + dice.below(120, "house"))
