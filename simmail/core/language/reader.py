"""
What a mail says: names, questions, appointments, amounts, references, requested documents, choices, moods.

Nothing is understood here, only picked up, each thing when it is first asked for: the decision asks for little, the
words of an answer for everything.  Whatever is picked up is fit to be said again: on one line, short, without the signs
that templates use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import cached_property, lru_cache

from msgspec.structs import replace

from simmail.core.language import agreements, dates, figures, phrases, questions
from simmail.core.language.clause import unmarked
from simmail.core.language.dates import Dates, Slot
from simmail.core.language.figures import MOST
from simmail.core.language.meaning import IMeaning
from simmail.core.language.names import Sender, addressee, is_person, sender
from simmail.core.language.clause.points import points
from simmail.core.language.clause.question_types import asking, clauses, is_lost, mentions_any, says_only
from simmail.core.language.prose import Prose, prose_of
from simmail.core.language.questions import MailQuestion
from simmail.core.language.statements import Moving, correction, moving
from simmail.core.language.tables import Language, every, spaced, tell
from simmail.core.language.tables import language as known
from simmail.core.language.text import calm, clean, say
from simmail.core.message.mail import Mail
from simmail.core.message.splitting import split_reply
from simmail.core.time.invitation import Invitation, invitation

#: Characters of new text that are looked at for what it does to its reader.
LOOKED_AT = 16_384
#: Readings that are kept between a decision and its answer, and the longest mail (octets) whose reading is.
_KEPT, _LONGEST_KEPT = 1024, 16_384
#: Words of a text whose matter stands in its subject.
_BRIEF = 14
#: Words of an answer that only takes its leave.
_LONGEST_FAREWELL = 25


class Findings:
    """
    What a mail says, each thing read when it is first asked for.

    What it does to its reader (C{thanks}, C{sorry}, C{nagging}, C{pressure}, C{complaint}, C{delivers}) is looked for
    in the words of every language, for a mail is not always in the one that it is taken for.
    """

    def __init__(
        self, mail: Mail, base: datetime, language: Language | None = None, meaning: IMeaning | None = None,
    ) -> None:
        """
        Read nothing yet.

        @param base: when the mail came, aware, in its writer's zone.
        @param language: the language to read it in; its own, when none is given.
        @param meaning: who is asked where rules are unsure; nobody, when none is given.
        @ivar scores: what L{simmail.core.language.intents.score} made of it, by whether it greets somebody else.
        """
        self.mail, self._came, self.meaning = mail, base, meaning
        self.scores: dict[bool, Mapping[str, float]] = {}
        if language is not None:
            self.language = language

    @cached_property
    def language(self) -> Language:
        """Return the language the mail is in."""
        return known(tell(f"{self.mail.subject[:200]}\n{self.mail.text[:3000]}"))

    @cached_property
    def base(self) -> datetime:
        """Return the instant its "tomorrow" is meant from, in the zone that it names once for all, if it does."""
        zone = dates.stated_zone(self.new)
        return self._came if zone is None else self._came.astimezone(zone)

    # What it does to its reader.

    @cached_property
    def _split(self) -> tuple[str, str]:
        return split_reply(clean(self.mail.text))

    @cached_property
    def new(self) -> str:
        """Return the new text, as written, so much of it as is looked at."""
        return self._split[0][:LOOKED_AT]

    @cached_property
    def _own_subject(self) -> str:
        # A subject with Re: was written by somebody else, mostly.
        answers = self.mail.subject[:12].lower().startswith(every("reply_subject_prefixes"))
        return "" if answers else self.mail.subject[:1000]

    @cached_property
    def _low(self) -> str:
        return f"{self._own_subject}\n{self.new}".lower().replace("\u2019", "'")

    def _has(self, field: str) -> bool:
        return any(map(self._low.__contains__, every(field)))

    @property
    def thanks(self) -> bool:
        """Return whether it gives thanks, not in advance."""
        return self._has("thanking") and not self._has("not_thanking")

    @cached_property
    def sorry(self) -> bool:
        """Return whether its writer apologises."""
        return self._has("sorry_words") and not self._has("not_sorry")

    @cached_property
    def nagging(self) -> bool:
        """Return whether it reminds of something."""
        return self._has("nagging")

    @property
    def pressure(self) -> bool:
        """Return whether it presses."""
        return self._has("pressing")

    @cached_property
    def complaint(self) -> bool:
        """Return whether it complains."""
        return self._has("complaining")

    @cached_property
    def delivers(self) -> bool:
        """Return whether it says that something comes with it, or has an attachment."""
        return any(not one.inline for one in self.mail.attachments) or self._has("bringing")

    @cached_property
    def announces(self) -> bool:
        """Return whether it says that a file comes with it, and has no link to one."""
        return self._has("announcing") and "http" not in self.mail.text[:LOOKED_AT] and "href" not in self.mail.html

    @cached_property
    def asks_question(self) -> bool:
        """Return whether it asks a question that wants an answer, in its text or in a subject of its own."""
        if "?" in self.new and any(
            questions.asks(sentence, self.language, alone=self._alone) for sentence in self.prose.sentences
        ):
            return True
        return "?" in self._own_subject and questions.asks(self._own_subject, self.language)

    @property
    def announces_plainly(self) -> bool:
        """Return whether a sentence that is no question says so."""
        return self.announces and any(
            any(map(one.lower().__contains__, every("announcing"))) for one in self.prose.sentences if one[-1:] != "?")

    @property
    def asks(self) -> bool:
        """Return whether an answer is asked for."""
        return self._has("answer_asked") or self.asks_question

    @property
    def informs_many(self) -> bool:
        """Return whether it tells all of a group something, or to do something, and wants no answer."""
        return agreements.greets_many(self.prose.greeting) and not (self.asks or self.questions)

    @property
    def farewell(self) -> bool:
        """Return whether it answers and only takes its leave."""
        return bool(self.mail.in_reply_to) and not self.mail.attachments and len(
            self.new.split()) <= _LONGEST_FAREWELL and self._has("farewells") and not (
            self.complaint or self.nagging or self.asks)

    # What it says, in its own language.

    @cached_property
    def prose(self) -> Prose:
        """Return the parts of its text; a subject that asks what the text does not say belongs to it."""
        prose = prose_of(*self._split, self.language)
        asked = say(self._own_subject, 200)
        if not asked.endswith("?") or "?" in prose.body or len(prose.body.split()) > _BRIEF:
            return prose
        return replace(prose, sentences=(asked, *prose.sentences), body=f"{asked}\n{prose.body}")

    @property
    def _alone(self) -> bool:
        return len(self.prose.sentences) == 1

    @cached_property
    def _both(self) -> str:
        return f"{say(self.mail.subject, 200)}\n{self.prose.body}"

    @cached_property
    def sender(self) -> Sender:
        """Return who wrote it."""
        return sender(self.mail, self.prose, self.language)

    @cached_property
    def addressee(self) -> str:
        """Return whom it greets, C{""} for nobody in particular."""
        return addressee(self.prose.greeting, self.language)

    @cached_property
    def invitation(self) -> Invitation:
        """Return what its calendar part says."""
        return invitation((one.content_type, one.octets) for one in self.mail.attachments)

    @cached_property
    def invited(self) -> str:
        """Return the method of its calendar part, C{""} for none."""
        return self.invitation.method

    @cached_property
    def _asked_for(self) -> Mapping[str, list[str]]:
        # The sentences that ask for something, and the documents that each asks for.
        return {sentence: phrases.documents(sentence, self.language) for sentence in self.prose.sentences
                if phrases.asks_for_something(sentence, self.language)}

    @cached_property
    def requests(self) -> tuple[str, ...]:
        """Return the sentences that ask for something."""
        return tuple(self._asked_for)[:MOST]

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """Return the documents that are asked for."""
        return tuple(dict.fromkeys(
            document for sentence, some in self._asked_for.items() if some and sentence not in self.repeating
            and not clauses(sentence, self.language) for document in some))[:3]

    @cached_property
    def _questions(self) -> list[tuple[str, list[MailQuestion]]]:
        # Each sentence, and what it asks.
        return [(sentence, self._asked(sentence, lead)) for lead, sentence in zip(
            ("", *self.prose.sentences), self.prose.sentences)]

    @cached_property
    def _answers(self) -> bool:
        # Whether it answers a mail, so that something can be told again.
        return bool(self.mail.in_reply_to) or not self._own_subject

    @cached_property
    def _gone(self) -> bool:
        return self._answers and any(is_lost(sentence, self.language) for sentence in self.prose.sentences)

    def _asked(self, sentence: str, lead: str) -> list[MailQuestion]:
        """What a sentence asks; who has lost its mails asks for what stood in them."""
        sentence = calm(sentence)
        language, gone = self.language, self._gone
        lost = gone and not is_lost(sentence, language) and not any(map(str.isdigit, sentence))
        again = questions.read_reminders(sentence, language, lost, self._answers)
        if again:
            return again
        here = unmarked.asked(sentence, phrases.detail(sentence, language) if self._asked_for.get(
            sentence) == [] else "", self._alone and not self._asked_for, language)
        stated = "" if questions.is_question(lead) else say(lead, 200)
        return [replace(one, recalls=one.recalls or gone, lead=stated) for one in here]

    @cached_property
    def repeating(self) -> frozenset[str]:
        """Return the sentences that ask for what was said before, or whether it was: they say nothing themselves."""
        found = {sentence for sentence, asked in self._questions if any(one.recalls or one.checks for one in asked)}
        # "We said 480.  Is that right?"
        found.update(one for one, behind in zip(self.prose.sentences, self.prose.sentences[1:]) if says_only(
            behind, self.language))
        return frozenset(found)

    @cached_property
    def questions(self) -> tuple[MailQuestion, ...]:
        """Return its questions, that for an opinion last; what it asks to be told is one as well."""
        found = [one for _, some in self._questions for one in some]
        opinions = [one for one in found if one.form == "opinion"]
        return tuple([*(one for one in found if one.form != "opinion"), *opinions[:1]][:MOST])

    @cached_property
    def points(self) -> tuple[MailQuestion, ...]:
        """Return all that wants an answer, in its order: questions, and what is asked for without a question mark."""
        # "G. Prats" below a mail is no item of a list.
        signed = self.sender.name.lower().split()
        items = {one for one in self.prose.items if one.lower() not in signed and not any(
            word.strip(",.") in signed for word in one.lower().split()[:2])}
        asked, items = unmarked.spread(self._questions, items, self.prose.body, self.language, self._asked)
        found = points(asked, self._asked_for, self.language, items, bool(
            self.mail.in_reply_to), self.prose.body)[:MOST]
        if not self.proposed:
            return found
        # "I could do Saturday or Sunday the 27th.  Which can you do?", "could you come on Monday at eight?"
        return tuple(
            replace(one, form="time", type="time", options=()) if one.text in self._which
            else replace(one, form="time") if _may_propose(one) and (
                agreements.suits(one.text) or agreements.meets(one.text) or agreements.offers(one.text))
            else one for one in found)

    @cached_property
    def _which(self) -> frozenset[str]:
        # The questions which of what was named before it is to be, or suits.
        return frozenset(one.text for _, some in self._questions for one in some if questions.asks_which(
            one, self.language) or one.form == "what" and agreements.suits(one.text))

    @cached_property
    def proposed(self) -> tuple[Slot, ...]:
        """Return the times to come that its reader is asked to meet at, or to be there."""
        sentences = self.prose.sentences
        times = [self._ahead(one, said.slots) for one, said in zip(sentences, self._dates)]
        if self.invited or self.impossible or not any(times):
            return self.slots if self.invited and not self.impossible else ()
        suiting = [at for at, one in enumerate(sentences) if agreements.suits(one) and (
            questions.is_question(one) or one in self._asked_for)]
        meeting = [at for at, one in enumerate(sentences) if agreements.meets(one)]
        askers = [at for at, (_, asked) in enumerate(self._questions) if any(map(_may_propose, asked)) and (
            at in suiting or times[at] and at in meeting or any(one.form == "time" for one in asked))]
        named = [at for at in askers if times[at]]
        about = bool(askers or suiting or meeting or self.called_off)
        if not named and (about or self._which):
            # "Shall we sit down?  I could do Wednesday", "he has Monday or Friday.  Which would you like?"
            named = [at for at, some in enumerate(times) if some and agreements.offers(sentences[at])]
            if not about and sum(len(times[at]) for at in named) < 2:
                named = []
        if not named:
            # "We move it to Saturday at 9:30.  Does that suit you?"
            named = [at for at, one in enumerate(sentences) if at + 1 in (*suiting, *askers) or suiting and (
                one in self.prose.items)]
            times = [[slot for slot in some if slot.timed] or some for some in times]
        found = dict.fromkeys(slot for at in named for slot in times[at])
        timed = {slot.start.date() for slot in found if slot.timed}
        return tuple(slot for slot in found if slot.timed or slot.start.date() not in timed)[:2 * MOST]

    def _ahead(self, sentence: str, slots: Sequence[Slot]) -> list[Slot]:
        """The times of a sentence that are to come; "can we move Wednesday at 2 to Thursday at 3?" has the new one."""
        ahead = [slot for slot in slots if slot.start > self.base]
        moved = len(ahead) > 1 and f" {self.language.or_} " not in sentence.lower() and mentions_any(
            sentence.lower(), asking(self.language.code).moving)
        return ahead[-1:] if moved else ahead

    @property
    def asks_to_meet(self) -> bool:
        """Return whether it asks its reader to meet at a time that it names, or leaves to its reader."""
        return bool(self.proposed) or any(one.form == "time" for one in self.questions) and not any(
            slot.start > self.base for slot in self.slots)

    @cached_property
    def moving(self) -> Moving:
        """Return what of it moves people."""
        return moving(self.prose.sentences, self.language.code)

    @cached_property
    def correction(self) -> str:
        """Return what it puts right, "green, not blue", C{""} for nothing or for a time."""
        item = correction(self.prose.sentences, self.language.code)
        return "" if item and dates.find(item, self.base, self.language).slots else item

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Return the two things of the first choice it offers."""
        offered = (questions.options(sentence, self.language) for sentence in self.prose.sentences)
        return next(filter(None, offered), ())

    @cached_property
    def deed(self) -> str:
        """Return what its writer gives thanks for, as the thanked one says it."""
        deeds = (say(phrases.deed(sentence, self.language), 80) for sentence in self.prose.sentences)
        return next(filter(None, deeds), "")

    @cached_property
    def _dates(self) -> tuple[Dates, ...]:
        """Return the days of each sentence; one that takes an appointment back proposes none."""
        language, found = self.language, list[Dates]()
        called_off: list[Slot] = []
        for sentence, off in self._sentences_off:
            said = dates.find(sentence, self.base, language)
            if off and not sentence.endswith("?"):
                # "I have to cancel our call tomorrow at 15:00" proposes nothing.
                called_off.extend(said.slots)
                said = said._replace(slots=())
            elif off and len(said.slots) > 1:
                # "Wednesday at 9 is off, does Friday suit you?", "Friday instead of Wednesday?"
                how = asking(language.code)
                head = next((sentence.partition(cue)[0] for cue in how.corrects if cue in sentence), "")
                said = said._replace(slots=dates.find(head, self.base, language).slots or said.slots[1:])
            elif any(map(sentence.lower().__contains__, language.same_time)):
                before = [*called_off, *(slot for one in found for slot in one.slots)] or self._quoted_slots()
                said = said._replace(slots=tuple(
                    slot if slot.timed else _at_that_time(slot, before) for slot in said.slots))
            found.append(said)
        return tuple(found)

    @cached_property
    def _sentences_off(self) -> list[tuple[str, bool]]:
        # Each sentence, and whether it takes an appointment back.
        cues = spaced(self.language.code, "called_off")
        return [(sentence, any(map(f" {sentence.lower()}".__contains__, cues))) for sentence in self.prose.sentences]

    @cached_property
    def called_off(self) -> bool:
        """Return whether an appointment is taken back."""
        return any(off for _, off in self._sentences_off)

    @property
    def takes_back(self) -> bool:
        """Return whether an appointment is taken back, and not something else that has a name."""
        return self.invited == "cancel" or any(
            off and (not named or agreements.is_appointment(named) or agreements.names_nothing(sentence))
            for sentence, off in self._sentences_off
            for named in (agreements.thing(sentence, self.language) if off else "",))

    @cached_property
    def preferred(self) -> Slot | None:
        """Return which of several proposed times is liked best, None where nothing is said about that."""
        if len(self.slots) < 2:
            return None
        liked = agreements.preferred(
            self.prose.sentences, lambda part: dates.find(part, self.base, self.language).slots)
        if liked is None:
            return None
        # "Thursday" is meant with the hour that it was named with.
        day = [slot for slot in self.slots if slot.start.date() == liked.start.date()]
        return next((slot for slot in day if slot == liked and slot.timed), None) or next(
            (slot for slot in day if slot.timed), None) or next(iter(day), None)

    @cached_property
    def impossible(self) -> tuple[str, ...]:
        """Return the dates that there are none of: "31 February", a Monday that is a Wednesday."""
        return tuple(dict.fromkeys(one for said in self._dates for one in said.impossible))[:MOST]

    @cached_property
    def agrees(self) -> bool:
        """Return whether it agrees to what was proposed, and asks nothing."""
        return not self.questions and any(map(agreements.agrees, self.prose.sentences[:MOST]))

    @cached_property
    def unwanted(self) -> tuple[str, ...]:
        """Return the sentences that say something is not wanted any more."""
        return agreements.calls_off(self.new, self.prose.sentences)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Return the places it names, rooms and such."""
        return agreements.places(self.prose.body)

    @cached_property
    def addresses(self) -> tuple[str, ...]:
        """Return the streets it names, also below the name of who wrote it."""
        return agreements.addresses(self.new)

    def _quoted_slots(self) -> list[Slot]:
        """Return the appointment that the quoted mail names first."""
        lines = self.prose.quoted.split("\n")[:60]
        for line, following in zip(lines, [*lines[1:], ""]):
            if line.endswith(":") or following.endswith(":") and not line.rstrip().endswith((".", "!", "?")):
                continue  # "On Friday, 6 March at 10:02, Maria wrote:", in one line or two
            found = [slot for slot in dates.find(line.lstrip("> "), self.base, self.language).slots if slot.timed]
            if found:
                return found[:1]
        return []

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Return the appointments it names, or that of its calendar part."""
        found = tuple(dict.fromkeys(slot for one in self._dates for slot in one.slots))
        start, day = self.invitation.start, self.invitation.day
        if day is not None and not found:
            return (Slot(start=datetime.combine(day, time(), self.base.tzinfo), timed=False),)
        if start is not None and not any(slot.timed for slot in found):
            return (Slot(start=start, timed=True),)
        return found[:2 * MOST]

    @cached_property
    def deadlines(self) -> tuple[date, ...]:
        """Return the days by which something is wanted."""
        return tuple(day for one in self._dates for day in one.deadlines)[:MOST]

    @cached_property
    def dates(self) -> tuple[date, ...]:
        """Return the days it names."""
        return tuple(day for one in self._dates for day in one.dates)[:2 * MOST]

    @cached_property
    def amounts(self) -> tuple[str, ...]:
        """Return the sums of money, first the one that is to be paid."""
        return figures.amounts(self._both, self.prose.sentences, self.language)

    @cached_property
    def _references(self) -> list[tuple[str, str]]:
        return figures.references(self._both, self.language)

    @cached_property
    def references(self) -> tuple[str, ...]:
        """Return its references, bare."""
        return tuple(one for one, _ in self._references)

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Return its references as they are spoken of: C{order 77120}."""
        return tuple(name for _, name in self._references)

    @cached_property
    def attachments(self) -> tuple[str, ...]:
        """Return the names of its attachments."""
        return tuple(say(one.filename, 80) for one in self.mail.attachments if not one.inline)[:MOST]

    @cached_property
    def of_a_parcel(self) -> bool:
        """Return whether it is the notice of a parcel: it asks nothing, and bears no person's name."""
        name = self.mail.from_.name
        # One word above is a firm's name as well.
        return agreements.of_a_parcel(f"{self.mail.subject[:200]}\n{self.new}") and not self.asks and not (
            is_person(name, self.language) and (len(name.split()) > 1 or bool(self.prose.sign_off)))

    @cached_property
    def minutes(self) -> str:
        """Return how long something takes."""
        return figures.minutes(self.prose.body)

    @cached_property
    def figure(self) -> str:
        """Return a percentage."""
        return figures.percentage(self.prose.body, self.language)

    @cached_property
    def coded(self) -> bool:
        """Return whether it has something like a code."""
        return figures.has_code(self._both)

    @property
    def unlabelled_images(self) -> int:
        """Return how many pictures of the HTML have no description."""
        return figures.unlabelled_images(self.mail.html)

    @cached_property
    def _form(self) -> tuple[bool, bool]:
        return address_form(self.prose.body, self.language)

    @property
    def familiar(self) -> bool:
        """Return whether it says du."""
        return self._form[0]

    @property
    def polite(self) -> bool:
        """Return whether it says Sie."""
        return self._form[1]

    @property
    def rating(self) -> int:
        """Return the highest mark of a scale that is asked for ("from 1 to 5"), 0 for none."""
        return figures.highest_mark(self.prose.body, self.language)


