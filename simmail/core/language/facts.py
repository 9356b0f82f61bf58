"""
Which of the facts a persona knows answers a question.

A fact has a name ("delivery address") and a value.  Its value has a type: nobody who asks when is told a person.  It
answers when the question says half of its name or more, or when a language model finds it nearest in meaning.  The
model is helped by what each language says of attributes: who asks how heavy something is wants its weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from unicodedata import combining, normalize

from msgspec import Struct

from simmail.core.language.meaning import IMeaning, plain
from simmail.core.language import tables
from simmail.core.language.clause.question_types import attribute_names
from simmail.core.language.phrases import words
from simmail.core.language.questions import read_question
from simmail.core.language.tables import Language, counted, every, merged
from simmail.core.language.text import say

_FACTS = 200
#: Questions whose type is kept, and values.
_KEPT = 4096
#: So many facts a model is asked about for one question.
_MOST_ASKED = 40
#: What it is worth to be the only fact whose value has the type that is asked for, and to be called by half its name;
#: what the best of all needs, and by how much more than the next.
_TYPED, _NAMED, _NEAR, _NEARER = 0.1, 0.3, 0.18, 0.01
#: What it is worth to be called what a question asks for; what more a fact needs that is not, where one knows what is
#: asked for, and what more where whether is asked.
_MEANT, _APART, _WHETHER = 0.2, 0.1, 0.08
#: A question word stands among the first of a part.
_OPENED = 5
#: What the only one needs that can say who or where.
_ALONE = 0.12

_MONEY = re.compile(r"[€$£]|(?i:\b(?:eur|usd|gbp|chf|sek|euros?|pounds?|dollars?|francs?|kronor|libras?)\b)")
#: "18.30" is an hour, "1.82 m" none.
_CLOCK = re.compile(r"\b[0-9]{1,2}[:.h][0-9]{2}\b(?! ?(?:[mckd]?m|k?g|[clm]?l|t|%|met(?:er|re|ro)s?)(?!\w))|"
                    r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b|\b[0-9]{1,2}\.[0-9]{1,2}\.|"
                    r"^[0-9]{1,2}(?:h| uhr)? (?:to|till|-|–|bis|à|a|tot) [0-9]{1,2}\b")
_YEAR = re.compile(r"(?:1[89]|20)[0-9]{2}")
_NUMBER = re.compile(r"[0-9][0-9.,]*(?: [^\W\d_]+)?\Z")
#: What may answer each type of question, by the type of the value (L{value_type}), besides plain text.
_FITTING: Mapping[str, frozenset[str]] = MappingProxyType({name: frozenset(kinds.split()) for name, kinds in {
    "who": "who", "where": "who", "when": "when long", "long": "long when many", "often": "many long",
    "much": "much many", "many": "many",
}.items()})
_TIMES = frozenset(("when", "long"))
#: With more words a value says more than when.
_TOLD_WHERE = 3
#: No answer to these is one word with figures.
_TOLD_IN_WORDS = frozenset(("who", "where", "when", "long", "why"))


class Fact(Struct, frozen=True):
    """C{label} reads as a phrase ("delivery address")."""

    label: str
    value: str

    def values(self, language: Language) -> dict[str, str]:
        """Return what a line that states it may name."""
        head, _, tail = self.value.partition(" ")
        value = tail if tail and head in every("state_being") else self.value
        return {"label": self.label, "value": value.rstrip("."), **counted(self.label, language)}


def read_facts(facts: Mapping[str, str], notes: Iterable[str]) -> tuple[Fact, ...]:
    """Return the facts of a case, and the notes that are written like facts ("phone: 040 123")."""
    found = []
    for name, value in list(facts.items())[:_FACTS]:
        label = say(str(name).replace("_", " "), 40).strip(" :")
        label = label if label[:2].isupper() else label[:1].lower() + label[1:]
        text = say(str(value).replace(" > ", " / "), 300).rstrip(" ;,")
        text = text[:-1] if text.endswith(".") and text.count(".") == 1 and len(text) < 60 else text
        for article in every("articles"):
            label = label.removeprefix(f"{article} ")
        if label and text:
            found.append(Fact(label=label, value=text))
    for note in list(notes)[-_FACTS:]:
        # "2026-03-02: Dana wrote about ..." remembers a mail, and is no fact.
        if note[:1].isdigit():
            continue
        head, colon, tail = say(note, 300).partition(": ")
        if colon and 1 <= len(head.split()) <= 4 and tail and not head.startswith("("):
            found.append(Fact(label=head[:1].lower() + head[1:], value=tail))
    return tuple(found)


def of_day(fact: Fact, facts: Sequence[Fact], day: int, language: Language) -> Fact:
    """Return of facts that differ by a weekday in their names only the one of a weekday (0 is Monday)."""
    def parted(one: Fact) -> tuple[list[str], list[int]]:
        names = [stem(word) for word in one.label.split()]
        return ([word for word in names if word not in language.weekday_forms],
                [language.weekday_forms[word] for word in names if word in language.weekday_forms])
    name, days = parted(fact)
    return next((one for one in facts if parted(one) == (name, [day])), fact) if days else fact


def capital_label(fact: Fact, language: Language) -> Fact:
    """Return the fact with its name as the language writes nouns."""
    if language.inflected and fact.label:
        return Fact(label=fact.label[0].upper() + fact.label[1:], value=fact.value)
    return fact


@lru_cache(_KEPT)
def value_type(value: str) -> str:
    """Return what a value is: C{flag}, C{much} (a sum), C{when}, C{long} (a span), C{many}, C{who}, or C{text}."""
    low = value.lower()
    if low in every("flags"):
        return "flag"
    if any(map(str.isdigit, value)) and _MONEY.search(value):
        return "much"
    told = [word.strip(".,") for word in low.split()]
    days = _day_words()
    if _CLOCK.search(low) or any(word in days for word in told) and len(told) <= 8:
        return "when"
    if not merged("spans").keys().isdisjoint(told) and len(told) <= 5:
        return "long"
    if _NUMBER.match(value):
        return "many"
    if told and told[0] in every("honorifics") or 2 <= len(told) <= 3 and all(
            word[0].isupper() and word.replace("-", "").isalpha() for word in value.split()):
        return "who"
    return "text"


@lru_cache(1)
def _day_words() -> frozenset[str]:
    return frozenset(word for field in ("month_forms", "weekday_forms", "near_days") for word in merged(field)
                     if len(word) > 3 or word in ("may", "mai", "mei"))


def fitting(asked: str, value: str) -> bool:
    """Return whether a value may answer a question of a type."""
    # Text may say anything; a flag answers whether, and everything answers what.
    kind = value_type(value)
    if kind == "text" and asked in _TOLD_IN_WORDS and " " not in value and any(map(str.isdigit, value)):
        return False  # the number of an order is no place
    if asked == "where" and len(value.split()) > _TOLD_WHERE:
        return True  # "left on Monday with the carrier"
    return kind == "text" or asked not in _FITTING or kind in _FITTING[asked] or asked in _TIMES and bool(
        _YEAR.fullmatch(value))


def answering(
    sentence: str, facts: Iterable[Fact], language: Language, meaning: IMeaning | None = None,
) -> Fact | None:
    """
    Return the fact that answers a question, None when none does.

    @param meaning: whom to ask how near a fact is where its name is not said; nobody, when none is given.
    """
    known = list(facts)
    if not known:
        return None
    asked = _asked(sentence, language.code) if "?" in sentence else "what"
    known = [fact for fact in known if fitting(asked, fact.value)]
    stems = [stem(word) for word in words(sentence) if len(word) > 2 or word.isupper()]
    named = {fact: _share(stems, fact, language) for fact in known}
    best = max(known, key=lambda fact: named[fact], default=None)
    if best is not None and named[best] and (meaning is None or named[best] >= 1):
        return capital_label(best, language)
    if meaning is None or "?" not in sentence:
        return None
    meant, told_apart = _meant(sentence, known, asked, language)
    if len(meant) == 1 and asked != "yes_no":
        return capital_label(meant[0], language)
    question = plain(sentence)
    typed = [fact for fact in known if value_type(fact.value) == asked]
    near = {
        fact: meaning.nearness(question, _told(fact)) / 2 + meaning.nearness(question, _asked_for(fact)) * 2 / 5
        + _NAMED * named[fact] + (_TYPED if typed == [fact] else 0.0) + (_MEANT if fact in meant else 0.0)
        for fact in known[:_MOST_ASKED]}
    first, second = sorted([0.0, 0.0, *near.values()])[:-3:-1]
    near_enough = _NEAR + (_APART if told_apart and not meant else 0.0) + (_WHETHER if asked == "yes_no" else 0.0)
    if len(near) == 1 and asked in ("who", "where") and not meant:
        near_enough = _ALONE
    if first < near_enough or first - second < _NEARER:
        return None
    return capital_label(next(fact for fact in near if near[fact] == first), language)


def enumerated(
    sentence: str, facts: Sequence[Fact], language: Language, meaning: IMeaning | None = None,
) -> list[Fact]:
    """Return the facts that the parts of a sentence ask for: "your tax number and the address", "who and with what"."""
    parts = re.split(rf"[,;] | {language.and_} | & ", sentence)
    found: dict[Fact, None] = {}
    for part in parts if len(parts) > 1 else ():
        head = part.lower().replace("'s ", " ").split()[:_OPENED]  # "who's in"
        asks = any(word in language.question_words for word in head)
        left = [fact for fact in facts if fact not in found and fact.value.lower() not in sentence.lower()]
        fact = answering(f"{part.strip(' .?!')}{'?' * asks}", left, language, meaning if asks else None)
        if fact is not None:
            found[fact] = None
    return list(found)


@lru_cache(_KEPT)
def _asked(sentence: str, code: str) -> str:
    # One question is asked of the facts of the case, of the thread's and of the notes.
    return read_question(sentence, tables.language(code)).type


def _meant(question: str, facts: Iterable[Fact], asked: str, language: Language) -> tuple[list[Fact], bool]:
    # Those whose names are of what the question asks for, and whether it is known what that is.
    names = attribute_names(question, language)
    groups = [[fact for fact in facts if named.search(fact.label.lower())] for named in names]
    # "When did you order?" is asked of what was ordered too; a day is what answers it.
    typed = [[fact for fact in group if value_type(fact.value) == asked] for group in groups]
    return next((group for group in (*typed, *groups) if group), []), bool(names)


def _told(fact: Fact) -> str:
    return plain(f"{fact.label}: {fact.value}")


def _asked_for(fact: Fact) -> str:
    # As somebody asks who knows what it is called; a model understands the frame in any language.
    return plain(f"What is the {fact.label}?")


def _share(asked: Sequence[str], fact: Fact, language: Language) -> float:
    """How much of a fact's name some words say, a little more where that is long; 0 when it is too little."""
    names = [word for word in (stem(word) for word in fact.label.split())
             if word not in language.common_words and len(word) > 1]
    # "Could we come on Thursday?" asks not for the "vet on Thursdays".
    names = [word for word in names if word not in language.weekday_forms] or names
    if not names:
        return 0.0
    hit = [name for name in names if any(same(name, word) for word in asked)]
    share = len(hit) / len(names) + len(hit) * 0.01
    return share if share > 0.52 or share > 0.5 and not set(every("vague_words")).issuperset(hit) else 0.0


