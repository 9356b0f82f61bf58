"""
From what is said to the sheet of paper: greeting, paragraphs, closing, signature, as this writer and client make them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import UNSET

from simmail.core.language.text import say
from simmail.core.records.persona import Style
from simmail.core.rng import Dice
from simmail.core.writer.context import Scene
from simmail.core.writer.sources.self_sheet import is_title
from simmail.core.writer.speech_act import Said, is_grave
from simmail.core.writer.voice import (
    OPENING, Piece, TemplateLine, capitals, choose, fill, fitting, folded, habits, in_habit, long_forms, slips,
    small_start,
)

#: Acts that may be said with an exclamation mark.
_LIVELY = frozenset({
    "answer", "thanks", "document", "meeting", "task", "information", "received", "confirmation", "congrats", "event",
    "private", "greeting", "opener", "extra", "news", "booked", "closing", "support", "contact", "introduced",
})
#: Clients that put the usual delimiter line above a signature (RFC 3676 section 4.3).
DELIMITED = frozenset({"gmail", "plain"})
_DELIMITER = "--\n"


def paragraphs(scene: Scene, said: list[Said], worded: list[list[Piece]]) -> list[list[Piece]]:
    """Return the body, a list of pieces for each paragraph; C{worded} are those of each act."""
    done: list[list[Piece]] = []
    numbered = False
    joins = habits(scene.request.persona.id, scene.language.code).joins and len(said) < 4 and (
        scene.formality != "formal")
    for act, pieces in zip(said, worded):
        if act.number:
            pieces = [Piece(f"{act.number}. ", False), *pieces]
        elif act.quote:
            opening, closing = scene.language.quotes
            pieces = [Piece(f"{opening}{scene.language.question_mark}{act.quote}{closing}\n", False), *pieces]
        if not done:
            done.append(pieces)
        elif act.number:
            done.append(pieces) if not numbered else done[-1].extend([Piece("\n", False), *pieces])
        elif act.joins and not any("\n" in piece.text for piece in pieces):
            done[-1].extend([Piece(" ", False), *pieces])
        elif not act.quote and (not scene.manner.apart or joins) and not (
                scene.manner.capitals and any("\n" in piece.text for piece in done[-1])):  # a list is over first
            # Somebody who writes without capitals writes without full stops: a line each.
            done[-1].extend([Piece(" " if scene.manner.capitals else "\n", False), *pieces])
        else:
            done.append(pieces)
        numbered = bool(act.number)
    return done


def _act(
    scene: Scene, said: Said, place: int, below: str, small: bool, grave: bool = False, more: bool = False
) -> list[Piece]:
    """
    An act in pieces.

    @param grave: the mail is no cheerful one; more: something else is said as well.
    @param below: what stands below or was said already; small: it goes on after a greeting with a comma.
    """
    pieces: list[Piece] = []
    if said.lead is not None:
        pieces = [*_act(scene, said.lead, place + 1000, below, small, grave), Piece(" ", False)]
    known = {**said.values}
    every = scene.voice.lines(said.act)
    lines = fitting([one for one in every if all(map(known.get, one.names))] or every, scene.language.code, grave, more,
                    scene.read[-1].found.new.lower().replace("\u2019", "'") if grave and scene.read else "")
    if scene.common.get("first") and not place:
        # Greeted by name, nobody is called by name again right away for no reason.
        lines = [line for line in lines if line.names != {"first"}] or lines
    own = habits(scene.request.persona.id, scene.language.code)
    line = choose(
        lines, known, (own.leans or "medium") if scene.length == "medium" else scene.length, below, scene.dice,
        said.act, place,
    )
    if line is None:
        raise LookupError(f"no line of {said.act} gets by with {sorted(known)}")
    small = small and said.lead is None and bool(scene.language.small_words)
    filled = _filled(scene, line, known, leads=said.lead is not None, small=small)
    if said.is_exchange and not scene.manner.capitals:
        # Lines of exchanges are everybody's; those of such people are written so.
        filled = [Piece(piece.text.lower(), True) if piece.own else piece for piece in filled]
    if scene.formality == "formal":
        return pieces + filled  # letters have the habits of letters
    return pieces + in_habit(filled, own, scene.dice.on("habit", place), lively=not grave and (
        scene.manner.yes > 0.7 and said.act.partition(".")[0] in _LIVELY))


def _filled(scene: Scene, line: TemplateLine, known: Mapping[str, str], leads: bool, small: bool) -> list[Piece]:
    pieces = fill(line, known, scene.far)
    if scene.formality == "formal" or not habits(scene.request.persona.id, scene.language.code).contracts and (
            scene.manner.capitals and scene.formality == "neutral"):
        pieces = long_forms(pieces, scene.language)
    if scene.manner.capitals:
        pieces = capitals(pieces, starts=not leads and not small)
    if small:
        pieces = small_start(pieces, scene.language)
    if leads and scene.language.lead_small and pieces and pieces[0].own:
        text = pieces[0].text
        at = len(text) - len(text.lstrip(OPENING))
        if text[at:at + 1].isupper() and not text.startswith(scene.language.lead_keeps):
            pieces[0] = Piece(text[:at] + text[at].lower() + text[at + 1:], True)
    if leads and pieces and not pieces[0].own:
        word = pieces[0].text.split(" ", 1)[0].strip(",.")
        if word.lower() in scene.language.led_small:
            pieces[0] = Piece(pieces[0].text[0].lower() + pieces[0].text[1:], False)
    return _one_stop(pieces)


def _one_stop(pieces: list[Piece]) -> list[Piece]:
    # What was filled in may bring its own full stop.
    done: list[Piece] = []
    for piece in pieces:
        if done and done[-1].text[-1:] in ".!?" and not done[-1].own and piece.text[:1] == ".":
            piece = Piece(piece.text[1:], piece.own)
        done.append(piece)
    return done


def greeting(scene: Scene, said: Sequence[Said] = ()) -> str:
    """Return the greeting line above what is said, C{""} for people who do without."""
    if scene.request.own and not scene.manner.apart:
        return ""  # the short ones do not greet twice in a thread
    return _habitual(scene, scene.voice.greeting[_nearness(scene, said)], "greeting", is_grave(said))


def closing(scene: Scene, said: Sequence[Said] = ()) -> str:
    """Return the words between what is said and the name, C{""} for people who do without."""
    return _habitual(scene, scene.voice.closing[_nearness(scene, said)], "closing", is_grave(said))


def _nearness(scene: Scene, said: Sequence[Said]) -> str:
    if scene.read and scene.read[-1].intent == "grief" and not all(
            act.is_exchange or act.act.startswith(("answer.", "opener.", "extra.")) for act in said):
        return "solemn"  # nobody begins a letter of condolence with "Hey"
    if not scene.language.polite_words:
        return scene.formality
    # "Hallo Jonas" goes with du, and du with "Hallo Jonas".
    if not scene.far:
        return "casual"
    return "neutral" if scene.formality == "casual" else scene.formality


def _habitual(scene: Scene, lines: Sequence[TemplateLine], what: str, grave: bool) -> str:
    # People keep to their greeting and their closing: drawn once a person, not once a mail.
    habit = Dice(scene.request.persona.id).on("habit", what, scene.language.code, scene.formality)
    known = dict(scene.common)
    fit = fitting([line for line in lines if all(known.get(name) for name in line.names)],
                  scene.language.code, grave, False)
    if not fit:
        return ""
    if grave:
        fit = [line for line in fit if "!" not in line.text] or fit
    most = max(len(line.names) for line in fit)
    naming = [line for line in fit if len(line.names) == most]
    return "".join(piece.text for piece in fill(habit.choice(naming), known, scene.far))


def signed(scene: Scene, words: str) -> str:
    """Return what stands below the body: closing words, name, signature, the client's own line."""
    persona = scene.request.persona
    style: Style = persona.style if persona.style is not UNSET else Style()
    client = style.client if style.client is not UNSET else "plain"
    signature = _signature(scene, style)
    # Some write the delimiter themselves.
    delimited = client in DELIMITED or signature.startswith(_DELIMITER)
    signature = signature.removeprefix(_DELIMITER)
    full = say(persona.name, 60)
    whole = scene.formality == "formal" or scene.formality == "neutral" and habits(
        persona.id, scene.language.code).full and not scene.request.own
    called = [word for word in full.split() if word.strip(".").lower() not in scene.language.honorifics]
    name = full if whole or not called else called[0]
    if scene.manner.sign == "none" and scene.formality != "formal":
        name = ""
    mobile = scene.language.sent_from.get(client, "")
    top = [line for line in (words, name) if line]
    typed = not delimited or style.signature is UNSET and scene.formality == "formal"
    if signature and typed and not mobile and signature.split("\n")[0].startswith(name or full):
        # Outlook and Apple Mail, and letters: the signature is what the closing is followed by.
        return "\n".join([*([words] if words else []), signature])
    blocks = ["\n".join(top)] if top else []
    if signature:
        blocks.append(f"-- \n{signature}" if delimited else signature)
    if mobile:
        blocks.append(mobile)
    return "\n\n".join(blocks)


