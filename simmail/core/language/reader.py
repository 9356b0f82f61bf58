"""
What a mail says: names, questions, appointments, amounts, references, requested documents, choices.

Nothing is understood here, only picked up.  Whatever is picked up is fit to be
said again: on one line, short, without the signs that templates use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from msgspec import Struct

from simmail.core.language import dates as slots, phrases, requests as wanted
from simmail.core.language.calendar_part import invitation
from simmail.core.language.names import Sender, addressee, sender
from simmail.core.language.prose import Prose, clean, read_prose
from simmail.core.language.tables import Language, spaced
from simmail.core.message.mail import Mail

#: A mail of fewer letters may be no more than "ok?".
_SHORT = 7
#: More of each is not looked for.
MOST = 6

_CURRENCY = "€|\\$|£|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|JPY|Euro|euros"
_SUM = r"[0-9]{1,12}(?:[.,' ][0-9]{2,3}){0,4}"
# Bounded, and a currency sign or a digit has to stand at the start of each try.
_AMOUNT = re.compile(rf"(?:(?<![\w])(?:{_CURRENCY}) ?{_SUM}(?![\w])|(?<![\w.,-]){_SUM} ?(?:{_CURRENCY})(?![\w]))")
_MINUTES = re.compile(r"(?<![0-9])([1-9][0-9]{0,2})[- ]?min")
_FIGURE = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:[.,][0-9]{1,2})? ?%")
_SCALE = re.compile(r"(?<![0-9])[01] ?(?:to|bis|and|und|-|–|\.\.) ?(5|6|7|10)(?![0-9])")
_CODE = re.compile(r"(?<![\w.,/-])[0-9]{4,8}(?![\w/-]|[.,][0-9])")
_EDGES = ".,;:!?()[]{}<>\"'“”„’‘*_"


class Question(Struct, frozen=True):
    """
    One question.

    @ivar form: C{yes_no}, C{choice}, C{either} (two sentences with "or"), C{when}, C{many}, C{why}, C{what},
        C{time} (it asks for an appointment) or C{opinion}.
    @ivar topic: what it is about, as the answering side says it ("our delivery address"), C{""} when unclear.
    @ivar short: the short answers yes and no ("yes, we do").
    @ivar options: of a choice.
    @ivar needs: it asks what the answering side needs ("by when do you need it?"); confirms: it asks for a word of
        agreement ("could you confirm ...?").
    """

    text: str
    form: str
    topic: str
    short: tuple[str, str]
    options: tuple[str, ...]
    needs: bool = False
    confirms: bool = False


class Findings(Struct, frozen=True):
    """
    What was picked up from one mail.

    @ivar called_off: an appointment is taken back; sorry: its writer apologises; rating: the highest mark that is
        asked for, 0 for none; invited: the method of its calendar part.
    @ivar deed: what its writer gives thanks for, as the thanked one says it; minutes: how long something takes;
        figure: a percentage.
    @ivar references: bare; named: as they are spoken of, C{order 77120}.
    @ivar requests: the sentences that ask for something; options: the two things of a choice.
    @ivar coded: it has something like a code; familiar: its German says du; polite: Sie.
    @ivar unlabelled_images: pictures of the HTML without a description.
    """

    prose: Prose
    sender: Sender
    addressee: str
    questions: tuple[Question, ...]
    slots: tuple[slots.Slot, ...]
    deadlines: tuple[date, ...]
    dates: tuple[date, ...]
    amounts: tuple[str, ...]
    references: tuple[str, ...]
    named: tuple[str, ...]
    documents: tuple[str, ...]
    requests: tuple[str, ...]
    options: tuple[str, ...]
    attachments: tuple[str, ...]
    deed: str
    minutes: str
    figure: str
    coded: bool
    unlabelled_images: int
    familiar: bool
    polite: bool = False
    called_off: bool = False
    sorry: bool = False
    rating: int = 0
    invited: str = ""


def pick_up(mail: Mail, base: datetime, language: Language) -> Findings:
    """
    What a mail says.

    @param base: when the mail was written, aware, in its writer's zone.
    """
    prose = read_prose(mail.text, language)
    subject = say(mail.subject, 200)
    appointments: list[slots.Slot] = []
    deadlines: list[date] = []
    dates: list[date] = []
    questions: list[Question] = []
    requests: list[str] = []
    documents: list[str] = []
    options: tuple[str, ...] = ()
    deed = ""
    opinions: list[Question] = []
    called_off: list[slots.Slot] = []
    off = False
    for sentence in prose.sentences:
        found = slots.find(sentence, base, language)
        low = f" {sentence.lower()}"
        taken_back = any(map(low.__contains__, spaced(language.code, "called_off")))
        off = off or taken_back
        if taken_back and not sentence.endswith("?"):
            # "I have to cancel our call tomorrow at 15:00" proposes nothing.
            called_off.extend(found.slots)
            found = found._replace(slots=())
        elif any(map(low.__contains__, language.same_time)):
            before = [*called_off, *appointments] or _quoted_slots(prose, base, language)
            found = found._replace(slots=tuple(
                slot if slot.timed else _at_that_time(slot, before) for slot in found.slots))
        appointments.extend(slot for slot in found.slots if slot not in appointments)
        deadlines.extend(found.deadlines)
        dates.extend(found.dates)
        asking = sentence.rstrip(" \"'”)").endswith("?")
        detail = ""
        if phrases.asks_for_something(sentence, language):
            requests.append(sentence)
            asked_for = wanted.documents(sentence, language)
            documents.extend(document for document in asked_for if document not in documents)
            detail = "" if asked_for else wanted.detail(sentence, language)
        deadlines.extend(within(sentence, base, language))
        if phrases.asks_opinion(sentence, language) and asking:
            opinions.append(_question(sentence, language, form="opinion"))
        elif detail:
            questions.append(_question(sentence, language, form="what", about=detail))
        elif asking and not phrases.is_idle(sentence, language):
            questions.extend(
                _question(part, language) for part in phrases.apart(phrases.led_in(sentence, language), language))
        if not options:
            options = phrases.options(sentence, language)
        deed = deed or say(phrases.deed(sentence, language), 80)
    if not questions and not requests and len(prose.sentences) == 1 and (
        len(prose.sentences[0]) < _SHORT and prose.sentences[0].endswith("?")
    ):
        # "ok?" is all that some mails ask.
        questions.extend(() if opinions else [_question(prose.sentences[0], language)])
    questions.extend(opinions[:1])
    invited = invitation(mail)
    if invited.start is not None and not any(slot.timed for slot in appointments):
        appointments = [slots.Slot(start=invited.start, timed=True)]
    both = f"{subject}\n{prose.body}"
    references = _references(both, language)
    familiar, polite = address_form(prose.body) if language.code == "de" else (False, False)
    return Findings(
        prose=prose,
        sender=sender(mail, prose, language),
        addressee=addressee(prose.greeting, language),
        questions=tuple(questions[:MOST]),
        slots=tuple(appointments[:2 * MOST]),
        deadlines=tuple(deadlines[:MOST]),
        dates=tuple(dates[:2 * MOST]),
        amounts=_amounts(both, prose, language),
        references=tuple(one for one, _ in references),
        named=tuple(name for _, name in references),
        documents=tuple(documents[:3]),
        requests=tuple(requests[:MOST]),
        options=options,
        attachments=tuple(say(one.filename, 80) for one in mail.attachments if not one.inline)[:MOST],
        deed=deed,
        minutes=_first(_MINUTES.search(prose.body), 1),
        figure=_first(_FIGURE.search(prose.body), 0).replace(" ", "" if language.code == "en" else " "),
        coded=_CODE.search(both) is not None,
        unlabelled_images=_unlabelled(mail.html),
        familiar=familiar,
        polite=polite,
        called_off=off,
        sorry=_sorry(prose.body.lower(), language),
        rating=_rating(prose.body, language),
        invited=invited.method,
    )


def _amounts(both: str, prose: Prose, language: Language) -> tuple[str, ...]:
    """The sums of money, first the one that is to be paid."""
    found = list(_unique(match.group() for match in _AMOUNT.finditer(both)))
    if len(found) > 1:
        for sentence in prose.sentences:
            low = sentence.lower()
            cue = max(map(low.rfind, language.total_words))
            match = _AMOUNT.search(sentence, cue) if cue >= 0 else None
            if match is not None:
                total = " ".join(match.group().split())
                return total, *(one for one in found if one != total)
    return tuple(found)


def within(sentence: str, base: datetime, language: Language) -> list[date]:
    """The deadline of "within two working days" or "valid for 48 hours", as a list of one or none."""
    low = [word.strip(".,;:!?()").lower() for word in sentence.split()[:80]]
    for position, word in enumerate(low):
        hours = language.spans.get(word)
        if hours is None or position < 2:
            continue
        number = position - 1 if low[position - 1] not in _WORKING else position - 2
        count = _COUNTS.get(low[number], int(low[number]) if low[number].isdecimal() and len(low[number]) < 4 else 0)
        if not count or low[number - 1] not in language.within or hours * count > 24 * 90:
            continue
        if low[number - 1] in ("for", "in") and not any(one.startswith(("valid", "gültig", "expire")) for one in low):
            continue  # "in two weeks" is when something happens
        return [(base + timedelta(hours=hours * count)).date()]
    return []


_WORKING = frozenset({"working", "business", "calendar"})
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "seven": 7, "ten": 10, "fourteen": 14, "a": 1, "an": 1,
           "einem": 1, "eines": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sieben": 7, "zehn": 10,
           "zweier": 2, "dreier": 3, "vierzehn": 14}


def _quoted_slots(prose: Prose, base: datetime, language: Language) -> list[slots.Slot]:
    """The appointment that the quoted mail names first."""
    for line in prose.quoted.split("\n")[:60]:
        if line.endswith(":"):
            continue  # "On Friday, 6 March at 10:02, Maria wrote:"
        found = [slot for slot in slots.find(line.lstrip("> "), base, language).slots if slot.timed]
        if found:
            return found[:1]
    return []


def _at_that_time(slot: slots.Slot, before: list[slots.Slot]) -> slots.Slot:
    """A day with the time of an appointment that was spoken of before: "on Thursday at the same time"."""
    timed = next((one for one in reversed(before) if one.timed), None)
    if timed is None:
        return slot
    return slots.Slot(
        start=slot.start.replace(hour=timed.start.hour, minute=timed.start.minute), timed=True, halves=timed.halves)


def _sorry(low: str, language: Language) -> bool:
    return any(map(low.__contains__, language.sorry_words)) and not any(map(low.__contains__, language.not_sorry))


def _rating(body: str, language: Language) -> int:
    """The highest mark of a scale that is asked for ("from 1 to 5"), 0 for none."""
    low = body.lower()
    if not any(map(low.__contains__, language.rating_words)):
        return 0
    match = _SCALE.search(low)
    return int(match.group(1)) if match is not None else 0


def say(text: str, longest: int = 120) -> str:
    """Foreign text made fit to be said again: one line, no markup, no signs of templates."""
    line = " ".join(clean(text[: 4 * longest]).translate(_NO_SIGNS).split())
    return line if len(line) <= longest else line[:longest].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"


_NO_SIGNS = {ord(sign): " " for sign in "{}[]<>|\u2028\u2029"}


def _question(sentence: str, language: Language, form: str = "", about: str = "") -> Question:
    if form:
        return Question(text=_capital(say(sentence, 200)), form=form, topic=say(about, 60), short=("", ""), options=())
    low = sentence.lower()
    words = phrases.words(sentence)
    options = phrases.options(sentence, language, asked=True)
    form = "what"
    clause = phrases.asking_clause(low, language)
    if phrases.asks_time(clause, language):
        form = "time"
    elif clause.startswith(language.when_words):
        form = "when"
    elif clause.startswith(language.number_words):
        form = "many"
    elif clause.startswith(language.reason_words):
        form = "why"
    elif options and clause.startswith(("which", "what", "welch", "was ")):
        form = "choice"
    elif phrases.asks_what(clause, language) or phrases.has_question_word(clause, language):
        form = "what"
    elif options:
        form = "choice"
    elif phrases.either(clause, language):
        form = "either"
    else:
        form = "yes_no"
    return Question(
        text=_capital(say(sentence, 200)), form=form, topic=say(phrases.topic(sentence, language), 60),
        short=phrases.short_answers(words, language), options=options,
        needs=any(word.lower() in language.need_words for word in words),
        confirms=any(map(f" {low}".__contains__, spaced(language.code, "confirm_words"))),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _first(match: re.Match[str] | None, group: int) -> str:
    return match.group(group) if match is not None else ""


_ACCOUNTS = frozenset({"iban", "bic", "swift", "registration", "kennzeichen"})


def _references(text: str, language: Language) -> list[tuple[str, str]]:
    """Each reference, bare and as it is spoken of: a bare number with its noun, C{order 77120}."""
    found: dict[str, str] = {}
    before = ""
    for word in text.split()[:3000]:
        bare = word.strip(_EDGES)
        # "Order 77120", "No. 5530", and what is a reference by its looks: INV-2041, #48213, PO7781.
        plain = bare.lstrip("#")
        if plain.isalpha():
            before = bare.lower()
            continue
        digits = sum(character.isdigit() for character in plain)
        looks = 3 <= len(plain) <= 24 and plain.isascii() and digits >= 2 and all(
            character.isalnum() or character in "-/_." for character in plain
        )
        if looks and before not in _ACCOUNTS and "://" not in bare and "." not in plain.strip("."):
            lettered = plain[0].isupper() and plain.upper() == plain and digits < len(plain)
            numbered = plain.isdigit() and digits >= 4 and (bare.startswith("#") or before in language.reference_words)
            if (lettered and not plain.startswith(("EUR", "USD", "GBP", "CHF")) or numbered) and bare not in found:
                noun = before if plain.isdigit() and before in language.reference_nouns else ""
                noun = noun.capitalize() if language.code == "de" else noun
                found[bare] = f"{noun} {bare}".lstrip()
        before = bare.lower().strip(".:")
    return list(found.items())[:MOST]


def _unique(found: Iterable[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for one in found:
        one = " ".join(one.split())
        if one not in kept:
            kept.append(one)
        if len(kept) >= MOST:
            break
    return tuple(kept)


def _unlabelled(html: str) -> int:
    low = html[:200_000].lower()
    count = 0
    at = low.find("<img")
    while at >= 0 and count < 50:
        end = low.find(">", at)
        if end < 0:
            break
        tag = low[at:min(end, at + 4000)]
        if "alt=" not in tag or 'alt=""' in tag or "alt=''" in tag:
            count += 1
        at = low.find("<img", end)
    return count


def address_form(body: str) -> tuple[bool, bool]:
    """Whether German text says du, and whether it says Sie; Sie counts for more."""
    words = {word.strip(".,!?;:") for word in body.split()[:600]}
    polite = bool(words & {"Sie", "Ihnen", "Ihre", "Ihren", "Ihrer", "Ihr", "Ihrem"})
    familiar = bool(words & {"du", "dir", "dich", "dein", "deine", "deinen", "Du", "Dir", "Dich", "Dein"})
    return familiar and not polite, polite
