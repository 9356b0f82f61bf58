"""
What is asked without a question: the items and lines of a list that asks, fragments like C{Yours?}, and what is left to
be said if it is so ("say so if you can come", "if you accept we pay on the 25th.  If not, ...").

An item without a mark is only taken for a question where its list asks: it is announced as questions, or something else
in it is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

from msgspec.structs import replace

from simmail.core.language.clause.opening import opens, without_leads
from simmail.core.language.clause.question_types import asking, mentions_any, type_of
from simmail.core.language.clause.tables import restating
from simmail.core.language.questions import (
    MailQuestion, apart, asks, asks_late, asks_opinion, either, is_question, led_in, opens_question, options, persons,
    read_question,
)
from simmail.core.language.tables import Language
from simmail.core.language.tables import language as known_as
from simmail.core.language.text import capital, say

#: So many sentences may follow an item of a list before the next one.
_BETWEEN = 3
#: A question of fewer words in a list has no verb before its subject; a count of so many at most is one.
_LEAST, _COUNTED = 2, 14
#: So many pieces are three things that are numbered, and what leads them in.
_ROMANS = 3
#: Words of the longest item that is nothing but a choice.
_CHOICE = 7
#: Letters of a word that asks to be told by itself.
_CUE = 3
#: Characters of the longest sentence whose lines are looked for, and of which is kept what it asks.
_LONGEST = 600
_MARKS = " .,;:!?"
#: What stands before an item besides what lists are mostly made with.
_ARROW = re.compile(r"(?:^|\s+)(?:→|➔|➜|⇒|=>|->|»)\s+")
#: The end of a sentence that a letter or a number stands at.
_LETTER = re.compile(r"(?<=\s[\w])\.\s+(?=[^\W\d_a-z])")
#: What numbers things inside of a sentence, and no list that is known elsewhere.
_ROMAN = re.compile(r"(?:^|(?<=\s))\((?:i{1,3}|iv|vi{0,3}|ix|x)\)\s+")
#: What parts the columns of a row.
_CELLS = re.compile(r"\s{3,}|\t")
#: Sentences of which is kept what they ask.
_KEPT = 2048
_ASIDE = re.compile(r"\s*\([^()]*\)")


def asked(sentence: str, detail: str, alone: bool, language: Language) -> list[MailQuestion]:
    """
    Return what a sentence asks for itself, in a few words too.

    @param detail: what it wants to be told, C{""} for nothing; alone: nothing else is said.
    """
    if len(sentence) > _LONGEST:
        return _asked_of(sentence, detail, alone, language)
    return list(_asked(sentence, detail, alone, language.code))


@lru_cache(_KEPT)
def _asked(sentence: str, detail: str, alone: bool, code: str) -> tuple[MailQuestion, ...]:
    # The sentences of a thread are read again with each of its mails.
    return tuple(_asked_of(sentence, detail, alone, known_as(code)))


def _asked_of(sentence: str, detail: str, alone: bool, language: Language) -> list[MailQuestion]:
    asks_so, short = is_question(sentence), spelled_out(sentence, language)
    if short:
        return [read_question(short, language)]
    if asks_so and asks_opinion(sentence, language):
        return [read_question(sentence, language, form="opinion")]
    if detail:
        return [read_question(sentence, language, form="what", about=detail)]
    if not asks_so or not asks(sentence, language, alone=alone):
        return []
    return [read_question(part, language, form="opinion" if asks_opinion(part, language) else "")
            for part in apart(led_in(sentence, language), language)]


def spread(
    known: Sequence[tuple[str, list[MailQuestion]]], items: set[str], body: str, language: Language,
    read: Callable[[str, str], list[MailQuestion]],
) -> tuple[list[tuple[str, list[MailQuestion]]], set[str]]:
    """
    Return each sentence, or each piece of one that asks for several things, with what it asks, and those that are an
    item of a list.

    @param known: the sentences with what they ask as they are marked; body: the text they stand in.
    @param read: reads what a sentence asks, by it and the sentence before it.
    """
    sentences = [sentence for sentence, _ in known]
    listed, choices = asking_items(sentences, items, language), joined(sentences, items, language)
    found: list[tuple[str, list[MailQuestion]]] = []
    items = set(items)
    for lead, (sentence, here) in zip(("", *sentences), known):
        if sentence in choices:
            offer = choices[sentence]
            found.extend([(sentence, [replace(read_question(
                sentence, language), form="choice", type="choice", options=offer)])] if offer else ())
            continue
        cut = letter_apart(sentence, language)
        parts = cut if len(cut) > 1 else pieces(sentence, lead, body, language)
        several = len(parts) > 1 and len(cut) == 1
        for part in parts:
            marks = here if len(parts) == 1 else read(part, lead)
            text = "" if marks else marked(part, language, part in listed or several)
            found.append((part, read(text, lead) if text else marks))
            items.update([part] if several and not part.endswith(":") else ())
    return found, items


def asking_items(sentences: Sequence[str], items: Collection[str], language: Language) -> frozenset[str]:
    """Return those items that stand in a list that asks: it is announced so, or one of its sentences is a question."""
    found: set[str] = set()
    for run in _runs(sentences, items):
        lead = sentences[run[0] - 1] if run[0] else ""
        listed = sentences[run[0]:run[-1] + 1]
        if enquires(lead, language) or len(run) > 1 and any(is_question(one) for one in listed):
            found.update(sentences[at] for at in run)
    return frozenset(found)


def joined(sentences: Sequence[str], items: Collection[str], language: Language) -> dict[str, tuple[str, ...]]:
    """
    Return the lists of which one thing is to be chosen, by their first item: "- go anyway, - take the bus, or - stay?".

    The others of such a list are there too, with nothing to choose.
    """
    found: dict[str, tuple[str, ...]] = {}
    for run in _runs(sentences, items):
        listed = [sentences[at].rstrip(_MARKS + "?").lower() for at in run]
        lead = sentences[run[0] - 1] if run[0] else ""
        asks = opens(lead, language) and not language.choice_words.isdisjoint(lead.lower().rstrip(_MARKS).split())
        if len(run) > 1 and (asks or any(one.endswith(f" {language.or_}") or at and one.startswith(
                f"{language.or_} ") for at, one in enumerate(listed))):
            things = (sentences[at].strip(_MARKS + "?") for at in run)
            joint = f"{language.or_} "
            plain = tuple(say(_ASIDE.sub("", one).removesuffix(joint.rstrip()).removeprefix(joint).split(", ")[0].strip(
                _MARKS), 80) for one in things)
            found.update({sentences[at]: () for at in run[1:]}, **{sentences[run[0]]: plain})
    return found


def _runs(sentences: Sequence[str], items: Collection[str]) -> list[list[int]]:
    """The places of the items of each list."""
    found: list[list[int]] = []
    for at, sentence in enumerate(sentences):
        if sentence not in items:
            continue
        between = sentences[found[-1][-1] + 1:at] if found else ()
        if not found or len(between) >= _BETWEEN or any(one.endswith(":") for one in between):
            found.append([])
        found[-1].append(at)
    return found


def enquires(lead: str, language: Language) -> bool:
    """Return whether a sentence announces questions: "a few questions:", "could you tell me roughly:"."""
    low, how = f" {lead.lower()} ", asking(language.code)
    leads = lead.endswith(":") or lead[-1:].isalnum()
    return mentions_any(low, how.enquiring) or leads and any(
        f" {cue}" in low for cue in how.telling if len(cue) > _CUE)


def marked(sentence: str, language: Language, listed: bool) -> str:
    """
    Return a sentence without a mark as the question that it is, C{""} for one that is none.

    @param listed: it stands in a list that asks.
    """
    if "?" in sentence or "://" in sentence:
        return ""
    if len(sentence) > _LONGEST:
        return _marked_of(sentence, language, listed)
    return _marked(sentence, language.code, listed)


@lru_cache(_KEPT)
def _marked(sentence: str, code: str, listed: bool) -> str:
    return _marked_of(sentence, known_as(code), listed)


def _marked_of(sentence: str, language: Language, listed: bool) -> str:
    plain = _ARROW.sub("", sentence, count=1).rstrip(_MARKS)
    start = next((one for one in asking(language.code).beginnings if plain.lower().startswith(f"{one} ")), "")
    if start:
        return f"{capital(asking(language.code).beginnings[start])}{plain[len(start):]}?"  # "ok to use it on jars"
    text = without_leads(plain, asking(language.code).opening)
    hailed = text.split(None, 2)
    if len(hailed) > _LEAST and hailed[0].lower() in language.greeting_words and hailed[1][:1].isupper() and type_of(
            hailed[2].lower(), language) in ("much", "many", "when", "where"):
        return f"{capital(hailed[2])}?"  # "hi Omar how much to true a wheel"
    low = text.lower()
    chooses = listed and len(low.split()) <= _CHOICE and bool(options(f"{text}?", language, asked=True))
    if listed and len(low.split()) >= _LEAST and not _is_whether(low, language) and (
            chooses or opens_question(low, language) or opens(text, language) or asks_late(low, language)):
        return f"{capital(text)}?"
    if opens(text, language) and either(low, language) or type_of(low, language) == "who" and persons(text, language):
        return f"{capital(text)}?"  # "can you drop it off or shall I come past.", "who brings it, you or me"
    head = low.removesuffix(f"{language.yes} {language.or_} {language.no}")
    if listed and low.endswith(f" {language.or_} {restating(language.code).negation}"):
        return f"{capital(text)}?"  # "veg or not"
    if head != low and len(head) > _CUE:
        return f"{capital(text)}?"  # "bonfire - yes or no"
    behind = text.partition(": ")[2]
    if listed and behind and opens(behind, language):
        return f"{capital(text)}?"
    of_those = next((one for one in asking(language.code).of_those if low.startswith(f"{one} ")), "")
    counted = low[len(of_those):].lstrip(" ,")
    return f"{capital(counted)}?" if _counts(counted, language, bool(of_those)) else ""


def _counts(low: str, language: Language, named: bool) -> bool:
    """Whether words ask how many there are, and have no verb: "how many veg, vegan, no nuts"."""
    how, words = restating(language.code), low.replace(",", " ").split()
    return low.startswith(language.number_words) and len(words) <= _COUNTED and (
        named or how.auxiliaries.isdisjoint(words) and how.pronouns.isdisjoint(words) and bool(how.pronouns))


def _is_whether(low: str, language: Language) -> bool:
    return low.startswith(tuple(f"{one} " for one in asking(language.code).whether))


def spelled_out(sentence: str, language: Language) -> str:
    """Return a few words as the question that they stand for: "is it yours?" of "yours?"; C{""} for others."""
    how, low = asking(language.code), sentence.lower().strip(_MARKS + "\"')¿¡")
    whole = how.elliptical.get(low, "") if "?" in sentence else how.explaining.get(low, "")
    return f"{capital(whole)}?" if whole else ""


def letter_apart(sentence: str, language: Language) -> list[str]:
    """Return a sentence cut behind a letter that looks like an abbreviation: "reply with a, b or c. Is it urgent?"."""
    found = _LETTER.search(sentence)
    apart = found is not None and opens(sentence[found.end():], language)
    return [sentence[:found.start() + 1], sentence[found.end():]] if found is not None and apart else [sentence]


def pieces(sentence: str, lead: str, body: str, language: Language) -> list[str]:
    """
    Return a sentence in the pieces that each ask for something, as they stand on lines of their own behind what asks to
    be told them, or behind arrows.

    @param lead: the sentence before it; body: the text that it stands in.
    """
    cells = [one.strip() for one in _CELLS.split(sentence)]
    if len(cells) > 1 and any(map(is_question, cells)):
        return [one for one in cells if one]  # "line 5   parts, misc   £141   what parts?"
    arrows = [one.strip() for one in _ARROW.split(sentence)]
    if len(arrows) > 1 and (not arrows[0] or len(arrows) > 2):
        return [one for one in arrows if one]
    roman = [one.strip(" ,;") for one in _ROMAN.split(sentence)]
    if len(roman) > _ROMANS or len(roman) > 2 and roman[0][-1:] in ("", ":"):
        return [one for one in roman if one]  # "(i) the size, (ii) a plan, (iii) whether ..."
    if not enquires(lead, language) or len(sentence) > _LONGEST:
        return [sentence]
    found: list[str] = []
    for line in _lines(sentence, body):
        text = line.lstrip("-–*•· ")
        if _begins(text.lower(), language) or not found:
            found.append(text)
        else:
            found[-1] = f"{found[-1]} {text}"
    return found if len(found) > 1 and all(_begins(one.lower(), language) for one in found) else [sentence]


def _begins(low: str, language: Language) -> bool:
    """Whether lower-case words begin a question, or what is behind "whether"."""
    return _is_whether(low, language) or bool(type_of(low, language)) or opens_question(low, language)


def _lines(sentence: str, body: str) -> list[str]:
    """The lines that a sentence stands on."""
    words = sentence.rstrip(_MARKS).split()
    found = re.search(r"\s+".join(map(re.escape, words)), body) if words else None
    return [line.strip() for line in found.group().split("\n")] if found is not None else [sentence]


def left_to_say(sentence: str, language: Language) -> str:
    """Return the clause of what is to be said if it is so: "you can come along", of "if you can come along say so"."""
    how, text = asking(language.code), _ASIDE.sub("", sentence).strip(_MARKS)
    low = text.lower()
    start = next((one for one in how.conditions if low.startswith(f"{one} ")), "")
    plain = f"{low.replace(',', ' ')} "
    end = min((at for one in how.say_so if (at := plain.find(f" {one} ")) > 0), default=0)
    if not start or not end or is_question(sentence):
        return ""
    condition, _, behind = text[:end].partition(", ")
    if len(behind.split()) > _LEAST or len(_verbs(condition, language)) > 1:
        return ""  # "if you can't be there we can use our key, tell us"
    clause = condition.split()[1:]
    while clause and clause[-1].lower() in how.opening.leads:
        clause.pop()  # "if you can come please say so"
    return " ".join(clause) if len(clause) > _LEAST else ""


def _verbs(clause: str, language: Language) -> list[str]:
    """The first verbs in a clause, as far as they are known; one that denies counts as two."""
    how, low = restating(language.code), clause.lower().replace("\u2019", "'").split()
    denied = [one for one in low if one in how.negated.values()]
    return [*(one for one in low if one in how.auxiliaries), *denied, *denied]


def decision(sentence: str, after: str, language: Language) -> str:
    """Return the clause that somebody has to decide of: "you accept", of "if you accept we pay.  If not, say why."."""
    how, low = asking(language.code), sentence.lower()
    cue = next((one for one in how.deciding if low.startswith(f"{one} ") or low.startswith(f"{one},")), "")
    if not cue or is_question(sentence) or not f"{after.lower()} ".startswith(how.if_not):
        return ""
    return sentence[:len(cue)].partition(" ")[2]
