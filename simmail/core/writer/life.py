"""
What is done about applications, requests for one's data, papers to sign, threats, greetings, private mail and fraud.

Fraud and orders to a machine are refused, reported or puzzled over; nothing of what they ask for is ever given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from msgspec import Struct, convert
from msgspec.structs import replace

from simmail.core.language import dates
from simmail.core.language.phrases import noun_phrase, words
from simmail.core.language.statements import moving
from simmail.core.language.tables import Language, counted
from simmail.core.language.text import say
from simmail.core.language_data import read_optional
from simmail.core.rng import Dice
from simmail.core.writer.choice import does, timed, values_of
from simmail.core.writer.context import CLOSELY, Read, Scene, mentions
from simmail.core.writer.sources.self_sheet import SelfSheet
from simmail.core.writer.speech_act import Said


class KindWords(Struct, frozen=True):
    """Phrases of one language; the data files say what each is for."""

    position: tuple[str, ...] = ()
    your_order: str = ""
    data: str = ""
    signed: str = "{file}"
    signed_plain: str = ""
    from_place: tuple[str, ...] = ()
    shorten: frozenset[str] = frozenset()
    your_kin: str = ""
    gift_cards: tuple[str, ...] = ()
    visiting: tuple[str, ...] = ()
    meetings: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()
    other_verbs: frozenset[str] = frozenset()
    myself: frozenset[str] = frozenset()
    kin: frozenset[str] = frozenset()
    funeral: tuple[str, ...] = ()
    somebody: frozenset[str] = frozenset()
    colleagues: frozenset[str] = frozenset()
    amends: tuple[str, ...] = ()
    lures: tuple[str, ...] = ()
    lifeless: frozenset[str] = frozenset()
    undoing: tuple[str, ...] = ()
    mourned: tuple[str, ...] = ()
    parcels: tuple[str, ...] = ()
    gladly: tuple[str, ...] = ()
    sadly: tuple[str, ...] = ()
    offering: tuple[str, ...] = ()


@cache
def kind_words(code: str) -> KindWords:
    """Return the phrases of a language."""
    return convert(read_optional(code, "kinds.yaml") or {}, KindWords, strict=False)


#: Sentences in which news are looked for; words of the shortest, and where the verb stands at the latest.
_NEWS, _CLAUSE, _VERB = 4, 3, 4
#: Sentences in which what moves people is looked for.
_TOLD = 8
#: What a cue says that leaves no doubt of an illness.
_ILL = 3.0
#: Words of a sentence among which who is hurt itself stands.
_OWN = 2
#: What some news are spoken of as.
_AS: Mapping[str, str] = MappingProxyType({"mishap": "trouble"})
#: Kinds of news that are about somebody by name, and the words of a sentence among which that stands.
_NAMED, _NAMES = frozenset({"loss", "pet", "birth", "hurt", "passed", "missing"}), 9


def _one(scene: Scene, read: Read, act: str, **more: str) -> list[Said]:
    return [Said(act=act, values={**values_of(scene, read), **{name: value for name, value in more.items() if value}})]


def _behind(texts: tuple[str, ...], cues: tuple[str, ...]) -> str:
    """What stands behind the first of some cues in one of some texts."""
    for text in texts:
        low = text.lower()
        at = min(((low.find(cue), -len(cue)) for cue in cues if cue in low), default=None)
        if at is not None:
            return text[at[0] - at[1]:][:200]
    return ""


#: The share of those whose job is another who pass a matter on, by temperament.
_PASSES: Mapping[str, float] = MappingProxyType({
    "responsive": 0.4, "busy": 0.6, "procedural": 0.7, "skeptical": 0.4, "flaky": 0.3, "difficult": 0.5, "ghost": 0.4})


def _passed_on(scene: Scene, read: Read, area: str) -> list[Said]:
    """What somebody says to whom a matter of another department comes; nothing where it is dealt with."""
    persona = scene.request.persona
    sheet = SelfSheet(persona, scene.calendar, scene.language, scene.far)
    colleague = sheet.colleague(area) if sheet.area not in ("", area) else None
    if colleague is None or not Dice(persona.id).on("passes", area).chance(_PASSES[persona.temperament]):
        return []
    return _one(scene, read, "answer.pass_on", colleague=colleague.name, area=colleague.area)


def _application(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """An application: it is for a place, where one is named."""
    found, language = read.found, scene.language
    behind = _behind((say(read.mail.subject, 200), *found.prose.sentences[:6]), kind_words(language.code).position)
    tokens = words(behind)
    skip = bool(tokens) and tokens[0].lower() in language.determiners
    position = " ".join(noun_phrase(tokens, int(skip), language))
    passed = _passed_on(scene, read, "hr")
    if passed:
        return passed
    return _one(scene, read, does(scene, "application", number)[0], position=say(position, 50))


def _data_request(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A copy of one's data, promised for a day, or a question who asks."""
    act = does(scene, "data_request", number)[0]
    passed = _passed_on(scene, read, "legal")
    if passed:
        return passed
    if act != "data_request.do":
        return _one(scene, read, act)
    day = scene.due(scene.manner.days + 3, read.found.deadlines)
    what = kind_words(scene.language.code).data or scene.language.what.document
    return [Said(act=act, values={**values_of(scene, read), **scene.by(day)}, promise=scene.promise(what, day))]