def _signature(scene: Scene, style: Style) -> str:
    persona = scene.request.persona
    if style.signature is not UNSET:
        lines = style.signature.replace("\r\n", "\n").replace("\r", "\n").strip("\n")[:2000]
        lines = "\n".join(line.rstrip() for line in lines.split("\n"))
        return "" if lines.strip() in ("", "--") else lines
    if scene.manner.sign != "whole" and scene.formality != "formal" or style.client in ("iphone", "android"):
        return ""
    # "The angry customer" is no title, and stands on nobody's card.
    role = persona.role if persona.role is not UNSET and is_title(persona.role) else UNSET
    lines_of = [persona.name, role, persona.org]
    found = [say(line, 80) for line in lines_of if line is not UNSET and line]
    return "\n".join(found) if len(found) > 1 else ""


def lay_out(scene: Scene, said: list[Said]) -> tuple[str, list[str]]:
    """Return the whole text, and each act's own words (for what it asks)."""
    style = scene.request.persona.style
    rate = style.typos if style is not UNSET and style.typos is not UNSET else 0.0
    top = greeting(scene, said)
    worded: list[list[Piece]] = []
    below, grave = scene.said, is_grave(said)
    more = any(not act.act.startswith("moved.") for act in said)
    for place, act in enumerate(said):
        small = not place and top.endswith(",") and not act.number and not act.quote
        worded.append(_act(scene, act, place, below, small, grave, more))
        below += " " + folded("".join(piece.text for piece in worded[-1]))
    body = "\n\n".join(
        slips(pieces, rate, scene.dice.on("paragraph", number))
        for number, pieces in enumerate(paragraphs(scene, said, worded))
    )
    each = ["".join(piece.text for piece in pieces) for pieces in worded]
    sign = habits(scene.request.persona.id, scene.language.code).emoticon
    lively = said[-1].act.partition(".")[0] in _LIVELY and not grave and not said[0].act.startswith("moved.")
    if sign and scene.formality == "casual" and scene.manner.capitals and body[-1:] in ".!" and lively and (
            scene.dice.chance(0.4, "emoticon")):
        body = f"{body} {sign}"
    parts = [top, body, signed(scene, closing(scene, said))]
    return "\n\n".join(part for part in parts if part.strip()) + "\n", each
