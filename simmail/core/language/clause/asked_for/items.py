"""
Items of a list of what is wanted, each by its noun or by what it asks: "the name of the treasurer", "whether it is
open", "confirmation that the glass is single".
"""

from __future__ import annotations

from msgspec.structs import replace

from simmail.core.language.clause import question_types
from simmail.core.language.clause.statement import clause_stated
from simmail.core.language.clause.tables import restating
from simmail.core.language.questions import MailQuestion, options, read_question
from simmail.core.language.tables import Language
from simmail.core.language.text import calm, capital, say

_SAID = 200
#: Words of the longest item of a list that is a phrase.
_PHRASE = 6
#: Words of a noun that needs no more to be one; words before what is to be confirmed.
_MORE = 2
#: The place behind "the number of people".
_OF = 4
_MARKS = ".,;:!?()"


def wanted_of(item: str, language: Language) -> MailQuestion:
    """Return the request for an item of a list, of the type of its noun: "the name of the treasurer"."""
    item = calm(item)
    item = without_so(item, language)
    whether = next((one for one in question_types.asking(language.code).whether if item.lower().startswith(
        f"{one} ")), "")
    if whether:
        return about(f"{item[len(whether):].strip()}", item[len(whether):].strip(), language)
    head, found, clause = item.partition(question_types.asking(language.code).confirmed)
    if found and len(head.split()) < _MORE and clause_stated(clause.rstrip(_MARKS), language):
        clause = clause.rstrip(_MARKS)
        return about(clause, clause, language)  # "confirmation that the glass will be single"
    existing = question_types.asking(language.code).existing
    if existing and item.partition(" ")[0].lower() in restating(language.code).any_words:
        return read_question(capital(existing.format(thing=item.rstrip(_MARKS).lower())), language)
    if question_types.type_of(item.lower(), language):
        how = restating(language.code)
        # "Bis wann Sie unterschreiben": of what its reader does it needs nothing.
        own = not {*how.asked, *how.you}.isdisjoint(item.split()) if how.order != "inverted" else not (
            how.auxiliaries | how.pronouns).isdisjoint(item.lower().split())
        # "Díganos cuándo piensan pagar" names nobody: its verb says who pays.
        named = bool(how.asked or how.myself)
        return replace(read_question(f"{item.rstrip(' .?!,;:')}?", language), needs=named and not own)
    read = read_question(item, language)
    return replace(read, form="request", type=question_types.named_type(item, language) or "request", options=(),
                   topic=item_phrase(item, language) if language.inflected else _noun_first(item, language) or (
                       _named(item, language) or read.topic or item_phrase(item, language)))


def without_so(item: str, language: Language) -> str:
    """Return an indirect question without the case it is asked for: "whether you want to, and if so for how many"."""
    so = next((one for one in question_types.asking(language.code).if_so if item.lower().startswith(f"{one} ")), "")
    behind = item[len(so):].lower().lstrip(" ,") if so else ""
    return item[-len(behind):] if behind and question_types.type_of(behind, language) else item


def item_phrase(sentence: str, language: Language) -> str:
    """Return a short item as a phrase without an article, C{""} for one that is a sentence."""
    words = sentence.partition("(")[0].strip(" .,;:").split()
    # "An explanation" is sent, of "the name" a name.
    plain = language.inflected or bool(words) and words[0].lower() in language.definite
    phrase = words[1:] if words[:1] and words[0].lower() in language.determiners and plain else words
    return say(" ".join(phrase), 60) if len(words) <= _PHRASE else ""


def _noun_first(item: str, language: Language) -> str:
    """An item up to what it is for, in a language that puts the noun first: "un número de cuenta en España"."""
    words = item.partition("(")[0].strip(" .,;:").split() if language.head_first else []
    end = next((at for at, word in enumerate(words) if at and word.lower() in language.purposes or word[-1] in _MARKS),
               len(words))
    plain = 1 < end <= _PHRASE and restating(language.code).speakers.isdisjoint(map(str.lower, words))
    first = words[0].lower() if plain else ""
    return say(" ".join([language.flips.get(first, first if first in language.determiners else words[0]),
                         *words[1:end]]), 60) if plain else ""


def _named(item: str, language: Language) -> str:
    """A short item with its article, as the other side says it: "a plan of the ground floor"; C{""} for another."""
    words = item.partition("(")[0].strip(" .,;:").split()
    first = words[0].lower() if words else ""
    how = restating(language.code)
    if len(words) > _PHRASE + 2 and first in language.determiners and how.order == "inverted":
        words = _headed(words[1:], language, first)  # "a note on how many of the sashes could be repaired"
    if len(words) > _OF and words[2].lower() in language.of_words:
        # "The number of people", of "the number of people on site at the time"
        end = next((at for at in range(_OF, len(words)) if words[at].lower() in how.prepositions | how.pronouns), None)
        words = words[:end]
    if first and how.order == "inverted" and first not in language.determiners:
        words = _headed(words, language)
        first = words[0].lower() if words else ""
    short = 1 < len(words) <= _PHRASE + 2 and (first in language.determiners or first in how.quantities)
    marks = any(word[-1] in _MARKS for word in words)
    plain = bool(how.pronouns) and short and not marks
    turned = [language.flips.get(first, first), *(language.flips.get(word.lower(), word) for word in words[1:])]
    return say(" ".join(turned), 60) if plain and how.auxiliaries.isdisjoint(map(str.lower, words)) else ""


def _headed(words: list[str], language: Language, article: str = "") -> list[str]:
    """
    A noun with its article and what belongs to it, "the latest spec for the bagel"; C{[]} for none.

    @param article: the one it has, C{""} for none.
    """
    how, low = restating(language.code), [word.lower().strip(_MARKS) for word in words]
    ends = (how.pronouns - how.others) | how.auxiliaries | how.unclear | how.conditions | {*how.asked, *how.asking}
    asks = tuple(one for one in language.question_words if len(one) > len("to"))
    end = next((at for at, word in enumerate(low) if (word in ends or word.startswith(asks)) and not (
        at > 1 and low[at - 1] in how.others)), len(low))  # "dates she was employed"
    while end and low[end - 1] in how.prepositions | language.of_words | language.determiners | {language.and_}:
        end -= 1
    while end > _PHRASE + 1:
        # "A photo of the new bar without the ladder in it"
        end = next((at for at in range(end - 1, 0, -1) if low[at] in how.prepositions), 0)
    least = 1 if article or end < len(low) else _MORE
    if not least <= end <= _PHRASE + 1 or low[0] in how.verbs | how.prepositions or not low[0].isalpha() or (
            not language.default_determiner):
        return []
    first = words[0] if not words[0].istitle() else low[0]
    bare = low[0] in how.quantities
    return [*([] if bare else [article or language.default_determiner]), first, *words[1:end]]


def about(text: str, clause: str, language: Language, checks: bool = False) -> MailQuestion:
    """Return a question whether a clause is so, or which of two things it is."""
    offered = () if checks else options(f"{clause}?", language, asked=True)
    if offered:
        return replace(read_question(f"{text}?", language), form="choice", type="choice", options=offered)
    return replace(read_question(text, language), form="yes_no", type="yes_no", behind=say(clause, _SAID), options=(),
                   checks=checks, recalls=question_types.recalled(clause, language),
                   topic=say(read_question(clause, language).topic, 60))
