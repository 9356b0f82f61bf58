"""
Everything one text is written from: the request, read and looked up once.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from msgspec import UNSET, Struct

from simmail.core.language import agreements
from simmail.core.language import tables as languages
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.tables import Sides
from simmail.core.language.facts import Fact, read_facts
from simmail.core.language.intents import BORROWED, is_guess, recognise, score
from simmail.core.language.names import company_of, is_somebody_else, signed_kin, split_display
from simmail.core.language.phrases import what_kind, words
from simmail.core.language.questions import MailQuestion, stands_in
from simmail.core.language.reader import Findings, address_form, read_mail
from simmail.core.language.shifts import time_shift
from simmail.core.language.tables import Language
from simmail.core.language.text import clean, say
from simmail.core.language_data import WRITTEN, foreign, native, spoken
from simmail.core.message.mail import Mail
from simmail.core.message.splitting import split_reply
from simmail.core.records.persona import Persona, Style
from simmail.core.rng import Dice
from simmail.core.time.instant import local_arrival
from simmail.core.writer.agenda import Calendar, plain_date
from simmail.core.writer.request import Promised, WordsRequest
from simmail.core.writer.sources.limits import OwnLimits
from simmail.core.writer.sources.self_sheet import is_title
from simmail.core.writer.sources.side import is_not_of, seen
from simmail.core.writer.voice import FORMALITIES, Manner, PersonaVoice, folded, manners, voice

#: Batched mails that are answered one by one; of more only the last ones are.
TOGETHER = 4
#: What lines may name of what one mail is about.
ABOUT = frozenset({
    "ref", "amount", "dated", "addressee", "about", "subject", "file", "date", "deadline", "deed", "minutes", "figure",
})
#: Kinds whose words fit no other mail: where one is but guessed, what the mail itself asks and tells is answered.
PRESUMING = frozenset({
    "access", "agenda", "alert", "alternatives", "approval", "beta", "bill", "chaser", "complaint", "contact",
    "delivery", "enquiry", "ended", "feedback", "incident", "introduced", "invoice", "legal", "minutes", "news",
    "notice", "offer", "order", "outage", "payment", "phishing", "recruiting", "redress", "renewal", "report",
    "returns", "sales", "support", "terms", "ticket", "webinar",
})
#: Mail between people, to whom nobody speaks for a firm.
_PERSONAL = frozenset({"private"})
#: And kinds that ask nothing of one reader: a guess at one is not for mail that does.
_ASKING_NOBODY = frozenset({"newsletter"})
#: Mail in a thread that may but say goodbye.
_LEAVING = frozenset({"information", "private", "greeting", "question", "document", "thanks", "task"})
#: Cues that come to so much invite by themselves.
_PLAINLY = 4.0
#: Mail in a thread that may move an appointment.
_MOVING = frozenset({"booked", "cancelled", "closing", "information", "meeting", "question"})
#: What moves people but between people: a firm has words of its own for who is cross with it, and sells no sympathy.
CLOSELY = frozenset({"setback", "mishap", "missing", "apology", "reproach", "pity"})
#: What is said in passing beside another matter, and mail that is about nothing else.
_PASSING, _OPEN = frozenset({"apology", "reproach", "pity", "thanked"}), frozenset({
    "information", "private", "question", "greeting"})
#: Mail in which what moves people is the matter, whatever else is told and asked.
MOVED = frozenset({
    "booked", "cancelled", "closing", "congrats", "contact", "delay", "document", "event", "greeting", "grief",
    "information", "meeting", "private", "question", "sick", "status", "task", "thanks",
})


class Read(Struct, frozen=True):
    """One mail, what was picked up from it, and what it wants."""

    mail: Mail
    found: Findings
    intent: str
    base: datetime

    def sentence_of(self, question: MailQuestion) -> str:
        """Return the sentence of the mail that a question stands in, its own text for none."""
        return next((one for one in self.found.prose.sentences if stands_in(question, one)), question.text)


class Scene(Struct, frozen=True):
    """
    The request with all that is derived from it.

    @ivar dice: for this mail; read: the answered mails, oldest first; common: what every line may name.
    @ivar far: whether the writer keeps a distance: formal English, and "Sie" in German.
    @ivar distant: whether the reader is called "Sie" in German, "vous" in French.
    @ivar friends: whether the reader writes as a friend.
    @ivar unread: the code of the language of the mail, where nobody writes it.
    @ivar said: text that stands below the new mail, folded; lines found in it are not said again.
    """

    request: WordsRequest
    language: Language
    voice: PersonaVoice
    manner: Manner
    length: str
    formality: str
    calendar: Calendar
    limits: OwnLimits
    facts: tuple[Fact, ...]
    read: tuple[Read, ...]
    common: Mapping[str, str]
    said: str
    dice: Dice
    far: bool = True
    distant: bool = True
    friends: bool = False
    unread: str = ""

    def has_said(self, act: str) -> bool:
        """Return whether one of the lines of an act stands in the mails below."""
        return any(len(line.longest) > 11 and line.longest in self.said for line in self.voice.lines(act))

    @property
    def sides(self) -> Sides:
        """Return for whom the writer speaks, and who wrote to it: somebody of another firm is answered for the firm."""
        persona = self.request.persona
        own, theirs = (one.rpartition("@")[2].lower() for one in (
            persona.address, self.request.correspondent.address))
        relative = self.request.correspondent.name.lower().partition(" ")[0] in self.language.greeting_nobody
        other = own != theirs and not self.friends and not (relative and self.read and (
            self.read[-1].intent in _PERSONAL))
        return Sides(we=bool(persona.org) and other, house=bool(persona.org),
                     they=other and bool(self.read) and bool(self.read[-1].found.sender.company), far=self.far)

    def due(self, days: int, deadlines: tuple[date, ...] = ()) -> date:
        """Return the day for a promise: so many working days ahead, and not after a deadline that can still be kept."""
        day = self.calendar.workday(days)
        ahead = [deadline for deadline in deadlines if deadline > self.calendar.today]
        if ahead and day > ahead[0]:
            day = ahead[0]
        return day

    def promise(self, what: str, day: date) -> Promised:
        """Something promised for the end of a day."""
        return Promised(what=what, due=self.calendar.close(day))

    def by(self, day: date) -> dict[str, str]:
        """Return how lines name a day that something is promised for."""
        name = self.calendar.name(day, self.language)
        if day == self.calendar.today:
            name = self.language.day.tonight
        return {"by": name, "when": self.calendar.when(day, self.language)}


def set_scene(request: WordsRequest) -> Scene:
    """Read the request."""
    persona = request.persona
    mails = request.mails[-TOGETHER:]
    text = _to_tell(request)
    mine = tongues(persona)
    own = languages.tell(request.own[-1].text[:3000], mine[0]) if request.own else mine[0]
    # A line of a few words is in the language that one wrote in before, else in one's own.
    told = languages.tell(text, own)
    unread = not_read(text, told, mine)
    # Who does not write a language answers in another.
    language = languages.language(told if told in WRITTEN and not unread else own_written(mine))
    manner = manners()[persona.temperament]
    style: Style = persona.style if persona.style is not UNSET else Style()
    wants = "" if persona.wants is UNSET else persona.wants
    limits = OwnLimits((wants, *(f"{name}: {value}" for name, value in request.facts.items()), *request.notes))
    calendar = Calendar(persona, request.now, request.appointments, limits if limits.times else None)
    # What nobody knows the arrival of comes now.
    came = request.arrived[-len(mails):] if len(request.arrived) == len(request.mails) else (request.now,) * len(mails)
    read = tuple(_read(mail, at, request, calendar, languages.language(told)) for mail, at in zip(mails, came))
    distant = not language.polite_words or _distant(request, read)
    friends = _are_friends(request, read, distant)
    formality = _given(style.formality, FORMALITIES[0] if friends else manner.formality)
    formality = formality if formality in FORMALITIES else manner.formality
    return Scene(
        request=request,
        language=language,
        voice=voice(language.code, persona.temperament),
        manner=manner,
        length=_given(style.length, manner.length),
        formality=formality,
        calendar=calendar,
        limits=limits,
        facts=read_facts(request.facts, request.notes),
        read=read,
        common=_common(request, read, calendar, language),
        dice=request.dice,
        far=distant if language.polite_words else formality == "formal",
        distant=distant,
        friends=friends,
        unread=unread,
        said=folded("\n".join([
            *(one.found.prose.quoted for one in read), *(mail.text[:20_000] for mail in request.own)])),
    )


def not_read(text: str, told: str, own: tuple[str, ...]) -> str:
    """Return the code of the language of a text where somebody with these does not read it, C{""} where it does."""
    return foreign(text[:1000]) or ("" if told in own else told)


def tongues(persona: Persona) -> tuple[str, ...]:
    """
    Return the languages that somebody reads, the own one first: those it was given, else all that are written here.

    Languages that were drawn keep nobody from answering: who has a name of one country may well live in another.
    """
    given = persona.languages or ()
    if given and given != _drawn(persona.id, persona.address, persona.name):
        return given
    first = (*given, native(persona.address))[0]
    return (first, *(code for code in WRITTEN if code != first))


def own_written(own: tuple[str, ...]) -> str:
    """Return the language that somebody with these writes by itself."""
    return next((code for code in own if code in WRITTEN), WRITTEN[0])


@lru_cache(4096)
def _drawn(id: str, address: str, name: str) -> tuple[str, ...]:
    return spoken(address, name, Dice(id).on("languages").chance)


def _distant(request: WordsRequest, read: tuple[Read, ...]) -> bool:
    """Sie or du: as the last mail does it, else as both did before, else as the greeting sounds."""
    if not read:
        return True
    found = read[-1].found
    if found.familiar or found.polite:
        return not found.familiar
    for mail in reversed(request.own):
        familiar, polite = address_form(split_reply(mail.text[:20_000])[0], found.language)
        if familiar or polite:
            return not familiar
    familiar, polite = address_form(" ".join(
        one.value for one in request.remarks if one.kind == "said" and one.by == "correspondent"), found.language)
    if familiar or polite:
        return not familiar
    called = request.persona.name.partition(" ")[0]
    if " " in request.persona.name and found.prose.body.startswith(f"{called}, "):
        return False  # "Annika, the barrier is stuck again"
    if not found.language.near_by_first_name:
        return True
    # "Hallo Maria," is no way to begin a letter to a stranger.
    name = request.persona.name.split()
    return not (name and len(name) > 1 and found.addressee == name[0])


def _are_friends(request: WordsRequest, read: tuple[Read, ...], distant: bool) -> bool:
    """Whether two who write have nothing to do with business: somebody without a company, called by the first name."""
    persona = request.persona
    if not read or persona.org or persona.role and is_title(persona.role):
        return False
    found = read[-1].found
    if found.language.polite_words:
        return not distant
    first, own = found.sender.first, request.own[-1].text[:60] if request.own else ""
    if own:
        return f" {first}" in own and f" {found.sender.name}" not in own
    last = persona.name.rpartition(" ")[2]
    if " " in persona.name and found.sender.name.rpartition(" ")[2] == last and last:
        return True  # they have one name
    # "Bob mate, ... Mick"; who neither greets nor signs in full is no stranger either.
    lines = [line.strip(" .!") for line in (*found.prose.sign_off, found.prose.body.rpartition("\n")[2])]
    if first.strip(".").lower() in found.language.honorifics:
        return False
    called = persona.name.partition(" ")[0] in found.prose.body[:30] or bool(first) and not (
        found.prose.greeting or found.addressee)
    return called and (first in lines or bool(first) and not found.prose.sign_off and found.sender.name not in lines)


def _given(value: Any, default: str) -> str:
    return default if value is UNSET else str(value)


def _to_tell(request: WordsRequest) -> str:
    if request.kind == "ooo" and not request.mails and request.ooo is not None:
        return request.ooo.message
    for mail in (*request.mails[-1:], *request.own[-1:]):
        return f"{mail.subject[:200]}\n{mail.text[:3000]}"
    wants = request.persona.wants
    return f"{'' if wants is UNSET else wants[:1000]}\n{request.case_title[:200]}"


def _read(mail: Mail, at: datetime, request: WordsRequest, calendar: Calendar, language: Language) -> Read:
    found = read_mail(mail, local_arrival(at, mail.date, calendar.zone), language, request.meaning)
    # What a colleague passed on greets the colleague, and is for the reader all the same.
    own = set(request.persona.addresses)
    meant = any(one.address.lower() in own for one in (*mail.to, *mail.cc))
    somebody_else = meant and bool(found.addressee) and is_somebody_else(
        found.addressee, request.persona.name, request.persona.address, language,
        "" if found.familiar else request.persona.org or "")
    intent = recognise(found, somebody_else)
    if (intent in PRESUMING or intent in _ASKING_NOBODY and found.points) and is_guess(found, intent):
        intent = "question" if found.points else "information"
    what = found.moving.what
    if what == "reproach" and request.persona.org and intent in ("private", "information"):
        return Read(mail, found, "complaint", found.base)
    if what and intent in MOVED and _moves(what, intent, found, request):
        return Read(mail, found, "grief" if what == "loss" else "private", found.base)
    intent = seen(BORROWED.get(intent, intent), found, request.persona, language)
    return Read(mail=mail, found=found, intent=_in_thread(intent, found, request, language), base=found.base)


def _takes_leave(found: Findings, language: Language) -> bool:
    """Whether a mail says goodbye at its end."""
    return any(one.lower().startswith(tuple(language.farewells)) or any(
        map(f" {one.lower()}".__contains__, (f" {cue}" for cue in language.farewells)))
        for one in found.prose.sentences[-2:])


def _moves(what: str, intent: str, found: Findings, request: WordsRequest) -> bool:
    """Whether what moves people is what a mail is answered to first."""
    if what in CLOSELY and request.persona.org or what == "unwell" and intent not in _OPEN:
        return False
    return what not in _PASSING or intent in _OPEN and not found.proposed and not (
        found.complaint and request.persona.org) and all(
        one.form != "time" for one in found.points)


def _in_thread(intent: str, found: Findings, request: WordsRequest, language: Language) -> str:
    """What a mail wants, seen from what was said in its thread before: nobody pays or sends a thing twice."""
    if intent == "event" and score(found, False)[intent] < _PLAINLY and not any(
            agreements.invites(one.text) for one in found.points):
        intent = "question" if found.points else "information"
    if intent == "meeting" and not found.asks_to_meet:
        # A day or an hour stands in it, and nobody asks to meet.
        intent = "question" if found.points else "closing" if request.own and not found.slots else "information"
    if intent in ("invoice", "bill") and len(found.documents) > 1:
        return "document"  # papers are missing, one of them an invoice, and none is to be paid
    if intent in ("document", "enquiry") and found.questions and any(
            one.what.rpartition(" ")[2].lower() in found.prose.body.lower() for one in request.owes):
        return "question"  # "where is the price list?": it was promised, and is not promised again
    if intent == "document" and not found.documents and found.points and not any(
            one.type in ("request", "yes_no") for one in found.points):
        return "question"  # "thank you for the contract; in which room are we?"
    if intent == "closing" and found.questions:
        return "question"  # who asks something takes no leave yet
    if intent == "invoice" and len(found.points) > 1 and not (found.references or found.attachments):
        return "question"  # "for £138 a night I expect hot water": nothing is to be paid
    if not request.own:
        return intent
    if intent in _LEAVING and not (found.points or found.documents or found.slots) and _takes_leave(found, language):
        return "closing"  # "no harm in asking; see you on the day then"
    if intent == "document" and not (found.documents or found.points):
        return "information"  # "I shall send you a small picture"
    moved = not any(slot.timed for slot in found.slots) and any(
        one.timed and one.kind in ("agreed", "proposed") for one in request.remarks) and time_shift(
        found.prose.body, language) is not None
    if intent in _MOVING and (found.proposed or moved) and not any(one.recalls for one in found.points):
        return "meeting"  # "Thursday is impossible.  Friday at 14:30 then, all right?"
    if found.points and all(one.recalls or one.checks for one in found.points):
        return "question"  # "we said 480, right?"
    if intent in ("closing", "information") and not found.questions and any(
            slot.timed for slot in found.slots) and (found.agrees or mentions_any(
            found.prose.body.lower(), asking(language.code).moving) or any(
            one.timed and (one.kind == "agreed" or one.kind == "proposed" and one.by == "persona")
            for one in request.remarks)):
        # "Wednesday at 11:00 works for me": agreed.
        return "booked"
    if is_not_of(request.part, intent) or intent == "support" and request.part and found.questions:
        return "question" if found.questions else "information"
    if intent == "support" and found.questions and all(
        language.do_so and question.short[0].endswith(language.do_so) for question in found.questions
    ):
        return "question"  # "should I close the ticket?"
    if intent not in ("invoice", "bill", "document"):
        return intent
    if intent == "document":
        before = f"{request.owed} {request.done.get('document', '')}".lower()
        return "chaser" if any(
            document.rpartition(" ")[2].lower() in before for document in found.documents) else intent
    if "payment" in request.done or request.owed and what_kind(request.owed, language) == "payment":
        if mentions(found.prose.body, language.overdue) or found.questions:
            return "chaser"
        return "received" if found.attachments else "information"
    return intent


def _common(
    request: WordsRequest, read: tuple[Read, ...], calendar: Calendar, language: Language
) -> dict[str, str]:
    """What every line may name: the two persons, and what the mail is about."""
    persona = request.persona
    values: dict[str, str] = {"me": say(persona.name, 60)}
    if persona.org is not UNSET and persona.org:
        values["org"] = say(persona.org, 60)
    name, organisation = split_display(request.correspondent.name, language)
    company = company_of(request.correspondent.address)
    if read and request.kind != "forward":
        sender = read[-1].found.sender
        name, company = sender.name, sender.company or company
    elif organisation:
        company = organisation
    if name:
        titled = name.split()[0].strip(".").lower() in language.honorifics
        first = read[-1].found.sender.first if read and request.kind != "forward" else ""
        first = first if first.startswith(name.split()[0]) else name.split()[0]  # "Aunt Hilde", "Mª José"
        values["name"], values["first"] = say(name, 60), say(name if titled else first, 30)
    kin = signed_kin(read[-1].found.prose, language) if read and not persona.org else ""
    if kin:
        values["name"] = values["first"] = kin
    if company and company.lower() != values.get("org", "").lower():
        values["company"] = say(company, 40)
    if request.owed:
        values["owed"] = say(request.owed, 120)
    if request.case_title:
        opening, closing = language.quotes
        values["case"] = f"{opening}{say(request.case_title, 80)}{closing}"
    if read:
        values.update(about(read[-1], request, calendar, language))
        sender = read[-1].found.sender
        values["sender"] = say(sender.name or read[-1].mail.from_.name or read[-1].mail.from_.address, 60)
    return values


def about(read: Read, request: WordsRequest, calendar: Calendar, language: Language) -> dict[str, str]:
    """Return what a mail is about."""
    found, values = read.found, {}
    # The reference of the subject comes first in the findings.
    if found.references:
        values["ref"] = found.named[0]
    if found.amounts:
        values["amount"] = found.amounts[0]
    past = [day for day in (*found.deadlines, *found.dates) if day <= request.now.date()]
    if past:
        values["dated"] = plain_date(past[0], language)
    if found.addressee:
        values["addressee"] = found.addressee
    subject = say(base_subject(read.mail.subject, language), 100)
    if 3 <= len(subject) <= 70:
        opening, closing = language.quotes
        values["subject"] = f"{opening}{subject}{closing}"
    values["about"] = values.get("ref") or values.get("subject", "")
    future = [day for day in found.dates if day > request.now.date()]
    if future:
        values["date"] = plain_date(future[0], language)
    ahead = [day for day in found.deadlines if day > request.now.date()]
    if ahead:
        values["deadline"] = calendar.name(ahead[0], language)
    for name in ("deed", "minutes", "figure"):
        if getattr(found, name):
            values[name] = getattr(found, name)
    if found.attachments:
        values["file"] = found.attachments[0]
    return values


def base_subject(subject: str, language: Language) -> str:
    """Return a subject without its Re: and Fwd:, however many."""
    text = " ".join(clean(subject[:1000]).split())[:300]
    while (low := text.lower()).startswith(language.reply_prefixes):
        text = text[len(next(filter(low.startswith, language.reply_prefixes))):].lstrip()
    return text


def without_determiner(phrase: str, language: Language) -> str:
    """Return a phrase without "the" or "our" before it."""
    head, _, tail = phrase.partition(" ")
    return tail if tail and head.lower() in language.determiners else phrase


def mentions(sentence: str, among: frozenset[str]) -> bool:
    """Return whether a sentence has one of some lower-case words."""
    return any(word.lower() in among for word in words(sentence))
