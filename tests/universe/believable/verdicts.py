"""
What a program finds in answers, and what a critic's scores come to.

A fault makes an answer wrong whatever else it says; that an answer has none does not make it good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tests.universe.believable.specimens import Conversation, Patterns, Specimen, Turn
from tests.universe.believable.stage import Letter, Played

#: Kinds of letters that answer the mail before them.
ANSWERS = ("reply", "correction", "forward")
SCORES = (0, 1, 2, 3)


class Verdict(NamedTuple):
    """
    What a program says of the answer to one mail.

    @ivar faults: one line each; without any it is not wrong as far as a program sees.
    @ivar found, sought: how many of C{must} are in it, of how many.
    @ivar recall: whether a question about what was said was answered right, None where none was asked.
    """

    faults: tuple[str, ...] = ()
    found: int = 0
    sought: int = 0
    recall: bool | None = None


def of_mail(mail: Specimen, played: Played, patterns: Patterns) -> Verdict:
    """What is to be said of the answer to a mail."""
    letters = [one for one in played.letters if one.kind in ANSWERS]
    if not letters:
        return Verdict(("no answer",) if mail.answer == "due" else ())
    text = "\n".join(one.text for one in letters)
    faults = [f"wrong: {one}" for one in mail.must_not if patterns.compiled(one, mail.language).search(text)]
    if mail.itip and mail.itip not in [one.calendar for one in letters]:
        faults.append("no calendar reply")
    faults += _anywhere(played.letters, mail.language, patterns)
    found = sum(bool(patterns.compiled(one, mail.language).search(text)) for one in mail.must)
    return Verdict(tuple(faults), found, len(mail.must))


def of_conversation(conversation: Conversation, played: Played, patterns: Patterns) -> list[Verdict]:
    """The same for each turn."""
    kept: dict[str, str] = {}
    verdicts = [_of_turn(number, turn, conversation.language, played, patterns, kept)
                for number, turn in enumerate(conversation.turns)]
    for number, turn in enumerate(conversation.turns):
        for pattern in turn.never:
            for letter in played.letters:
                if letter.turn >= number and patterns.compiled(pattern, conversation.language).search(letter.text):
                    old = verdicts[letter.turn]
                    verdicts[letter.turn] = old._replace(
                        faults=(*old.faults, f"called off ({letter.kind}): {pattern}"),
                        recall=None if old.recall is None else False)
    return verdicts


def _of_turn(
    number: int, turn: Turn, language: str, played: Played, patterns: Patterns, kept: dict[str, str]
) -> Verdict:
    letters = [one for one in played.answers(number) if one.kind in ANSWERS]
    asked = turn.recall and (not turn.given or turn.given in kept)
    if not letters:
        return Verdict(("no answer",), 0, len(turn.must), False if asked else None)
    text = "\n".join(one.text for one in letters)
    for name, pattern in turn.keep.items():
        match = patterns.compiled(pattern, language).search(text)
        if match:
            kept[name] = match[1]
    if turn.given and turn.given not in kept:
        # What it never said it need not remember.
        return Verdict(tuple(_anywhere(letters, language, patterns)))
    faults = [f"wrong: {one}" for one in turn.must_not if patterns.compiled(one, language, kept).search(text)]
    found = sum(bool(patterns.compiled(one, language, kept).search(text)) for one in turn.must)
    right = found == len(turn.must) and not faults if asked else None
    if right is False and not faults:
        faults.append("not recalled")
    faults += _anywhere(played.answers(number), language, patterns)
    return Verdict(tuple(faults), found, len(turn.must), right)


def _anywhere(letters: Iterable[Letter], language: str, patterns: Patterns) -> list[str]:
    """What no letter may hold: signs of a machine, another language, a sentence twice."""
    faults = []
    for letter in letters:
        faults += [f"nobody writes: {one}" for one in patterns.never
                   if patterns.compiled(one, language).search(letter.text)]
        match = patterns.compiled(patterns.foreign[language], language).search(letter.text)
        if match:
            faults.append(f"another language: {match[0]}")
        lines = [one.strip() for one in letter.text.replace(". ", ".\n").split("\n") if len(one.split()) > 3]
        faults += [f"said twice: {one}" for one in dict.fromkeys(lines) if lines.count(one) > 1]
    return faults


class Summary(NamedTuple):
    """What some scores come to; shares from 0 to 1."""

    answers: int
    mean: float
    zeros: float
    ones: float
    twos: float
    threes: float

    @classmethod
    def of(cls, scores: list[int]) -> Summary:
        """
        Summarise scores.

        @raise ValueError: there are none, or one is no score.
        """
        if not scores or any(one not in SCORES for one in scores):
            raise ValueError(f"scores are 0, 1, 2 or 3: {sorted(set(scores))}")
        shares = [scores.count(one) / len(scores) for one in SCORES]
        return cls(len(scores), sum(scores) / len(scores), *shares)

    def __str__(self) -> str:
        return (f"{self.answers:5d} scored, mean {self.mean:.2f}, 0: {self.zeros:4.0%}, 1: {self.ones:4.0%}, "
                f"2: {self.twos:4.0%}, 3: {self.threes:4.0%}")


def scored(scores: Mapping[str, Any], mails: Iterable[Specimen], conversations: Iterable[Conversation]) -> dict[
        str, dict[str, list[int]]]:
    """
    A critic's scores by C{all}, C{part}, C{kind}, C{language} and C{temperament}.

    @param scores: C{mails: {name: {temperament: {score, why}}}} and C{conversations: {name: {temperament: {turn (from
        1): {score, why}}}}}; an answer that was not scored is left out.
    @raise KeyError: no such mail or conversation.
    @raise ValueError: a score that is none.
    """
    found: dict[str, dict[str, list[int]]] = {}

    def add(entry: Mapping[str, Any], **places: str) -> None:
        score = entry["score"]
        if score not in SCORES:
            raise ValueError(f"{places}: {score!r} is no score")
        for place, value in (("all", "all"), *places.items()):
            found.setdefault(place, {}).setdefault(value, []).append(score)

    known = {one.name: one for one in mails}
    for name, by in scores.get("mails", {}).items():
        for temperament, entry in by.items():
            add(entry, part="mails", kind=known[name].kind, language=known[name].language, temperament=temperament)
    talks = {one.name: one for one in conversations}
    for name, by in scores.get("conversations", {}).items():
        for temperament, turns in by.items():
            for number, entry in turns.items():
                turn = talks[name].turns[int(number) - 1]
                add(entry, part="conversations", kind="(recall)" if turn.recall else "(turn)",
                    language=talks[name].language, temperament=temperament)
    return found
