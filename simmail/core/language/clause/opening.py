"""
How a clause begins that asks, as data: C{opening} in C{templates/<code>/questions.yaml}.

People tell something and ask in one sentence ("I left my scarf, have you seen it?"), and forget the question mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from simmail.core.language.clause.question_types import Opening, asking
from simmail.core.language.tables import Language
from simmail.core.language.tables import language as known

_ASIDE = re.compile(r"\(([^()?]{6,80}\?)\)")
#: A statement has so many words before it is one of its own; a question so many.
_HEAD, _TAIL = 3, 2
#: Behind these a clause stands alone.
_STRONG = frozenset((":", ";", "-", "–", "—"))
_MARKS, _ENDS = " ?!¿¡.\"')", " ?!.,\"'"
#: With more words a verb is followed by its subject, whatever that is.
_CLAUSE = 3
#: Of fewer words a cry is none that asks.
_CRY = 6
#: With so many words or more a sentence that begins with a question word may tell something.
_FEW = 5
#: Sentences that are kept as they were cut.
_KEPT = 2048
#: Of longer sentences the rest is not looked at.
_LONGEST = 600


def asked_apart(sentence: str, language: Language) -> tuple[str, ...]:
    """
    Return a sentence cut where it begins to ask, with the question mark that its writer forgot.

    A sentence that asks from its beginning, or asks nothing, stays whole.
    """
    return _apart(sentence, language.code) if len(sentence) <= _LONGEST else tuple(_cut_apart(sentence, language))


@lru_cache(_KEPT)
def _apart(sentence: str, code: str) -> tuple[str, ...]:
    # The sentences of a thread are read again with each of its mails.
    return tuple(_cut_apart(sentence, known(code)))


def _cut_apart(sentence: str, language: Language) -> list[str]:
    how = asking(language.code).opening
    aside = _ASIDE.search(sentence)
    if aside is not None and f" {language.or_} " not in aside.group() and opens(aside.group(1), language):
        # "Two sockets (is that possible?)."
        return [*asked_apart(f"{sentence[:aside.start()].rstrip()}{sentence[aside.end():]}", language), aside.group(1)]
    bare = sentence.rstrip(_MARKS)
    few = _words(bare, how) if sentence[-1:] == "." else []
    if 1 < len(few) < _FEW and few[0].lower() in how.asked_alone and "," not in bare:
        return [f"{bare}?"]  # "And which tyres."
    marked = "?" in sentence[len(bare):]
    if len(sentence) > _LONGEST or not marked and (sentence[-1:] == ":" or sentence[-1:] == "!" and len(
            bare.split()) < _CRY) or "://" in sentence:
        return [sentence]
    words = _words(sentence, how)
    if marked and "!" in sentence[len(bare):] and not any(one.lower() in how.words for one in words) and not _begins(
            words, how, sure=False, inside=False):
        return [f"{bare}!"]  # "you charged me twice?!" asks nothing
    if not marked and (_begins(words, how, sure=True, inside=False) or sentence[-1:].isalnum() and words and (
            words[0].lower() in how.words and how.being.intersection(map(str.lower, words[1:2])))):
        return _marked(sentence, how)
    if _begins(words, how, sure=False, inside=False) and (marked or not how.inside):
        return [sentence]
    cut = _cut(sentence, language, how, marked) if marked or how.inside else 0
    if not cut:
        return [sentence]
    head, tail = sentence[:cut].rstrip(" ,;–—-"), sentence[cut:]
    # "Luc rentre quand": the question word stands last.
    asks = head.rpartition(" ")[2].lower() in how.words or not marked and _begins(words, how, sure=False, inside=False)
    inner = 0 if asks or not marked else _cut(head, language, how, marked)
    # "My boss wants it in writing: how many come now, and on what day?"
    heads = [head[:inner].rstrip(" ,;:–—-"), f"{head[inner:]}?"] if inner else [f"{head}?" if asks else head]
    return [*heads, *([tail] if marked else _marked(tail, how))]


@cache
def _joints(joining: str) -> re.Pattern[str]:
    """What parts clauses: marks, and the word that joins them."""
    return re.compile(rf"[,;:]\s+|\s+[–—-]+\s+|\.\.+\s+|…\s+|\s(?={joining}\s)", re.IGNORECASE)


def _cut(sentence: str, language: Language, how: Opening, marked: bool) -> int:
    """The place where a sentence begins to ask, 0 for none."""
    head = sentence.lower().split(None, 1)[0].strip(",") if sentence.strip() else ""
    if head in how.subordinate:
        return 0  # "if it rains, can we come in?" asks as a whole
    for joint in _joints(re.escape(language.and_)).finditer(sentence):
        before, behind = sentence[:joint.start()], sentence[joint.end():]
        if behind.lower().startswith(f"{language.or_} "):
            continue
        words = _words(behind, how)
        # "Could you tell me, and is it ...": what asks to be told stays with what it asks.
        whole = len(before.split()) < _HEAD  # "Maria, are you there?"
        other = behind.lower().partition(f" {language.or_} ")[2]
        if not marked and other and _begins(words, how, sure=False, inside=False) and _begins(
                _words(other, how), how, sure=False, inside=False) and words[0].lower() in how.verbs:
            return joint.end()  # "I couldn't park, is it open again or should I get the bus."
        inside = not whole and joint.group().strip() not in _STRONG
        if len(words) >= _TAIL and _begins(words, how, sure=not marked, inside=inside) and not (
                before.lower().endswith(asking(language.code).telling) and ":" not in joint.group()):
            return 0 if whole else joint.end()
    return 0


def without_leads(clause: str, how: Opening) -> str:
    """Return a clause without what leads it in: "PS", "by the way"."""
    clause = clause.lstrip("¿¡( ").replace("\u2019", "'")
    low = clause.lower()
    for _ in range(3):
        if not low.startswith(how.leads):
            break
        lead = next((one for one in how.leads if low.startswith(one) and not low[len(one):len(one) + 1].isalnum()), "")
        rest = low[len(lead):].lstrip(" ,:;.-–")
        if not lead or not rest:
            break
        clause, low = clause[-len(rest):], rest
    return clause


def _words(clause: str, how: Opening) -> list[str]:
    clause = without_leads(clause, how)
    return [one.strip(",;:!?.()\"") for one in clause.split(None, 7)[:7]]


def opens(clause: str, language: Language) -> bool:
    """Return whether a clause of a marked sentence asks from its beginning."""
    how = asking(language.code).opening
    return _begins(_words(clause, how), how, sure=False, inside=False)


def _begins(words: Sequence[str], how: Opening, sure: bool, inside: bool) -> bool:
    """
    Whether words begin a clause that asks.

    @param sure: no question mark tells, so that it has to be sure; inside: it stands behind another clause.
    """
    low = [one.lower() for one in words]
    if not low or not low[0]:
        return False
    # Where a verb needs no pronoun, or none behind it, only the mark tells: "tiene razón".
    if (how.inside or not sure) and any(" ".join(low[:size]) in how.whole for size in (3, 2, 1)):
        return True
    verb, hyphen, pronoun = low[0].rpartition("-")
    if hyphen and pronoun in how.clitics and low[0] not in how.no_verbs and not (sure and pronoun in how.imperative):
        return True
    start = next((size for size in range(min(2, len(low)), 0, -1) if " ".join(low[:size]) in how.words or (
        size == 2 and low[0] in how.before_words and low[1] in how.words)), 0)
    if start:
        if not sure and (not inside or low[0] not in how.relative):
            return True
        behind = "".join(low[start:start + 1])
        # "What day's bin day now", "and who signs for it".
        if behind.endswith("'s") or not inside and how.third and low[start - 1] in how.persons and (
                behind.endswith(how.third)):
            return True
        return any(_turned(words[at:], how, sure=False) for at in range(start, min(start + 3, len(low) - 1)))
    return _turned(words, how, sure, inside, loose=True)


def _turned(words: Sequence[str], how: Opening, sure: bool, inside: bool = False, loose: bool = False) -> bool:
    """Whether a verb stands before its subject, C{loose}: whatever that is: "is the", "do parents have to"."""
    verb, subject = words[0].lower(), words[1] if len(words) > 1 else ""
    low = subject.lower()
    # "Schaffen Sie", and "do parents have to stay" where the mark tells.
    if low in how.nominative or subject in how.addressed and subject != low and not sure:
        if sure and not how.doubtful.isdisjoint((verb, f"{verb} {low}")):
            return False  # "should you need more"; "could you send it" asks for something, marked or not
        if sure and how.endings and low not in how.addressed and verb not in how.modals:
            return False  # "hab ich dabei"
        return verb in how.verbs or verb in how.modals or bool(how.endings) and verb.endswith(
            how.endings) and verb not in how.no_verbs and len(verb) > 2
    named = low in how.subjects or subject[:1].isupper()
    if sure:
        return named and (verb in how.modals or not inside and verb in how.being and low in how.subjects)
    return (named or loose and how.inside and len(words) > _CLAUSE) and (verb in how.verbs or verb in how.modals)


def _marked(tail: str, how: Opening) -> list[str]:
    """An unmarked question with its mark; what is set off behind it by a dash is said for itself."""
    question, dash, rest = tail.partition(" - ")
    if not dash:
        question, dash, rest = tail.partition(" – ")
    asked = f"{question.rstrip(_ENDS)}?"
    return [asked, rest] if dash and not _begins(_words(rest, how), how, sure=False, inside=True) else [
        f"{tail.rstrip(_ENDS)}?"]
