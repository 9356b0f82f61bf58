"""
Whether a sentence has what the examples of an exchange have: its words, its type of question, its person.

A model that knows a sentence by its meaning alone takes many for one that is near to it: whoever is not very sure has
to find in the sentence a word that is told of few exchanges, and what most examples have.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from msgspec import Struct

from simmail.core.language.clause.question_types import type_inside, type_of
from simmail.core.language.clause.tables import restating
from simmail.core.language.tables import language
from simmail.core.writer.exchanges.bank import exchanges
from simmail.core.writer.life import kind_words
from simmail.core.writer.sources.said_words import content, shared
from simmail.core.writer.sources.side import side_words

#: From here on the model is believed without any other sign.
_CERTAIN = 0.9
#: Less likely than this one rare word is not enough.
_LIKELY = 0.62
#: Examples of each exchange that are looked at for common words, the share of exchanges that makes a word common, and
#: the share of examples that makes a trait.
_SAMPLED, _OFTEN, _TRAIT = 4, 0.03, 0.7
#: So many common words are as good as a rare one.
_SEVERAL = 4
#: Words before a question word that lead it in.
_LEADS = 4
#: What questions with a question word ask for.
_OPEN = frozenset({"who", "where", "when", "long", "often", "much", "many", "why", "how"})


class Traits(Struct, frozen=True):
    """
    What the examples of an exchange have.

    @ivar words: their own words; types: what their questions ask for; first: whether they speak of their writer.
    """

    words: frozenset[str]
    types: frozenset[str]
    first: bool


def bears_out(name: str, sentence: str, type: str, likely: float, code: str, asked_of: bool = True) -> bool:
    """
    Return whether a sentence may begin an exchange.

    @param type: what it asks for, as a question; likely: what a model holds of it, from 0 to 1.
    @param asked_of: whether it asks for something; of what tells something more has to be found.
    """
    traits = _traits(name, code)
    said, known = sentence.lower().split(), language(code)
    heads = (type_of(" ".join(said[at:]), known) for at in range(min(_LEADS, len(said))))
    asked = next(filter(None, heads), "") or type
    if asked in _OPEN and asked not in traits.types:
        return False  # "and of those how many no nuts?", "where are the other two?"
    if likely >= _CERTAIN:
        return True
    if traits.first and not _of_writer(sentence, code):
        return False  # "the married one!!" is no news of who writes
    both = shared(content(sentence, code), traits.words)
    return len(both) >= _SEVERAL or not both <= _common(code) and (asked_of and likely >= _LIKELY or len(both) > 1)


@cache
def _traits(name: str, code: str) -> Traits:
    known, heard = language(code), exchanges(code)[name].heard
    return Traits(
        words=frozenset[str]().union(*(content(text, code) for text in heard)),
        types=frozenset(type for text in heard for type in (
            type_of(text.lower(), known), type_inside(text.lower(), known)) if type),
        first=sum(_of_writer(text, code) for text in heard) >= _TRAIT * len(heard))


@cache
def _common(code: str) -> frozenset[str]:
    """The words of so many exchanges that they tell of none."""
    bank = exchanges(code)
    often = Counter(word for one in bank.values() for word in frozenset[str]().union(*(
        content(text, code) for text in one.heard[:_SAMPLED])))
    return frozenset(word for word, count in often.items() if count > _OFTEN * len(bank))


def _of_writer(text: str, code: str) -> bool:
    """Whether a sentence speaks of who wrote it."""
    tokens = {word.strip(".,;:!?()\"") for word in text.lower().replace("\u2019", " ").replace("'", " ").split()}
    return not tokens.isdisjoint(_own(code))


@cache
def _own(code: str) -> frozenset[str]:
    return frozenset(word.lower() for word in (
        *restating(code).askers, *kind_words(code).myself, *side_words(code).yours))
