"""
All that wants an answer in a mail, in its order: questions, and what is asked for without a question mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache

from msgspec.structs import replace

from simmail.core.language.clause import offers, question_types, unmarked
from simmail.core.language.clause.alternatives import several
from simmail.core.language.clause.choices import choice, offered_before, picks_of_list, wants_which
from simmail.core.language.clause.opening import opens
from simmail.core.language.clause.restate import deed
from simmail.core.language.clause.statement import clause_stated, positive
from simmail.core.language.clause.tables import clause_words, cut, restating
from simmail.core.language.clause.choosing.times import offered_times
from simmail.core.language.phrases import asks_for_something, documents
from simmail.core.language.questions import MailQuestion, is_question, options, read_question
from simmail.core.language.tables import Language
from simmail.core.language.tables import language as known
from simmail.core.language.text import calm, capital, say

_SAID = 200
#: A sentence of fewer words leaves open what was listed before it.
_SHORT = 7
#: Words of the longest item of a list that is a phrase.
_PHRASE = 6
_MARKS = ".,;:!?()"
#: An item with more figures is a number to ring, and tells it.
_FIGURES = 5
#: What numbers the things in a sentence.
_NUMBERS = re.compile(r"\([1-9a-e]\)\s+")
#: So many indirect questions are several; words of the day by which they are to be answered.
_MORE, _BY_DAY = 2, 4
#: Letters of a word that asks for no more than to be told: "state", "specify".
_TELLS = 4
#: Characters by which it is told what an indirect question asks for.
_AHEAD = 40
#: What is said of something in brackets.
_ASIDE = re.compile(r"\s*\([^()]*\)")
#: The place behind "the number of people".
_OF = 4
#: Words of the shortest question before "whether".
_ASKS = 3
#: Words of a demand before a list.
_FEW = 5
#: Marks at the end of what leads no list in.
_ENDED = ".!?…"
#: Words by which the place of a sentence is found.
_PLACED = 3
#: So many sentences on, the next item of a list is looked for.
_NEAR = 4
#: Words of the longest clause that says who said what stands before it: "die Sie mir genannt".
_RELATIVE = 5
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
    listed: tuple[str, ...] = ()
    pairs = list(sentences)
    for at, (sentence, asked) in enumerate(pairs):
        if sentence.endswith(":?"):
            sentence, asked = sentence[:-1], []  # "could you let us know:", and a list
        if sentence not in items and not (wanted and _goes_on(pairs[at:at + _NEAR], items, body)):
            wanted = _announces(sentence, language) or _demands(sentence, language) and any(
                one in items for one, _ in pairs[at + 1:at + 2])
        size = len(found)
        clauses = question_types.clauses(sentence, language)
        offered = _offered(sentence, before, language)
        if offered:
            found.append(read_question(offered, language))
        elif claim := _claimed(sentence, answers, language):
            # "You said you'd pay half up front, didn't you?"
            found.append(_claim(claim, answers, language))
        elif question_types.says_only(sentence, language) and before:
            # "It arrives on Friday.  Is that right?", "I told you it was on Friday, didn't I?"
            claim = _claimed(f"{before.strip(' .')}?", answers, language)
            if _claimed(before, answers, language):
                pass  # it is asked about already
            elif claim:
                found.append(replace(_about(claim, claim, language, checks=True), recalls=answers, claims=True))
            else:
                found.append(_about(sentence, before, language, checks=True))
        elif clause := unmarked.decision(sentence, pairs[at + 1][0] if at + 1 < len(pairs) else "", language):
            # "If you accept, we pay on the 25th.  If not, say why."
            found.append(replace(_about(clause, clause, language), confirms=True))
        elif clause := unmarked.left_to_say(sentence, language):
            # "If you can come, say so."
            found.append(_about(clause, clause, language))
        elif clause := _assured(sentence, language):
            found.append(_about(clause, clause, language, checks=True))
        elif len(asked) < _MORE and (clause := _to_confirm(sentence, language)):
            # "And can you confirm you still have the frame, because nobody could find it."
            found.append(_about(clause, clause, language))
        elif offer := offers.ultimatum(sentence, language):
            found.append(_chosen(read_question(sentence, language), offer))
        elif offered_of := _choosing(sentence, asked, before, body, language):
            found.extend(offered_of)
        elif len(wishes := _clauses_listed(sentence, language)) > 1:
            # "Tell me which of them you want, whether it is urgent, and since when you have had it."
            found.extend(_wanted(one, language) for one in wishes)
        elif offer := _numbered(sentence, language):
            found.append(replace(read_question(sentence, language), form="choice", type="choice", options=offer))
        elif lettered := _lettered(sentence, language):
            found.extend(_wanted(one, language) for one in lettered)
        elif wanted and sentence in items and not is_question(sentence) and all(
                one.type not in ("yes_no", "choice", "either", "time") for one in asked):
            # "I need: a) the number of members"
            behind = sentence.partition(f", {language.and_} ")[2]
            behind = behind or sentence.partition(f" {language.and_} ")[2]
            # "Whether it is, and in which size you have it", "whether you can hold it and until when"
            two = bool(question_types.type_of(behind.lower(), language))
            first = sentence.removesuffix(f" {language.and_} {behind}").rstrip(",") if two else sentence
            wish = _wanted(first, language)
            offer = offers.between(sentence, language) or offers.bracketed(sentence, language) or offers.slashed(
                sentence, language) or (read_question(sentence, language).options if ": " in sentence else ())
            found.append(_chosen(wish, offer) if offer and wish.type != "yes_no" else wish)
            if two and len(behind.split()) < _ASKS and wish.behind:
                behind = f"{behind} {wish.behind}"
            found.extend([_wanted(behind, language)] if two else ())
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
            found.extend(_about(clause, clause, language) for clause in clauses if not clause.endswith(
                f" {restating(language.code).to}"))
            rest = sentence.partition(clauses[-1])[2].removeprefix(f" {language.and_} ").strip(" .?!")
            rest = rest.strip(", ").removeprefix(f"{language.and_} ")
            rest = _without_so(rest, language)
            if question_types.type_of(rest.lower(), language) or rest and opens(rest, language):
                found.append(read_question(f"{capital(rest)}?", language))
        elif (chosen := choice(sentence, asked, before, listed, language)) is not None:
            # "You can have a new one or your money back.  Which would you prefer?"
            if not found or found[-1].options != chosen.options:
                found.append(chosen)
        elif asked and (proposed := _proposed(sentence, asked, body, language)):
            # "The builder proposes: ...  What do you think?"
            found.append(proposed)
        elif asked:
            if answers and before[-1:].isalnum() and (claim := _taken_as_said(before, before.lower(), language)):
                # "And the discount that you gave us, is that in it already?"
                found.append(_claim(claim, answers, language))
            opinions.extend(one for one in asked if one.form == "opinion")
            found.extend(_stating(one, language) for one in asked if one.form != "opinion")
        elif question_types.mentions_any(sentence, question_types.asking(language.code).free_choice) and (
                offer := options(f"{sentence.rstrip(' .!')}?", language, asked=True)):
            found.append(replace(read_question(sentence, language), form="choice", type="choice", options=offer))
        elif wanted and sentence not in items and sentence[-1:] not in _ENDED:
            pass  # what it announces is asked for
        elif sentence in asked_for and len(items_said := _listed(sentence, language)) > 1:
            found.extend(_day_of(_wanted(one, language), language) for one in items_said)
        elif sentence in asked_for and not is_question(sentence) and _picks_day(sentence, language):
            # "Please reply with the date you want."
            found.append(replace(read_question(sentence, language), form="when", type="when", options=()))
        elif sentence in asked_for and not is_question(sentence):
            request = read_question(sentence, language)
            found.append(replace(request, form="request", type=question_types.type_inside(
                sentence.lower(), language) or "request", options=()))
        found[size:] = [_as_claimed(_with_offer(one, sentence, [one for one, _ in pairs[:at]], body, language),
                                    answers, language) for one in found[size:]]
        found[size:] = _once(found[:size], found[size:])
        before = sentence
        listed = several(sentence, language) or (listed if len(sentence.split()) < _SHORT else ())
    # "Please let me know" beside a question asks for nothing more, and "if it is, please don't pick b" for nothing.
    return (*(one for one in found if len(found) == 1 or one.form != "request" or not (
        question_types.only_asks_to_be_told(one.text, language) or question_types.forbids(one.text, language)
        or one.text.partition(" ")[0].lower() in restating(language.code).any_words
        or question_types.mentions_any(one.text, question_types.asking(language.code).in_replies))),
            *opinions[:1])


def _once(before: Sequence[MailQuestion], here: list[MailQuestion]) -> list[MailQuestion]:
    """
    What a sentence asks, without a choice between what was to be chosen from before, and of "what shall we do with it,
    do you want it back or not?" only what is to be chosen.
    """
    asked = {tuple(sorted(map(_short, one.options))) for one in before if len(one.options) > 1}
    found = [one for one in here if len(one.options) < _MORE or tuple(sorted(map(_short, one.options))) not in asked]
    led = len(found) == _MORE and found[0].type in ("what", "how") and not found[0].options and (
        found[1].form == "choice") and len(found[1].options) > 1 and not found[1].topic
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


def _proposed(
    sentence: str, asked: list[MailQuestion], body: str, language: Language
) -> MailQuestion | None:
    """The choice of what was proposed in a list, of which an opinion is wanted; None for no such list."""
    if asked[0].form != "opinion":
        return None
    lead, things = offers.list_above(sentence, body, language)
    proposing = question_types.mentions_any(f" {lead.lower()}", question_types.asking(language.code).proposing)
    return _chosen(asked[0], tuple(one.thing for one in things)) if things and proposing else None


def _assured(sentence: str, language: Language) -> str:
    """Return the clause that a sentence wants to hear is so: "tell me it isn't on the press yet"; C{""} for none."""
    low = sentence.lower()
    cue = max((one for one in question_types.asking(language.code).assured if low.startswith(f"{one} ")), key=len,
              default="")
    rest = sentence[len(cue):].strip(" .!")
    if not cue or is_question(sentence) or question_types.type_inside(low, language) or not clause_stated(
            rest, language) and not clause_stated(positive(rest, language), language):
        return ""
    return rest


def _to_confirm(sentence: str, language: Language) -> str:
    """Return the clause that is to be confirmed: "you still have the frame"; C{""} for a thing, and for none."""
    how, low = restating(language.code), sentence.lower()
    cue = next((one for one in question_types.asking(language.code).confirming if f" {one} " in f" {low}"), "")
    if not cue or how.order != "inverted" or len(low) != len(sentence):
        return ""
    rest = sentence[f" {low}".index(f" {cue} ") + len(cue):].strip(" .!?")
    words = cut(clause_words(rest), how)
    at = next((at for at, word in enumerate(words[:_BY_DAY + 1]) if word.lower() in how.reporting_that), -1)
    clause = " ".join(words[at + 1:])  # "by Friday that the hall is free"
    told = clause_stated(clause, language) if words and not question_types.type_of(rest.lower(), language) else None
    return clause if told is not None and told.yes else ""


def _stating(question: MailQuestion, language: Language) -> MailQuestion:
    """A question without a verb before its subject, that was behind "whether", as what it asks about."""
    first = question.text.partition(" ")[0].lower()
    told = question.type == "yes_no" and not question.behind and first in restating(language.code).others
    return _about(question.text.rstrip("?"), question.text.rstrip("?"), language) if told else question


def _numbered(sentence: str, language: Language) -> tuple[str, ...]:
    """The things to choose that a statement letters or numbers: "(a) keep it, or (b) leave"; C{()} for none."""
    marks = list(_NUMBERS.finditer(sentence))
    if len(marks) < 2 or is_question(sentence) or sentence[:marks[-1].start()].split()[-1:] != [language.or_]:
        return ()
    ends = [*(one.start() for one in marks[1:]), len(sentence)]
    things = [sentence[one.end():end].partition(",")[0].strip(_MARKS + " ").removesuffix(f" {language.or_}")
              for one, end in zip(marks, ends)]
    return tuple(say(" ".join(language.flips.get(word.lower(), word) for word in one.split()), 60) for one in things)


def _lettered(sentence: str, language: Language) -> list[str]:
    """What a demand letters or numbers in one sentence: "I would like (a) an explanation and (b) my money back"."""
    marks = list(_NUMBERS.finditer(sentence))
    head = sentence[:marks[0].start()].rstrip(" :") if len(marks) > 1 else ""
    if not head or is_question(sentence) or not (
            _announces(f"{head}:", language) or _demands(head, language)):
        return []
    ends = [*(one.start() for one in marks[1:]), len(sentence)]
    items = [f" {sentence[one.end():end].strip(_MARKS + ' ')}".removesuffix(f" {language.and_}").strip(_MARKS + " ")
             for one, end in zip(marks, ends)]
    knowing = question_types.asking(language.code).to_know
    return [one.removeprefix(knowing) for one in items] if all(items) else []  # "see (a) and (b)"


def _claimed(sentence: str, answers: bool, language: Language) -> str:
    """
    What a sentence says that its reader said, C{""} for nothing.

    @param answers: whether that may be anything; else it is only what the reader would do.
    """
    how, low = question_types.asking(language.code), sentence.lower().replace("\u2019", "'")
    # What the writer has said itself is asked about only where it is to be confirmed: "..., didn't I?"
    cues = (*how.claiming, *(how.claiming_own if answers and low.rstrip().endswith("?") else ()))
    # "Sie haben gesagt" is said to its reader, "sie haben gesagt" of others.
    said = [one for one in cues if f" {one} " in f" {low if one.islower() else sentence}"]
    cue = max(said, key=len, default="").lower()
    if len(low) != len(sentence) or not cue and (not answers or sentence[-1:] != "?"):
        return ""
    if not cue or question_types.type_of(low, language):
        return _taken_as_said(sentence, low, language) if answers and sentence[-1:] == "?" else ""
    start = low.index(f"{cue} ") + len(cue) + 1
    end = min((at for one in how.claim_ends if (at := low.find(one, start)) > 0), default=len(low))
    words = sentence[start:end].strip(" .?!").split()
    while words and words[0].lower() in how.claim_joints:
        words = words[1:]
    claim = " ".join(words)
    if cue.endswith(" to") and words:
        claim = f"you will {claim}"
    deed = f"{claim.lower()} ".startswith(tuple(f"{one} " for one in how.claimed_deeds))
    return claim if len(words) > 1 and (answers or deed) else ""


def _taken_as_said(sentence: str, low: str, language: Language) -> str:
    """
    What a question takes to have been said or promised: "the gutter is green as we agreed, isn't it?", "is the discount
    that you gave us in it?"; C{""} for nothing, and for a request to do something.
    """
    how = question_types.asking(language.code)
    for cue in how.as_agreed:
        head, found, behind = low.partition(f" {cue}")
        words = sentence[:len(head)].strip(" ,").split()
        while words and words[0].lower().strip(",") in how.claim_leads:
            words = words[1:]
        relative = next((at for at in range(len(words) - 1, max(len(words) - _RELATIVE, 0), -1) if (
            words[at].lower() in how.claim_relatives)), 0)
        words = words[:relative] if relative and words[relative - 1].endswith(",") else words
        if found and not behind[:1].isalpha() and len(words) > 1:
            return "" if words[0].lower() in restating(language.code).modals else " ".join(words).rstrip(",")
    return ""


def _claim(claim: str, answers: bool, language: Language) -> MailQuestion:
    """A claim as a question: whether it is so, or, of a promise that nothing was written of before, to keep it."""
    how = question_types.asking(language.code)
    deed = next((one for one in how.claimed_deeds if f"{claim.lower()} ".startswith(f"{one} ")), "")
    if not answers and deed and how.claimed_asked:
        text = f"{how.claimed_asked} {claim[len(deed):].strip()}?"
        return read_question(capital(text), language)
    return replace(_about(claim, claim, language, checks=True), recalls=answers, claims=True)


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
        found.extend((_about(inside, inside, language), None) if inside else (one,))
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


def _as_claimed(one: MailQuestion, answers: bool, language: Language) -> MailQuestion:
    """A question that wants confirmed what was said in a thread as a claim: "you had allowed us 20 %, hadn't you?"."""
    claimed = answers and one.checks and not one.claims and question_types.mentions_any(
        f" {one.behind.lower()}", question_types.asking(language.code).claimed)
    return replace(one, claims=True, recalls=True) if claimed else one


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
                   if _asks(behind[one.end():].lower(), language))]
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


def _wanted(item: str, language: Language) -> MailQuestion:
    """The request for an item of a list, of the type of its noun: "the name of the treasurer"."""
    item = calm(item)
    item = _without_so(item, language)
    whether = next((one for one in question_types.asking(language.code).whether if item.lower().startswith(
        f"{one} ")), "")
    if whether:
        return _about(f"{item[len(whether):].strip()}", item[len(whether):].strip(), language)
    head, found, clause = item.partition(question_types.asking(language.code).confirmed)
    if found and len(head.split()) < _MORE and clause_stated(clause.rstrip(_MARKS), language):
        clause = clause.rstrip(_MARKS)
        return _about(clause, clause, language)  # "confirmation that the glass will be single"
    existing = question_types.asking(language.code).existing
    if existing and item.partition(" ")[0].lower() in restating(language.code).any_words:
        return read_question(capital(existing.format(thing=item.rstrip(_MARKS).lower())), language)
    if question_types.type_of(item.lower(), language):
        how = restating(language.code)
        # "Bis wann Sie unterschreiben": of what its reader does it needs nothing.
        own = not {*how.asked, *how.you}.isdisjoint(item.split()) if how.order != "inverted" else not (
            how.auxiliaries | how.pronouns).isdisjoint(item.lower().split())
        # "Díganos cuándo piensan pagar" names nobody: its verb says who pays.
        named = bool(how.asked or how.myself)
        return replace(read_question(f"{item.rstrip(' .?!,;:')}?", language), needs=named and not own)
    read = read_question(item, language)
    return replace(read, form="request", type=question_types.named_type(item, language) or "request", options=(),
                   topic=_item(item, language) if language.inflected else _noun_first(item, language) or _named(
                       item, language) or read.topic or _item(item, language))


def _day_of(question: MailQuestion, language: Language) -> MailQuestion:
    """The question which of several days it is to be, where a thing that is wanted is that: "your preferred slot"."""
    picks = question_types.mentions_any(f" {question.text.lower()}", question_types.asking(language.code).picking_days)
    return replace(question, form="when", type="when") if picks else question


def _without_so(item: str, language: Language) -> str:
    """An indirect question without the case it is asked for: "whether you want to, and if so for how many"."""
    so = next((one for one in question_types.asking(language.code).if_so if item.lower().startswith(f"{one} ")), "")
    behind = item[len(so):].lower().lstrip(" ,") if so else ""
    return item[-len(behind):] if behind and question_types.type_of(behind, language) else item


def _listed(sentence: str, language: Language) -> list[str]:
    """What a sentence lists behind a colon, each a phrase: "I need: the plan and the keys"; C{[]} for nothing."""
    several = _several(sentence, language)
    if several:
        return several
    head, colon, tail = sentence.rstrip(" .!").partition(": ")
    items = [one.strip() for part in tail.split(", ") for one in part.split(f" {language.and_} ")] if colon else []
    told = any(sum(map(str.isdigit, one)) > _FIGURES for one in items)  # "ring my husband: Glyn, 0191 555 0144"
    return items if not told and _announces(f"{head}:", language) and all(_item(one, language) for one in items) else []


def _several(sentence: str, language: Language) -> list[str]:
    """Three or more things that a plea wants, each with its article: "reply with your slot, the name and any notes"."""
    low, how = sentence.lower(), restating(language.code)
    cue = next((one for one in question_types.asking(language.code).listing if one in low), "")
    if not cue or is_question(sentence) or len(low) != len(sentence):
        return []
    tail = sentence[low.index(cue) + len(cue):].rstrip(" .!")
    items = [one.strip() for one in re.split(rf",\s+(?:{re.escape(language.and_)}\s+)?|\s{re.escape(language.and_)}\s",
                                             tail)]
    starts = language.determiners | how.determiners
    plain = all(one.partition(" ")[0].lower() in starts and " " in one and how.auxiliaries.isdisjoint(
        one.lower().split()) for one in items)
    # What else is listed is told or sent in one go.
    apart = any(one.partition(" ")[0].lower() in how.any_words or question_types.mentions_any(
        f" {one.lower()}", question_types.asking(language.code).picking_days) for one in items)
    apart = apart or not any(
        one.partition("(")[0].split()[-1].lower().endswith(tuple(language.details)) for one in items)
    return items if len(items) > _MORE and plain and apart else []


def _clauses_listed(sentence: str, language: Language) -> list[str]:
    """
    The indirect questions, and the things beside them, that a statement lists behind a word that asks for them; C{[]}
    for fewer than two.
    """
    sentence = _ASIDE.sub("", sentence)
    low = sentence.lower()
    if "," not in low and f" {language.and_} " not in low:
        return []
    cues = [match.end() for match in _telling(language.code).finditer(low)]
    if not cues:
        return []
    # Behind a cue, a mark or "and" one begins: with a question word or "whether", or a thing with its article.
    begins = sorted({*(_behind_day(low, at + 1, language) for at in cues if low[at:at + 1] == " "), *(
        match.start(1) for match in _begin(language.and_, language.or_).finditer(low, cues[0]))})
    asking = [at for at in begins if _asks(low[at:at + _AHEAD], language)]
    if not asking:
        return []  # things alone are told in one go
    if is_question(sentence) and restating(language.code).order == "inverted" and (
            len(asking) < _MORE or low[:asking[0]].rstrip()[-1:] == "," or any(
                opens(sentence[at:], language) for at in begins if at not in asking)):
        return []  # "can you tell me the price, and do you deliver?"
    things = [at for at in begins if low[at:].partition(" ")[0] in language.determiners]
    starts = sorted({*asking, *([] if documents(sentence, language) else things)})
    found = [sentence[begin:end].strip(" ,.;:!?") for begin, end in zip(starts, [*starts[1:], len(sentence)])]
    return [one.removesuffix(f" {language.and_}").removesuffix(f", {language.or_}").strip(" ,") for one in found]


def _behind_day(low: str, at: int, language: Language) -> int:
    """A place behind the day by which something is to be told: "let me know by Friday whether ..."."""
    words = low[at:].split(" ", _BY_DAY + 1)
    if words[0] not in language.due_words:
        return at
    spots = (at + len(" ".join(words[:size])) + 1 for size in range(2, min(len(words), _BY_DAY + 1)))
    return next((spot for spot in spots if _asks(low[spot:spot + _AHEAD], language)), at)


@cache
def _telling(code: str) -> re.Pattern[str]:
    """What asks to be told something."""
    how = question_types.asking(code)
    telling = (one for one in how.telling if len(one) > _TELLS)
    cues = sorted({cue.rstrip() for cue in (
        *known(code).ask_words, *how.wanting, *how.reported, *telling)}, key=len)[::-1]
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, cues))})(?!\w)" if cues else r"(?!)")


@cache
def _begin(and_: str, or_: str) -> re.Pattern[str]:
    """The place behind a mark, "and", or "or" behind a mark."""
    joint = f"(?:{re.escape(and_)}|{re.escape(or_)})"
    return re.compile(rf"(?:[,:]\s+(?:{joint}\s+)?|\s{re.escape(and_)}\s)(\S)")


def _asks(clause: str, language: Language) -> bool:
    """Whether lower-case words begin an indirect question: with a question word, "whether" or "if"."""
    whether = question_types.asking(language.code).whether
    return clause.startswith(tuple(f"{one} " for one in whether)) or question_types.type_of(clause, language) not in (
        "", "yes_no")


def _item(sentence: str, language: Language) -> str:
    """A short item as a phrase without an article, C{""} for one that is a sentence."""
    words = sentence.partition("(")[0].strip(" .,;:").split()
    # "An explanation" is sent, of "the name" a name.
    plain = language.inflected or bool(words) and words[0].lower() in language.definite
    phrase = words[1:] if words[:1] and words[0].lower() in language.determiners and plain else words
    return say(" ".join(phrase), 60) if len(words) <= _PHRASE else ""


def _noun_first(item: str, language: Language) -> str:
    """An item up to what it is for, in a language that puts the noun first: "un número de cuenta en España"."""
    words = item.partition("(")[0].strip(" .,;:").split() if language.head_first else []
    end = next((at for at, word in enumerate(words) if at and word.lower() in language.purposes or word[-1] in _MARKS),
               len(words))
    plain = 1 < end <= _PHRASE and restating(language.code).speakers.isdisjoint(map(str.lower, words))
    first = words[0].lower() if plain else ""
    return say(" ".join([language.flips.get(first, first if first in language.determiners else words[0]),
                         *words[1:end]]), 60) if plain else ""


def _named(item: str, language: Language) -> str:
    """A short item with its article, as the other side says it: "a plan of the ground floor"; C{""} for another."""
    words = item.partition("(")[0].strip(" .,;:").split()
    first = words[0].lower() if words else ""
    how = restating(language.code)
    if len(words) > _PHRASE + 2 and first in language.determiners and how.order == "inverted":
        words = _headed(words[1:], language, first)  # "a note on how many of the sashes could be repaired"
    if len(words) > _OF and words[2].lower() in language.of_words:
        # "The number of people", of "the number of people on site at the time"
        end = next((at for at in range(_OF, len(words)) if words[at].lower() in how.prepositions | how.pronouns), None)
        words = words[:end]
    if first and how.order == "inverted" and first not in language.determiners:
        words = _headed(words, language)
        first = words[0].lower() if words else ""
    short = 1 < len(words) <= _PHRASE + 2 and (first in language.determiners or first in how.quantities)
    marks = any(word[-1] in _MARKS for word in words)
    plain = bool(how.pronouns) and short and not marks
    turned = [language.flips.get(first, first), *(language.flips.get(word.lower(), word) for word in words[1:])]
    return say(" ".join(turned), 60) if plain and how.auxiliaries.isdisjoint(map(str.lower, words)) else ""


def _headed(words: list[str], language: Language, article: str = "") -> list[str]:
    """
    A noun with its article and what belongs to it, "the latest spec for the bagel"; C{[]} for none.

    @param article: the one it has, C{""} for none.
    """
    how, low = restating(language.code), [word.lower().strip(_MARKS) for word in words]
    ends = (how.pronouns - how.others) | how.auxiliaries | how.unclear | how.conditions | {*how.asked, *how.asking}
    asks = tuple(one for one in language.question_words if len(one) > len("to"))
    end = next((at for at, word in enumerate(low) if (word in ends or word.startswith(asks)) and not (
        at > 1 and low[at - 1] in how.others)), len(low))  # "dates she was employed"
    while end and low[end - 1] in how.prepositions | language.of_words | language.determiners | {language.and_}:
        end -= 1
    least = 1 if article or end < len(low) else _MORE
    if not least <= end <= _PHRASE + 1 or low[0] in how.verbs | how.prepositions or not low[0].isalpha() or (
            not language.default_determiner):
        return []
    first = words[0] if not words[0].istitle() else low[0]
    bare = low[0] in how.quantities
    return [*([] if bare else [article or language.default_determiner]), first, *words[1:end]]


def _announces(sentence: str, language: Language) -> bool:
    """Whether a sentence says that what is listed behind it is wanted: "I need the following:"."""
    low = f" {sentence.lower()}"
    chooses = question_types.mentions_any(low, question_types.asking(language.code).picking)  # "choose one of these:"
    return sentence.endswith(":") and not chooses and any(
        f" {cue}" in low for cue in (*language.ask_words, *question_types.asking(language.code).wanting,
                                     *question_types.asking(language.code).reported))


def _picks_day(sentence: str, language: Language) -> bool:
    """Whether a plea wants to be told which of several days: "please reply with the date you want"."""
    how, low = question_types.asking(language.code), f" {sentence.lower()}"
    return question_types.mentions_any(low, how.picking_days) and question_types.mentions_any(
        low, (*how.replying, *how.telling))


def _demands(sentence: str, language: Language) -> bool:
    """Whether a few words before a list say that it is wanted: "I want", "we need"."""
    low, how = sentence.lower().strip(_MARKS + " "), question_types.asking(language.code)
    if sentence[-1:].isalnum() and low.endswith(how.reported):
        return True  # "I paid at once, but I want to know", and a list
    return len(low.split()) <= _FEW and sentence[-1:] not in _ENDED and any(
        f" {low} ".find(f" {cue.strip()} ") >= 0 for cue in (*how.demanding, *how.wanting))


def _about(text: str, clause: str, language: Language, checks: bool = False) -> MailQuestion:
    """A question whether a clause is so, or which of two things it is."""
    offered = () if checks else options(f"{clause}?", language, asked=True)
    if offered:
        return replace(read_question(f"{text}?", language), form="choice", type="choice", options=offered)
    return replace(read_question(text, language), form="yes_no", type="yes_no", behind=say(clause, _SAID), options=(),
                   checks=checks, recalls=question_types.recalled(clause, language),
                   topic=say(read_question(clause, language).topic, 60))
