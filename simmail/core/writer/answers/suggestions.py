"""
Days that a mail names for something without asking for them: "he could start on Thursday".

Who has said yes to the rest says whether the day suits, as people do who have read so far.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simmail.core.language import dates
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.dates import Slot
from simmail.core.language.questions import stands_in
from simmail.core.writer.choice import timed
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.speech_act import Said

_CLAUSES = re.compile(r", | but |; | - | – ")
#: Kinds of mail in which a day is named beside what it asks.
_BESIDE = frozenset(("question", "private", "task", "information", "details"))
#: Answers with which nothing comes of the rest.
_REFUSED = frozenset((
    "answer.no", "answer.not_so", "answer.denied", "answer.dont", "answer.wont", "answer.sorry", "answer.unsuited",
    "offered.leave"))


def suggested(scene: Scene, read: Read, said: Sequence[Said]) -> list[Said]:
    """Return what is said to the first day that a mail suggests; nothing where it speaks of times, or was refused."""
    if read.intent not in _BESIDE or read.found.proposed or scene.request.own or not said or any(
            "slot" in one.values or "day" in one.values or one.act in _REFUSED or one.act.endswith((".no", ".later"))
            or one.asked is not None and (one.asked.options or one.asked.form == "either") for one in said):
        return []
    language, found = scene.language, read.found
    for sentence in found.prose.sentences[:20]:
        if "?" in sentence or any(stands_in(point, sentence) for point in found.points) or not mentions_any(
                f" {sentence.lower()}", asking(language.code).suggesting):
            continue
        clause = next((one for one in _CLAUSES.split(sentence) if mentions_any(
            f" {one.lower()}", asking(language.code).suggesting)), "")
        ahead = [slot for slot in dates.find(clause, read.base, found.language).slots if (
            slot.start.date() > max(scene.calendar.today, read.base.date()))]
        if len(ahead) != 1:
            continue
        slot = ahead[0]
        suits = _suits(scene, slot)
        values = {**scene.common, "slot": scene.calendar.appointment(slot, language)}
        return [Said(act="answer.suits" if suits else "answer.unsuited", values=values,
                     remarks=(timed(scene, "agreed", slot),) if suits and slot.timed else ())]
    return []


def _suits(scene: Scene, slot: Slot) -> bool:
    """Whether a day, or an hour, is free; who has no firm has its days off as well."""
    if scene.request.persona.org and not scene.friends:
        return scene.calendar.suits(slot)
    day = slot.start.date()
    return day > scene.calendar.today and scene.limits.works(day) and (
        not slot.timed or scene.calendar.free(slot.start))
