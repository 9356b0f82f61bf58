"""
What a request wants, said again by who was asked: what is to be done (L{deed}), and what is to be found out
(L{found_out}), which nobody knows before having asked.

Only a deed with one verb and a plain object is said again, for then its grammar is certain; of another it is C{""}, and
nobody says it.  How a language orders its words is data, C{templates/<code>/restate.yaml}.
"""

from __future__ import annotations

import re

from simmail.core.language.clause import infinitive, inverted, verb_second
from simmail.core.language.clause.tables import (
    STOPS, Restate, asking_part, clause_words, cut, done, fit, led_in, restating,
)
from simmail.core.language.tables import Language
from simmail.core.language.text import say

#: So many words at most, the verb with them, are a deed with a plain object.
_PLAIN = 12
#: And so many with several things, each of so many words.
_LISTED, _THING = 28, 7


def of_another(question: str, language: Language) -> bool:
    """Return whether a yes-or-no question is about somebody else than its reader: "does she eat meat?"."""
    how = restating(language.code)
    words = asking_part(question, how) or clause_words(question)
    if how.order == "infinitive":
        return not any(map(question.lower().__contains__, how.nobody)) and any(
            word.lower().rpartition("-")[2] in how.others for word in words[:6])
    if how.order == "inverted" and words[1:2] and words[1] in how.others:
        return how.asked.keys().isdisjoint(words)  # "does he have any allergies we should know about"
    if not {*how.asked, *how.objects}.isdisjoint((*words, *(word.lower() for word in words))):
        return False
    return len(words) > 1 and (words[1] in how.others or words[1][0].isupper() and words[1] not in how.no_verbs)


def asks_ability(question: str, language: Language) -> bool:
    """
    Return whether a question is how somebody is, or what it would do, and wants nothing done: "can you walk again?",
    "would you hire him again?".
    """
    how = restating(language.code)
    words = frozenset(word.lower() for word in clause_words(question))
    return not how.abiding.isdisjoint(words) and not (how.abilities.isdisjoint(words) and how.wishing.isdisjoint(words))


def deed(request: str, language: Language, polite: bool = True) -> tuple[str, str]:
    """
    Return what a request wants done, by who is asked, and that it is not done: as they stand behind "I'll" and
    behind "I can't" (of a language with the verb in the second place: behind "ich").

    @return: two phrases, C{""} for what cannot be said.
    """
    how = restating(language.code)
    request = _plainly(request, how)
    words = clause_words(_unhurried(request, how))
    while len(words) > 4 and " ".join(words[-2:]).lower().strip("?") in language.do_words:
        words = words[:-2]  # "make it five shelves, would you"
    pleaded = next((at + 1 for at, word in enumerate(words) if word.lower() in how.pleading and (
        not at or words[at - 1] in STOPS)), 0)
    plea = cut(words[pleaded:], how)
    told = verb_second.plea(plea, how, polite) if pleaded and len(plea) <= _PLAIN else ("", "")
    if told[0]:
        return told if how.unclear.isdisjoint(word.lower() for word in plea) else ("", "")
    low = f" {' '.join(words).lower()} "
    start = next((one for one in how.request_starts if f" {one} " in low), "")
    if start and low.split()[-len(start.split()):] != start.split():
        before = low.partition(f" {start} ")[0].split()
        words = words[len(before) + len(start.split()):]
        pair = "".join(before[-2:])
        if len(before) > 1 and f"r{pair}" in how.suffixes and words[0][-2:-1] in how.stressed:
            # "Me lo puedes mandar" is "puedes mandármelo".
            words[0] = f"{words[0][:-2]}{how.stressed[words[0][-2]]}{words[0][-1]}{pair}"
        elif before and f"r{before[-1]}" in how.suffixes:
            words[0] += before[-1]  # "te puedes quedar" is "puedes quedarte"
    elif how.order == "infinitive" or how.order == "inverted" and not any(
            done(word.lower(), how) for word in led_in(words, how)[:1]):
        return "", ""
    rest = led_in(words, how)
    if len(words) - len(rest) > 1:
        return "", ""  # "let us know and we will ..."
    rest = [word for at, word in enumerate(rest) if at or word.lower() != language.and_]
    rest = _as_many(rest, language)
    things = _listed(rest, language) if how.order == "inverted" else 0
    words = rest[:things] or cut(rest, how)
    # "Before then" is a time.
    words = [word for before, word in zip(["", *words], words) if word.lower() not in how.request_fillers or (
        word.lower() == language.and_ or before.lower() in how.prepositions)]
    low_words = [word.lower() for word in words]
    clear = [word for word, after in zip(low_words, [*low_words[1:], ""]) if (
        word != language.and_ or after not in language.clock_parts)]  # "a las siete y cuarto"
    second = any(one == language.and_ and after not in how.determiners and not _counted(after, language)
                 for one, after in zip(clear, clear[1:])) and not things
    # "Die Geranien gießen und den Briefkasten leeren": two infinitives are said one after the other.
    both = how.order == "verb_second" and language.and_ in clear and all(one.endswith(how.verb_endings) for one in (
        clear[clear.index(language.and_) - 1], clear[-1]))
    if second or not 2 <= len(words) <= (_LISTED if things else _PLAIN + _PLAIN * both) or not how.unclear.isdisjoint(
            [one for one in clear if not both or one != language.and_]) or (
            how.order != "infinitive" and low_words[0] in how.no_deeds):
        return "", ""  # two deeds, or a clause that hangs on one
    if asks_ability(request, language):
        return "", ""
    if how.order == "infinitive":
        said = infinitive.deed(words, how, polite)
        return said, said
    if how.order == "inverted":
        light = low_words[:2] in how.light  # "have a look"
        if not light and (not done(low_words[0], how) or low_words[0] in how.auxiliaries):
            return "", ""
        said = fit(inverted.flipped([low_words[0], *words[1:]], how)).replace(" ,", ",")
        return said, said
    return verb_second.deed(words, how, polite)


