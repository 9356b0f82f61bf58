"""
What follows when the persona's own question has been answered: what it had put off until then.
"""

from __future__ import annotations

from simmail.core.language.tables import counted
from simmail.core.writer.by_intent import without_ref
from simmail.core.writer.choice import does, values_of, what_for
from simmail.core.writer.context import Scene
from simmail.core.writer.speech_act import Said

# Mail that may answer what the persona asked.
_SETTLING = frozenset({
    "information", "received", "confirmation", "support", "question", "redress", "news", "booked",
    "document", "invoice", "bill", "delay",
})


def settle(scene: Scene) -> list[Said] | None:
    """Return what follows when the persona's question has been answered: what it had put off; None when nothing was."""
    held = scene.request.held
    if not held or not scene.read or scene.read[-1].intent not in (*_SETTLING, held["act"]):
        return None
    if scene.read[-1].found.unwanted:
        return None  # what was put off is not wanted any more
    read = scene.read[-1]
    values = {**values_of(scene, read), **{name: value for name, value in held.items() if name != "act"}}
    if does(scene, "settle", 0) == ["settle.still"]:
        return [Said(act="settle.still", values=values)]
    day = scene.due(scene.manner.days, read.found.deadlines)
    by, thanks = scene.by(day), Said(act="settle.thanks", values=values)
    match held["act"]:
        case "document":
            doc = held.get("doc") or scene.language.what.document
            return [thanks, Said(act="document.promise", values={
                **without_ref(values, doc), "doc": doc, **counted(doc, scene.language), **by},
                joins=True, promise=scene.promise(doc, day))]
        case "invoice" | "bill":
            what = what_for(scene, "invoice.pay", values)
            return [thanks, Said(act="invoice.paid", values={**values, **by}, joins=True,
                                 promise=scene.promise(what, day))]
        case "complaint":
            return [thanks, Said(act="complaint.sorry", values={**values, **by}, joins=True,
                                 promise=scene.promise(what_for(scene, "complaint.sorry", values), day))]
        case "task":
            return [thanks, Said(act="task.do", values={**values, **by}, joins=True,
                                 promise=scene.promise(scene.language.what.task, day))]
        case _:
            return [Said(act="redress.accept", values=values)]
