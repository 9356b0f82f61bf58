"""
Promises in a mail: what its writer says will be done, and by when ("I will send it by Friday").
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from simmail.core.language.dates import END_OF_DAY, due
from simmail.core.language.clause.tables import restating
from simmail.core.language.phrases import is_document
from simmail.core.language.reader import Findings
from simmail.core.language.tables import LANGUAGES, Language, every, language

#: Sentences of a mail that are looked at, and promises taken from one mail.
SENTENCES, MOST = 200, 3
#: A promise without a time is taken to mean this.
UNDATED = timedelta(days=3)
_LONGEST = 12
#: Words of a person that belongs to somebody.
_NAMED = 2


class MailPromise(NamedTuple):
    """A promise in a mail: C{what} fits after "to send"; C{dated}: it named a time."""

    what: str
    due: datetime
    dated: bool


def promised(found: Findings) -> tuple[MailPromise, ...]:
    """Return the promises made in a mail's new text."""
    text = found.new.replace("\u2019", "'")
    low = text.lower()
    if not any(map(low.__contains__, every("promising"))):
        return ()
    kept: dict[str, MailPromise] = {}
    for sentence in _sentences(text):
        one = _read(sentence, found.mail.subject, found.base)
        if one is not None:
            kept[one.what] = one
        if len(kept) == MOST:
            break
    return tuple(kept.values())


def puts_off(found: Findings) -> bool:
    """Return whether a mail says that something will be done, and brings it not yet."""
    return any(map(found.new.lower().__contains__, every("promising")))


def speaks_of(what: str, text: str) -> bool:
    """Return whether a telling word of what was promised is in a text."""
    low = text.lower()
    return any(
        word in low for word in (one.strip("\"'.,").lower() for one in what.split())
        if len(word) > 3 and word not in every("telling_nothing")
    )


def _read(sentence: str, subject: str, local: datetime) -> MailPromise | None:
    low = sentence.lower()
    if len(low) != len(sentence) or any(map(low.__contains__, every("promises_nothing"))):
        return None
    for known in map(language, LANGUAGES):
        first = low.split()[:1]
        if first and first[0] in restating(known.code).conditions:
            continue  # "if one is missing I'll send it"
        begins = [low.find(start) for start in known.promising if start in low]
        starts = [low.find(start) + len(start) for start in known.promising if start in low]
        if not starts or _waits(low, min(starts), known):
            continue
        # The deed named first is the one that is promised, and of two at one place the longer one is meant.
        at, length, thing = min(
            ((at, -len(deed), thing) for deed, thing in known.deeds.items()
             for at in (_word(deed, low, min(begins)),) if at >= 0),
            default=(-1, 0, ""))
        if at < 0:
            continue
        when = due(sentence, local, known)
        # In German the verb may come last.
        if _sends_somebody(sentence[at - length:], known):
            return None
        what = (thing or _object(sentence[at - length:], known) or _object(sentence[min(starts):at], known)
                or _unnamed(subject))
        by = when or (local + UNDATED).replace(hour=END_OF_DAY, minute=0, second=0, microsecond=0)
        return MailPromise(what, by.astimezone(timezone.utc), when is not None)
    return None


def _waits(low: str, start: int, known: Language) -> bool:
    """Return whether what will be done is to wait: "we will wait for the transfer" promises no transfer."""
    return any(word.startswith(known.only_waiting) for word in low[start:].split()[:4])


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for line in text.replace("!", ".").replace(";", ".").split("\n\n"):
        folded = " ".join(line.split())
        # "?" stays with its sentence: a question promises nothing.
        found += [one for one in folded.replace("? ", "?. ").split(". ") if one]
        if len(found) > SENTENCES:
            break
    return found[:SENTENCES]


def _word(phrase: str, low: str, start: int) -> int:
    """Return where a phrase stands as whole words from some place on, -1 for nowhere."""
    at = low.find(phrase, start)
    while at >= 0:
        if not (low[at - 1:at].isalpha() if at else False) and not low[at + len(phrase):at + len(phrase) + 1].isalpha():
            return at
        at = low.find(phrase, at + 1)
    return at


def _object(rest: str, known: Language) -> str:
    """Return what follows the verb, up to the time: "you the contract by Friday" is "the contract"."""
    words: list[str] = []
    for word in rest[:300].split():
        bare = word.lower().strip(".,:;()\"'")
        if not words and bare in known.promise_fillers and bare not in known.definite:
            continue
        if bare in known.promise_ends or len(words) == _LONGEST:
            break
        words.append(word.strip(".,:;()\""))
        if word.endswith((",", ":")):
            break
    while words and words[-1].lower() in known.promise_tail:
        words.pop()
    if len(words) == 1 and words[0].lower() in known.pronouns:
        return ""
    if words[1:] and words[0].lower() in known.definite and any(map(str.isdigit, words[1])):
        words = words[1:]  # "you'll get your £120 back"
    return " ".join(words) if words and _names(words, known) else ""


def _sends_somebody(rest: str, known: Language) -> bool:
    """Whether what follows a verb is a person that belongs to somebody: "our Kyle for them"."""
    words = rest.split()[:_NAMED]
    name = words[-1].strip(".,:;()\"'") if len(words) == _NAMED else ""
    return name.istitle() and words[0].lower() in known.determiners and not (
        known.inflected or is_document(name.lower(), known))


def _names(words: list[str], known: Language) -> bool:
    """
    Return whether words begin as what names a thing does, in a language whose things are known by their article.

    What does not ("come and see") is a deed, and is not what is waited for.
    """
    first, last = words[0].lower(), words[-1].lower()
    if known.inflected or not known.determiners or first in known.determiners or words[0][:1].isupper():
        return True
    return last.endswith("s") or is_document(last, known) or any(map(str.isdigit, "".join(words)))


def _unnamed(subject: str) -> str:
    """Return how something promised is spoken of that was only called "it"."""
    topic = " ".join(subject[:200].split())
    prefixes = every("reply_prefixes")
    while topic.lower().startswith(prefixes):
        topic = topic.partition(":")[2].strip()
    return f'what was promised about "{topic[:80]}"' if topic else "what was promised"
