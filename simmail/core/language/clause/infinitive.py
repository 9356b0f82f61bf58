"""
Requests of languages that say what is to be done with the infinitive: C{peux-tu arroser}, C{je vais arroser}.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.tables import Restate, fit


#: French pronouns of things, before the verb they belong to.
_THINGS = frozenset(("le", "la", "les"))


def deed(words: Sequence[str], how: Restate, polite: bool) -> str:
    """Return what a request wants done as it stands behind "I am going to", C{""} for what cannot be said for sure."""
    low = [word.lower() for word in words]
    at = next((at for at, word in enumerate(low[:3]) if word not in how.objects), 0)
    prefix = next((one for one in how.elided if low[at].startswith(one)), "")
    verb = low[at].removeprefix(prefix)
    # "Passer le prendre" is a deed, "passer ce soir" is none.
    behind = low[at + 1:]
    goes = behind[1 if behind[:1] and (behind[0] in _THINGS or behind[0] in how.objects) else 0:][:1]
    goes = [word for word in goes if word.endswith(how.verb_endings)]
    if len(words) < 2 or not verb.endswith(how.verb_endings) or verb.startswith(tuple(how.no_deeds)) and not goes:
        return ""
    said = [_side(how.objects.get(word, spelt), polite) for word, spelt in zip(low, words)]
    for ending, other in how.suffixes.items():
        if verb.endswith(ending):
            verb = verb.removesuffix(ending) + _side(other, polite)
            break
    said[at] = f"{_side(how.elided[prefix], polite)}{verb}" if prefix else verb
    return fit(" ".join(said))


def _side(text: str, polite: bool) -> str:
    near, bar, far = text.partition("|")
    return far if polite and bar else near
