"""
The kinds of mail there are: who sends them, what the company should do, and what composes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Literal, NamedTuple

from msgspec.structs import replace

from simmail.core.records.world import WorldKind
from simmail.core.world.injection import prompt_injection
from simmail.core.world.letters import letter
from simmail.core.world.machines import alert, auto_reply, backscatter, newsletter, spam
from simmail.core.world.occasion import Composition, Expected, Occasion
from simmail.core.world.swindles import phishing, thread_hijack

#: Who writes: people of some sort, each known to the streams of that sort; or nobody, but a machine, or somebody who
#: poses as one of them in their conversation.
Sort = Literal["customer", "supplier", "seller", "recruiter", "applicant", "contact", "machine", "impostor"]


class Kind(NamedTuple):
    """
    One kind of mail.

    @ivar what: a sentence for people; expected: the right handling of most of them.
    @ivar hours: within which it should be answered, those of weekends not counted; None where it need not be.
    """

    id: WorldKind
    what: str
    expected: Expected
    sort: Sort
    hours: float | None
    compose: Callable[[Occasion, Expected, float | None], Composition]


KINDS: Mapping[str, Kind] = MappingProxyType({one.id: one for one in (
    Kind("inquiry", "Somebody asks about what the company offers: prices, dates, whether something is there",
         "answer", "customer", 24, letter),
    Kind("order", "Somebody orders something, or changes, cancels or asks after an order",
         "answer", "customer", 16, letter),
    Kind("complaint", "Somebody complains about what came, what did not, or what it cost",
         "answer", "customer", 8, letter),
    Kind("support", "Something does not work, and somebody needs help with it", "answer", "customer", 8, letter),
    Kind("invoice", "A supplier sends an invoice, as PDF", "escalate", "supplier", 48, letter),
    Kind("payment_reminder", "A supplier asks for money that is overdue, with the invoice once more", "escalate",
         "supplier", 24, letter),
    Kind("newsletter", "A newsletter, with a way to leave it", "ignore", "machine", None, newsletter),
    Kind("sales_pitch", "Somebody wants to sell something that nobody asked for", "ignore", "seller", None, letter),
    Kind("recruiting", "A recruiter offers candidates, or a position", "ignore", "recruiter", None, letter),
    Kind("job_application", "Somebody applies for a position, with a CV as PDF", "answer", "applicant", 48, letter),
    Kind("notification", "A service tells what happened: parcels, payments, sign-ins, backups", "ignore", "machine",
         None, alert),
    Kind("calendar", "Somebody invites to a meeting (text/calendar, METHOD:REQUEST)", "answer", "contact", 24, letter),
    Kind("auto_reply", "A mailbox answers by itself: somebody is away, or a request was taken", "ignore", "machine",
         None, auto_reply),
    Kind("bounce_backscatter", "A bounce of a mail that the company never sent", "ignore", "machine", None,
         backscatter),
    Kind("spam", "Unwanted mail that no sender vouches for", "junk", "machine", None, spam),
    Kind("phishing", "A swindler wants passwords, money or vouchers, in the name of a service, a supplier or the boss",
         "junk", "machine", None, phishing),
    Kind("prompt_injection", "A mail with orders for a language model, wherever in it they can be put", "junk",
         "machine", 24, prompt_injection),
    Kind("thread_hijack", "Somebody goes on with a true conversation of the company and somebody else, whose domain "
         "theirs looks like", "junk", "impostor", None, thread_hijack),
)})


def composed(occasion: Occasion) -> Composition:
    """Return the mail of an occasion."""
    kind = KINDS[occasion.kind]
    return kind.compose(replace(occasion, sort=kind.sort), kind.expected, kind.hours)


def answer_by(at: datetime, hours: float) -> datetime:
    """Return the instant by which a mail should be answered; Saturdays and Sundays do not count."""
    day, found = timedelta(days=1), at
    while found.weekday() >= 5:
        found = found.replace(hour=0, minute=0, second=0, microsecond=0) + day
    left = timedelta(hours=hours)
    while left > timedelta(0):
        step = min(left, day)
        found, left = found + step, left - step
        while found.weekday() >= 5:
            found += day
    return found
