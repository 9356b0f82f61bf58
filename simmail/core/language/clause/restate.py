"""
What a sentence asks, said again by who was asked: "where should I park?" is about "where you should park".

Four clauses can be made: that of a question (L{indirect}), a yes or a no in full (L{statement}), what a request wants
done (L{deed}), and what it wants found out (L{found_out}): "could you ask whether the hall is free?" wants to know
whether it is, which nobody knows before having asked, so it is neither agreed to nor done.  A clause that cannot be
made for sure is C{""}; nobody says it then.  How a language orders its words is data, C{templates/<code>/restate.yaml};
of one without that file nothing is restated.
"""

from __future__ import annotations

from simmail.core.language.clause import declarative, infinitive, inverted, verb_second
from simmail.core.language.clause.inverted import flipped
from simmail.core.language.clause.tables import (
    MOST_WORDS, STOPS, Statement, asked, asking_part, clause_words, cut, fit, led_in, question_head, restating,
)
from simmail.core.language.phrases import say
from simmail.core.language.tables import Language


def indirect(question: str, language: Language, polite: bool = True) -> str:
    """
    Return a question as a clause of the answering side: C{where you should park}, C{who signs the contract}.

    @param polite: the reader is called "Sie", where a language tells that apart.
    """
    how = restating(language.code)
    words = asked(question, how)
    if how.last_fillers.intersection(word.lower() for word in words[-1:]) and len(words) < 9:
        words = words[:-1]
    if not how.turns or len(words) < 2:
        return ""
    if how.order == "verb_second" and len(clause_words(question)) - len(led_in(clause_words(question), how)) > 1:
        # "Do you know where the key is": a clause already, if nobody is spoken to in it.
        own = {*how.asked, *how.asking, *how.objects}
        return fit(" ".join([words[0].lower(), *words[1:]])) if own.isdisjoint(words) else ""
    head = question_head(words, how)
    if not head:
        return ""
    rest = words[head:]
    if not rest or rest[0].lower() in how.partitives:
        return ""
    if how.order == "inverted":
        clause = inverted.clause(words[:head], rest, how)
    else:
        clause = verb_second.clause(words[:head], rest, how, polite)
    return fit(clause)


def statement(question: str, language: Language, polite: bool = True) -> Statement:
    """Return a yes-or-no question as a yes and a no in full: C{I'm going to the fair}, C{I'm not going to ...}."""
    how = restating(language.code)
    if how.order == "infinitive" and asks_ability(question, language):
        return Statement(infinitive.ability(clause_words(question), how), "")
    if how.order == "infinitive":
        return declarative.statement(question, how, polite)
    words = asked(question, how)
    if not how.turns or len(words) < 2:
        return Statement("", "")
    if words[0].lower() not in how.whether:
        words = asking_part(question, how) or words
    if words[0].lower() in how.whether:
        return whether(question, language, polite)  # "do you know whether he has to register?"
    if how.order == "inverted":
        return inverted.statement(words, how)
    return verb_second.statement(words, how, polite)


def whether(clause: str, language: Language, polite: bool = True) -> Statement:
    """Return what a clause behind "whether" says, as a yes and a no in full."""
    how = restating(language.code)
    words = asked(clause, how)
    if words and words[0].lower() in how.whether:
        words = words[1:]
    if not how.turns or len(words) < 2:
        return Statement("", "")
    if how.order == "verb_second":
        return verb_second.statement([words[-1], *words[:-1]], how, polite)
    place = next((at for at, word in enumerate(words[1:6], 1) if word.lower() in how.auxiliaries), None)
    if place is None:
        plain = words[0].lower() in how.asked and how.base
        return inverted.statement([how.base, *words], how) if plain else Statement("", "")
    return inverted.statement([words[place], *words[:place], *words[place + 1:]], how)


def retold(sentence: str, language: Language) -> str:
    """Return what somebody tells of itself, as its reader says it again: C{you found a flat}; C{""} if it cannot be."""
    how = restating(language.code)
    words = cut(clause_words(sentence), how)
    if how.order != "inverted" or not 3 <= len(words) <= MOST_WORDS - 2:
        return ""
    low = [word.lower() for word in words]
    if low[0] in how.asking and low[1] in how.yours:
        words[1] = how.yours[low[1]]
    elif low[0] in how.asked:
        return ""
    said = inverted.flipped(words, how, objects=True)
    return fit(said[:1].lower() + said[1:])


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
    words = clause_words(request)
    while len(words) > 4 and " ".join(words[-2:]).lower().strip("?") in language.do_words:
        words = words[:-2]  # "make it five shelves, would you"
    pleaded = next((at + 1 for at, word in enumerate(words) if word.lower() in how.pleading and (
        not at or words[at - 1] in STOPS)), 0)
    told = verb_second.plea(cut(words[pleaded:], how), how, polite) if pleaded else ("", "")
    if told[0]:
        return told
    low = f" {' '.join(words).lower()} "
    start = next((one for one in how.request_starts if f" {one} " in low), "")
    if start and low.split()[-len(start.split()):] != start.split():
        before = low.partition(f" {start} ")[0].split()
        words = words[len(before) + len(start.split()):]
        if words[0].lower() in (language.and_, language.or_):
            return "", ""  # "will you and Ifan come"
        if before and f"r{before[-1]}" in how.suffixes:
            words[0] += before[-1]  # "te puedes quedar" is "puedes quedarte"
    elif how.order == "infinitive" or how.order == "inverted" and not how.verbs.intersection(
        word.lower() for word in led_in(words, how)[:1]
    ):
        return "", ""
    rest = led_in(words, how)
    if len(words) - len(rest) > 1:
        return "", ""  # "let us know and we will ..."
    # "And could you", but "a photo and the size".
    words = cut([word for at, word in enumerate(rest) if word.lower() not in how.request_fillers or at and
                 word.lower() == language.and_], how)
    low_words = [word.lower() for word in words]
    if not 2 <= len(words) <= MOST_WORDS or low_words[0] in how.question_starts:
        return "", ""
    # "Tell the others", "come and look at it".
    done = low_words[0] in how.passing_on and low_words[1] not in how.objects or (
        low_words[0] in how.coming and low_words[1] in how.visiting)
    if low_words[0] in how.no_deeds and not done:
        return "", ""
    if asks_ability(request, language):
        return "", ""
    if how.order == "infinitive":
        said = infinitive.deed(words, how, polite)
        return said, said
    if how.order == "inverted":
        if low_words[0] in how.verbs and words[0].istitle():
            words[0] = low_words[0]
        helps = low_words[0] in how.auxiliaries and low_words[1] not in language.of_any  # "have a look" is no help
        if helps or low_words[0] in how.determiners | how.subjects or low_words[0] in how.asked:
            return "", ""
        said = fit(inverted.flipped(words, how, objects=True))
        return said, said
    return verb_second.deed(words, how, polite)


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


def whether_clause(clause: str, language: Language) -> str:
    """
    Return what is to be found out as it stands behind "I don't know", by who was asked: C{whether you may park}.

    @return: C{""} for what cannot be said again for sure.
    """
    how = restating(language.code)
    words = clause.split()
    if len(words) < 2 or not how.whether:
        return ""
    if how.order == "inverted":
        return fit(f"{how.whether[0]} {flipped(words, how, objects=True)}")
    persons = {*how.asked, *how.asking, *how.objects, *how.persons}
    # Where verbs would have to change with the person, only what speaks of neither side is said again.
    if any(word in persons or word.lower().partition("'")[0] in persons for word in words) or (
            how.persons and words[0].lower() not in how.determiners):
        return ""
    return fit(f"{how.whether[0]} {clause}")