def on_money(facts: Iterable[Fact], told: Iterable[str], asked: str, language: Language) -> Fact | None:
    """
    Return a fact about paying that the other side has not said itself, None when there is none.

    @param asked: the mail: the number of our order is a fact about paying where it is asked for.
    """
    said = {text.lower() for text in told}
    low = asked.lower()
    about = set(every("paying"))
    if any(map(low.__contains__, language.order_number)):
        about.update(every("ordering_words"))
    for fact in facts:
        if any(stem(word) in about or word.lower() in about for word in fact.label.split()) \
                and fact.value.lower() not in said:
            return capital_label(fact, language)
    return None


def stem(word: str) -> str:
    """Return a word without accents and without the s of more than one."""
    low = word.lower()
    if not low.isascii():
        low = "".join(one for one in normalize("NFD", low) if not combining(one))  # "arrivée" and "arriver"
    return low[:-1] if len(low) > 4 and low.endswith("s") and not low.endswith("ss") else low


def same(name: str, word: str) -> bool:
    """Return whether a word of a name and a word are of one root."""
    # German compounds: "Lieferadresse" answers "Adresse".
    if len(word) >= 6 and word[:6] == name[:6]:
        return True  # "deliver" and "delivery"
    return name == word or len(word) >= 5 and (name.endswith(word) or word.endswith(name) and len(name) >= 5)