def _plainly(request: str, how: Restate) -> str:
    """A request that is led in at length as it is asked else: "wären Sie so nett, sie zurückzuschneiden?"."""
    if how.order == "infinitive":
        for courtesy in how.courtesies:
            request = re.sub(rf",?\s{courtesy}(?!\w),?", "", request, flags=re.IGNORECASE)
        for short, whole in how.unelided.items():  # "merci d'éteindre"
            ends = "|".join(how.verb_endings)
            request = re.sub(rf"(?<!\w){short}(?=\w+(?:{ends})(?!\w))", whole, request.replace("\u2019", "'"))
        return request
    low = f" {request.lower()}"
    lead = max((one for one in how.leads if f" {one}" in low), key=len, default="")
    if not lead or len(low) != len(request) + 1:
        return request
    words = request[low.index(f" {lead}") + len(lead):].lstrip(" ,").rstrip(" .!?").split()
    words = words[:next((at + 1 for at, word in enumerate(words) if word[-1] in _MARKS), len(words))]
    last = words[-1].rstrip(_MARKS) if words else ""
    prefix = max((one for one in how.prefixes if last.startswith(f"{one}{how.to_deed}")), key=len, default="")
    if f"{last.replace(how.to_deed, '', 1)} {last}".split()[0].startswith(tuple(how.no_deeds)) or last.startswith(
            tuple(how.no_deeds)):
        return request  # "ich bitte Sie, die Verspätung zu entschuldigen"
    if words[-2:-1] == [how.to_deed]:
        words = [*words[:-2], last]
    elif prefix:
        words = [*words[:-1], f"{prefix}{last[len(prefix) + len(how.to_deed):]}"]
    elif ", " not in lead:
        return request
    return " ".join([how.leads[lead], *words])


def _as_many(words: list[str], language: Language) -> list[str]:
    """Words with "three or four" in one piece, so that no deed ends within."""
    found: list[str] = []
    for word in words:
        if found[1:] and found[-1].lower() == language.or_ and _counted(found[-2].lower(), language) and _counted(
                word.lower(), language):
            found[-2:] = [f"{found[-2]} {found[-1]} {word}"]
        else:
            found.append(word)
    return found


def _counted(word: str, language: Language) -> bool:
    """Whether a lower-case word is a number of things: "6", "two"."""
    return word[:1].isdigit() or word in language.counts


