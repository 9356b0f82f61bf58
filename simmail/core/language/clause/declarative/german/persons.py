"""
Who speaks and who is spoken to in German: "du", "ihr" and "Sie" are "ich" or "wir" to who answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from simmail.core.language.clause.declarative.german.phrases import is_possessive, noun_phrase, phrases
from simmail.core.language.clause.declarative.german.verbs import DU, ER, ICH, IHR, WIR, changed, german
from simmail.core.language.clause.tables import clause_words

#: Phrases that something may be done with, so that a pronoun beside them is who it is done for.
_THINGS = frozenset(("definite", "indefinite", "bare", "some", "number"))
_ASKERS = (("ich",), ("wir",))


class GermanReader(NamedTuple):
    """
    Who answers a question.

    @ivar we: for others as well; far: calls who asked "Sie".
    """

    we: bool
    far: bool

    @classmethod
    def of(cls, question: str, we: bool, far: bool) -> Self:
        """Return who answers a question: calls who asked as it is called itself, where that is told."""
        how, words = german(), clause_words(question)[1:]
        if not how.alone.isdisjoint(words):
            return cls(False, False)  # "du" is one, whomever he speaks for
        if not how.familiar.isdisjoint(words) or {"ihr", "Ihr"}.intersection(words[:1]):
            return cls(we, False)
        return cls(we, True) if not how.polite.isdisjoint(words) else cls(we, far)

    def doer(
        self, subject: Sequence[str], verb: str, rest: Sequence[str]
    ) -> tuple[tuple[str, ...], int, int] | None:
        """
        Return a subject as who answers says it, the person its verb is in and the one that it goes to.

        @return: None where nothing tells who is meant: "können wir tauschen?".
        """
        how = german()
        if not subject:
            return (), ER, ER
        one = subject[0] if len(subject) == 1 else ""
        if one in ("du", "Sie"):
            before = DU if one == "du" else WIR
            several = self.we and changed(verb, before, WIR) not in how.mental
            return ("wir" if several else "ich",), before, WIR if several else ICH
        if one in ("ihr", "Ihr"):
            return ("wir",), IHR, WIR
        if one == "ich":
            return (("Sie",), ICH, WIR) if self.far else (("du",), ICH, DU)
        if one == "wir":
            plain = changed(verb, WIR, WIR)
            if not (how.familiar | how.polite).isdisjoint(rest) or plain in how.own:
                return (("Sie",), WIR, WIR) if self.far else (("ihr",), WIR, IHR)
            return None if self.we or plain in how.common else (("wir",), WIR, WIR)
        return tuple(self.flipped(subject, (), (), verb)), ER, ER

    def flipped(
        self, words: Sequence[str], asked: Sequence[str], subject: Sequence[str], verb: str
    ) -> list[str]:
        """
        Return words as who answers says them.

        @param asked: the subject of the question; subject: the one of the answer; verb: of the question.
        """
        return [self._word(words, at, tuple(asked), tuple(subject), verb) for at in range(len(words))]

    def _word(
        self, words: Sequence[str], at: int, asked: tuple[str, ...], own: tuple[str, ...], verb: str
    ) -> str:
        how, word = german(), words[at]
        before = words[at - 1] if at else ""
        if word == how.oneself and asked == ("Sie",):
            return self._oneself(words, at, own, verb)
        both = asked == own and asked in _ASKERS or word == how.us and before in how.among
        if both and (word in how.of_itself or word.startswith("uns")):
            return word
        if word in how.of_itself and asked in _ASKERS:
            return self._told(how.of_itself[word])
        if word == how.us:
            given = before in how.dative_after if before in how.prepositions else self._gives(words, at, verb)
            return self._told(how.to_us if given else how.of_us)
        if word in how.of_asker:
            return self._told(how.of_asker[word])
        if word in how.of_reader:
            return self._own(how.of_reader[word])
        return self._possessive(word) if is_possessive(word, how) else word

    def _told(self, text: str) -> str:
        """One of two words for who asked: how it is called near, and far."""
        near, _, far = text.partition("|")
        return far if self.far else near

    def _own(self, text: str) -> str:
        """One of two words for who answers: alone, and with others."""
        alone, _, several = text.partition("|")
        return several if self.we else alone

    def _oneself(self, words: Sequence[str], at: int, own: tuple[str, ...], verb: str) -> str:
        """"Sich" of who is called "Sie"."""
        how = german()
        if own == ("wir",):
            return how.us
        before = words[at - 1] if at else ""
        if before in how.prepositions:
            return "mir" if before in how.dative_after else "mich"
        given = not how.imagining.isdisjoint(words) or any(
            one.kind in _THINGS and one.words[0] not in ("der", "des") for one in phrases(words[at + 1:], verb, how))
        return "mir" if given else "mich"

    def _gives(self, words: Sequence[str], at: int, verb: str) -> bool:
        """Whether something is given to a pronoun: by the verb, or because another thing is what it is done with."""
        how = german()
        verbs = {changed(verb, person, WIR) for person in (WIR, ER, DU)}
        if not how.dative.isdisjoint({*words, *verbs}) or words[at + 1:at + 2] and words[at + 1] in how.accusatives:
            return True
        for spot in range(at + 1, len(words)):
            kind, end = noun_phrase(words, spot, verb, how)
            if end and kind in ("definite", "indefinite") and words[spot - 1] not in how.prepositions:
                return True
        return False

    def _possessive(self, word: str) -> str:
        how = german()
        for stem, told in how.whose.items():
            if word.startswith(stem):
                ending = word.removeprefix(stem)
                own = self._own(told) if stem in how.whose_reader else self._told(told)
                return how.whose_alone.get(f"{own}{ending}", f"{own}{ending}")
        return word
