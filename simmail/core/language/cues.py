"""
Kinds of mail that show by several cues together, and what else their words then do not mean.

"Down on Thursday from 22:00" in an announcement proposes no meeting, and the invoice of a mail about a new bank
account is not what it wants.
"""

from __future__ import annotations

from types import MappingProxyType

from simmail.core.language.reader import Findings

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
})


def weigh(scores: dict[str, float], found: Findings) -> None:
    """Let weak signs of these kinds go, and strong ones outweigh what shares their words."""
    days = {slot.start.date() for slot in found.slots}
    if len(days) < 2:
        scores["delivery"] *= 0.3
    if not found.options and not found.questions:
        scores["alternatives"] *= 0.4
    if any(question.form == "why" for question in found.questions):
        scores["ended"] = 0.0  # "why did you leave?" is the matter then
    if not found.options and not found.sorry and any(question.form == "what" for question in found.questions):
        scores["redress"] *= 0.6  # a refund that waits for something to be told
    if scores["booked"] >= 6 and not found.questions:
        scores["renewal"] *= 0.4
    astray = scores["wrong"] >= 8
    for kind, (least, _) in _KINDS.items():
        if astray or scores[kind] < least:
            scores[kind] = 0.0
    for kind, (_, leaves) in _KINDS.items():
        if scores[kind]:
            for other, share in leaves.items():
                if other not in _KINDS or scores[kind] > scores[other]:
                    scores[other] *= share
