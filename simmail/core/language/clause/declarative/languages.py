"""
The languages other than English whose questions are said again as statements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simmail.core.language.clause.declarative.french import retold as french_retold
from simmail.core.language.clause.declarative.french import statement as french
from simmail.core.language.clause.declarative.french.verbs import french as french_words
from simmail.core.language.clause.declarative.german import retold as german_retold
from simmail.core.language.clause.declarative.german import statement as german
from simmail.core.language.clause.declarative.german.verbs import german as german_words
from simmail.core.language.clause.declarative.spanish import retold as spanish_retold
from simmail.core.language.clause.declarative.spanish import statement as spanish
from simmail.core.language.clause.declarative.spanish.verbs import spanish as spanish_words
from simmail.core.language_data import given_names

#: The modules that say so, by the code of a language.
_SPOKEN = {"de": german, "es": spanish, "fr": french}
_TOLD = {"de": german_retold, "es": spanish_retold, "fr": french_retold}
#: What stands in brackets is not said again.
_PERCENT = re.compile(r"(?<=\d)\s*%")
_ASIDE = re.compile(r"\s*\([^()]*\)")
#: What a clause has to begin with to be known for one whose verb stands last.
_WHETHER = {"de": "ob "}


def _plain(text: str, code: str) -> str:
    """A clause without what stands in brackets, its signs as words."""
    how = german_words() if code == "de" else french_words() if code == "fr" else spanish_words()
    return _PERCENT.sub(f" {how.percent}", _ASIDE.sub("", text)) if code in _SPOKEN else text


def stated(question: str, code: str, we: bool, far: bool) -> tuple[str, str] | None:
    """
    Return what a yes-or-no question asks as a statement of its reader, and that it is not so.

    @param code: the language, as C{de}; we: its reader speaks for others as well; far: and keeps a distance.
    @return: C{""} for what cannot be said, None for neither and for a language that is not said again.
    """
    spoken = _SPOKEN.get(code)
    return None if spoken is None else spoken.stated(_plain(question, code), we, far)


def either_stated(question: str, code: str, we: bool, far: bool) -> tuple[str, ...]:
    """Return the two things of which a question asks which is so, each as a statement, C{()} for none."""
    spoken = _SPOKEN.get(code)
    return () if spoken is None else spoken.either_stated(_plain(question, code), we, far)


def clause_stated(clause: str, code: str, we: bool, far: bool) -> tuple[str, str] | None:
    """Return what a clause behind "whether" says, as L{stated} does."""
    clause = _plain(clause, code)
    if code in _WHETHER and german.turned(clause):
        return None  # a question, whose verb does not stand last
    if code in _WHETHER and (asked := german.turned_round(clause)):
        return stated(asked, code, we, far)  # "du kommst am Freitag"
    return stated(f"{_WHETHER.get(code, '')}{clause}", code, we, far)


def is_own_deed(part: Sequence[str], code: str) -> bool:
    """Return whether words say, in a language without pronouns, what their speaker does: "cojo un taxi"."""
    return code == "es" and len(part) > 1 and spanish.of_speaker(part[0].lower(), part[1].lower())


def wondered(question: str, code: str, we: bool, far: bool) -> str:
    """Return what a question with a question word asks as a clause behind "I don't know", C{""} for none."""
    spoken = _SPOKEN.get(code)
    return "" if spoken is None else spoken.wondered(question, we, far)


def retold(clause: str, code: str, we: bool, far: bool) -> str:
    """Return what a statement of a mail says as its reader has it, C{""} where that cannot be said for certain."""
    spoken = _TOLD.get(code)
    return "" if spoken is None else spoken.retold(clause, we, far)


def opens_small(word: str, code: str) -> bool:
    """Return whether a word is written small where it begins no sentence: "gestern", "hier", "ayer"."""
    low = word.lower()
    if code == "de":
        how = german_words()
        return any(low in one for one in (how.times, how.prepositions, how.adverbs, how.definite, how.numbers)) or (
            word != "Sie" and word not in how.polite and low.startswith(tuple(map(str.lower, how.possessive))))
    return code in _SPOKEN and low not in given_names() and word[1:].islower()
