"""
Letters: from a job and what it is about to the words asked for, and to the message that carries them.

A function of values; gathering them, and sending what comes of it, is
C{desk}'s matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from simmail.core.compose.message_id import message_id
from simmail.core.compose.quoting import quote
from simmail.core.decide.after_sending import promised_in
from simmail.core.decide.delay import zone_of
from simmail.core.decide.job_data import FORWARDED
from simmail.core.decide.link_policy import unsubscribes
from simmail.core.message.mail import Attachment, Draft, Mail
from simmail.core.mime.address import Address
from simmail.core.records.job import Job
from simmail.core.records.persona import OutOfOffice, Persona
from simmail.core.records.relationship import Dossier, OpenPromise, ThreadState
from simmail.core.rng import Dice
from simmail.core.writer import Promised, WordsRequest, Written

#: Kinds that quote what they answer.
QUOTING = frozenset(("reply", "forward"))

#: Kinds that begin a thread when there is no mail they are about.
ALONE = frozenset(("initiate", "forward"))


class Matter(NamedTuple):
    """
    All that one letter is about.

    @ivar mails: what it answers or passes on, as it came, oldest first.
    @ivar heard: the same as the persona takes them: of what a colleague passed on, the mail that was passed on.
    @ivar own: the persona's earlier mails of the thread, oldest first.
    @ivar dossier: about whom it is for; promise: the promise it keeps or asks for.
    """

    job: Job
    persona: Persona
    mails: tuple[Mail, ...]
    heard: tuple[Mail, ...]
    own: tuple[Mail, ...]
    dossier: Dossier
    thread: ThreadState
    memory: dict[str, list[str]]
    promise: OpenPromise | None


def request(
    matter: Matter, now: datetime, dice: Dice, facts: Mapping[str, str], case_title: str, wants: str
) -> WordsRequest:
    """
    What is asked of the words.

    @param facts: what the persona may say of the case, to this reader; wants: what it is after.
    """
    job, dossier, data = matter.job, matter.dossier, matter.job.data
    owed = promised_in(dossier, job.thread)
    promise = matter.promise or (promised_in(dossier, job.thread) if job.kind == "correction" else None)
    period = data.get("period")
    # A second thought is a correction that corrects nothing.
    kind = "correction" if data.get("afterthought") else job.kind
    persona = matter.persona if not wants or wants == matter.persona.wants else replace(matter.persona, wants=wants)
    return WordsRequest(
        kind=kind,  # type: ignore[arg-type] # one of those that the desk writes
        persona=persona, correspondent=Address(data.get("to_name", ""), data["to"]), now=now.astimezone(
            zone_of(persona)), dice=dice, mails=matter.heard, facts=dict(facts), case_title=case_title,
        notes=tuple(matter.memory.get(job.case_id or "", ())),
        warmth=_or_half(dossier.warmth), trust=_or_half(dossier.trust), patience=_or_half(dossier.patience),
        promise=Promised(promise.what, promise.due) if promise is not None else None,
        ooo=msgspec.convert(period, OutOfOffice) if period else None, own=matter.own,
        question=data.get("question") or "", held=matter.thread.held,
        owed=owed.what if owed is not None else "",
        owes=tuple(Promised(one.what, one.due) for one in dossier.promises if one.by == "persona"),
        done=matter.thread.done, broken=_broken(data),
        unsubscribed=any(one["opened"] and unsubscribes(one["url"], one["text"]) for one in data.get("visited", ())),
        nth=dossier.sent)


def draft(
    matter: Matter, written: Written, now: datetime, dice: Dice, nth: int, copied: tuple[Address, ...]
) -> Draft:
    """
    The message: addressed, threaded, quoted, with the attachments of what it passes on.

    @param dice: the universe's; nth: it is the persona's n-th mail.
    """
    job, persona, data = matter.job, matter.persona, matter.job.data
    client = (persona.style.client if persona.style else None) or "plain"
    local = now.astimezone(zone_of(persona))
    original = matter.mails[-1] if matter.mails else None
    text, html = quote(
        client, written.text, original if job.kind in QUOTING else None, forward=job.kind == "forward",
        zone=local.tzinfo, language=written.language)
    attachments = written.attachments
    extra = [("X-Service-Simulated", "yes"), ("X-Service-Persona", persona.id)]
    if job.case_id:
        extra.append(("X-Service-Case", job.case_id))
    reply_to: tuple[Address, ...] = ()
    if job.kind == "ooo":
        # RFC 3834 section 5.
        extra += [("Auto-Submitted", "auto-replied"), ("Precedence", "bulk")]
    elif job.kind == "forward":
        attachments += tuple(one for mail in matter.mails for one in _passed_on(mail))
        extra.append((FORWARDED, ", ".join(data["by"])))
        if data.get("reply_to"):
            reply_to = (Address(data.get("reply_to_name", ""), data["reply_to"]),)
    references = _references(matter)
    return Draft(
        message_id=message_id(dice, client, persona.address, nth), date=local,
        from_=Address(persona.name, persona.address), to=(Address(data.get("to_name", ""), data["to"]),),
        cc=copied, subject=written.subject, text=text, html=html, reply_to=reply_to,
        in_reply_to=references[-1] if references and job.kind not in ALONE else "", references=references,
        attachments=attachments, client=client, extra=tuple(extra), key=job.id)


def as_sent(draft: Draft, size: int) -> Mail:
    """The message as C{core.reading} would read it, but for C{headers}, which are only those of the draft."""
    return Mail(
        message_id=draft.message_id, in_reply_to=draft.in_reply_to, references=draft.references, from_=draft.from_,
        reply_to=draft.reply_to, to=draft.to, cc=draft.cc, subject=draft.subject, date=draft.date,
        text=draft.text.rstrip("\n"), html=draft.html, format="both" if draft.html else "text",
        attachments=draft.attachments, headers=draft.extra, size=size)


def _references(matter: Matter) -> tuple[str, ...]:
    """The thread so far: what the mails refer to, the mails, and what the persona wrote after them."""
    if matter.job.kind == "initiate":
        return ()
    mails = matter.mails if matter.job.kind in ("reply", "ooo", "forward") else (*matter.mails, *matter.own)
    before = mails[0].references if mails else ()
    for mail in mails[1:]:
        before += mail.references
    return tuple(dict.fromkeys(one for one in (*before, *[mail.message_id for mail in mails]) if one))


def _passed_on(mail: Mail) -> tuple[Attachment, ...]:
    """The attachments of a mail that goes on; pictures of its HTML become files, for the HTML is quoted as text."""
    return tuple(replace(one, inline=False, content_id="") for one in mail.attachments)


def _broken(data: dict[str, Any]) -> str:
    """What a reader calls the first link that did not open: its words, else its address in short."""
    for one in data.get("visited", ()):
        url, text = str(one["url"]), str(one["text"])
        if one["broken"] and not unsubscribes(url, text):
            bare = "://" in text or not text
            return url.partition("://")[2].partition("?")[0].partition("#")[0].rstrip("/") if bare else text
    return ""


def _or_half(value: float | None) -> float:
    return 0.5 if value is None else value