def _listed(words: list[str], language: Language) -> int:
    """
    The place where a deed with several things ends: "put by six lengths of pipe, a bag of elbows and 2 tubs of flux";
    0 for one thing, and for a list with a clause in it.
    """
    how = restating(language.code)
    low = [word.lower() for word in words]
    commas = [at for at, word in enumerate(low) if at > 1 and word == ","]
    ends = [at for at, word in enumerate(low) if at > 1 and (word in STOPS and word != "," or word in how.ends)]
    parts: list[tuple[int, int]] = []
    for begin, end in zip(commas, [*commas[1:], len(low)]):
        end = min([end, *(at for at in ends if at > begin)])
        part = low[begin + 1:end]
        inner = [at for at, word in enumerate(part) if word == language.and_]
        things = [part[:inner[0]], part[inner[0] + 1:]] if inner else [part]
        things = [one for one in things if one]
        if len(inner) > 1 or not things or not all(_is_thing(one, language) for one in things):
            break
        parts.append((begin, end))
        if inner or end in ends:
            break
    whole = bool(parts) and language.and_ in low[parts[-1][0]:parts[-1][1]]
    return parts[-1][1] if whole else 0


def _is_thing(part: list[str], language: Language) -> bool:
    """Whether lower-case words are a thing, and no clause: "a bag of 22 elbows", "two brushes"."""
    how = restating(language.code)
    persons = {*how.asked, *how.asking, *how.subjects, *how.objects}
    return len(part) <= _THING and persons.isdisjoint(word.partition("'")[0] for word in part) and (
        how.auxiliaries.isdisjoint(part)) and (part[0] in how.determiners or _counted(part[0], language) or not done(
            part[0], how) and part[0] not in how.prepositions)


def wants_deed(request: str, language: Language) -> bool:
    """Return whether a request wants a deed, though it is not plain enough to be said again: "please check ... and"."""
    how = restating(language.code)
    low = [word.lower() for word in clause_words(_unhurried(request, how))]
    text = f" {' '.join(low)} "
    start = next((one for one in how.request_starts if f" {one} " in text), "")
    behind = text.partition(f" {start} ")[2].split()[:1] if start else []
    return any(done(one, how) for one in behind) and how.no_deeds.isdisjoint(behind)


def _unhurried(request: str, how: Restate) -> str:
    """A request without words that only leave the time to who is asked: "when you get a minute"."""
    low = request.lower().replace("\u2019", "'")
    if len(low) == len(request):
        for phrase in how.leisurely:
            at = low.find(f" {phrase}")
            if at > 0 and not low[at + len(phrase) + 1:].lstrip()[:1].isalnum():
                request, low = request[:at] + request[at + len(phrase) + 1:], low[:at] + low[at + len(phrase) + 1:]
    return request


# Marks behind which something else begins; a full stop may belong to a number or a title.
_MARKS = ",;:?!"


def found_out(text: str, language: Language) -> str:
    """
    Return what a request wants found out: C{the hall is free} of "could you find out whether the hall is free?".

    @return: as its writer has it, C{""} where nothing is to be found out.
    """
    how = restating(language.code)
    words = say(text, 400).replace("\u2019", "'").split()
    low = [word.strip(_MARKS).lower() for word in words]
    start = _after(low, how.finding)
    at = _after(low, how.whether, start) if start else 0
    if not at or any(word.partition("'")[0] in how.askers for word in low[:start]):
        return ""  # "I wanted to ask whether" asks its reader
    told: list[str] = []
    for spot in range(at, len(words)):
        if len(told) > 1 and " ".join(low[spot:]).startswith(how.reporting):
            break
        told.append(words[spot].rstrip(_MARKS))
        # "14." is a number, "repaired." the end.
        if words[spot][-1:] in _MARKS or words[spot][-1:] == "." and words[spot][-2:-1].isalpha():
            break
    return " ".join(told).strip(" .")


def _after(low: list[str], phrases: tuple[str, ...], start: int = 0) -> int:
    """The place behind the first of some phrases, 0 for none."""
    for at in range(start, len(low)):
        for phrase in phrases:
            size = len(phrase.split())
            if low[at:at + size] == phrase.split():
                return at + size
    return 0


def own_matter(clause: str, language: Language) -> bool:
    """Return whether what is to be found out is for its reader to decide: "whether you can come"."""
    how = restating(language.code)
    return any(word in how.asked or word.lower() in how.own_persons for word in clause.split())
