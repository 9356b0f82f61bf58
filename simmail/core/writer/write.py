"""
Words for one mail: read, decide what to say, say it in the persona's voice.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import NamedTuple

from msgspec import UNSET

from simmail.core.language.text import say
from simmail.core.message.mail import Attachment
from simmail.core.records.conversation import Appointment, Remark
from simmail.core.writer import attachment
from simmail.core.writer.agenda import full_date
from simmail.core.writer.by_intent import span_of
from simmail.core.writer.choice import timed
from simmail.core.writer.context import Scene, base_subject, set_scene
from simmail.core.writer.kinds import said_by
from simmail.core.writer.layout import greeting, lay_out, signed
from simmail.core.writer.request import Promised, WordsRequest, Written
from simmail.core.writer.speech_act import Said
from simmail.core.writer.voice import OPENING
from simmail.core.writer.wishes import want_subject

_SUBJECT = 200
#: Where a sentence ends: "on 9. März" goes on.
_STOP = re.compile(r"(?<![ (][0-9]\.)(?<![ (][0-9]{2}\.)(?<=[.!?:;]) |\n")
#: Words of the longest question that says nothing by itself where it points to what stood above it.
_POINTING = 8
#: Acts whose question is asked again when nobody answers it: of a time, of what something waits for, of one's own aim.
_MINDED = frozenset((
    "booked.move", "date.none", "document.ask", "invoice.ask", "bill.ask", "complaint.ask", "task.ask", "missing.tell",
    "meeting.counter", "meeting.late", "meeting.open", "redress.details", "refund.ask", "settle.still", "signature.ask",
    "initiate.about", "initiate.plain", "initiate.want", "followup", "followup.late", "nudge"))


class Drafted(NamedTuple):
    """A mail with what it was decided to say: the scene it is said in, and its acts in order."""

    scene: Scene
    said: list[Said]
    written: Written


def write(request: WordsRequest) -> Written:
    """Return the words for a mail; the same request always gives the same ones."""
    return drafted(request).written


def drafted(request: WordsRequest) -> Drafted:
    """Return the same, with what they were made from."""
    scene = set_scene(request)
    said = said_by(scene)
    message = request.ooo.message.strip() if request.kind == "ooo" and request.ooo is not None else ""
    if message:
        # The notice is the persona's own text: said as it stands.
        text, each = _notice(scene, message), [""] * len(said)
    else:
        text, each = lay_out(scene, said)
    return Drafted(scene, said, Written(
        subject=subject(scene),
        text=_fit(text),
        attachments=_attached(scene, said),
        promise=_promised(scene, said),
        question=_question(said, each, scene.language.pointing),
        again=tuple(act.values["value"] for act in said if act.act in _AGAIN and act.values.get("value")),
        held=_held(scene, said),
        done=_done(said),
        remarks=_remarks(scene, said),
        appointments=_appointments(scene, said),
        intent=scene.read[-1].intent if scene.read else "",
        language=scene.language.code,
        unread=scene.unread if request.kind == "reply" else "",
    ))


def subject(scene: Scene) -> str:
    """Return the subject line, with one prefix at most."""
    request, language = scene.request, scene.language
    prefixes = language.subjects
    style = request.persona.style
    outlook = style is not UNSET and style.client == "outlook"
    mails = request.mails or request.own
    base = base_subject(mails[-1].subject, language) if mails else ""
    if request.kind == "forward":
        line = f"{prefixes.outlook_forward if outlook else prefixes.forward} {base}"
    elif request.kind == "ooo":
        line = f"{prefixes.ooo} {base}"
    elif mails:
        line = f"{prefixes.outlook_reply if outlook else prefixes.reply} {base}"
    elif request.kind == "deliver" and request.promise is not None:
        line = prefixes.delivered.format(what=say(request.promise.what, 80))
    elif request.kind == "nudge" and request.promise is not None:
        line = prefixes.promised.format(what=say(request.promise.what, 80))
    else:
        wants = request.persona.wants
        want = "" if wants is UNSET else want_subject(say(wants, 200), language)
        line = say(request.case_title, 80) or want or prefixes.question
    line = _fit(line).strip()
    return line if len(line) <= _SUBJECT else line[:_SUBJECT].rstrip() + "…"


def _fit(text: str) -> str:
    # Signatures and notices are stored as they were given; what no message may hold is left out here.
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "").replace("\r", "")


def _notice(scene: Scene, message: str) -> str:
    text = "\n".join(line.rstrip() for line in message[:4000].replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    name = scene.request.persona.name
    if name and name.split()[0] in text[-120:]:
        return f"{text}\n"  # it is signed already
    return "\n\n".join(part for part in (greeting(scene), text, signed(scene, "")) if part.strip()) + "\n"


#: Acts that put something off until a question is answered, and what is put off.
_HOLDING = MappingProxyType({
    "document.ask": "document", "document.refuse": "document", "invoice.ask": "invoice", "invoice.doubt": "invoice",
    "invoice.dispute": "invoice", "bill.ask": "bill", "bill.check": "bill", "task.ask": "task",
    "complaint.ask": "complaint", "redress.reject": "redress",
})
#: Acts whose question is only whether what they say is so.
_ALONE = frozenset(("redress.insist", "bargain.name", "bargain.last"))
#: Acts that say again what was said.
_AGAIN = frozenset((
    "answer.recall", "answer.piece", "answer.sum", "answer.said_so", "answer.said_not", "answer.called_off",
    "date.none"))
#: What a person tells of itself in these is remembered, and how much of it.
_OWN = frozenset(("answer.own", "answer.stated", "answer.denied", "answer.option", "answer.way"))
_LONGEST_OWN = 200
_KEPT = ("doc", "ref", "amount", "about")


def _held(scene: Scene, said: list[Said]) -> dict[str, str]:
    """What the mail puts off."""
    for act in said:
        if act.act in _HOLDING:
            return {"act": _HOLDING[act.act], **{name: act.values[name] for name in _KEPT if act.values.get(name)}}
        if act.act in ("settle.still", "chaser.answer"):
            return dict(scene.request.held)
    return {}


def _done(said: list[Said]) -> dict[str, str]:
    """What the mail brings: a document, or word of a payment."""
    done = {}
    for act in said:
        if act.documents:
            done["document"] = act.values.get("doc") or act.values.get("what") or act.documents[0]
        elif act.act == "deliver.payment":
            done["payment"] = act.values["what"]
    return done


def _remarks(scene: Scene, said: list[Said]) -> tuple[Remark, ...]:
    """What the mail says, for the thread; an invitation that is declined is called off."""
    declined = [
        timed(scene, "called_off", read.found.slots[0]) for act in said if act.act.endswith(".decline")
        for read in scene.read if read.found.invited == "request" and read.found.slots]
    told = [act.values.get("value") or act.values.get("option", "") for act in said if act.act in _OWN]
    own = [say(f"{one[:1].upper()}{one[1:]}", _LONGEST_OWN) for one in told if one]
    return (*(remark for act in said for remark in act.remarks), *declined, *(
        Remark("said", "persona", "", scene.request.now, one, language=scene.language.code) for one in own))


def _appointments(scene: Scene, said: list[Said]) -> tuple[Appointment, ...]:
    """The times that the mail gives away; in which thread is for who sends it to say."""
    found: list[Appointment] = []
    for remark in (one for act in said for one in act.remarks):
        if remark.kind != "agreed" or remark.when is None or not remark.timed or not scene.read:
            continue
        start = remark.when
        read = next((one for one in scene.read if start in [slot.start for slot in one.found.slots]), scene.read[-1])
        invited = read.found.invitation
        own = invited.start == start
        found.append(Appointment(
            start, start + span_of(read),
            say(invited.summary if own else base_subject(read.mail.subject, scene.language), 80),
            (scene.request.correspondent.address,), uid=invited.uid if own else "",
            sequence=invited.sequence if own else 0))
    return tuple(found)


def _attached(scene: Scene, said: list[Said]) -> tuple[Attachment, ...]:
    request, persona = scene.request, scene.request.persona
    reference = scene.read[-1].found.references[0] if scene.read and scene.read[-1].found.references else ""
    reader = scene.common.get("name") or scene.common.get("company", "")
    asked = next((one for read in scene.read for one in read.found.requests if any(map(str.isdigit, one))), "")
    return tuple(
        attachment.document(
            what, reference=reference, author=say(persona.name, 60),
            organisation=scene.common.get("org", ""), reader=reader,
            written=request.now, facts=[(fact.label, fact.value) for fact in scene.facts[:20]],
            language=scene.language, date=full_date(scene.calendar.today, scene.language), asked=say(asked, 200),
        )
        for act in said for what in act.documents
    )


def _promised(scene: Scene, said: list[Said]) -> Promised | None:
    promises = [act.promise for act in said if act.promise is not None]
    if not promises:
        return None
    if len(promises) == 1:
        return promises[0]
    # One mail makes one promise of two things; more than two are not kept track of by people either.
    first, second = promises[0], promises[1]
    if first.what == second.what:
        return first
    return Promised(f"{first.what} {scene.language.and_} {second.what}", max(first.due, second.due))


def _question(said: list[Said], each: list[str], pointing: frozenset[str]) -> str | None:
    """The last question that wants an answer, C{""} for one that cannot be said again by itself."""
    for act, text in zip(reversed(said), reversed(each)):
        if act.act not in _MINDED or "?" not in text:
            continue
        if act.act == "settle.still":
            return ""  # it points to what was asked before
        if act.act in _ALONE and not any(map(str.isdigit, text[max(map(text.rfind, ".!\n")):])):
            return ""  # "is that possible?" says nothing without what stands before it
        text = text[:text.rindex("?") + 1]
        asked = _STOP.split(text)[-1].strip()
        asking = [word.strip(",;?¿") for word in asked.lower().split()]
        if len(asking) <= _POINTING and not pointing.isdisjoint(asking):
            return ""
        at = len(asked) - len(asked.lstrip(OPENING))
        return asked[:at] + asked[at:at + 1].upper() + asked[at + 1:]
    return None
