"""
What a case that was pushed makes people do: deliver what they owe, write first about what they want.

Source: decisions, sections 6 and 7 (jobs of kind C{deliver} and C{initiate}).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from simmail.core.decide import delay, promises
from simmail.core.decide.decision import Drop, PlannedJob, Promise, Reaction, Reactions, Relate, job_id
from simmail.core.records.case import Case, Deliverable, wants
from simmail.core.records.persona import Persona
from simmail.core.records.relationship import Dossier, OpenPromise
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice
from simmail.core.time.instant import format_instant


def outside(case: Case, personas: frozenset[str]) -> str:
    """The address a case's people write to: the first that is nobody's persona, C{""} for none.

    @param personas: addresses that belong to personas.
    """
    return next((one.address for one in case.people or () if one.address and one.address not in personas), "")


def deliveries(
    case: Case, before: Case | None, persona: Persona, to: str, dossier: Dossier, dice: Dice, now: datetime, pace: Pace
) -> Reactions:
    """
    What a persona owes by a case: a promise for each deliverable of its that is dated and was not in C{before}.

    One that is due another day, is somebody else's or is gone is not owed as it was before; nothing is by a case that
    is closed.
    @param to: who gets it; dossier: what the persona holds about them; dice: the universe's.
    """
    known, owed = _dated(before, persona), _dated(case, persona)
    reactions: list[Reaction] = []
    for promise in dossier.promises:
        if promise.by == "persona" and promise.case_id == case.id and (promise.what, promise.due) in known.difference(
                owed):
            if promise.job_id:
                reactions.append(Drop(promise.job_id, f"case {case.id} does not ask for it any more"))
            dossier = replace(dossier, promises=tuple(one for one in dossier.promises if one is not promise))
    for one in case.deliverables or ():
        if not one.due or (one.name, one.due) not in owed.difference(known) or one.persona_id != persona.id:
            continue
        pledge, promised = _owed(case, one, one.due, persona, to, dice, now, pace)
        reactions.append(pledge)
        dossier = replace(dossier, promises=(*dossier.promises, promised)[-50:])
    if reactions:
        reactions.append(Relate(dossier, f"owes {len(owed)} things in case {case.id}"))
    return tuple(reactions)


def _dated(case: Case | None, persona: Persona) -> set[tuple[str, datetime]]:
    """What a persona owes by a case, and when."""
    if case is None or case.status == "closed":
        return set()
    return {(one.name, one.due) for one in case.deliverables or () if one.persona_id == persona.id and one.due}


def _owed(
    case: Case, one: Deliverable, due: datetime, persona: Persona, to: str, dice: Dice, now: datetime, pace: Pace
) -> tuple[Promise, OpenPromise]:
    own = dice.on("case", case.id, persona.id, one.name, format_instant(due))
    fate = promises.fate(persona, due, pace, now, own)
    deliver = None
    if fate.at is not None:
        data: dict[str, Any] = {
            "to": to, "to_name": "", "mails": [], "what": one.name, "promised_due": format_instant(due),
            "fate": fate.fate, "text": one.text or "",
        }
        deliver = PlannedJob(
            id=job_id(own, persona.id, "deliver"), kind="deliver", due=max(fate.at, now),
            plan=f"Send {one.name} to {to}, due {format_instant(due)}: {fate.fate}",
            thread=_thread(case, persona),
            data=data, case_id=case.id, why=fate.why)
    promise = OpenPromise(
        "persona", one.name, now, due, deliver.id if deliver is not None else "", fate.fate, _thread(case, persona),
        case.id)
    return Promise(to, one.name, due, fate.fate == "kept", deliver, fate.why), promise


def opening(case: Case, persona: Persona, to: str, dice: Dice, now: datetime, pace: Pace) -> PlannedJob | None:
    """
    The first mail of a persona about what it wants in a new case; None when it wants nothing or does not bother.

    @param to: whom it writes to; dice: the universe's.
    """
    wanted = wants(case, persona)
    if not wanted or not to:
        return None
    own = dice.on("case", case.id, persona.id)
    rate = delay.reply_rate(persona)[0]
    draw = own.uniform("initiate")
    if draw >= rate:
        return None
    due = delay.due(persona, pace, now, delay.delay(persona, pace, own), own)
    return PlannedJob(
        id=job_id(own, persona.id, "initiate"), kind="initiate", due=due.at,
        plan=f"Write to {to} first ({wanted[:80]}), {due.why}", thread=_thread(case, persona),
        data={"to": to, "to_name": "", "mails": [], "wants": wanted}, case_id=case.id,
        why=f"initiate draw {draw:.2f} under {rate:.2f}")


def _thread(case: Case, persona: Persona) -> str:
    # No Message-ID yet: nothing can be batched into it.
    return f"case {case.id} {persona.id}"
