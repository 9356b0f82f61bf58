"""
Which of the facts a persona knows answers a question.

A fact has a name ("delivery address") and a value; it answers when the
question says half of its name or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from simmail.core.language.phrases import say, words
from simmail.core.language.tables import Language, counted, every

_FACTS = 200


class Fact(Struct, frozen=True):
    """C{label} reads as a phrase ("delivery address"); C{plain}: the value is no more than yes or no."""

    label: str
    value: str

    def act(self) -> str:
        """Return the act that states it."""
        if self.value.lower() in every("flags"):
            return "answer.flag"
        if len(self.value) > 60 or self.value[-1:] in ".!" or len(self.value.split()) > 8:
            return "answer.said"
        return "answer.fact"

    def values(self, language: Language) -> dict[str, str]:
        """Return what a line that states it may name."""
        value = self.value
        if self.act() == "answer.said":
            value = value[0].upper() + value[1:]
            if value[-1:] not in ".!?…":
                value += "."
        return {"label": self.label, "value": value, **counted(self.label, language)}


def read_facts(facts: Mapping[str, str], notes: Iterable[str]) -> tuple[Fact, ...]:
    """Return the facts of a case, and the notes that are written like facts ("phone: 040 123")."""
    found = []
    for name, value in list(facts.items())[:_FACTS]:
        label = say(str(name).replace("_", " ").replace("-", " "), 40).strip(" .:")
        label = label if label[:2].isupper() else label[:1].lower() + label[1:]
        text = say(str(value), 300).rstrip(" ;,")
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


def capital_label(fact: Fact, language: Language) -> Fact:
    """Return the fact with its name as the language writes nouns."""
    if language.inflected and fact.label:
        return Fact(label=fact.label[0].upper() + fact.label[1:], value=fact.value)
    return fact


def answering(sentence: str, facts: Iterable[Fact], language: Language) -> Fact | None:
    """Return the fact that answers a question, None when none does."""
    asked = [_stem(word) for word in words(sentence) if len(word) > 2 or word.isupper()]
    best, best_share = None, 0.0
    for fact in facts:
        names = [word for word in (_stem(word) for word in fact.label.split())
                 if word not in language.common_words and len(word) > 1]
        if not names:
            continue
        hit = [name for name in names if any(_same(name, word) for word in asked)]
        share = len(hit) / len(names) + len(hit) * 0.01
        if share > best_share and (share > 0.52 or share > 0.5 and not set(every("vague_words")).issuperset(hit)):
            best, best_share = fact, share
    return capital_label(best, language) if best is not None else None


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
        if any(_stem(word) in about or word.lower() in about for word in fact.label.split()) \
                and fact.value.lower() not in said:
            return capital_label(fact, language)
    return None


def _stem(word: str) -> str:
    low = word.lower()
    return low[:-1] if len(low) > 4 and low.endswith("s") and not low.endswith("ss") else low


def _same(name: str, word: str) -> bool:
    # German compounds: "Lieferadresse" answers "Adresse".
    if len(word) >= 6 and word[:6] == name[:6]:
        return True  # "deliver" and "delivery"
    return name == word or len(word) >= 5 and (name.endswith(word) or word.endswith(name) and len(name) >= 5)
