"""
The plan of one mail: what rules decided that it says, as data for whoever words it.

Sources: decisions, section 9 ("Writer"); the plan is made from C{core.writer}'s own steps, so that a model words what
templates would have said.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import UNSET, Struct, structs

from simmail.core.language.text import say
from simmail.core.records.persona import Persona, Style, TEMPERAMENTS
from simmail.core.wording.attached import attached_texts
from simmail.core.writer.context import Scene
from simmail.core.writer.layout import closing, greeting, signed
from simmail.core.writer.request import WordsRequest, Written
from simmail.core.writer.speech_act import act_named, Said
from simmail.core.writer.write import drafted

#: Kinds of mail that are worded: notices and the notes above what is passed on are not.
KINDS = frozenset(("reply", "followup", "correction", "initiate", "deliver", "nudge"))

#: A text is that much shorter or longer than the draft at most.
SHARE = 0.4
#: Remarks of the thread, characters of the persona's last mail and of each answered mail that are told.
MOST_REMARKS, MOST_BEFORE, MOST_MAIL = 20, 1500, 6000


class WordsSpan(Struct, frozen=True):
    """How many words a text has."""

    least: int
    most: int


class WordingPlan(Struct, frozen=True):
    """
    What the model is given; C{prompt.yaml} says what the fields mean to it.

    @ivar mails: subject and new text of the answered mails, oldest first: what others wrote.
    @ivar attached: name and text of what is attached to them.
    """

    kind: str
    language: str
    formality: str
    address: str
    person: dict[str, str]
    mood: dict[str, str]
    draft: str
    acts: tuple[dict[str, Any], ...]
    facts: dict[str, str]
    said: tuple[str, ...]
    before: str
    words: WordsSpan
    asks: bool
    promises: str
    mails: tuple[tuple[str, str], ...]
    attached: tuple[tuple[str, str], ...] = ()

    @property
    def foreign(self) -> tuple[tuple[str, str], ...]:
        """All that others wrote."""
        return self.mails + self.attached

    @property
    def fenced(self) -> tuple[tuple[str, str], ...]:
        """All that stands between fences."""
        return (("", self.before), *self.foreign)

    def key(self, version: str, model: str) -> str:
        """Return the name of the plan: the same for the same plan, version of the prompt and model."""
        return sha256(msgspec.json.encode((version, model, self), order="deterministic")).hexdigest()[:32]


class Planned(Struct, frozen=True):
    """
    A mail that may be worded.

    @ivar written: what templates make of it; top, bottom: its greeting and its signature.
    @ivar withheld: facts that the mail does not tell.
    @ivar typos: share of words that the persona mistypes.
    """

    plan: WordingPlan
    written: Written
    top: str
    bottom: str
    withheld: tuple[str, ...] = ()
    typos: float = 0.0


def planned(request: WordsRequest, pdfs: Mapping[bytes, str] = MappingProxyType({})) -> Planned | None:
    """
    Return the plan of a mail; None where there are no words to choose, as in a notice that its owner wrote.

    @param pdfs: text of the PDFs that are attached to C{request.mails}, by their octets.
    """
    if request.kind not in KINDS:
        return None
    persona = request.persona
    style: Style = persona.style if persona.style is not UNSET else Style()
    typos = style.typos if style.typos is not UNSET else 0.0
    if typos:
        # Slips are the hand's, not the words'.
        request = structs.replace(request, persona=structs.replace(persona, style=structs.replace(style, typos=0.0)))
    scene, said, written = drafted(request)
    if not said:
        return None
    top, bottom = greeting(scene), signed(scene, closing(scene))
    text = written.text.strip("\n")
    body = text.removeprefix(top).removesuffix(bottom.strip("\n")).strip()
    if not body:
        return None
    told, withheld = _facts(scene, body)
    plan = WordingPlan(
        kind=request.kind, language=scene.language.code, formality=scene.formality,
        address="distant" if scene.far else "familiar", person={
            **who_writes(request.persona), "length": scene.length,
            "capitals": "as usual" if scene.manner.capitals else "small letters only"}, mood=_mood(request), draft=body,
        acts=tuple(_act(act, body) for act in said), facts=told,
        said=tuple(f"{one.by} {one.kind}: {one.what} {one.value}".strip() for one in request.remarks[-MOST_REMARKS:]),
        before=request.own[-1].text[:MOST_BEFORE] if request.own else "",
        words=span_of(body), asks=written.question is not None,
        promises="" if written.promise is None else written.promise.what,
        mails=tuple((say(one.mail.subject, 200), one.found.new[:MOST_MAIL]) for one in scene.read),
        attached=attached_texts((one.mail for one in scene.read), pdfs))
    return Planned(writable(plan), written, top, bottom, withheld, typos)


def span_of(draft: str) -> WordsSpan:
    """Return how many words stand for those of a draft."""
    count = len(draft.split())
    return WordsSpan(int(count * (1 - SHARE)), -int(-count * (1 + SHARE) // 1))


def writable(plan: WordingPlan) -> WordingPlan:
    """Return the plan as it can be written down: what came in mail may be no text."""
    clean: WordingPlan = msgspec.convert(_writable(msgspec.to_builtins(plan)), WordingPlan)
    return clean


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_writable(name): _writable(one) for name, one in value.items()}
    return [_writable(one) for one in value] if isinstance(value, (list, tuple)) else value


def _facts(scene: Scene, body: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The facts that the draft tells, and the values of those it does not."""
    low = body.lower()
    told = {fact.label: fact.value for fact in scene.facts if fact.value and fact.value.lower() in low}
    return told, tuple(
        fact.value for fact in scene.facts if fact.label not in told and len(fact.value) > 2
        and fact.value.lower() not in low)


def _act(act: Said, body: str) -> dict[str, Any]:
    """An act with the values that it needs or that the draft names."""
    low, needs = body.lower(), act_named(act.act).needs
    return {"act": act.act, **{
        name: value for name, value in sorted(act.values.items())
        if value and (name in needs or len(value) > 1 and value.lower() in low)}}


def who_writes(persona: Persona) -> dict[str, str]:
    """Return what is told of the person who writes."""
    temperament = next(one for one in TEMPERAMENTS if one.name == persona.temperament)
    told: dict[str, str] = {"name": persona.name, "temperament": temperament.text}
    for name in ("role", "org", "who", "character", "wants"):
        value = getattr(persona, name)
        if value is not UNSET and value:
            told[name] = say(value, 400)
    return told


def _mood(request: WordsRequest) -> dict[str, str]:
    def level(value: float) -> str:
        return "low" if value < 0.35 else "high" if value > 0.65 else "middling"

    return {"warmth": level(request.warmth), "trust": level(request.trust), "patience": level(request.patience)}
