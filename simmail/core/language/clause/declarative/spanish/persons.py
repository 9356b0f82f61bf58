"""
Who speaks and who is spoken to in Spanish: "tú" and "usted" are "yo" or "nosotros" to who answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from simmail.core.language.clause.declarative.spanish.clause import SpanishClause
from simmail.core.language.clause.declarative.spanish.verbs import (
    CONDITIONAL, EL, ELLOS, FUTURE, NOSOTROS, PRESENT, TU, VOSOTROS, YO, Spanish, SpanishForm, apart, joined, said,
    spanish,
)
from simmail.core.language_data import given_names

_ASKERS = (YO, NOSOTROS)


class SpanishSaid(NamedTuple):
    """A clause as who answers says it."""

    before: list[str]
    clitics: list[str]
    verb: str
    rest: list[str]


class SpanishReader(NamedTuple):
    """
    Who answers a question.

    @ivar we: for others as well; far: calls who asked "usted".
    """

    we: bool
    far: bool

    @classmethod
    def of(cls, words: Sequence[str], clause: SpanishClause, we: bool, far: bool) -> Self:
        """Return who answers a question: calls who asked as it is called itself, where that is told."""
        how, low = spanish(), {word.lower() for word in words}
        if clause.form.person == TU or not how.alone_words.isdisjoint(low):
            return cls(False, False)  # "tú" is one, whomever he speaks for
        if clause.form.person == VOSOTROS or not how.familiar.isdisjoint(low) or any(
                joined(word).startswith("te") for word in low):
            return cls(we, False)
        polite = clause.addressed and clause.form.person in (EL, ELLOS) or not how.polite.isdisjoint(low)
        return cls(we, polite or far)

    def said(self, clause: SpanishClause, done: bool = True) -> SpanishSaid | None:
        """
        Return a clause as who answers says it.

        @param done: what would be done is said to be done.
        @return: None where nothing tells who is meant.
        """
        how, form = spanish(), clause.form
        low = (*(word.lower() for word in clause.rest), *clause.clitics)
        told = not (how.familiar | how.polite).isdisjoint(low)
        reader: SpanishReader = self
        person, tense, verb = form.person, form.tense, form.verb
        if clause.addressed:
            what = next((word for word in low if word not in how.adverbs), "")
            agrees = person == EL and verb in how.states and what not in how.prepositions  # "está contento"
            reader = SpanishReader(person in (VOSOTROS, ELLOS) or self.we and not agrees, self.far)
            person, verb = NOSOTROS if reader.we else YO, how.moved.get(verb, verb)
            if tense == CONDITIONAL and verb not in how.conditional_for:
                tense = PRESENT if verb in how.present_for else FUTURE if done else tense
        elif person == YO:
            if verb not in how.asking_for:
                return None  # "¿le apunto?" is an offer
            person = EL if self.far else TU
        elif person == NOSOTROS:
            if told or verb in how.obliged:
                person = ELLOS if self.far else VOSOTROS
            if told and verb not in how.can | how.obliged or person == NOSOTROS and (verb in how.can or self.we):
                return None  # "¿contamos contigo?", "¿podemos cambiar?"
            if person == NOSOTROS:
                return SpanishSaid(list(clause.before), list(clause.clitics), clause.word, list(clause.rest))
        elif tense == CONDITIONAL and verb in how.softened:
            tense = PRESENT
        clitics, rest = reader._clitics(clause, person), reader._flipped(clause.rest, clause)
        before = reader._flipped(clause.before, clause)
        if clitics is None or rest is None or before is None:
            return None
        same = (person, tense, verb) == (form.person, form.tense, form.verb)
        spelt = clause.word if same else said(SpanishForm(verb, tense, person), person)
        return SpanishSaid(before, clitics, spelt, rest)

    def _told(self, text: str) -> str:
        """One of two words for who asked: how it is called near, and far."""
        near, _, far = text.partition("|")
        return far if self.far else near

    def _own(self, text: str) -> str:
        """One of two words for who answers: alone, and with others."""
        alone, bar, several = text.partition("|")
        return several if bar and self.we else alone

    def _clitics(self, clause: SpanishClause, person: int) -> list[str] | None:
        """The pronouns before a verb, None where nothing tells whom they mean."""
        how, done = spanish(), []
        for word, after in zip(clause.clitics, [*clause.clitics[1:], ""]):
            if clause.addressed and clause.form.verb in how.going and word in how.itself:
                continue  # "¿te vienes?" is "voy"
            told = self._clitic(word, after, clause, person)
            if not told:
                return None
            done.append(told)
        return done

    def _clitic(self, word: str, after: str, clause: SpanishClause, person: int) -> str:
        how = spanish()
        if word == "se" and clause.form.person in (TU, VOSOTROS):
            return word  # "¿se las dejas a la portera?": to somebody else
        if word == "se":
            return self._own(how.myself) if clause.addressed else "" if after in how.things_meant else word
        if word in how.whom_words:
            asks = clause.form.person in _ASKERS and person != clause.form.person
            told = self._told(how.yourself[word] if asks else how.of_asker[word])
            return "se" if told in how.him and after in how.things_meant else told
        if word in how.of_reader:
            return self._own(how.of_reader[word])
        if word not in how.him or clause.form.person in (TU, VOSOTROS):
            return word  # "¿le dices tú a tu hermano?"
        others = any(one.lower() == "a" and (then[0].isupper() or then in how.determiners) for one, then in zip(
            clause.rest, clause.rest[1:]))
        named = any(word not in how.still | how.already | how.also for word in clause.before)
        if clause.addressed or others or named or clause.form.verb not in how.pleasing or not self.far:
            return ""
        return self._own(how.him[word])

    def _flipped(self, words: Sequence[str], clause: SpanishClause) -> list[str] | None:
        """Words as who answers says them; None where nothing tells whose a thing is, or its gender."""
        how = spanish()
        done: list[str] = []
        for at, word in enumerate(words):
            low = word.lower()
            before = words[at - 1].lower() if at else ""
            told = word
            if low in how.whose:
                told = self._whose(words, at, clause)
            elif low in how.ours and before not in how.prepositions and not _has_noun(words, at, how):
                return None  # "¿es nuestra?"
            elif low in how.of_asker and low not in how.whom_words:
                told = self._told(how.of_asker[low])
            elif low in how.of_reader and low not in how.itself:
                told = self._own(how.of_reader[low])
                if before in how.merged and told in how.merged[before]:
                    done.pop()
                    told = how.merged[before][told]
            elif joined(low) or clause.addressed and low in how.moved:
                told = self._infinitive(low, clause)
            elif low in how.persons and at + 1 < len(words):
                return None
            if not told:
                return None
            done.append(told)
        return done

    def _whose(self, words: Sequence[str], at: int, clause: SpanishClause) -> str:
        """"Mi" of "tu" and "su", C{""} where it may be another's."""
        how, low = spanish(), words[at].lower()
        asks = clause.form.person in _ASKERS
        if low in how.whose_far:
            near = at < 2 or words[at - 1].lower() in how.inside
            others = any(one[0].isupper() and one.lower() in given_names() for one in words[:at])
            if others or not self.far or not (clause.addressed or asks or near):
                return ""
        return our(words[at + 1].lower() if at + 1 < len(words) else "", low, how) if self.we else how.whose[low]

    def _infinitive(self, word: str, clause: SpanishClause) -> str:
        """An infinitive with the pronouns of who answers, C{""} where those are not known."""
        how, pronouns, asks = spanish(), joined(word), clause.form.person in _ASKERS
        verb, plain = word.removesuffix(pronouns), apart(word)
        if clause.addressed and plain in how.moved:
            other = how.moved[plain]
            verb = f"{other[:-2]}ár" if verb != plain and other.endswith("ar") else other
        whom = next((one for one in how.joined_first if pronouns.startswith(one)), "")
        what = pronouns.removeprefix(whom)
        if whom in how.whom_words:
            told = self._told(how.yourself[whom] if asks else how.of_asker[whom])
            whom = "se" if what and told in how.him else told
        elif whom in how.of_reader:
            whom = self._own(how.of_reader[whom])
        elif whom == "se":
            if what:
                return ""
            whom = self._own(how.myself) if clause.addressed else whom
        elif whom in how.him and asks and self.far:
            whom = self._own(how.myself)
        return f"{verb}{whom}{what}"


def _has_noun(words: Sequence[str], at: int, how: Spanish) -> bool:
    """Whether a possessive has its noun behind it."""
    return at + 1 < len(words) and words[at + 1].lower() not in how.prepositions


def our(noun: str, your: str, how: Spanish) -> str:
    """Return "nuestro" or "nuestra" before a noun, C{""} where its gender is not known."""
    plural = "s" if your.endswith("s") else ""
    one = noun.removesuffix("s") if plural else noun
    if one.endswith(how.masculine_endings):
        return f"nuestro{plural}"
    return f"nuestra{plural}" if one.endswith(how.feminine_endings) else ""
