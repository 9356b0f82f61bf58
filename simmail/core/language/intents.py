"""
What a mail wants of its reader.

Cues of the language files are counted, each once; what the mail looks like then moves the counts, by a table: a
greeting to somebody else, times, a code, attachments, list headers.  Kinds of mail that show by several cues together
come last, with what else their words then do not mean: "down on Thursday from 22:00" in an announcement proposes no
meeting.  The strongest wins; a mail that says nothing strongly is a question when it asks one and information
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from simmail.core.language.meaning import ASKED, plain
from simmail.core.language.questions import is_question
from simmail.core.language.reader import Findings
from simmail.core.language.tables import every
from simmail.core.language.tables import language as known

#: Every intent that is told apart.
INTENTS = (
    "question", "document", "meeting", "invoice", "sales", "redress", "complaint", "confirmation", "thanks",
    "newsletter", "code", "wrong", "support", "received", "chaser", "task", "feedback", "information", "empty",
    "closing", "bill", "account", "alert", "rejection", "recruiting", "delay", "event", "cancelled", "booked",
    "contact", "news", "notice", "outage", "incident", "terms", "ended", "offer", "enquiry", "order", "alternatives",
    "delivery", "bank", "renewal", "returns", "approval", "access", "minutes", "agenda", "bug", "deletion", "webinar",
    "beta", "congrats", "sick", "grief", "introduced", "report", "payment", "invite",
    "application", "data_request", "signature", "legal", "details", "greeting", "private", "missing", "phishing",
    "injection", "ticket", "status", "resend",
)

#: Kinds that nobody has words for yet, and the kind whose words they borrow: the one place that says so.
BORROWED: Mapping[str, str] = MappingProxyType({"resend": "document"})

#: Less than this is no sign of anything; from the other on a mail is what it shows, if nothing else shows so well.
_ENOUGH = 2.0
_SURE, _MARGIN = 7.0, 2.0
#: What a likelihood of 1 is worth beside the cues.  A model is unsure too where the first is less likely than the
#: second, or more likely than the next by less than the third.
_MEANT, _LIKELY, _LIKELIER = 10.0, 0.2, 0.05
#: Beside what a model says, that a mail asks something tells less of its kind.
_ASKING = 0.5
#: A kind that shows in this many cues, or is this likely to a model, is no guess.
_SHOWN, _BELIEVED = 3.5, 0.4
#: Mail that says that it brings something is a mistake where nothing comes with it.
_BRINGING = frozenset({"agenda", "approval", "enquiry", "information", "meeting", "order", "question", "task"})
#: Mail that lies: nothing that it promises is waited for.
FRAUD = frozenset({"injection", "phishing"})
#: What the look of a mail says, and no word of it.
PLAIN = frozenset({"empty", "wrong", "invite"})
# Thanks, attachments and small requests come with mail that is really about something else.
_SIDE = {"thanks": 2.0, "task": 0.5, "document": 0.5, "information": 1.0, "confirmation": 0.5}
# What the subject of an answer counts for.
_ANSWERED = 0.4
_SHORT = 18
#: Words of a mail that only takes its leave.
_FAREWELL = 30
#: Letters of a word by which cues are passed over, and those that one cue has at least.
_BEGIN, _SHORTEST = 4, 2
_SIGNS = {ord(sign): " " for sign in ".,;:!?¿¡()[]{}<>\"“”„*#/|_-–—\n\t\r'’"}

#: The least that a kind needs, and what it leaves of others (1 all, 0 nothing).
_KINDS = MappingProxyType({
    "notice": (4.5, {"meeting": 0.2, "booked": 0.2, "information": 0.4, "support": 0.3, "event": 0.2, "task": 0.5}),
    "outage": (4.5, {"support": 0.3, "redress": 0.4, "complaint": 0.3, "information": 0.4, "notice": 0.6}),
    "incident": (4.5, {"support": 0.4, "redress": 0.4, "complaint": 0.3, "information": 0.4, "outage": 0.4,
                       "notice": 0.4}),
    "terms": (4.0, {"information": 0.4, "redress": 0.2, "account": 0.4, "newsletter": 0.5, "received": 0.5,
                    "news": 0.4, "sales": 0.4}),
    "ended": (4.5, {"cancelled": 0.1, "account": 0.2, "redress": 0.2, "news": 0.3, "confirmation": 0.3}),
    "offer": (5.0, {"received": 0.3, "sales": 0.4, "bill": 0.2, "invoice": 0.3, "confirmation": 0.4, "thanks": 0.2}),
    "enquiry": (4.5, {"document": 0.2, "sales": 0.4, "question": 0.6, "task": 0.4}),
    "order": (5.0, {"confirmation": 0.4, "task": 0.4, "information": 0.4, "invoice": 0.4, "bill": 0.3,
                    "document": 0.4, "enquiry": 0.4}),
    "alternatives": (5.0, {"delay": 0.4, "redress": 0.4, "confirmation": 0.5, "question": 0.7}),
    "delivery": (5.0, {"meeting": 0.1, "booked": 0.2, "delay": 0.4, "redress": 0.4, "confirmation": 0.4,
                       "question": 0.6}),
    "bank": (6.0, {"invoice": 0.1, "bill": 0.1, "document": 0.1, "task": 0.1, "information": 0.2, "terms": 0.2}),
    "renewal": (4.5, {"account": 0.4, "question": 0.6, "document": 0.4, "information": 0.5, "booked": 0.3,
                      "meeting": 0.4}),
    "returns": (5.0, {"redress": 0.2, "received": 0.3, "confirmation": 0.4}),
    "approval": (4.0, {"task": 0.2, "document": 0.4, "question": 0.6, "chaser": 0.5, "information": 0.4}),
    "access": (5.0, {"question": 0.4, "task": 0.4, "document": 0.4, "received": 0.4}),
    "minutes": (4.5, {"received": 0.4, "information": 0.4, "meeting": 0.2, "task": 0.3, "question": 0.6,
                      "document": 0.3}),
    "agenda": (5.0, {"meeting": 0.2, "received": 0.3, "booked": 0.3, "question": 0.6, "complaint": 0.3}),
    "bug": (5.0, {"support": 0.3, "complaint": 0.5, "question": 0.6, "received": 0.3, "order": 0.3}),
    "deletion": (5.0, {"document": 0.3, "task": 0.3, "account": 0.3, "confirmation": 0.3, "ended": 0.3}),
    "webinar": (4.5, {"event": 0.2, "meeting": 0.2, "booked": 0.3, "newsletter": 0.6, "sales": 0.5}),
    "beta": (4.5, {"question": 0.5, "news": 0.4, "feedback": 0.4, "sales": 0.4, "event": 0.4}),
    "congrats": (4.0, {"thanks": 0.3, "event": 0.3, "closing": 0.3}),
    "sick": (3.5, {"cancelled": 0.6, "question": 0.5, "document": 0.4, "meeting": 0.5, "information": 0.4}),
    "grief": (6.0, {"event": 0.1, "meeting": 0.1, "booked": 0.1, "redress": 0.1, "information": 0.1, "sick": 0.1}),
    "report": (3.5, {"information": 0.4, "news": 0.4, "newsletter": 0.6, "task": 0.5, "question": 0.7}),
    "payment": (5.0, {"invoice": 0.3, "bill": 0.3, "booked": 0.3, "confirmation": 0.3, "event": 0.4, "task": 0.4}),
    "invite": (7.0, {"meeting": 0.2, "booked": 0.3, "event": 0.3, "received": 0.2, "agenda": 0.5}),
    "introduced": (5.0, {"contact": 0.4, "sales": 0.4, "meeting": 0.5}),
    "application": (5.0, {"recruiting": 0.1, "received": 0.3, "rejection": 0.3, "document": 0.3, "question": 0.5}),
    "data_request": (5.0, {"deletion": 0.4, "document": 0.2, "task": 0.3, "question": 0.5, "terms": 0.4}),
    "signature": (4.5, {"document": 0.3, "task": 0.3, "received": 0.4, "approval": 0.5}),
    "legal": (4.0, {"complaint": 0.3, "invoice": 0.6, "redress": 0.2, "rejection": 0.3}),
    "details": (2.5, {}),
    "greeting": (3.5, {"question": 0.5, "closing": 0.4}),
    "private": (4.0, {"event": 0.4, "meeting": 0.5, "greeting": 0.4, "sick": 0.4}),
    "resend": (5.0, {"received": 0.1, "document": 0.4, "bug": 0.3, "chaser": 0.4}),
    "phishing": (5.5, {"code": 0.2, "account": 0.2, "alert": 0.3, "bank": 0.4, "payment": 0.4, "task": 0.2}),
    "injection": (5.0, {"code": 0.1, "task": 0.1, "document": 0.1, "question": 0.3, "private": 0.1}),
    "ticket": (5.0, {"support": 0.3, "confirmation": 0.3, "thanks": 0.2, "received": 0.3}),
    "status": (4.0, {"chaser": 0.4, "question": 0.4, "confirmation": 0.3}),
})


class _Look:
    """What is looked at while the counts are moved; C{scores} are those so far, C{answered}: the subject says Re:."""

    def __init__(self, found: Findings, somebody_else: bool) -> None:
        self.found, self.somebody_else, self.mail = found, somebody_else, found.mail
        self.code: str = found.language.code
        self.subject: str = _flat(self.mail.subject[:300])
        self.body: str = _flat(found.prose.body)
        self.answered: bool = self.subject.lstrip().startswith(_reply_words(self.code))
        self.scores: dict[str, float] = _counted(self)
        self.forms: set[str] = {question.form for question in found.questions}
        self.timed: int = sum(slot.timed for slot in found.slots)
        self.size: int = sum(len(one.split()) for one in found.prose.sentences)

    @property
    def blank(self) -> bool:
        """Return whether there is nothing in it."""
        return not (self.found.prose.body.strip() or self.mail.attachments or self.mail.html) and bool(self.mail.size)

    @property
    def passed_on(self) -> bool:
        """Return whether a program passes on what somebody asks: its own footer says nothing."""
        return any(map(f"{self.body}\n{self.subject}".__contains__, _mentions(self.code)))

    @property
    def linked(self) -> bool:
        """Return whether it has links."""
        return "http" in self.mail.text[:20_000] or "href" in self.mail.html[:50_000]

    @property
    def wants(self) -> bool:
        """Return whether it asks for anything, or brings something."""
        found = self.found
        return bool(found.questions or found.requests or found.deadlines or found.attachments or found.documents)

    @property
    def leaving(self) -> bool:
        """Return whether it is a short answer that wants nothing any more."""
        answer = self.answered or bool(self.mail.in_reply_to)
        return answer and not self.wants and 0 < self.size <= _FAREWELL

    @property
    def only_thanks(self) -> bool:
        """Return whether it is a sentence or two that begin with thanks, and wants and tells nothing."""
        found, sentences = self.found, self.found.prose.sentences
        return (
            0 < len(sentences) <= 2 and sentences[0].lower().startswith(every("thanks_first")) and self.size <= _SHORT
            and not (found.questions or found.requests or found.deadlines or found.dates or found.attachments)
        )

    def weak(self) -> bool:
        """Return whether nothing shows so far."""
        return max(self.scores.values()) < _ENOUGH


#: What a score is multiplied by, and what is added: a number, or a share of another score.
_Change = tuple[float, "float | tuple[str, float]"]
_NONE: _Change = (0.0, 0.0)


def _plus(more: float) -> _Change:
    return 1.0, more


def _times(share: float) -> _Change:
    return share, 0.0


#: What moves the scores, in this order: where the first is so, the second is done to them.
_ADJUSTMENTS: tuple[tuple[Callable[[_Look], object], Mapping[str, _Change]], ...] = (
    (lambda m: m.blank, {"empty": (0.0, 9.0)}),
    (lambda m: m.somebody_else, {"wrong": _plus(8)}),
    (lambda m: m.passed_on, dict.fromkeys(("newsletter", "sales", "information", "contact", "account"), _NONE)),
    # Times say that there is to be a meeting, that there will be one, or that there will be none.
    (lambda m: m.timed >= 2, {"meeting": _plus(3)}),
    (lambda m: m.timed == 1 and m.scores["meeting"], {"meeting": _plus(1)}),
    (lambda m: m.timed and not m.forms.isdisjoint(("yes_no", "time")), {"meeting": _plus(2.5)}),
    (lambda m: not m.timed and "time" in m.forms, {"meeting": _plus(2)}),
    (lambda m: not m.timed or m.found.questions, {"booked": _NONE}),
    # Taken back and proposed anew: what counts is the new time.
    (lambda m: m.found.called_off and (m.timed or "time" in m.forms), {"meeting": (1.0, ("cancelled", 1.0))}),
    (lambda m: m.scores["contact"] >= _ENOUGH and m.timed < 2, {"meeting": _times(0.5)}),
    (lambda m: m.scores["event"] < 3 or m.timed >= 2 and m.found.questions, {"event": _times(0.5)}),
    (lambda m: m.scores["event"] >= 3, {"booked": _times(0.5)}),
    (lambda m: m.scores["recruiting"] >= 4 and not m.timed, {"meeting": _times(0.3)}),
    (lambda m: m.scores["recruiting"] >= 4, {"sales": _times(0.5)}),
    (lambda m: m.scores["recruiting"] < 4, {"recruiting": _times(0.5)}),
    (lambda m: m.scores["rejection"] >= 3, {"redress": _times(0.3)}),
    # A bill that came, a bill that is overdue, or money that arrived.
    (lambda m: not m.found.amounts and not m.found.references, {"invoice": _times(0.6), "bill": _times(0.3)}),
    # Nothing is overdue yet.
    (lambda m: m.scores["bill"] >= 3 and m.scores["invoice"] < 6,
     {"bill": (1.0, ("invoice", 0.5)), "invoice": _times(0.4), "received": _times(0.3)}),
    (lambda m: m.scores["confirmation"] >= 5, {"invoice": _times(0.4), "bill": _times(0.4)}),
    (lambda m: m.scores["account"] >= 4,
     dict.fromkeys(("invoice", "bill", "sales", "newsletter"), _times(0.4))),
    # A farewell, or a word or two in answer.
    (lambda m: not m.leaving, {"closing": _NONE}),
    (lambda m: m.scores["closing"] >= _ENOUGH, {"closing": _plus(2)}),
    (lambda m: 0 < m.scores["closing"] < _ENOUGH and m.size <= _SHORT // 2 and m.weak() and not m.only_thanks,
     {"closing": (0.0, _ENOUGH)}),
    (lambda m: m.scores["code"] and m.found.coded, {"code": _plus(2)}),
    # Without a code it takes a link; a mail that only says "password" is about something else.
    (lambda m: m.scores["code"] and not m.found.coded and m.linked, {"code": _times(0.7)}),
    (lambda m: m.scores["code"] and not m.found.coded and not m.linked, {"code": _times(0.4)}),
    (lambda m: m.mail.header("List-Unsubscribe"), {"newsletter": _plus(3)}),
    (lambda m: m.found.attachments, {"received": _plus(1.5)}),
    (lambda m: not m.found.attachments and not m.found.announces and m.scores["received"] < 4,
     {"received": _times(0.4)}),
    (lambda m: m.found.documents, {"document": _plus(2.5)}),
    (lambda m: not m.found.documents and not m.found.requests, {"document": _NONE}),
    (lambda m: m.found.invited == "request" and m.found.slots, {"invite": _plus(8)}),
    (lambda m: m.found.invited == "cancel", {"cancelled": _plus(8)}),
    (lambda m: m.found.options and m.scores["redress"], {"redress": _plus(1)}),
    (lambda m: not m.found.requests, {"task": _times(0.3)}),
    (lambda m: m.found.rating and m.found.questions, {"feedback": _plus(2)}),
    (lambda m: m.found.questions or m.found.requests, {"thanks": _times(0.4)}),
    # What some kinds need besides their cues.
    (lambda m: len({slot.start.date() for slot in m.found.slots}) < 2, {"delivery": _times(0.3)}),
    (lambda m: not m.found.options and not m.found.questions, {"alternatives": _times(0.4)}),
    # "Why did you leave?" is the matter then.
    (lambda m: "why" in m.forms, {"ended": _NONE}),
    # A refund that waits for something to be told.
    (lambda m: not m.found.options and not m.found.sorry and "what" in m.forms, {"redress": _times(0.6)}),
    (lambda m: m.scores["booked"] >= 6 and not m.found.questions, {"renewal": _times(0.4)}),
    # Names of details stand in many mails; only who wants to be told them asks for them.
    (lambda m: not m.found.requests and not m.found.questions, {"status": _times(0.3)}),
    (lambda m: not m.found.requests, {"details": _times(0.3)}),
    # Who has a matter besides only begins with a greeting.
    (lambda m: m.size > _FAREWELL or m.found.requests or m.found.deadlines, {"greeting": _times(0.3)}),
    (lambda m: m.found.mail.header("Auto-Submitted"), {"ticket": _plus(2)}),
    # Who wants a document did more than say that a request arrived.
    (lambda m: m.found.documents, {"ticket": _times(0.4)}),
)


#: Words that every mail in a language has: with fewer of them it is none; what stands around a word.
_FEWEST, _AROUND = 2, ".,;:!?()[]\"'*_<>"


def recognise(found: Findings, somebody_else: bool) -> str:
    """Return the intent of a mail, one of L{INTENTS}: by the rules where they are sure, else by its meaning as well."""
    intent = _by_words_and_meaning(found, somebody_else)
    announced = found.announces if intent == "received" else intent in _BRINGING and found.announces_plainly
    return "missing" if announced and not found.attachments else intent


def is_guess(found: Findings, intent: str) -> bool:
    """Return whether the intent of a mail shows in few of its words, and is not likely to a model."""
    return score(found, False)[intent] < _SHOWN and found.meaning is not None and found.meaning.kinds(
        gist(found)).get(intent, 0.0) < _BELIEVED


def _by_words_and_meaning(found: Findings, somebody_else: bool) -> str:
    scores = score(found, somebody_else)
    best = _strongest(scores)
    if found.meaning is not None and doubtful(scores) and _in_words(found):
        # What a word speaks against it is not: a shop sign is nothing to sign.
        likely = {kind: share for kind, share in found.meaning.kinds(gist(found)).items() if (
            kind not in PLAIN and scores[kind] > -4)}
        next_likely, likeliest = sorted([0.0, 0.0, *likely.values()])[-2:]
        if likeliest >= _LIKELY and (likeliest - next_likely >= _LIKELIER or scores[best] < _ENOUGH):
            # The root, for a model is too sure of the first and too unsure of the second.
            best = _strongest({
                intent: _MEANT * likely.get(intent, 0.0) ** 0.5
                + max(scores[intent], 0.0) * (_ASKING if intent == "question" else 1.0) for intent in INTENTS})
            if best in likely or scores[best] >= _ENOUGH:
                return best
    if scores[best] >= _ENOUGH:
        return best
    return "question" if found.questions else "information"


def gist(found: Findings) -> str:
    """Return what a mail is about in short, as a model is asked: its subject, its first sentences, those that ask."""
    sentences = found.prose.sentences or (found.prose.body,)
    taken, room = list[int](), ASKED
    asking = [at for at, sentence in enumerate(sentences) if at > 1 and (
        sentence in found.requests or is_question(sentence))]
    for at in dict.fromkeys((*range(min(2, len(sentences))), *asking, *range(len(sentences)))):
        room -= len(sentences[at])
        if room < 0 and taken:
            break
        taken.append(at)
    subject = found.mail.subject.strip(" .:!-")[:100]
    if subject.lower().startswith(every("reply_subject_prefixes")):
        subject = "Re"  # somebody else's words
    return plain(". ".join(filter(None, (subject, " ".join(sentences[at] for at in sorted(taken))))))


def _in_words(found: Findings) -> bool:
    """Return whether a mail is in sentences: of codes, tables and noise a model can only guess, and takes its time."""
    common, seen = found.language.common_words, 0
    for word in f"{found.mail.subject[:100]} {found.prose.body[:2 * ASKED]}".lower().split():
        seen += word.strip(_AROUND) in common
        if seen >= _FEWEST:
            return True
    return False


def _strongest(scores: Mapping[str, float]) -> str:
    # Of equals the first.
    return max(INTENTS, key=scores.__getitem__)


def doubtful(scores: Mapping[str, float]) -> bool:
    """Return whether no intent shows strongly enough, or another one nearly as much."""
    if any(scores[intent] >= _ENOUGH for intent in PLAIN):
        return False
    next_best, best = sorted(scores.values())[-2:]
    return best < _SURE or best - next_best < _MARGIN


def score(found: Findings, somebody_else: bool) -> Mapping[str, float]:
    """Return how strongly each intent shows."""
    # Who decides and who answers want the same.
    if somebody_else not in found.scores:
        found.scores[somebody_else] = _scored(found, somebody_else)
    return found.scores[somebody_else]


def _scored(found: Findings, somebody_else: bool) -> Mapping[str, float]:
    look = _Look(found, somebody_else)
    scores = look.scores
    scores["question"] = 1.0 + len(found.questions) if found.questions else 0.0
    for applies, changes in _ADJUSTMENTS:
        if applies(look):
            for intent, (share, more) in changes.items():
                added = more if isinstance(more, float | int) else scores[more[0]] * more[1]
                scores[intent] = scores[intent] * share + added
    _weigh_kinds(scores)
    for intent, less in _SIDE.items():
        scores[intent] -= less
    if look.only_thanks and look.weak():
        scores["thanks"] = _ENOUGH
    return scores


def _counted(look: _Look) -> dict[str, float]:
    """Return what the cues of each intent come to."""
    code, subject, body = look.code, look.subject, look.body
    # What stands after "Re:" was somebody's matter, but not this mail's.
    share = 0.0 if look.mail.in_reply_to else _ANSWERED if look.answered else 1.0
    # One look a cue: the subject counts for all or, of an answer, for nothing or a part.
    whole = f"{body}\n{subject}" if share == 1.0 else body
    # Most cues need no look: no word begins as they do.
    words, by_begin = whole.split(), _by_begin(code)
    begun = by_begin.keys() & {word[:length] for length in range(1, _BEGIN + 1) for word in words}
    scores = dict.fromkeys(INTENTS, 0.0)
    for begin in begun:
        for cue, weight, intent in by_begin[begin]:
            if cue in whole:
                scores[intent] += weight
    if 0.0 < share < 1.0:
        for intent, cues in _cues(code):
            scores[intent] += share * sum([weight for cue, weight in cues if cue in subject and cue not in body])
    return scores


def _weigh_kinds(scores: dict[str, float]) -> None:
    """Let weak signs of the kinds go, and strong ones outweigh what shares their words."""
    astray = scores["wrong"] >= 8
    for kind, (least, _) in _KINDS.items():
        if astray or scores[kind] < least:
            scores[kind] = 0.0
    for kind, (_, leaves) in _KINDS.items():
        if scores[kind]:
            for other, share in leaves.items():
                if other not in _KINDS or scores[kind] > scores[other]:
                    scores[other] *= share


@cache
def _reply_words(code: str) -> tuple[str, ...]:
    return tuple(_flat(prefix).lstrip() for prefix in known(code).reply_prefixes)


@cache
def _cues(code: str) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    # A cue is the beginning of a word or phrase: " resched" is in " we reschedule ".
    return tuple(
        (intent, tuple((_flat(cue).rstrip(), weight) for cue, weight in cues.items()))
        for intent, cues in known(code).cues.items()
    )


@cache
def _by_begin(code: str) -> Mapping[str, tuple[tuple[str, float, str], ...]]:
    # The cues of all intents, by how their first word begins.  Weights are eighths, so the order of a sum is nothing.
    found: dict[str, list[tuple[str, float, str]]] = {}
    for intent, cues in _cues(code):
        for cue, weight in cues:
            if 8 * weight % 1:
                raise ValueError(f"the weight {weight} of {cue!r} is no number of eighths")
            found.setdefault(_begin(cue), []).append((cue, weight, intent))
    return MappingProxyType({begin: tuple(cues) for begin, cues in found.items()})


def _begin(cue: str) -> str:
    word, blank, _ = cue[1:].partition(" ")
    if len(word) < _SHORTEST and not blank:
        raise ValueError(f"{cue!r} is too short for a cue")
    return word[:_BEGIN]


@cache
def _mentions(code: str) -> tuple[str, ...]:
    return tuple(_flat(cue).rstrip() for cue in known(code).mentions)


def _flat(text: str) -> str:
    return f" {' '.join(text.lower().translate(_SIGNS).split())} "