def read_mail(
    mail: Mail, base: datetime, language: Language | None = None, meaning: IMeaning | None = None,
) -> Findings:
    """
    Return what a mail says; who decides about it and who answers it are given the same reading.

    @param base, language, meaning: as for L{Findings}.
    """
    known_as = (language or known(tell(f"{mail.subject[:200]}\n{mail.text[:3000]}"))).code
    if mail.size > _LONGEST_KEPT:
        return Findings(mail, base, known(known_as), meaning)
    # Instants are equal whatever zone they are told in.
    return _kept(mail, base, base.utcoffset(), known_as, meaning)


@lru_cache(_KEPT)
def _kept(mail: Mail, base: datetime, offset: timedelta | None, code: str, meaning: IMeaning | None) -> Findings:
    return Findings(mail, base, known(code), meaning)


def _may_propose(question: MailQuestion) -> bool:
    """Whether a question may ask for an appointment, and not for what was said or for a thing."""
    return question.form in ("yes_no", "choice", "either", "time") and not (question.recalls or question.past) and (
        not question.behind or agreements.suits(question.text))


def _at_that_time(slot: Slot, before: list[Slot]) -> Slot:
    """A day with the time of an appointment that was spoken of before: "on Thursday at the same time"."""
    timed = next((one for one in reversed(before) if one.timed), None)
    if timed is None:
        return slot
    return Slot(
        start=slot.start.replace(hour=timed.start.hour, minute=timed.start.minute), timed=True, halves=timed.halves)


def address_form(body: str, language: Language) -> tuple[bool, bool]:
    """Return whether text says du, and whether it says Sie, which counts for more; neither where all are you."""
    said = body.split()[:600] if language.polite_words else []
    words = [word.strip(".,!?;:¿¡") for word in said]
    polite = not language.polite_words.isdisjoint(words)
    familiar = not language.familiar_words.isdisjoint(words)
    if polite and familiar:
        # "Sie packt schon": of her, where a sentence begins and "du" stands elsewhere.
        polite = any(word in language.polite_words and before[-1:] not in ".!?:" for before, word in zip(
            said, words[1:]))
    return not polite and familiar, polite
