"""
How French writes words that stand before a vowel.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.declarative.french.verbs import French

#: Pronouns that begin with a vowel, though they are written with a consonant's letter or are short.
_OPEN = ("y", "en")


def before_vowel(after: str, how: French) -> bool:
    """Return whether a word begins as a vowel sounds: "adresse", "heure", but not "haricots"."""
    low = after.lower()
    return low.startswith(how.vowels) and low not in how.aspirated


def of_what(after: str, how: French) -> str:
    """Return "de" as it is written before a word."""
    return "d'" if before_vowel(after, how) else "de"


def joined(words: Sequence[str], how: French) -> str:
    """Return words as they are written: before a vowel some lose theirs, and get it back where none follows."""
    done: list[str] = []
    for word, after in zip(words, [*words[1:], ""]):
        vowel = before_vowel(after, how) or after.lower() in _OPEN
        if word in how.losing and vowel:
            done.append(f"{word[:-1]}'")
        elif word == "ce" and after.startswith(("est", "était")):
            done.append("c'")
        elif word in how.regaining and (not vowel or after == "ne"):
            done.append(how.regaining[word])
        else:
            done.append(word)
    return " ".join(done).replace("' ", "'")
