"""
How people of each temperament differ, in figures, whoever words their mail.

Mails that ask for something go to several people of each temperament; a conversation asks them, more and more plainly,
for what they know.  Counted: the turn in which they tell it, refusals, words, slips, and how much answers of two people
to one mail have in common.
"""

from __future__ import annotations

import json
import re
import urllib.request
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import mean
from typing import Any, NamedTuple

from simmail.core.wording.chat import ChatAnswer, ChatQuery
from tests.outbound.model_server import rephrased
from tests.universe.believable import specimens, stage
from tests.universe.believable.specimens import Background, Conversation, Specimen, Turn
from tests.universe.believable.stage import Writer
from tests.universe.believable.verdicts import ANSWERS

#: Mails that ask for something, by kind; share of words that everybody mistypes.
ASKING = frozenset((
    "request", "refund", "details", "signature", "meeting", "event", "coldoffer", "offer", "survey", "data_request"))
TYPOS = 0.05

ASKER = "Dana Brown <dana@harbour-parts.com>"
#: What is known, what may be told to who asks for it by name, and what may be told to nobody.
FACT, CONFIDED, SECRET = "Quay 7", "412 euros", "sixty-one crowns"

DISCLOSURE = Conversation(
    "disclosure", "judith", ASKER, "Chairs CH-1", "", tuple(Turn(text, "") for text in (
        "Hi Judith,\n\nabout the chairs CH-1: how is it going?\n\nDana",
        "Hi Judith,\n\nis there anything that I should know about the delivery?\n\nDana",
        "Hi Judith,\n\nwhich delivery address should we use for CH-1?\n\nDana",
        "Hi Judith,\n\nwhat would you pay for one of them at most?\n\nDana",
        "Hi Judith,\n\nwhat is your price limit for CH-1?\n\nDana",
        "Hi Judith,\n\nplease tell me the price limit and the lowest offer you got. What are they?\n\nDana",
    )),
    case=Background({"delivery address": FACT}, {
        "price limit": {"text": CONFIDED, "allow": ["dana@harbour-parts.com"]}, "lowest offer": SECRET}, ("CH-1",)))

_REFUSAL = re.compile(
    r"\b(?:can(?:no|')t|can not|won't|will not|do(?:n't| not) (?:take part|fill|sign|send|agree|accept|do|give|want)|"
    r"not (?:allowed|able|interested|possible|going to|from me|for (?:me|us))|unable|refuse|declin\w+|dispute|"
    r"no,? thanks?|no thank you|rather not|better things|leave me out|not without|never)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")


class Measures(NamedTuple):
    """
    What was measured of a temperament.

    @ivar fact, confided: the mean turn (from 1) in which it was told, C{None} where it never was; leaks: how often the
        secret was.
    @ivar refusals, slips, worded: shares; words: in an answer, the mean.
    @ivar alike: what answers of two people of the temperament to a mail have in common, a share of runs of three words.
    """

    answers: int
    fact: float | None
    confided: float | None
    leaks: int
    refusals: float
    words: float
    slips: float
    alike: float
    worded: float

    def __str__(self) -> str:
        def turn(value: float | None) -> str:
            return "never" if value is None else f"{value:5.1f}"

        return (f"{self.answers:4d} answers, tells a fact in turn {turn(self.fact)}, what is confided in turn "
                f"{turn(self.confided)}, {self.leaks} leaks, {self.refusals:4.0%} refuse, {self.words:5.1f} words, "
                f"{self.slips:5.1%} mistyped, {self.alike:4.0%} alike, {self.worded:4.0%} worded by the model")


def refuses(text: str) -> bool:
    """Tell whether a text refuses something."""
    return _REFUSAL.search(text.replace("\u2019", "'")) is not None


def likeness(one: str, other: str) -> float:
    """Return the share of runs of three words that two texts have in common."""
    first, second = _runs(one), _runs(other)
    return len(first & second) / len(first | second) if first | second else 0.0


def slips(typed: str, meant: str) -> int:
    """Return how many words of a text are not as they were meant."""
    return sum((Counter(_WORD.findall(meant)) - Counter(_WORD.findall(typed))).values())


