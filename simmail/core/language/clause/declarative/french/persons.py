"""
Who speaks and who is spoken to in French: "tu" and "vous" are "je" or "nous" to who answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from simmail.core.language.clause.declarative.french.clause import FrenchClause
from simmail.core.language.clause.declarative.french.elision import before_vowel
from simmail.core.language.clause.declarative.french.verbs import (
    CONDITIONAL, FUTURE, JE, NOUS, PRESENT, TU, VOUS, French, french, is_infinitive, is_participle, said,
)


class FrenchSaid(NamedTuple):
    """A clause as who answers says it."""

    subject: list[str]
    clitics: list[str]
    verb: str
    rest: list[str]


class FrenchReader(NamedTuple):
    """
    Who answers a question.

    @ivar we: for others as well; far: calls who asked "vous".
    """

    we: bool
    far: bool

    @classmethod
    def of(cls, words: Sequence[str], we: bool, far: bool) -> Self:
        """Return who answers a question: calls who asked as it is called itself, where that is told."""
        how = french()
        low = {word.lower().rpartition("-")[2] for word in words} | {word.lower() for word in words}
        if not how.familiar.isdisjoint(low):
            return cls(False, False)  # "tu" is one, whomever he speaks for
        return cls(we, True) if not how.polite.isdisjoint(low) else cls(we, far)

    def said(self, clause: FrenchClause, done: bool = True) -> FrenchSaid | None:
        """
        Return a clause as who answers says it.

        @param done: what would be done is said to be done.
        @return: None where nothing tells who is meant.
        """
        how = french()
        form, one = clause.form, clause.alone
        low = [word.lower() for word in clause.rest]
        compound = form.verb in how.auxiliaries and is_participle(next(
            (word for word in low if word not in how.adverbs), ""))
        asked = one in how.spoken_to
        reader: FrenchReader = self
        person = form.person
        if asked:
            what = next((word for word in low if word not in how.adverbs), "")
            agrees = form.verb in how.be and what and not what.endswith("'") and what not in how.prepositions | (
                how.determiners)
            together = how.together in low and not any(map(is_infinitive, low))
            several = _is_plural(what, how) if agrees else self.we or together
            reader = FrenchReader(several, self.far)
            subject, person = (["nous"], NOUS) if several else (["je"], JE)
        elif one in how.speaking:
            addressed = not (how.familiar | how.polite).isdisjoint((*low, *clause.clitics))
            if one == "nous":
                ours = self.we and form.verb in how.asking_for and {"nous", how.together}.isdisjoint((
                    *low, *clause.clitics))  # who asks a firm whether it may do something asks for itself
                own = addressed or ours or form.verb in how.asking_for - how.common
                if form.verb == how.go or not own:
                    return None
            elif form.verb not in how.asking_for or form.verb in how.obliged and addressed:
                return None  # "je fais une salade ?" is an offer
            near = one != "nous" and not self.far
            subject, person = (["tu"], TU) if near else (["vous"], VOUS)
        else:
            flipped = self.flipped(clause.subject)
            if flipped is None:
                return None
            subject = flipped
        tense = form.tense
        if tense == CONDITIONAL and compound:
            tense = PRESENT if asked else tense  # "auriez-vous trouvé mes clés"
        elif tense == CONDITIONAL and form.verb in how.present_for:
            tense = PRESENT
        elif tense == CONDITIONAL and asked and form.verb not in how.conditional_for:
            tense = FUTURE if done else tense
        verb = said(form, person, tense)
        rest = reader.flipped(clause.rest, both=one == "on" and not self.we)
        return FrenchSaid(subject, reader.pronouns(clause.clitics), verb, rest) if verb and rest is not None else None

    def pronouns(self, words: Sequence[str]) -> list[str]:
        """Return the pronouns before a verb as who answers says them."""
        how = french()
        return [self.side(how.clitic_of.get(word, word), word) for word in words]

    def flipped(self, words: Sequence[str], both: bool = False) -> list[str] | None:
        """
        Return words as who answers says them.

        @param both: "notre" is of both.
        @return: None where the gender of a thing is not known, or who is meant.
        """
        how = french()
        done: list[str] = []
        for at, word in enumerate(words):
            low = word.lower()
            before = words[at - 1].lower() if at else ""
            after = [one.lower() for one in words[at + 1:at + 3]]
            if low == how.your:
                own = how.our if self.we else _my(after[0] if after else "", how)
                if not own:
                    return None
                done.append(own)
            elif low in how.possessive and before not in how.articles:
                done.append(low if both and low in how.ours else self.side(how.possessive[low], low))
            elif low in how.clitic_of and (any(map(is_infinitive, after[:1])) or after[:1] and (
                    after[0] in how.clitics and any(map(is_infinitive, after[1:])))):
                done.append(self.side(how.clitic_of[low], low))
            elif low in how.tonic and (not before or before in how.prepositions or low not in how.clitics):
                done.append(self.side(how.tonic[low], low))
            elif low in how.clitic_of or low in how.spoken_to | how.speaking:
                return None
            else:
                done.append(word)
        return done

    def side(self, text: str, asked: str) -> str:
        """Return one of two words: of who asked by how it is called, of who answers by whether it is alone."""
        how = french()
        near, bar, other = text.partition("|")
        return other if bar and (self.we if asked in how.of_reader else self.far) else near


def _is_plural(word: str, how: French) -> bool:
    return word.endswith("s") and not word.endswith(how.singular_endings)


def _my(noun: str, how: French) -> str:
    """"Mon" or "ma" before a noun, C{""} where that is not known."""
    if before_vowel(noun, how):
        return how.my[0]
    if noun in how.feminine or noun in how.masculine:
        return how.my[noun in how.feminine]
    return how.my[1] if noun.endswith(how.feminine_endings) else how.my[0] if noun.endswith(
        how.masculine_endings) else ""
