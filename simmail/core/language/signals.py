"""
What a mail does to the person who reads it, by its words: asks, thanks, reminds, presses.

Looks for phrases only (English, some German); what the mail is about is
C{core.words}' matter.  Every look is one scan of capped text.
"""

from __future__ import annotations

from msgspec import Struct

from simmail.core.compose.quoting import split_reply
from simmail.core.message.mail import Mail

#: Characters of new text that are looked at.
LOOKED_AT = 16_384

_THANKS = ("thank you", "thanks", "many thanks", "much appreciated", "grateful", "vielen dank", "danke")
_NO_THANKS = ("thanks in advance", "thank you in advance", "thanks for nothing", "vielen dank im voraus", "no thanks")
_APOLOGY = ("sorry", "apologi", "apology", "my mistake", "our mistake", "entschuldig", "tut mir leid", "tut uns leid")
_NAGGING = (
    "reminder", "remind you", "following up", "follow up", "follow-up", "haven't heard", "have not heard",
    "still waiting", "any update", "any news", "just checking in", "checking in", "second notice", "second request",
    "gentle nudge", "bumping this", "circling back", "did you get a chance", "did you receive my",
    "as requested before", "asked before", "asking again", "yet to receive", "have not received", "haven't received",
    "erinnerung", "noch keine antwort", "noch nicht geantwortet", "nachfragen", "where is", "where are", "you promised",
)
_PRESSURE = (
    "urgent", "immediately", "asap", "as soon as possible", "final notice", "last chance", "last warning",
    "without delay", "by end of day", "within 24 hours", "overdue", "dringend", "sofort", "umgehend", "letzte mahnung",
)
_COMPLAINT = (
    "complaint", "unacceptable", "disappointed", "not satisfied", "dissatisfied", "unhappy with", "terrible", "fed up",
    "ridiculous", "refund", "beschwerde", "enttäuscht", "inakzeptabel",
)
_DELIVERS = (
    "attached", "attachment", "enclosed", "as promised", "here is", "here are", "here's", "please find",
    "anbei", "im anhang", "wie versprochen", "hier ist",
)
#: A short answer with one of these, and with no more than thanks besides, takes its leave.
_FAREWELL = (
    "see you", "talk soon", "talk to you", "speak soon", "until then", "that's all", "that is all", "all set",
    "have a nice", "have a good", "have a great", "you're welcome", "you are welcome", "my pleasure", "sounds good",
    "got it", "perfect", "will do", "bis dann", "bis bald", "alles klar", "schönes wochenende", "schönen tag",
    "gern geschehen", "perfekt",
)
_LONGEST_FAREWELL = 25
_REQUESTS = (
    "please let me know", "let me know", "please confirm", "could you", "can you", "would you", "please send",
    "please reply", "please advise", "get back to me", "looking forward to your reply", "bitte senden",
    "bitte bestätigen", "können sie", "könnten sie", "lassen sie mich wissen",
)


class Signals(Struct, frozen=True):
    """
    What was found in the new text and the subject of a mail.

    @ivar questions: question marks that end a sentence.
    @ivar request: something is asked for without a question mark.
    @ivar delivers: it says that something comes with it, or has an attachment.
    @ivar farewell: it answers and only takes its leave.
    @ivar new: the new text that was looked at, as written.
    """

    questions: int = 0
    request: bool = False
    thanks: bool = False
    apology: bool = False
    nagging: bool = False
    pressure: bool = False
    complaint: bool = False
    delivers: bool = False
    farewell: bool = False
    new: str = ""

    @property
    def asks(self) -> bool:
        """Whether an answer is asked for."""
        return self.questions > 0 or self.request


def signals(mail: Mail) -> Signals:
    """What a mail does to its reader."""
    new = split_reply(mail.text[:LOOKED_AT * 4])[0][:LOOKED_AT]
    # A subject with Re: was written by somebody else, mostly.
    subject = "" if mail.subject[:3].lower() in ("re:", "aw:") else mail.subject[:1000]
    low = f"{subject}\n{new}".lower().replace("\u2019", "'")
    questions, request = _questions(f"{subject}\n{new}"), _any(_REQUESTS, low)
    return Signals(
        questions=questions,
        request=request,
        thanks=_any(_THANKS, low) and not _any(_NO_THANKS, low),
        apology=_any(_APOLOGY, low),
        nagging=_any(_NAGGING, low),
        pressure=_any(_PRESSURE, low),
        complaint=_any(_COMPLAINT, low),
        delivers=any(not one.inline for one in mail.attachments) or _any(_DELIVERS, low),
        farewell=bool(mail.in_reply_to) and not (questions or request or mail.attachments) and len(
            new.split()) <= _LONGEST_FAREWELL and _any(_FAREWELL, low) and not _any(_COMPLAINT + _NAGGING, low),
        new=new,
    )


def _any(phrases: tuple[str, ...], low: str) -> bool:
    return any(phrase in low for phrase in phrases)


def _questions(text: str) -> int:
    if "?" not in text:
        return 0
    return sum(
        1 for word in text.split()
        if word.rstrip("!\"')]}”»*_").endswith("?") and "://" not in word and word.strip("?!.\"'")
    )