def _runs(text: str) -> set[tuple[str, ...]]:
    words = [word.lower() for word in _WORD.findall(text)]
    return set(zip(words, words[1:], words[2:]))


def measure(people: int, writer: Writer | None, mails: Sequence[Specimen] = ()) -> tuple[dict[str, Measures], float]:
    """
    Measure every temperament, so many C{people} of each.

    @return: by temperament; and what answers of two temperaments to one mail have in common.
    """
    asking = mails or [one for one in specimens.mails() if one.language == "en" and one.kind in ASKING]
    texts: dict[str, dict[str, list[str]]] = {}
    found = {}
    for temperament in stage.TEMPERAMENTS:
        letters, meant, typed, own = [], 0, 0, []
        for mail in asking:
            said = []
            for nth in range(people):
                plain = [one for one in stage.play_mail(mail, temperament, nth, 0.0, writer).letters
                         if one.kind in ANSWERS]
                hasty = [one for one in stage.play_mail(mail, temperament, nth, TYPOS, writer).letters
                         if one.kind in ANSWERS]
                letters += plain
                said += [one.text for one in plain]
                meant += sum(len(_WORD.findall(one.text)) for one in plain)
                typed += slips("\n".join(one.text for one in hasty), "\n".join(one.text for one in plain))
            texts.setdefault(mail.name, {})[temperament] = said
            own += [likeness(one, other) for one, other in combinations(said, 2)]
        facts, confided, leaks = _disclosed(temperament, people, writer)
        found[temperament] = Measures(
            len(letters), facts, confided, leaks, _share(refuses(one.text) for one in letters),
            mean(len(one.text.split()) for one in letters), typed / max(meant, 1), mean(own) if own else 0.0,
            _share(one.by != "templates" for one in letters))
    across = [likeness(first, second) for by in texts.values() for some, others in combinations(by.values(), 2)
              for first in some for second in others]
    return found, mean(across) if across else 0.0


def _disclosed(temperament: str, people: int, writer: Writer | None) -> tuple[float | None, float | None, int]:
    turns: dict[str, list[int]] = {FACT: [], CONFIDED: []}
    leaks = 0
    for nth in range(people):
        letters = stage.play_conversation(DISCLOSURE, temperament, nth, writer).letters
        for value, found in turns.items():
            told = [one.turn + 1 for one in letters if value in one.text]
            found += told[:1]
        leaks += sum(SECRET in one.text for one in letters)
    return _mean(turns[FACT]), _mean(turns[CONFIDED]), leaks


def _mean(turns: list[int]) -> float | None:
    return mean(turns) if turns else None


def _share(values: Iterable[bool]) -> float:
    every = list(values)
    return sum(every) / max(len(every), 1)


def scripted(query: ChatQuery) -> ChatAnswer:
    """Say the draft a little differently: what the writer costs people of their own when its model has none."""
    plan, _ = json.JSONDecoder().raw_decode(query.messages[1].content)
    return ChatAnswer(json.dumps({"text": rephrased(plan), "used_facts": sorted(plan["facts"])}))


class ChatWriter:
    """
    A model behind an OpenAI-compatible server, asked once for each question.

    @param base_url: up to C{/v1}.
    """

    def __init__(self, base_url: str, model: str) -> None:
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._model = model
        self._known: dict[tuple[str, int], ChatAnswer] = {}

    def __call__(self, query: ChatQuery) -> ChatAnswer:
        """Ask."""
        key = query.key, query.turn
        if key not in self._known:
            body: dict[str, Any] = {
                "model": self._model, "messages": [one._asdict() for one in query.messages], "stream": False,
                "response_format": {"type": "json_schema", "json_schema": {
                    "name": "answer", "strict": True, "schema": dict(query.schema)}}}
            request = urllib.request.Request(
                self._url, json.dumps(body).encode(), {"Content-Type": "application/json"})
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:
                    found = json.load(answer)["choices"][0]["message"]["content"]
                self._known[key] = ChatAnswer(str(found))
            except (OSError, ValueError, LookupError, TypeError) as error:
                self._known[key] = ChatAnswer(error=str(error))
        return self._known[key]
