"""
The two things that a question has one choose from, where no article tells where the first begins: its last words.

What stands behind "or" ends where the clause does; what stands before it begins as that does, with a preposition, a day
or a number, or is one word.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.declarative import languages as declarative
from simmail.core.language.clause.question_types import asking
from simmail.core.language.clause.tables import Restate, done, restating
from simmail.core.language.tables import Language

#: So many words at most are a thing to choose.
_MOST = 9
#: And so many, where there are three or more.
_LISTED = 5
_MARKS = ".,;:!?…()–—-"


def alternatives(question: str, language: Language) -> tuple[str, ...]:
    """Return what a question has one choose from, C{()} where it has none or offers two clauses."""
    tokens = question.replace("\u2019", "'").strip(" ?¿\"'").split()
    low = [token.lower() for token in tokens]
    if language.or_ not in low:
        return ()
    middle = low.index(language.or_)
    left, right = _behind_mark(tokens[:middle]), _up_to_mark(tokens[middle + 1:])
    # "Would Tuesday or Thursday at 3 work for a call?"
    right = right[:next((at for at in range(1, len(right)) if right[at].lower() in language.option_verbs), len(right))]
    right = right[:next((at for at, one in enumerate(right) if at and one.lower() in language.option_ends), None)]
    if not left or not right or len(right) > _MOST or is_clause(right, language):
        return ()
    if right[0].lower() in language.clause_openers or right[0].lower() in language.not_words and not is_timed(
            " ".join(right), language):
        return ()
    how = restating(language.code)
    if low[middle + 2:middle + 3] == [language.no]:
        return ()  # "es alérgica o ya no"
    if right[0].lower() in how.asked or right[0].lower() in how.asking:
        return ()  # "or you could sign the other one"
    if how.order == "verb_second" and len(right) > 1 and not _acts(left[-1:], how) and _acts(right[-1:], how):
        right = right[:-1]  # "am Donnerstag oder am Montag kommen"
    if len(left) > 1 and right[-1] in how.no_verbs and _acts(left[-1:], how):
        left = left[:-1]  # "zusammen liefern oder einzeln"
    start = _start(left, right, language)
    first = left[start:]
    if len(first) > _MOST or first[0].lower() in {*how.asked, *how.auxiliaries, *how.persons}:
        return ()
    acts = right[0].lower() in how.verbs and done(first[0].lower(), how) or _acts(right[-1:], how)
    if not acts and not is_timed(" ".join(right), language) and right[0].lower() not in language.choice_prepositions:
        # "10 oz we went for in the end"
        right = right[:next((at for at, one in enumerate(right) if at and one.lower() in language.phrase_stops), None)]
    if len(first) > 1 and first[-1].lower() in how.prefixes and right[0].lower() not in language.choice_prepositions:
        first = first[:-1]  # "reist du am Montag an oder erst am Dienstag"
    elif first[-1].lower() in language.choice_prepositions and right[0].lower() in language.choice_prepositions:
        first = [*first, *right[1:]]  # "before or after the talk"
    return " ".join(first), " ".join(right)


def several(text: str, language: Language) -> tuple[str, ...]:
    """
    Return the three or more things that words list with "or": black, silver and polished, of "they come in black,
    silver or polished"; C{()} for fewer, for clauses and for long ones.
    """
    tokens = text.replace("\u2019", "'").strip(" ?!.\"'").split()
    middle = next((at for at in range(len(tokens) - 2, 1, -1) if tokens[at].lower() == language.or_), 0)
    starts = [at + 1 for at in range(middle - 1) if tokens[at].endswith(",")] if middle else []
    if not starts:
        return ()
    right = _up_to_mark(tokens[middle + 1:])
    how = restating(language.code)
    acts = how.order == "inverted" and right and all(
        done(tokens[at].lower(), how) for at in (*starts, middle + 1)) and _deeds(tokens, starts, middle, right, how)
    if acts:
        return acts
    right = right[:next((at for at, one in enumerate(right) if at and one.lower() in (
        language.option_ends | language.option_verbs)), None)]
    items = [[one.strip(_MARKS) for one in tokens[begin:end]] for begin, end in zip(starts, [*starts[1:], middle])]
    # Only what is as short as the last but one is listed with it.
    long = next((at for at in range(len(items) - 1, -1, -1) if len(items[at]) > _LISTED), -1)
    items, starts = items[long + 1:], starts[long + 1:]
    if not items or not right or len(right) > _LISTED or any(not all(one) or is_clause(one, language) for one in (
            *items, right)) or any(one[0].lower() in how.objects for one in (*items, right)):
        return ()  # nor who of two persons does it
    head = [one.strip(_MARKS) for one in tokens[:starts[0]]]
    if items[0][0].lower() not in language.determiners | language.choice_prepositions and not is_timed(
            " ".join(items[0]), language):
        first = head[-len(items[0]):]
        right = right[:max(1, len(items[-1]))]
    else:
        first = head[_start(head, items[0], language):]
    if not first or not all(first) or len(first) > _LISTED:
        return ()
    if first[0].lower() in how.objects or _group(first, language) != _group(items[0], language):
        return ()
    return tuple(" ".join(one) for one in (first, *items, right))


def _deeds(
    tokens: Sequence[str], starts: Sequence[int], middle: int, right: Sequence[str], how: Restate
) -> tuple[str, ...]:
    """Three or more things that may be done: "shall we repair, dispose of it, or bring it back?"."""
    head = [one.strip(_MARKS) for one in tokens[:starts[0]]]
    first = max((at for at, one in enumerate(head) if one.lower() in {*how.asking, *how.asked, how.to}), default=-1)
    items = [head[first + 1:], *([one.strip(_MARKS) for one in tokens[begin:end]] for begin, end in zip(
        starts, [*starts[1:], middle])), list(right)]
    asks = first > 0 and head[first - 1].lower() in how.offering and head[first].lower() in how.asking
    # "Do you want us to run it, bin it or send it back?"
    asks = asks or first > 0 and head[first].lower() == how.to and how.objects.get(head[first - 1].lower()) in how.asked
    lead = f"{how.please} " if asks else ""
    return tuple(f"{lead}{' '.join(one)}" for one in items) if all(
        one and all(one) and len(one) <= _MOST for one in items) and done(items[0][0].lower(), how) else ()


def _group(part: Sequence[str], language: Language) -> int:
    """How a thing to choose begins: with an article, a preposition, or neither."""
    first = part[0].lower()
    return 1 if first in language.determiners else 2 if first in language.choice_prepositions else 0


def is_clause(part: Sequence[str], language: Language) -> bool:
    """Return whether words begin a question of their own: "is that on me", "kaufen wir einen neuen"."""
    how, low = restating(language.code), [one.lower() for one in part[:2]]
    if low[0].partition("-")[0] in ("est", *how.auxiliaries) and len(part) > 1 or "-" in low[0] and (
            low[0].rpartition("-")[2] in asking(language.code).behind_verbs):
        return True
    if not how.you.union(how.speakers).isdisjoint(low) or how.you and not how.myself and (
            low[0] in how.mine or low[0] in how.clitics and low[-1] in how.mine):
        return True  # "je te la redonne", "la traes", "vamos nosotros"
    pronoun = how.you and not how.myself and low[0] in how.clitics and low[0] not in language.determiners
    if pronoun and len(part) > 1 and not low[1].endswith(how.verb_endings):
        return True  # "te doy dinero", and not "le faire réparer"
    if declarative.is_own_deed(part, language.code):
        return True  # "cojo un taxi"
    subjects = {*how.asked, *how.asking, *how.subjects, *language.determiners}
    return language.inflected and len(part) > 1 and part[0].islower() and low[0] not in (
        subjects | language.choice_prepositions) and (part[1] in subjects or low[1] in subjects)


def is_timed(option: str, language: Language) -> bool:
    """Return whether an option is a day or an hour."""
    low = [one.strip(".,").lower() for one in option.split()]
    return any(one in language.weekday_forms or one in language.near_days or (
        one[-1:] == "s" and one[:-1] in language.weekday_forms) for one in low) or any(
        ":" in one and one.replace(":", "").isdigit() for one in low)


def _up_to_mark(tokens: Sequence[str]) -> list[str]:
    """Words up to a mark, without it."""
    end = next((at for at, one in enumerate(tokens) if _ends(one)), len(tokens) - 1) + 1
    return [one.rstrip(_MARKS) for one in tokens[:end] if one.rstrip(_MARKS)]


def _behind_mark(tokens: Sequence[str]) -> list[str]:
    """Words behind the last mark; one right before "or" ends nothing."""
    start = next((at + 1 for at in range(len(tokens) - 2, -1, -1) if _ends(tokens[at])), 0)
    return [one.strip(_MARKS + "(") for one in tokens[start:] if one.strip(_MARKS + "(")]


def _ends(word: str) -> bool:
    # "17." is a number, "S." may be a name.
    return word[-1] in _MARKS and not (word[-1] == "." and (word[:-1].isdigit() or len(word) < 4))


def _acts(last: Sequence[str], how: Restate) -> bool:
    return bool(last) and last[0].islower() and last[0].endswith(how.verb_endings) and last[0] not in how.no_verbs


def _start(left: Sequence[str], right: Sequence[str], language: Language) -> int:
    """Where the first of two things begins, by how the second does, with all of its name."""
    how, low = restating(language.code), [one.lower() for one in left]
    start = _begin(left, right, language)
    if is_timed(" ".join(right), language):
        return start
    while start and low[start - 1] not in how.auxiliaries and low[start - 1] not in language.question_words and (
            not left[start][0].islower() and left[start - 1][0].isupper() or left[start - 1].endswith("'s")):
        start -= 1  # "Leo Grant or Leo Hussain", "Lee's lads or another lot"
    return start


def _begin(left: Sequence[str], right: Sequence[str], language: Language) -> int:
    """Where the first of two things begins, by how the second does."""
    low, opening = [one.lower() for one in left], right[0].lower()
    if is_timed(" ".join(right), language):
        # As far back as words are of days and hours.
        start = len(left)
        while start and of_time(low[start - 1], language):
            start -= 1
        return start if start < len(left) else len(left) - 1
    for group in (language.choice_prepositions, language.determiners):
        if opening in group:
            same = [at for at, one in enumerate(low) if one == opening] or [
                at for at, one in enumerate(low) if one in group]
            return same[-1] if same else len(left) - 1
    how = restating(language.code)
    if opening in how.verbs and how.order == "inverted":
        # "Paint it white or leave it as it is."
        acts = [at for at, one in enumerate(low) if one in how.verbs and one not in how.auxiliaries or (
            not at or low[at - 1] == how.to) and done(one, how)]
        if acts:
            return acts[-1]
    start = len(left) - 1
    if start and opening in language.counts and low[start - 1] in language.counts and len(right) == 1:
        return start - 1  # "one toner or two"
    while start and low[start - 1] in language.determiners | language.choice_prepositions:
        start -= 1  # "by the window or near the stage"
    return start


def of_time(low: str, language: Language) -> bool:
    """Return whether a lower-case word is of a day or an hour, or may stand inside of one."""
    return any(map(str.isdigit, low)) or low in language.weekday_forms or low[-1:] == "s" and (
        low[:-1] in language.weekday_forms) or low in language.month_forms or (
        low in language.near_days or low in language.hour_words or low in language.choice_prepositions
        or low in language.determiners or low in asking(language.code).of_time)
