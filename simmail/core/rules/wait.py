"""
What a wait asks for, and why a message is not it.

The records of C{GET /api/wait} and its kin, and the matching rules as pure
functions; who watches folders and moves the clock meanwhile is the
universe's matter.  Source: decisions, section 3 ("Wait").
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from msgspec import Struct

from simmail.core.message.mail import Mail
from simmail.core.records.delivery import Copy
from simmail.core.time.instant import parse_instant
from simmail.errors import Invalid

LONGEST_TIMEOUT = 300.0
DEFAULT_TIMEOUT = 30.0
DEFAULT_SIM_TIMEOUT = timedelta(days=30)

#: Who waits for the first time is given mail filed within this many real seconds; who asked before is given what came
#: after it, for as long.
RECENT = 3600.0

_LONGEST_SHOWN = 80

#: Where a wait begins: an instant, an event number, or a Message-ID.
Since = datetime | int | str


class WaitFilter(Struct, frozen=True):
    """
    What the message must look like; an empty field asks nothing.

    C{from_}, C{subject} and C{text} are substrings, compared without regard to case, as is the value of
    each C{(name, value)} of C{headers}; an empty value asks only that there is such a field.
    C{match}: all of the fields given, or any one of them.
    """

    from_: str = ""
    subject: str = ""
    text: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    case_id: str = ""
    unread: bool = False
    match: Literal["all", "any"] = "all"


class Candidate(NamedTuple):
    """A message a wait looks at: what is in it, its IMAP flags, and the case its thread is linked to."""

    mail: Mail
    flags: frozenset[str] = frozenset()
    case_id: str | None = None


class MailWait(Struct, frozen=True):
    """
    A wait for mail in a folder.

    @ivar existing: what counts of the mail already there when this was not asked before: true all of it, None that
        of the last hour (C{RECENT}); false: none of it, also when it was asked before.
    @ivar timeout: real seconds.
    @ivar advance: run the simulated clock from job to job, for C{sim_timeout} at most, while a pending job can
        still produce such mail; C{settle} as C{advance} of the clock takes it, real seconds.
    """

    to: str
    folder: str = "INBOX"
    filter: WaitFilter = WaitFilter()
    count: int = 1
    since: Since | None = None
    existing: bool | None = None
    timeout: float = DEFAULT_TIMEOUT
    advance: bool = False
    sim_timeout: timedelta = DEFAULT_SIM_TIMEOUT
    settle: float = 0.0


class ReplyWait(Struct, frozen=True):
    """
    A wait for what a persona sends: C{persona} (id or address), or whoever answers C{in_reply_to} (Message-ID of
    the application's mail).

    @ivar kind: of C{persona.sent}, C{any} for each of them.
    """

    persona: str = ""
    in_reply_to: str = ""
    kind: str = "reply"
    since: Since | None = None
    timeout: float = DEFAULT_TIMEOUT
    advance: bool = False
    sim_timeout: timedelta = DEFAULT_SIM_TIMEOUT
    settle: float = 0.0


class Waited(Struct, frozen=True):
    """
    What came: where each message is, and the event number to pass as the next C{since}.

    @ivar also: out-of-office notices that came before it, for a wait that is for none.
    """

    copies: tuple[Copy, ...]
    cursor: int
    also: tuple[Copy, ...] = ()


def parse_since(text: str) -> Since:
    """
    Where to begin: an event number, a Message-ID in angle brackets, or an RFC 3339 time.

    @raise Invalid: none of these.
    """
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    if len(text) > 2 and text[0] == "<" and text[-1] == ">":
        return text
    try:
        return parse_instant(text, "since")
    except Invalid:
        raise Invalid("since", "must be an RFC 3339 time, an event number or a Message-ID in angle brackets") from None


def parse_header(text: str) -> tuple[str, str]:
    """
    C{Name:value} as (name, value).

    @raise Invalid: no colon, or no name before it.
    """
    name, colon, value = text.partition(":")
    name = name.strip()
    if not colon or not name or not all("!" <= character <= "~" for character in name):
        raise Invalid("header", "must be Name:value")
    return name, value.strip()


def mismatches(filter: WaitFilter, candidate: Candidate) -> tuple[str, ...]:
    """Each way in which a message is not what is awaited; none when it is."""
    mail = candidate.mail
    asked = 0
    why: list[str] = []

    def ask(passes: bool, text: str) -> None:
        nonlocal asked
        asked += 1
        if not passes:
            why.append(text)

    if filter.from_:
        sender = mail.from_
        wanted = filter.from_.lower()
        ask(wanted in sender.address.lower() or wanted in sender.name.lower(),
            f"from {_shown(sender.address)} does not contain {_shown(filter.from_)}")
    if filter.subject:
        ask(filter.subject.lower() in mail.subject.lower(),
            f"subject {_shown(mail.subject)} does not contain {_shown(filter.subject)}")
    if filter.text:
        ask(filter.text.lower() in mail.text.lower(), f"text does not contain {_shown(filter.text)}")
    for name, value in filter.headers:
        wanted, lower = value.lower(), name.lower()
        found = [content for key, content in mail.headers if key.lower() == lower]
        if not found:
            ask(False, f"there is no header {name}")
        else:
            ask(any(wanted in content.lower() for content in found),
                f"header {name} {_shown(found[0])} does not contain {_shown(value)}")
    if filter.case_id:
        ask(candidate.case_id == filter.case_id,
            f"case {_shown(candidate.case_id)} is not {_shown(filter.case_id)}" if candidate.case_id
            else "it belongs to no case")
    if filter.unread:
        ask("\\Seen" not in candidate.flags, "it is read")
    if filter.match == "any" and len(why) < asked:
        return ()
    return tuple(why)


def mismatch(filter: WaitFilter, candidate: Candidate) -> str | None:
    """Why a message is not what is awaited, in words; None when it is."""
    why = mismatches(filter, candidate)
    return "; ".join(why) or None


def described(wait: MailWait) -> str:
    """What a wait was for, in words, for the text of a 408."""
    filter = wait.filter
    asked = [f"{name} containing {_shown(value)}" for name, value in (
        ("from", filter.from_), ("subject", filter.subject), ("text", filter.text)) if value]
    asked += [f"header {name} containing {_shown(value)}" if value else f"a header {name}"
              for name, value in filter.headers]
    if filter.case_id:
        asked.append(f"case {_shown(filter.case_id)}")
    if filter.unread:
        asked.append("unread")
    what = "one message" if wait.count == 1 else f"{wait.count} messages"
    joined = (" or " if filter.match == "any" else " and ").join(asked)
    return f"{what} to {wait.to} in {wait.folder}" + (f" with {joined}" if joined else "")


def _shown(text: str | None) -> str:
    # One line, not too long: this ends in an error text.
    folded = " ".join((text or "").split())
    return f"'{folded[:_LONGEST_SHOWN]}…'" if len(folded) > _LONGEST_SHOWN else f"'{folded}'"
