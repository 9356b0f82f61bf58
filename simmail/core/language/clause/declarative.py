"""
Yes-or-no questions of languages that ask as they tell: C{tu viens avec les enfants}, C{je viens avec les enfants}.

Only what has a verb whose first person is known, or a subject that is neither side, is said again; the rest is C{""}.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simmail.core.language.clause.tables import Restate, Statement, fit, parts_of

#: "A-t-elle", "arriverez-vous".
_INVERTED = re.compile(r"([^\W\d_]+?)(?:-t)?-([^\W\d_]+)", re.IGNORECASE)


def statement(question: str, how: Restate, polite: bool) -> Statement:
    """Return a question as a yes and a no in full: the last of its parts that can be said again."""
    for part in parts_of(question, how):
        said = _stated(part, how, polite) if 1 < len(part) < 15 else Statement("", "")
        if said.said:
            return said
    return Statement("", "")


def _stated(words: list[str], how: Restate, polite: bool) -> Statement:
    low = [word.lower() for word in words]
    if not how.denying.isdisjoint(low) or not how.unclear.isdisjoint(low) or " ".join(low).startswith(how.nobody):
        return Statement("", "")
    if low[0] in how.you and len(words) > 2:
        return _mine(words[1:], how, polite)
    turned = _INVERTED.fullmatch(words[0])
    if turned is not None and turned[2].lower() in how.you:
        return _mine([turned[1], *words[1:]], how, polite)
    named = low[0] in how.determiners and low[1] not in how.mine
    if not how.myself and not named and (low[0] in how.mine or low[0] in how.clitics):
        return _mine([word for word in words if word.lower() not in how.you], how, polite)
    own = how.determiners | (how.objects.keys() - how.clitics.keys())
    if low[0] not in own or len(words) < 3 or not how.you.isdisjoint(low):
        return Statement("", "")
    # "Ta fille a-t-elle toujours peur", "tu perro se lleva bien": whose subject is neither side.
    plain = [low[0]]
    for word in words[1:]:
        turned = _INVERTED.fullmatch(word)
        plain.append(turned[1] if turned is not None and turned[2].lower() in how.others else word)
    if plain[1:] == words[1:] and not how.others.isdisjoint(word.rpartition("-")[2] for word in low):
        return Statement("", "")
    return Statement(fit(" ".join(_flipped(plain, how, polite))), "")


def _mine(words: list[str], how: Restate, polite: bool) -> Statement:
    """What one does oneself, its verb first but for the pronouns before it."""
    at, before = 0, list[str]()
    while at < len(words) - 1 and words[at].lower() in how.clitics:
        before.append(_side(how.clitics[words[at].lower()], polite))
        at += 1
    prefix = next((one for one in how.elided_own if words[at].lower().startswith(one)), "")
    spoken = words[at].lower().removeprefix(prefix)
    verb = how.mine.get(spoken, "") or next((spoken.removesuffix(old) + new for old, _, new in (
        rule.partition(":") for rule in how.mine_of) if spoken.endswith(old) and len(spoken) > len(old) + 1), "")
    rest = _flipped(words[at + 1:], how, polite)
    if not how.myself and not spoken.endswith(how.familiar_end) and words[0].lower() in how.experiencers:
        verb = spoken  # "¿te parece bien?" is about what seems well to me
    if not verb or rest and (rest[0].isdigit() or rest[0].lower() in how.counted):
        return Statement("", "")  # "vous serez quatre" is said of more than one
    if prefix:
        before.append(_side(how.elided_own[prefix], polite).strip())  # "tu m'apportes"
    own = _joined([how.myself, *before, verb] if how.myself else [*before, verb], how)
    none = _joined([how.myself, how.not_yet, *before, verb, *how.not_behind] if how.myself else [
        how.not_yet, *before, verb], how)
    other = rest[0].lower() if rest else ""  # "un", "encore": denied in another way
    otherwise = other in how.undenied or bool(how.not_behind) and other in how.partitives
    return Statement(fit(f"{own} {' '.join(rest)}"), "" if otherwise else fit(f"{none} {' '.join(rest)}"))


def _joined(words: Sequence[str], how: Restate) -> str:
    """Words with those before a vowel cut short: "j'arrive", "je n'ai pas"."""
    done = ""
    for word, following in zip(words, [*words[1:], ""]):
        short = how.shorter.get(word, "") if following[:1] in how.vowels and following else ""
        done += short or (word if word.endswith("'") else f"{word} ")
    return done.strip()


def _flipped(words: Sequence[str], how: Restate, polite: bool) -> list[str]:
    return [_side(how.objects.get(word.lower(), word), polite) for word in words]


def _side(text: str, polite: bool) -> str:
    near, bar, far = text.partition("|")
    return far if polite and bar else near