def _signature(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A paper to sign: it comes back signed, or not yet."""
    act, phrases = does(scene, "signature", number)[0], kind_words(scene.language.code)
    if act != "signature.sign":
        return _one(scene, read, act)
    name = read.found.attachments[0].rpartition(".")[0] or read.found.attachments[0] if read.found.attachments else ""
    doc = phrases.signed.format(file=name.replace("_", " ")) if name else phrases.signed_plain
    return [Said(act=act, values={**values_of(scene, read), "doc": doc, **counted(doc, scene.language)},
                 documents=(doc,))]


def _legal(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    return _one(scene, read, does(scene, "legal", number)[0])


def _greeting(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A greeting, from a place where one is named."""
    behind = _behind((say(read.mail.subject, 200), read.found.prose.greeting, *read.found.prose.sentences[:3]),
                     kind_words(scene.language.code).from_place)
    place: list[str] = []
    for word in words(behind):
        if not word[0].isupper() or len(place) == 2:
            break
        place.append(word)
    return _one(scene, read, "greeting.back", place=say(" ".join(place), 40))


def _private(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """Private mail: who only tells something hears a kind word; what it asks is answered."""
    return _one(scene, read, "private.warm") if not read.found.points else []


def moved(scene: Scene, read: Read) -> list[Said]:
    """Return what is said to news that move people, nothing to others."""
    what, kin = read.found.moving
    private = not scene.common.get("org")
    if read.intent == "grief" and private:
        what = what or "loss"
    low = read.found.prose.body.lower()
    if what == "thanked" and any(map(low.__contains__, kind_words(scene.language.code).mourned)):
        what = "loss"  # who thanks for the card, and comes for the ashes
    if what in CLOSELY and scene.request.persona.org:
        return []
    if what == "leaving" and not (scene.request.persona.org or scene.request.persona.role):
        return _one(scene, read, "moved.onward")  # a friend leaves its work, and not its friends
    if not what or read.intent not in ("private", "grief") or what == "loss" and not private and (
            mentions(read.found.prose.body, kind_words(scene.language.code).colleagues)):
        return []  # of a colleague's death a house has words of its own
    first = scene.request.persona.name.partition(" ")[0]
    sentences = [one.removeprefix(f"{first}, ") for one in read.found.prose.sentences[:_TOLD]]
    code = scene.language.code
    who = "" if kin or what not in _NAMED else next(filter(None, (
        named(one.rpartition(": ")[2], scene.language, what == "pet") for told in (what, "")
        for one in sentences[:_TOLD if told else _NEWS] if "?" not in one and moving((one,), code).what == told)), "")
    if scene.language.inflected and who.partition(" ")[0].lower() in scene.language.honorifics:
        who = ""  # "Herrn Brandt"
    if what in ("hurt", "unwell") and not kin and is_of_another(read, scene.language):
        return _one(scene, read, "moved.other", thing=who)
    if what == "unwell" and kin:
        what = "hurt"
    whose = kind_words(code).your_kin.format(kin=kin) if kin and what not in ("birth", "pet") else who
    if what == "hurt" and not kin:
        whose = ""
    if what == "passed" and not any(moving((one,), code).what == what and not kind_words(code).myself.isdisjoint(
            word.lower() for word in words(one)) for one in sentences):
        return _one(scene, read, "moved.passed_by", thing=whose)
    said = _one(scene, read, f"moved.{_AS.get(what, what)}", thing=whose)
    if what != "loss" or not private:
        return said  # nobody comes to the funerals of its customers' families
    # Behind the word for it, if a day stands there.
    buried = (dates.find(one[max(one.lower().find(cue), 0):], read.base, scene.language).slots or dates.find(
        one, read.base, scene.language).slots for one in sentences for cue in kind_words(code).funeral
        if cue in one.lower())
    slot = next((slot for slots in buried for slot in slots if slot.start.date() >= scene.calendar.today), None)
    if slot is None:
        return said
    agreed = (timed(scene, "agreed", slot),) if slot.timed else ()
    day = scene.calendar.when(slot.start.date(), scene.language)
    return [*said, *(replace(one, remarks=agreed) for one in _one(scene, read, "moved.funeral", when=day))]


def named(sentence: str, language: Language, anywhere: bool = False) -> str:
    """
    Return whom a sentence is about, by name: "Arthur", "Onkel Willi"; C{""} for nobody.

    @param anywhere: also who does nothing in it: "we said goodbye to Biscuit".
    """
    known, tokens, run = kind_words(language.code), words(sentence)[:_NAMES], list[str]()
    for place, token in enumerate(tokens):
        low = token.lower()
        if token[0].isupper() and len(low) > 1 and low not in language.common_words and not (
                low in language.weekday_forms or low in language.month_forms or low in known.others or (
                    low in known.myself) or low in known.kin
                or low in known.somebody):
            run.append(token)
        elif run and (low in known.other_verbs or anywhere and len(run) < place):
            return say(" ".join(run), 40)
        elif language.inflected or run:
            break  # in German every noun is capital
    return ""


def is_of_another(read: Read, language: Language) -> bool:
    """Return whether somebody else than the writer of a mail is ill or hurt: a colleague by name, "our trainer"."""
    known, cues = kind_words(language.code), language.cues["sick"]
    for sentence in read.found.prose.sentences[:_NEWS]:
        low = f" {sentence.lower()}"
        said = [low.index(f" {cue}") for cue in cues if f" {cue}" in low]
        hurt = moving((sentence,), language.code).what in ("hurt", "unwell")
        tokens = [token.lower() for token in words(sentence if hurt else sentence[:min(said, default=0)])]
        if hurt and tokens and not known.myself.isdisjoint(tokens[:_OWN]):
            return False  # "I've had the results and it isn't good.  They start the chemo on Monday."
        if len(words(sentence)) < _CLAUSE or not (said or hurt) or not known.myself.isdisjoint(tokens):
            continue  # "I'm off sick", and not "Hamish is off sick, so I'm afraid"
        if hurt or named(sentence, language) or tokens[:1] and tokens[0] in known.others and (
                not known.other_verbs.isdisjoint(tokens[2:_VERB + 1])):
            return True
    return False


def is_ill(read: Read, language: Language) -> bool:
    """Return whether the writer of a mail says plainly that it is ill, whatever else it is about."""
    cues = [f" {cue}" for cue, weight in language.cues["sick"].items() if weight >= _ILL]
    mine = kind_words(language.code).myself
    return any(any(map(f" {one.lower()}".__contains__, cues)) and not mine.isdisjoint(
        one.lower().replace("\u2019", "'").split()[:2]) for one in read.found.prose.sentences[:_NEWS])


def _status(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A question after an order: looked after, and told when it is found."""
    act = does(scene, "status", number)[0]
    values = values_of(scene, read)
    values["ref"] = values.get("ref") or kind_words(scene.language.code).your_order
    if act != "status.look":
        return [Said(act=act, values=values)]
    day = scene.due(min(scene.manner.days, 2), read.found.deadlines)
    what = scene.language.what.news.format(topic=values["ref"])
    return [Said(act=act, values={**values, **scene.by(day)}, promise=scene.promise(what, day))]


def _phishing(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """Fraud; who wants gift cards is told so, and no word is lost on links and passwords."""
    low = read.found.prose.body.lower()
    cards = any(map(low.__contains__, kind_words(scene.language.code).gift_cards))
    return _one(scene, read, "phishing.cards" if cards else does(scene, "phishing", number)[0])


def is_visit(read: Read, language: Language) -> bool:
    """Return whether somebody comes to measure, read or bring something, and there is nothing to talk about."""
    low, known = f" {read.mail.subject}\n{read.found.prose.body} ".lower(), kind_words(language.code)
    return any(map(low.__contains__, known.visiting)) and not any(map(low.__contains__, known.meetings))


def _plain(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    return _one(scene, read, does(scene, intent, number)[0])


#: What is done about each of these kinds.
LIFE: Mapping[str, Callable[[Scene, Read, str, int], list[Said]]] = MappingProxyType({
    "application": _application, "data_request": _data_request, "signature": _signature, "legal": _legal,
    "greeting": _greeting, "private": _private, "status": _status, "missing": _plain, "phishing": _phishing,
    "injection": _plain, "ticket": _plain, "details": _plain,
})
