"""
All that wants an answer in a mail, in its order: questions, and what is asked for without a question mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from simmail.core.language.clause import offers, question_types, unmarked
from simmail.core.language.clause.alternatives import several
from simmail.core.language.clause.asked_for.claims import (
    as_claimed, assured, claim_of, claimed, taken_as_said, to_confirm,
)
from simmail.core.language.clause.asked_for.items import about, wanted_of, without_so
from simmail.core.language.clause.asked_for.lists import (
    announces, asks_inside, clauses_listed, day_of, demands, lettered, listed, numbered, picks_day,
)
from simmail.core.language.clause.choices import choice, offered_before, picks_of_list, wants_which
from simmail.core.language.clause.choosing.times import offered_times
from simmail.core.language.clause.choosing.ways import ways
from simmail.core.language.clause.opening import opens
from simmail.core.language.clause.restate import deed
from simmail.core.language.clause.tables import clause_words, cut, done, restating
from simmail.core.language.phrases import asks_for_something, documents
from simmail.core.language.questions import MailQuestion, is_question, options, read_question
from simmail.core.language.tables import Language, spaced
from simmail.core.language.text import capital

#: A sentence of fewer words leaves open what was listed before it.
_SHORT = 7
#: Words of the longest thing that is added to a list.
_PHRASE = 6
_MARKS = ".,;:!?()"
#: So many questions are several.
_MORE = 2
#: What is said of something in brackets.
_ASIDE = re.compile(r"\s*\([^()]*\)")
#: Words of the shortest question before "whether".
_ASKS = 3
#: Marks at the end of what leads no list in.
_ENDED = ".!?…"
#: Words by which the place of a sentence is found.
_PLACED = 3
#: So many sentences on, the next item of a list is looked for.
_NEAR = 4
#: Characters before a thing in which it is said that it is to be confirmed.
_NEXT = 16
#: Words among which stands the question word that a sentence asks with.
_LEAD = 10


def points(
    sentences: Iterable[tuple[str, list[MailQuestion]]], asked_for: Collection[str], language: Language,
    items: Collection[str] = (), answers: bool = False, body: str = "",
) -> tuple[MailQuestion, ...]:
    """
    Return what wants an answer; an opinion comes last.

    @param sentences: each sentence of a mail with the questions it asks.
    @param asked_for: those that ask for something; items: those that are an item of a list.
    @param answers: the mail answers another; body: the text of all of it.
    """
    found: list[MailQuestion] = []
    opinions: list[MailQuestion] = []
    before, wanted = "", False
    several_named: tuple[str, ...] = ()
    pairs = list(sentences)
    for at, (sentence, asked) in enumerate(pairs):
        if sentence.endswith(":?"):
            sentence, asked = sentence[:-1], []  # "could you let us know:", and a list
        if sentence not in items and not (wanted and _goes_on(pairs[at:at + _NEAR], items, body)):
            wanted = announces(sentence, language) or demands(sentence, language) and any(
                one in items for one, _ in pairs[at + 1:at + 2])
        size = len(found)
        clauses = question_types.clauses(sentence, language)
        offered = _offered(sentence, before, language)
        if offered:
            found.append(read_question(offered, language))
        elif claim := claimed(sentence, answers, language):
            # "You said you'd pay half up front, didn't you?"
            found.append(claim_of(claim, answers, language))
        elif question_types.says_only(sentence, language) and before:
            # "It arrives on Friday.  Is that right?", "I told you it was on Friday, didn't I?"
            claim = claimed(f"{before.strip(' .')}?", answers, language)
            if claimed(before, answers, language):
                pass  # it is asked about already
            elif claim:
                found.append(replace(about(claim, claim, language, checks=True), recalls=answers, claims=True))
            else:
                found.append(about(sentence, before, language, checks=True))
        elif clause := unmarked.decision(sentence, pairs[at + 1][0] if at + 1 < len(pairs) else "", language):
            # "If you accept, we pay on the 25th.  If not, say why."
            found.append(replace(about(clause, clause, language), confirms=True))
        elif clause := unmarked.left_to_say(sentence, language):
            # "If you can come, say so."
            found.append(about(clause, clause, language))
        elif clause := assured(sentence, language):
            found.append(about(clause, clause, language, checks=True))
        elif len(asked) < _MORE and (clause := to_confirm(sentence, language)):
            # "And can you confirm you still have the frame, because nobody could find it."
            found.append(about(clause, clause, language))
        elif offer := offers.ultimatum(sentence, language):
            found.append(_chosen(read_question(sentence, language), offer))
        elif offered_of := _choosing(sentence, asked, before, body, language):
            found.extend(offered_of)
        elif len(wishes := clauses_listed(sentence, language)) > 1:
            # "Tell me which of them you want, whether it is urgent, and since when you have had it."
            found.extend(_confirmed(wanted_of(one, language), one, sentence, language) for one in wishes)
        elif offer := numbered(sentence, language):
            found.append(replace(read_question(sentence, language), form="choice", type="choice", options=offer))
        elif parts := lettered(sentence, language):
            found.extend(wanted_of(one, language) for one in parts)
        elif wanted and sentence in items and not is_question(sentence) and not _tells_of(sentence, language) and all(
                one.type not in ("yes_no", "choice", "either", "time") for one in asked):
            # "I need: a) the number of members"
            behind = sentence.partition(f", {language.and_} ")[2]
            behind = behind or sentence.partition(f" {language.and_} ")[2]
            # "Whether it is, and in which size you have it", "whether you can hold it and until when"
            two = bool(question_types.type_of(behind.lower(), language))
            first = sentence.removesuffix(f" {language.and_} {behind}").rstrip(",") if two else sentence
            wish = wanted_of(first, language)
            offer = offers.between(sentence, language) or offers.bracketed(sentence, language) or offers.slashed(
                sentence, language) or (read_question(sentence, language).options if ": " in sentence else ())
            found.append(_chosen(wish, offer) if offer and wish.type != "yes_no" else wish)
            if two and len(behind.split()) < _ASKS and wish.behind:
                behind = f"{behind} {wish.behind}"
            found.extend([wanted_of(behind, language)] if two else ())
        elif clauses and len(asked) > 1 and len(told := _told_of(
                asked, clauses, language)) == len(asked) + len(clauses):
            # "Can I have some more, and could you tell me whether I have to come, and how much it is?"
            found.extend(point for point in told if point is not None)
        elif clauses and not any(one.options for one in asked):
            before_it = sentence.partition(clauses[0])[0]
            found.extend(read_question(one, language) for one in _asked_before(before_it, language))
            paper = _wished_before(before_it, language) if sentence in asked_for else ""
            if paper:
                # "Could you send me the price list and tell me if you deliver?"
                found.append(replace(read_question(f"{paper}.", language), form="request", type="request", options=()))
            # "Whether you want us to", above a list of what it may be, is asked by that.
            found.extend(about(clause, clause, language) for clause in clauses if not clause.endswith(
                f" {restating(language.code).to}"))
            rest = sentence.partition(clauses[-1])[2].removeprefix(f" {language.and_} ").strip(" .?!")
            rest = rest.strip(", ").removeprefix(f"{language.and_} ")
            rest = without_so(rest, language)
            if question_types.type_of(rest.lower(), language) or rest and opens(rest, language):
                found.append(read_question(f"{capital(rest)}?", language))
        elif (chosen := choice(sentence, asked, before, several_named, language)) is not None:
            # "You can have a new one or your money back.  Which would you prefer?"
            if not found or found[-1].options != chosen.options:
                found.append(chosen)
        elif asked and (deeds := _deeds_offered(asked, before, language)):
            # "Do the whole side for 3100 or patch it for 900.  What do you reckon?", "do it or leave it?"
            found.append(_chosen(asked[0], deeds))
        elif asked and (proposed := _proposed(sentence, asked, body, language)):
            # "The builder proposes: ...  What do you think?"
            found.append(proposed)
        elif asked:
            if answers and before[-1:].isalnum() and (claim := taken_as_said(before, before.lower(), language)):
                # "And the discount that you gave us, is that in it already?"
                found.append(claim_of(claim, answers, language))
            opinions.extend(one for one in asked if one.form == "opinion")
            found.extend(_stating(one, language) for one in asked if one.form != "opinion")
        elif question_types.mentions_any(sentence, question_types.asking(language.code).free_choice) and (
                offer := options(f"{sentence.rstrip(' .!')}?", language, asked=True)):
            found.append(replace(read_question(sentence, language), form="choice", type="choice", options=offer))
        elif wanted and sentence not in items and sentence[-1:] not in _ENDED:
            pass  # what it announces is asked for
        elif sentence in asked_for and len(items_said := listed(sentence, language)) > 1:
            found.extend(day_of(wanted_of(one, language), language) for one in items_said)
        elif sentence in asked_for and not is_question(sentence) and picks_day(sentence, language):
            # "Please reply with the date you want."
            found.append(replace(read_question(sentence, language), form="when", type="when", options=()))
        elif sentence in asked_for and not is_question(sentence):
            request = read_question(sentence, language)
            found.append(replace(request, form="request", type=question_types.type_inside(
                sentence.lower(), language) or "request", options=()))
        found[size:] = [as_claimed(_with_offer(one, sentence, [one for one, _ in pairs[:at]], body, language),
                                   answers, language) for one in found[size:]]
        found[size:] = _once(found[:size], found[size:], sentence, language)
        before = sentence
        several_named = several(sentence, language) or (several_named if len(sentence.split()) < _SHORT else ())
    # "Please let me know" beside a question asks for nothing more, and "if it is, please don't pick b" for nothing.
    inverted = restating(language.code).order == "inverted"
    return (*(one for one in found if len(found) == 1 or inverted and one.form != "request" or not (
        question_types.only_asks_to_be_told(one.text, language) or question_types.forbids(one.text, language)
        or one.text.partition(" ")[0].lower() in restating(language.code).any_words
        # "By Friday noon please"
        or one.form == "request" and one.text.partition(" ")[0].lower() in language.due_words
        or question_types.mentions_any(one.text, question_types.asking(language.code).in_replies))),
            *opinions[:1])


def _once(
    before: Sequence[MailQuestion], here: list[MailQuestion], sentence: str, language: Language
) -> list[MailQuestion]:
    """
    What a sentence asks, without a choice between what was to be chosen from before, and of "what shall we do with it,
    do you want it back or not?" only what is to be chosen.
    """
    asked = {tuple(sorted(map(_short, one.options))) for one in before if len(one.options) > 1}
    found = [one for one in here if len(one.options) < _MORE or tuple(sorted(map(_short, one.options))) not in asked]
    if asked and len(before[-1].options) > 1:
        found = [one for one in found if one.options or one.recalls or not picks_of_list(one, language)]
    led = len(found) == _MORE and found[0].type in ("what", "how") and not found[0].options and (
        found[1].form == "choice") and len(found[1].options) > 1 and not found[1].topic and not (
        found[1].text.lower().startswith(f"{language.and_} ")
        or f" {language.and_} {found[1].text.lower()}" in sentence.lower())
    return [replace(found[1], topic=found[0].topic)] if led else found


def _short(option: str) -> str:
    """A thing to choose without what stands in brackets behind it."""
    return _ASIDE.sub("", option).lower()


def _goes_on(rest: Sequence[tuple[str, list[MailQuestion]]], items: Collection[str], body: str) -> bool:
    """Whether a list goes on behind the first of some sentences, which says more of the item before it."""
    if f"\n\n{' '.join(rest[0][0].split()[:_PLACED])}" in body:
        return False  # it begins a paragraph
    end = next((at for at, (one, _) in enumerate(rest) if one.endswith(":") and one not in items), len(rest))
    return any(one in items for one, _ in rest[:end])


def _tells_of(item: str, language: Language) -> bool:
    """Whether an item tells something of its reader or its writer, and wants nothing: "you chose the brown one"."""
    how = restating(language.code)
    return how.order == "inverted" and item.partition(" ")[0].lower().partition("'")[0] in (
        {*how.asked, *how.asking} | how.others)


def _chosen(question: MailQuestion, offer: tuple[str, ...]) -> MailQuestion:
    return replace(question, form="choice", type="choice", options=offer)


def _choosing(
    sentence: str, asked: list[MailQuestion], before: str, body: str, language: Language
) -> list[MailQuestion]:
    """The choice that a sentence leaves of what stands between slashes, or in the list above it; C{[]} for none."""
    if between := offers.slashed(sentence, language) if is_question(sentence) else ():
        return [_chosen(read_question(sentence, language), between)]
    if not asked:
        named = wants_which(sentence, language) or question_types.mentions_any(
            sentence, restating(language.code).proceeding_told)
        letters = f" {language.or_} " in sentence
        above = offers.listed_above(sentence, body, language) if named or letters else []
        things = above or (named or letters) and offers.inline(before, language) or (
            offers.listed_below(sentence, body, language) if named else [])
        taken = tuple(one.thing for one in things) if named or offers.lettered(sentence, things, language) else ()
        return [_chosen(read_question(sentence, language), taken)] if taken else []
    return []


def _with_offer(
    one: MailQuestion, sentence: str, before: Sequence[str], body: str, language: Language
) -> MailQuestion:
    """A question with what it may choose from brackets, the list above it or a sentence before it."""
    if one.recalls or one.checks or one.type in ("yes_no", "either", "time", "opinion"):
        return one
    if ", " in one.text and (times := offered_times(one, sentence, before, body, language)):
        return _chosen(one, times)
    told = question_types.mentions_any(f" {one.text.lower()}", question_types.asking(language.code).telling)
    offer = offers.bracketed(one.text, language) if one.form != "request" or told else ()
    told_what = question_types.mentions_any(one.text, restating(language.code).proceeding_told)
    if not offer and not one.options and (told_what or picks_of_list(one, language)):
        offer = tuple(thing.thing for thing in offers.listed_above(sentence, body, language) or offers.inline(
            before[-1] if before else "", language))
    if not offer and not one.options and one.type in ("what", "when"):
        offer = offers.spoken_of(one.text, before, language)
    if not offer and not one.options:
        offer = offered_times(one, sentence, before, body, language) or offered_before(
            one, before[-1] if before else "", language)
    return _chosen(one, offer) if offer else one


def _deeds_offered(asked: Sequence[MailQuestion], before: str, language: Language) -> tuple[str, ...]:
    """What may be done where an opinion of it is asked, or nothing but which of it; C{()} for another question."""
    if len(asked) > 1 or asked[0].options or asked[0].recalls:
        return ()
    if asked[0].form == "opinion" or question_types.mentions_any(
            asked[0].text, question_types.asking(language.code).reckoning):
        few = len(before.split()) <= _LEAD and f" {language.or_} " in before
        return () if not before or is_question(before) else ways(before, language) or (
            options(f"{before.rstrip(_MARKS)}?", language, asked=True) if few else ())
    how, low = restating(language.code), asked[0].text.lower().split()
    first = low[0]
    bare = how.order == "inverted" and asked[0].type in ("yes_no", "either") and done(first, how) and not (
        opens(asked[0].text, language) and low[2:3] != [language.or_]) and first not in how.pleading
    return ways(asked[0].text, language) if bare else ()


def _proposed(
    sentence: str, asked: list[MailQuestion], body: str, language: Language
) -> MailQuestion | None:
    """The choice of what was proposed in a list, of which an opinion is wanted; None for no such list."""
    if asked[0].form != "opinion":
        return None
    lead, things = offers.list_above(sentence, body, language)
    proposing = question_types.mentions_any(f" {lead.lower()}", question_types.asking(language.code).proposing)
    return _chosen(asked[0], tuple(one.thing for one in things)) if things and proposing else None


def _stating(question: MailQuestion, language: Language) -> MailQuestion:
    """A question without a verb before its subject, that was behind "whether", as what it asks about."""
    first = question.text.partition(" ")[0].lower()
    told = question.type == "yes_no" and not question.behind and first in restating(language.code).others
    return about(question.text.rstrip("?"), question.text.rstrip("?"), language) if told else question


def _told_of(
    asked: Sequence[MailQuestion], clauses: Sequence[str], language: Language
) -> list[MailQuestion | None]:
    """
    The questions of a sentence, those that ask whether something is so by what they ask about; with None for each of
    these, so that none is missed.
    """
    found: list[MailQuestion | None] = []
    for one in asked:
        inside = next((clause for clause in clauses if clause.lower() in one.text.lower()), "")
        found.extend((about(inside, inside, language), None) if inside else (one,))
    return found


def _wished_before(head: str, language: Language) -> str:
    """What is wanted beside what is to be told: "could you send me a list", before "and tell me"; C{""} for nothing."""
    wish = head.rpartition(f" {language.and_} ")[0].rstrip(" ,")
    cut = question_types.clauses(f"{wish} ", language) or _asked_before(f"{wish} x", language)
    first, comma, last = wish.rpartition(", ")
    if comma and last.partition(" ")[0].lower() in language.determiners and len(last.split()) <= _PHRASE:
        wish = f"{first} {language.and_} {last}"  # "samples, a price list, and tell me ..."
    # "Could you try it again and tell us if it works" is one thing.
    sends = not language.send_words.isdisjoint(deed(wish, language)[0].lower().split()[:1])
    return wish if not cut and asks_for_something(wish, language) and (sends or documents(wish, language)) else ""


def _confirmed(wish: MailQuestion, said: str, sentence: str, language: Language) -> MailQuestion:
    """A thing that is wanted, or to be confirmed: "merci de nous confirmer votre présence"."""
    before = f" {sentence.partition(said)[0].lower()}"[-_NEXT:]
    cued = wish.form == "request" and any(map(before.__contains__, spaced(language.code, "confirm_words")))
    return replace(wish, confirms=True) if cued else wish


def _asked_before(head: str, language: Language) -> list[str]:
    """What is asked before "whether": "how many there will be" of "let me know how many there will be and whether"."""
    words = head.rstrip(", ").split()
    at = next((at for at in range(1, min(len(words), _LEAD)) if question_types.type_of(
        " ".join(words[at:]).lower(), language)), 0)
    behind = " ".join(words[at:-2] if words[-2:-1] == [language.and_] else words[at:-1]).rstrip(" ,")
    if not at or len(behind.split()) < _ASKS:
        return []
    # "Where it is, when I can expect it, and whether ..."
    starts = [0, *(one.end() for one in re.finditer(rf",\s+(?:{re.escape(language.and_)}\s+)?", behind)
                   if asks_inside(behind[one.end():].lower(), language))]
    return [f"{capital(behind[begin:end].strip(' ,'))}?" for begin, end in zip(starts, [*starts[1:], len(behind)])]


def _offered(sentence: str, before: str, language: Language) -> str:
    """What a question of two words offers, by the sentence before it: "I can hold 400 for you.  Shall I?"."""
    how, low = restating(language.code), sentence.lower().strip(" ?!.")
    if not before or low not in how.offers:
        return ""
    tokens = before.replace("\u2019", "'").rstrip(" .!").split()
    plain = [one.lower() for one in tokens]
    back = range(len(plain) - 2, -1, -1)
    at = next((at + 2 for at in back if plain[at] in how.asking and plain[at + 1] in how.modals), 0) or next(
        (at + 1 for at in back if plain[at] in how.willing), 0)
    deed = " ".join(cut(clause_words(" ".join(tokens[at:])), how)) if at else ""
    return f"{sentence.strip(' ?!.')} {deed}?" if deed else ""
