"""
What a mail wants of its reader.

Cues of the language files are counted, each once, and what the mail looks
like counts too: a greeting to somebody else, times, a code, attachments, list
headers.  The strongest wins; a mail that says nothing strongly is a question
when it asks one and information otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from simmail.core.language.cues import weigh
from simmail.core.language.reader import Findings
from simmail.core.language.tables import Language, every
from simmail.core.language.tables import language as known
from simmail.core.message.mail import Mail

#: Every intent that is told apart.
INTENTS = (
    "question", "document", "meeting", "invoice", "sales", "redress", "complaint", "confirmation", "thanks",
    "newsletter", "code", "wrong", "support", "received", "chaser", "task", "feedback", "information", "empty",
    "closing", "bill", "account", "alert", "rejection", "recruiting", "delay", "event", "cancelled", "booked",
    "contact", "news", "notice", "outage", "incident", "terms", "ended", "offer", "enquiry", "order", "alternatives",
    "delivery", "bank", "renewal", "returns", "approval", "access", "minutes", "agenda", "bug", "deletion", "webinar",
    "beta", "congrats", "sick", "grief", "introduced", "report", "payment", "invite",
)

#: Less than this is no sign of anything.
_ENOUGH = 2.0
# Thanks, attachments and small requests come with mail that is really about something else.
_SIDE = {"thanks": 2.0, "task": 0.5, "document": 0.5, "information": 1.0, "confirmation": 0.5}
# What the subject of an answer counts for.
_ANSWERED = 0.4
_SHORT = 18
#: Words of a mail that only takes its leave.
_FAREWELL = 30
#: Letters of a word by which cues are passed over.
_BEGIN = 2
_SIGNS = {ord(sign): " " for sign in ".,;:!?()[]{}<>\"“”„*#/|_-–—\n\t\r'’"}


def recognise(mail: Mail, found: Findings, somebody_else: bool, language: Language) -> str:
    """The intent of a mail, one of L{INTENTS}."""
    scores = score(mail, found, somebody_else, language)
    best = max(INTENTS, key=lambda intent: (scores.get(intent, 0.0), -INTENTS.index(intent)))
    if scores.get(best, 0.0) >= _ENOUGH:
        return best
    return "question" if found.questions else "information"


def score(mail: Mail, found: Findings, somebody_else: bool, language: Language) -> Mapping[str, float]:
    """How strongly each intent shows."""
    subject, body = _flat(mail.subject[:300]), _flat(found.prose.body)
    # What stands after "Re:" was somebody's matter, but not this mail's.
    share = _ANSWERED if subject.strip().startswith(_reply_words(language.code)) else 1.0
    if mail.in_reply_to:
        share = 0.0
    # One look a cue: the subject counts for all or, of an answer, for nothing or a part.
    whole = f"{body}\n{subject}" if share == 1.0 else body
    # Most cues need no look: no word begins as they do.
    begun = _beginnings(language.code).intersection([word[:_BEGIN] for word in whole.split()])
    scores = {
        intent: sum([weight for cue, weight, begin in cues if begin in begun and cue in whole])
        for intent, cues in _cues(language.code)
    }
    if 0.0 < share < 1.0:
        for intent, cues in _cues(language.code):
            scores[intent] += share * sum([weight for cue, weight, _ in cues if cue in subject and cue not in body])
    if not found.prose.body.strip() and not mail.attachments and not mail.html and mail.size:
        scores["empty"] = 9.0
    if somebody_else:
        scores["wrong"] += 8
    if any(map(f"{body}\n{subject}".__contains__, _mentions(language.code))):
        # A program passes on what somebody asks: its own footer says nothing.
        for intent in ("newsletter", "sales", "information", "contact", "account"):
            scores[intent] = 0.0
    _appointments(scores, found)
    _money(scores, found)
    _leave(scores, found, share < 1.0)
    if scores["code"] and found.coded:
        scores["code"] += 2
    elif not found.coded:
        # Without a code it takes a link; a mail that only says "password" is about something else.
        scores["code"] *= 0.7 if "http" in mail.text[:20_000] or "href" in mail.html[:50_000] else 0.4
    if mail.header("List-Unsubscribe"):
        scores["newsletter"] += 3
    if found.attachments:
        scores["received"] += 1.5
    elif scores["received"] < 4:
        scores["received"] *= 0.4
    if found.documents:
        scores["document"] += 2.5
    elif not found.requests:
        scores["document"] = 0.0
    if found.invited == "request" and found.slots:
        scores["invite"] += 8
    elif found.invited == "cancel":
        scores["cancelled"] += 8
    if found.options:
        scores["redress"] += 1.0 if scores["redress"] else 0.0
    if not found.requests:
        scores["task"] *= 0.3
    scores["question"] = 1.0 + len(found.questions) if found.questions else 0.0
    if found.rating and found.questions:
        scores["feedback"] += 2
    if found.questions or found.requests:
        scores["thanks"] *= 0.4
    weigh(scores, found)
    for intent, less in _SIDE.items():
        scores[intent] -= less
    if _only_thanks(found) and max(scores.values()) < _ENOUGH:
        scores["thanks"] = _ENOUGH
    return scores


def _appointments(scores: dict[str, float], found: Findings) -> None:
    """Times say that there is to be a meeting, that there will be one, or that there will be none."""
    timed = sum(slot.timed for slot in found.slots)
    asked = any(question.form == "time" for question in found.questions)
    if timed >= 2:
        scores["meeting"] += 3
    elif timed and scores["meeting"]:
        scores["meeting"] += 1
    if timed and any(question.form in ("yes_no", "time") for question in found.questions):
        scores["meeting"] += 2.5
    elif asked:
        scores["meeting"] += 2
    if not timed or found.questions:
        scores["booked"] = 0.0
    if found.called_off and scores["cancelled"] and (timed or asked):
        # Taken back and proposed anew: what counts is the new time.
        scores["meeting"] += scores["cancelled"]
    if scores["contact"] >= _ENOUGH and timed < 2:
        scores["meeting"] *= 0.5
    if scores["event"] < 3 or timed >= 2 and found.questions:
        scores["event"] *= 0.5
    if scores["event"] >= 3:
        scores["booked"] *= 0.5
    if scores["recruiting"] >= 4:
        scores["sales"] *= 0.5
        if not timed:
            scores["meeting"] *= 0.3
    else:
        scores["recruiting"] *= 0.5
    if scores["rejection"] >= 3:
        scores["redress"] *= 0.3


def _money(scores: dict[str, float], found: Findings) -> None:
    """A bill that came, a bill that is overdue, or money that arrived."""
    if not found.amounts and not found.references:
        scores["invoice"] *= 0.6
        scores["bill"] *= 0.3
    if scores["bill"] >= 3 and scores["invoice"] < 6:
        # Nothing is overdue yet.
        scores["bill"] += 0.5 * scores["invoice"]
        scores["invoice"] *= 0.4
        scores["received"] *= 0.3
    if scores["confirmation"] >= 5:
        scores["invoice"] *= 0.4
        scores["bill"] *= 0.4
    if scores["account"] >= 4:
        for intent in ("invoice", "bill", "sales", "newsletter"):
            scores[intent] *= 0.4


def _leave(scores: dict[str, float], found: Findings, answer: bool) -> None:
    """A short answer that wants nothing any more."""
    size = sum(len(one.split()) for one in found.prose.sentences)
    wants = found.questions or found.requests or found.deadlines or found.attachments or found.documents
    if not answer or wants or not size or size > _FAREWELL:
        scores["closing"] = 0.0
    elif scores["closing"] >= _ENOUGH:
        scores["closing"] += 2
    elif scores["closing"] and size <= _SHORT // 2 and max(scores.values()) < _ENOUGH and not _only_thanks(found):
        scores["closing"] = _ENOUGH


def _only_thanks(found: Findings) -> bool:
    """Whether a mail is a sentence or two that begin with thanks, and wants and tells nothing."""
    sentences = found.prose.sentences
    return (
        0 < len(sentences) <= 2 and sentences[0].lower().startswith(every("thanks_first"))
        and sum(len(one.split()) for one in sentences) <= _SHORT
        and not (found.questions or found.requests or found.deadlines or found.dates or found.attachments)
    )


@cache
def _reply_words(code: str) -> tuple[str, ...]:
    return tuple(_flat(prefix).lstrip() for prefix in known(code).reply_prefixes)


@cache
def _cues(code: str) -> tuple[tuple[str, tuple[tuple[str, float, str], ...]], ...]:
    # A cue is the beginning of a word or phrase: " resched" is in " we reschedule ".
    return tuple(
        (intent, tuple((flat, weight, _begin(flat)) for flat, weight in (
            (_flat(cue).rstrip(), weight) for cue, weight in cues.items())))
        for intent, cues in known(code).cues.items()
    )


def _begin(cue: str) -> str:
    word, blank, _ = cue[1:].partition(" ")
    if len(word) < _BEGIN and not blank:
        raise ValueError(f"{cue!r} is too short for a cue")
    return word[:_BEGIN]


@cache
def _beginnings(code: str) -> frozenset[str]:
    return frozenset(begin for _, cues in _cues(code) for _, _, begin in cues)


@cache
def _mentions(code: str) -> tuple[str, ...]:
    return tuple(_flat(cue).rstrip() for cue in known(code).mentions)


def _flat(text: str) -> str:
    return f" {' '.join(text.lower().translate(_SIGNS).split())} "
