"""
The questions of a mail: which sentences ask, what form a question has, what it is about, what it offers to choose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from simmail.core.language.clause.alternatives import alternatives, is_clause, is_timed, several
from simmail.core.language.clause.opening import opens, without_leads
from simmail.core.language.clause.inverted import participle, plain_of_ing
from simmail.core.language.clause.tables import clause_words, done, past, restating, third
from simmail.core.language.clause.tables import led_in as without_lead
from simmail.core.language.phrases import flip, noun_phrase, words
from simmail.core.language.clause.question_types import (
    asking, checked, mentions_any, named_type, is_rhetorical, passed_on, recalled, reminder, type_inside, type_of,
)
from simmail.core.language.tables import Language, meaning, spaced
from simmail.core.language.tables import language as known
from simmail.core.language.text import capital, say

#: Fewer characters before an "and" are no question of their own.
_SHORTEST = 8
#: Among so many words stands the verb that asks.
_ASKED_BY = 6
#: So many words before an "and" may be a clause of their own, and no mere question word.
_WHOLE = 4
#: Fewer characters are a question only where they begin with a question word, or are all that is said.
_IDLE, _ALONE = 8, 7
#: So many words are no clause of their own behind an "and".
_SHORT_CLAUSE = 2
#: The forms of questions that are read by their types.
_FORMS = {"when": "when", "many": "many"}
#: What these ask for is no time, whatever else they name.
_NO_TIMES = frozenset(("much", "many", "who", "why"))
#: So many words has a thing that is set off as one of two.
_FEW = 4
_SET_OFF = re.compile(r"\s[-–—]+\s|[;,(]\s*|:(?!\d)\s*")
#: What numbers things to choose: "(1)", "b)".
_ASIDE = re.compile(r"\s*\([^()]*\)")
#: What is cried out in brackets is none of two things.
_CRY = re.compile(r"\s*\([^()]*!\)")
_QUOTED = re.compile("[\"“„»«]([^\"“”„»«]{2,60})[\"”“»«]")
_NUMBERED = re.compile(r"(?<!\w)\(?[1-9a-e]\)\s+")
#: Marks that may stand behind a question mark, and around the words of a question.
_CLOSING = " !\"')]}”’»*_"
_MARKS = " ?!¿¡.\"'"
#: Words of the longest of two things.
_MOST_WORDS = 8
#: What stands before a gap.
_GAPS = (" -", " –", " —", "=")
#: What verbs are shortened to behind a question word.
_SHORTENED = (("'s ", " is "), ("'ll ", " will "), ("'re ", " are "), ("'d ", " would "))


class MailQuestion(Struct, frozen=True):
    """
    One question.

    @ivar form: C{yes_no}, C{choice}, C{either} (two sentences with "or"), C{when}, C{many}, C{why}, C{what},
        C{time} (it asks for an appointment) or C{opinion}.
    @ivar topic: what it is about, as the answering side says it ("our delivery address"), C{""} when unclear.
    @ivar short: the short answers yes and no ("yes, we do").
    @ivar options: of a choice.
    @ivar needs: it asks what the answering side needs ("by when do you need it?"); confirms: it asks for a word of
        agreement ("could you confirm ...?").
    @ivar type: what it asks for, one of L{question_types.TYPES}: the answer has to be of that type.
    @ivar behind: the clause behind "whether", or the statement before "right?", that it asks about.
    @ivar checks: it wants a statement confirmed; recalls: it asks for what was said before.
    @ivar claims: its writer says that its reader said or promised what it is about.
    @ivar past: it is how something was.
    @ivar lead: the sentence before it, which says what it is about where it does not itself: "have you seen it?".
    """

    text: str
    form: str
    topic: str
    short: tuple[str, str]
    options: tuple[str, ...]
    needs: bool = False
    confirms: bool = False
    type: str = "what"
    behind: str = ""
    checks: bool = False
    recalls: bool = False
    claims: bool = False
    past: bool = False
    lead: str = ""


def asks(sentence: str, language: Language, alone: bool = False) -> bool:
    """
    Return whether a sentence is a question that wants an answer: for an opinion too, but not "Any questions?".

    @param alone: nothing else is said, so that "ok?" is a question.
    """
    if not is_question(sentence):
        return False
    if alone and len(sentence) < _ALONE:
        return True
    if _cries(sentence, language):
        return False
    return asks_opinion(sentence, language) or not is_idle(sentence, language)


def _cries(sentence: str, language: Language) -> bool:
    """Whether a sentence only tells something with two question marks: "and he's come home shaved, for TEETH??"."""
    how = restating(language.code)
    if how.order != "inverted" or not sentence.rstrip(_CLOSING).endswith("??") or len(sentence.split()) < _SHORTEST:
        return False
    said = without_leads(sentence, asking(language.code).opening).split()
    first = said[0].lower().partition("'")[0] if said else ""
    return first in {*how.asking, *how.subjects, *how.others} and not opens(sentence, language) and type_of(
        sentence.lower(), language) == ""


def is_question(sentence: str) -> bool:
    """Return whether a sentence ends with a question mark that belongs to words, and to no address."""
    if not sentence.rstrip(_CLOSING).endswith("?"):
        return False
    bare = sentence.rstrip(_CLOSING).rstrip("?")
    if bare.rstrip(_CLOSING).endswith(_GAPS) or bare.endswith("  "):
        return False  # "you - ??" leaves something to be filled in
    last = sentence.rsplit(None, 1)[-1]
    return "://" not in last and any(map(str.isalnum, sentence))


def stands_in(question: MailQuestion, sentence: str) -> bool:
    """Return whether a question is one of a sentence."""
    text = question.text.strip(" ?!.").lower()
    return bool(text) and text in sentence.lower()


def read_question(sentence: str, language: Language, form: str = "", about: str = "") -> MailQuestion:
    """
    Return what a sentence asks.

    @param form: its form where that is known; about: what it is about then, as the answering side says it.
    """
    if form:
        return MailQuestion(
            text=capital(say(sentence, 200)), form=form,
            topic=say(about or (_noun(topic(sentence, language), language) if form == "opinion" else ""), 60),
            short=("", ""), options=(), type=form)
    low = sentence.lower().replace("¿", "").lstrip("¡ ")
    tokens = words(sentence)
    offered = options(_CRY.sub("", sentence), language, asked=True)
    form = "what"
    clause = asking_clause(low, language)
    recalls = recalled(sentence, language)
    if asks_time(clause, language) and not recalls and not of_past(clause, language) and type_of(
            clause, language) not in _NO_TIMES:
        form = "time"
    elif _begins_with(clause, language.when_words):
        form = "when"
    elif _begins_with(clause, language.number_words):
        form = "many"
    elif _begins_with(clause, language.reason_words):
        form = "why"
    elif offered and clause.startswith(language.choosing_words):
        form = "choice"
    elif asks_what(clause, language) or has_question_word(clause, language):
        form = "what"
    elif offered:
        form = "choice"
    elif either(clause, language) or clause.startswith(f"{language.or_} ") and either(low, language):
        form = "either"
    else:
        form = "yes_no"
    statement = checked(sentence, language)
    # "May I ask what made you leave?" asks what.
    inner = " ".join(without_lead(clause_words(sentence), restating(language.code))).lower()
    asked_for = form if form in ("time", "choice", "either") else type_of(clause, language) or (
        _type_last(clause, language)) or type_of(inner, language) or (
        type_inside(clause, language) if form != "yes_no" else "")
    if low.partition(" ")[0] in restating(language.code).conditions and ", " in low and asked_for not in (
            "", "time") and form == "what" and not type_of(clause, language):
        form = asked_for = "yes_no"  # "if I bring it in, could you tell me what it needs?"
    if asked_for == "what" and clause.startswith(language.question_words) and mentions_any(
            f" {clause}", tuple(f" {one}" for one in asking(language.code).costing)):
        asked_for = "much"  # "what would that roughly cost?"
    if recalls and asked_for == "what" and named_type(sentence, language) in _FORMS:
        asked_for = named_type(sentence, language)  # "what was the first date?"
    if statement:
        form = asked_for = "yes_no"
    elif form in ("yes_no", "what") and (again := reminder(sentence, language)) and again != "what":
        # "I can't find your mail: what time were we going to meet?"
        form, asked_for, recalls = "when" if again == "when" else "what", again, True
    elif asked_for and form == "yes_no":
        form = "what"
    if form == "yes_no" and not statement and language.head_first and asked_for in ("", form):
        # "Cela fait combien ?"
        last = type_of(clause.strip(_MARKS).rpartition(" ")[2], language)
        form, asked_for = ("what", last) if last else (form, asked_for)
    if asked_for and asked_for not in ("yes_no", "choice", "either", "time"):
        # "Which day was it again?"
        recalls = recalls or low.rstrip(_MARKS).endswith(asking(language.code).again)
    return MailQuestion(
        text=capital(say(sentence, 200)), form=form,
        topic=say(_noun(topic(sentence, language), language, form == "many", _does(clause, language)), 60),
        short=short_answers(tokens, language), options=offered, type=asked_for or form, behind=say(statement, 160),
        checks=bool(statement), recalls=recalls, past=of_past(clause, language),
        needs=any(word.lower() in language.need_words for word in tokens),
        confirms=any(map(f" {low}".__contains__, spaced(language.code, "confirm_words"))),
    )


def _type_last(clause: str, language: Language) -> str:
    """What a question asks for whose question word stands behind its verb: "on arrive quel jour ?"; C{""} for none."""
    found = type_inside(clause, language) if language.head_first and "-" not in clause else ""
    return found if found in ("when", "where", "many", "much", "long") else ""


def read_reminders(
    sentence: str, language: Language, gone: bool = False, answers: bool = True,
) -> list[MailQuestion]:
    """
    Return what a statement asks to be told again ("remind me which day we said"), or says that somebody asks; nothing
    for one that asks nothing.

    @param gone: as for L{reminder}; answers: the mail answers another, so that something can be told again.
    """
    whole = _read_reminder(sentence, language, gone, answers)
    if whole is None:
        return []
    head, found, tail = sentence.partition(f" {language.and_} ")
    if found and whole.recalls and not is_question(sentence):
        # "I need the order number and the price again" asks for two things.
        parts = [_read_reminder(part, language, True) for part in (head, tail)]
        if all(part is not None for part in parts):
            return [replace(part, text=capital(say(text, 200)))
                    for part, text in zip(parts, (head, tail)) if part is not None]
    second = type_of(tail.lower(), language) if found else ""
    if whole.recalls:
        return [whole, replace(whole, type=second, form=_FORMS.get(second, "what"))] if second not in (
            "", whole.type) else [whole]
    # "Inge asks when and where we meet", "I wonder what they cost and how long they take".
    clauses = apart(whole.text, language)
    return [whole] if len(clauses) == 1 else [replace(
        whole, text=part if len(part.split()) > _SHORT_CLAUSE else whole.text, type=type, form=_FORMS.get(type, "what"),
        topic=say(_noun(topic(part, language), language), 60)) for part in clauses for type in (
            type_of(part.lower(), language) or whole.type,)]


def _read_reminder(
    sentence: str, language: Language, gone: bool, answers: bool = True,
) -> MailQuestion | None:
    again = "" if is_question(sentence) or not answers else reminder(sentence, language, gone)
    type, text = (again, sentence) if again or is_question(sentence) else passed_on(sentence, language)
    if not type:
        return None
    if not again:
        text = f"{text.rstrip(' .!?')}?"
    return MailQuestion(
        text=capital(say(text, 200)), form=_FORMS.get(type, "what"),
        topic=say(_noun(topic(sentence, language), language), 60), short=("", ""), options=(), type=type,
        recalls=bool(again))


def asking_clause(low: str, language: Language) -> str:
    """Return the part of a lower-case question that asks: after "Also," and the like."""
    low = without_leads(low, asking(language.code).opening)
    for _ in range(8):
        head, comma, tail = low.partition(", ")
        if not comma or len(head) >= 60 or not tail or opens_question(head, language):
            break
        low = tail
    for opening in language.question_links:
        if low.startswith(f"{opening} "):
            return low[len(opening):].lstrip(" :")
    head, colon, tail = low.partition(": ")
    low = tail if colon and (len(head) < 40 or opens_question(tail, language)) else low
    for filler in language.question_fillers:
        low = low.removeprefix(f"{filler} ")
    return low


def _does(clause: str, language: Language) -> bool:
    """Whether a lower-case question asks whether one does something: the verb behind the thing has no ending."""
    how = restating(language.code)
    first, second, *_ = (*clause.split(), "", "")
    return (first == how.base or first in how.based or first in how.modals) and second in how.determiners


def _noun(phrase: str, language: Language, counted: bool = False, does: bool = False) -> str:
    """
    A phrase without the verb at its end, which is no part of what is asked about; C{""} where nothing is left.

    @param counted: it is of many things, so that no verb in it ends in "s"; does: a verb without an ending may follow.
    """
    how = restating(language.code)
    words = phrase.split()
    while len(words) > 2 and (
            _is_said(words, language) or words[-1].lower() in how.verb_starts or does and words[-1].lower() in (
            how.verbs | how.mental) - how.no_verbs or not counted and len(words) > 3 and third(
            words[-1].lower(), how)):
        words.pop()
    if how.order == "inverted" and words and (past(words[-1].lower(), how) or words[-1].lower() in how.auxiliaries):
        return ""
    return " ".join(words)


def _is_said(words: Sequence[str], language: Language) -> bool:
    """Whether the last word of a phrase is said of it: "the door mended", "the tooth giving", "the thing they're"."""
    how, low, before = restating(language.code), words[-1].lower(), words[-2].lower()
    if how.order != "inverted" or low in how.no_verbs or low in language.documents or before in how.predicates or (
            before in language.ordering):
        return False
    return participle(low, how) and not done(low, how) or bool(plain_of_ing(low, how)) or (
        "'" in low and low.partition("'")[0] in how.pronouns)


def _openings(language: Language) -> tuple[str, ...]:
    return _openings_of(language.code)


@cache
def _openings_of(code: str) -> tuple[str, ...]:
    # How questions begin: "which", "do you".  Of German verbs only those that mostly begin one.
    language = known(code)
    return tuple(f"{word} " for word in (*language.question_words, *language.short_answers, *language.question_verbs))


def opens_question(low: str, language: Language) -> bool:
    """Return whether lower-case words begin a question, also with "roughly how many" or "in which"."""
    for filler in language.question_fillers:
        low = low.removeprefix(f"{filler} ")
    low = low.replace("\u2019", "'")
    if "'" in low[:_SHORTEST]:
        for short, full in _SHORTENED:
            low = low.replace(short, full, 1)  # "what's"
    if low.startswith(_openings(language)):
        return True
    first, _, rest = low.partition(" ")
    return first in language.question_prepositions and rest.startswith(
        tuple(f"{word} " for word in language.question_words))


def asks_what(clause: str, language: Language) -> bool:
    """Return whether a lower-case question begins with a question word: "which", "in which"."""
    first, _, rest = clause.partition(" ")
    if first in language.question_prepositions:
        clause = rest
    return _begins_with(clause, language.question_words)


def _begins_with(clause: str, openings: tuple[str, ...]) -> bool:
    """Whether a clause begins with a whole word of some: "wollen" is no "wo"."""
    return clause.startswith(openings) and any(
        clause.startswith(one) and not clause[len(one):len(one) + 1].isalpha() for one in openings)


def led_in(question: str, language: Language) -> str:
    """Return a question without what leads it in: "Two questions: which browser ...?"."""
    for mark in (": ", " - ", " – ", " — "):
        head, found, tail = question.partition(mark)
        if found and len(head) > 3 and opens_question(tail.lower(), language):
            return capital(tail)
    for joint in asking(language.code).therefore:
        head, found, tail = question.partition(joint)
        if found and len(head.split()) > _FEW and opens(tail, language) and not opens(head, language):
            return capital(tail)  # "it goes over their drive so have you told them?"
    # "I still have your crate, shall I bring it?"
    offer = question.partition(", ")[2]
    return capital(offer) if offer.lower().startswith(restating(language.code).offers) else question


def has_question_word(clause: str, language: Language) -> bool:
    """Return whether a question such as "Could you tell me which ..." asks for more than yes or no."""
    # Only where it is embedded: in the first words, after tell, know, confirm, say.
    bare = [word.strip(".,;:?") for word in clause.split()[:14]]
    return any(word in language.embedding_verbs for word in bare) and any(
        word in language.question_words for word in bare
    )


def asks_time(sentence: str, language: Language) -> bool:
    """Return whether a question asks for an appointment: "Do you have half an hour next week?"."""
    return any(map(f" {sentence.lower()}".__contains__, spaced(language.code, "time_asked")))


def of_past(clause: str, language: Language) -> bool:
    """Return whether a lower-case question is how something was: it asks for no appointment."""
    how = asking(language.code)
    return without_leads(clause, how.opening).partition(" ")[0] in how.past_verbs


def asks_which(question: MailQuestion, language: Language) -> bool:
    """Return whether a question asks which of what stands before it, and names nothing: "which suits you best?"."""
    low = question.text.lower().strip(_MARKS)
    return question.form in ("what", "choice") and not (question.options or question.topic or question.recalls) and (
        low.startswith(language.choosing_words)) and len(low.split()) < _SHORTEST


def is_idle(sentence: str, language: Language) -> bool:
    """Return whether a question wants no answer, such as "Any questions?" in a footer."""
    low = sentence.lower().strip(_MARKS)
    whole = low in asking(language.code).opening.whole  # "¿Vienes?"
    if len(low) < _IDLE and not (whole or low.startswith(language.question_words)) or is_rhetorical(sentence, language):
        return True
    return len(low.split()) < 10 and low.startswith(language.idle_questions)


def asks_to_do(sentence: str, language: Language) -> bool:
    """Return whether a question asks its reader to do something, and not what it would like."""
    low = sentence.lower()
    for cue in language.do_words:
        _, found, rest = low.partition(f"{cue} ")
        if found and not rest.startswith(language.no_doing):
            return True
    return False


def apart(question: str, language: Language) -> list[str]:
    """Return the questions of one sentence: "When ... and how many ...?"."""
    low = question.lower()
    first, joint, second, *rest = [*low.split(), "", "", ""]
    if joint == language.and_ and first in language.question_words and second in language.question_words and any(rest):
        # "When and where do we meet?"
        tail = " ".join(question.split()[3:])
        return [capital(f"{first} {tail}"), capital(f"{second} {tail}")]
    head, found, tail = question.partition(f", {language.and_} ")
    if found and all(f" {language.or_} " in f" {half} ".lower() for half in (head, tail)):
        return [f"{head}?", capital(tail)]  # "matt or gloss, and white or grey?"
    if found and f" {language.or_} " in f" {tail} ".lower() and len(tail.split()) <= _ASKED_BY and type_of(
            head.lower(), language) and not opens(tail, language):
        return [f"{head}?", capital(tail)]  # "what torque does it take, and grease or no grease?"
    cuts: list[tuple[int, int]] = []
    # "Who clears it away, you or us?" is one.
    last = question.rindex(", ") if persons(question, language) else len(question)
    how, whether = restating(language.code), tuple(f"{one} " for one in asking(language.code).whether)
    for joint in (f", {language.and_} ", f" {language.and_} ", ", "):
        at = low.find(joint)
        while at >= 0 and len(cuts) < 4:
            after = f"{low[at + len(joint):].rstrip(_MARKS)} "
            # "On which day and at what time ..." is one question.
            bare = len(low[:at].split()) < _WHOLE and type_of(low[:at], language) == type_of(after, language) == "when"
            # "..., und kommst du mit dem Zug?"
            # "Come by and have a look" is one as well.
            bare = bare or not how.verbs.isdisjoint(after.split()[:1]) and not language.of_any.isdisjoint(
                after.split()[1:2])
            if _SHORTEST <= at < last and not bare and after.strip() not in asking(language.code).checks and (
                    not after.startswith(f"{language.or_} ") and opens(question[at + len(joint):], language)
                    or opens_question(after, language) or asks_late(after, language)
                    or ("," in joint or after.startswith(whether[:1])) and after.startswith(whether) and type_of(
                        low[:at].rpartition(", ")[2], language)) and not any(
                abs(at - cut) < 8 for cut, _ in cuts
            ):
                cuts.append((at, len(joint)))
            at = low.find(joint, at + 1)
    head = question[:min(cut for cut, _ in cuts)] if cuts else ""
    # "L'appartement est-il libre" asks as well.
    if not cuts or not opens_question(asking_clause(head.lower(), language), language) and not (
            language.head_first and "-" in head or opens(head, language) or asks_late(head, language)):
        return [question]
    parts, start = [], 0
    for at, length in sorted(cuts):
        parts.append(question[start:at].rstrip(" ,") + "?")
        start = at + length
    parts.append(question[start:])
    parts = [one.partition(" ")[2] if at and one.lower().startswith(whether) else one for at, one in enumerate(parts)]
    if how.order == "inverted":
        parts = [_whole_of(one, parts[at - 1], language) if at else one for at, one in enumerate(parts)]
    return [part[0].upper() + part[1:] for part in parts if len(part) > 2]


def _whole_of(part: str, before: str, language: Language) -> str:
    """A question of a word or two with what it hangs on: "by when can I appeal?", of "can I appeal, by when"."""
    low, before = part.lower().rstrip(_MARKS), without_leads(before, asking(language.code).opening)
    case = next((one for one in asking(language.code).if_not if before.lower().startswith(one)), "")
    before = before[len(case):].lstrip(" ,")
    bare = len(low.split()) <= _SHORT_CLAUSE and type_of(low, language) not in ("", "yes_no", "why")
    asks = bare and opens(before, language) and not type_of(before.lower(), language)
    return f"{capital(low)} {before[:1].lower() if before[1:2] != ' ' else before[:1]}{before[1:]}" if asks else part


def asks_late(clause: str, language: Language) -> bool:
    """Return whether a clause asks behind its subject: "les draps sont-ils fournis", "on arrive quel jour"."""
    words = clause.lower().split()[:_ASKED_BY]
    return language.head_first and (bool(_type_last(clause.lower(), language)) or any(
        hyphen and last in asking(language.code).opening.clitics for _, hyphen, last in (
            one.rpartition("-") for one in words)))


def topic(sentence: str, language: Language) -> str:
    """Return what a question is about, as a phrase of the answering side; C{""} when it cannot be told."""
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    # "Which delivery address ...", "How many licences ...": the noun is right behind the question word.
    for position in range(min(6, len(low))):
        asked = meaning(language, "asked_things", low, position)
        phrase = noun_phrase(tokens, position + asked[1], language) if asked is not None else []
        if asked is not None and len("".join(phrase)) > 3:
            return asked[0].format(thing=" ".join(phrase))
    best = ""
    for position, token in enumerate(low):
        if token not in language.definite:
            continue
        phrase = noun_phrase(tokens, position + 1, language)
        if not phrase or len("".join(phrase)) < 4 or phrase[-1].lower() in language.no_topics or (
                len(phrase) == 1 and _no_topic(low[position - 1] if position else "", phrase[0].lower(), language)):
            continue
        if language.inflected:
            # The case of a German phrase is not known: only its noun is said again.
            nouns = [word for word in phrase if word[0].isupper()]
            if not nouns:
                continue
            return nouns[-1]
        found = " ".join([flip(token, language), *phrase])
        if not best:
            best = found
    if not best and language.inflected:
        nouns = [word for word in tokens[1:] if word[0].isupper() and len(word) > 3
                 and word not in language.polite_words and word not in language.familiar_words
                 and word.lower() not in language.no_topics | language.no_topics_alone]
        return nouns[0] if nouns else ""
    return best


def _no_topic(before: str, word: str, language: Language) -> bool:
    """Whether one word behind an article names nothing: a time, or a verb behind a pronoun, "que las enviemos"."""
    return word in language.no_topics_alone or before in language.no_topics_behind or (
        word.endswith(language.no_topic_verbs))


def short_answers(tokens: list[str], language: Language) -> tuple[str, str]:
    """Return how yes and no are said to a question: "yes, we do", "no, we don't"."""
    plain = (language.yes, language.no)
    if not language.short_answers:
        return plain
    low = [token.lower() for token in tokens]
    for position, token in enumerate(low[:8]):
        if position + 1 >= len(low):
            break
        subject = low[position + 1]
        if token in language.common_verbs and subject in language.common:
            return plain  # "can we split it?" is done by both
        if token in language.permission_verbs and subject in language.asker:
            return f"{language.yes}, {language.do_so}", f"{language.no}, {language.do_not}"
        if token not in language.short_answers:
            continue
        if token in language.courtesy_verbs and subject in language.asked_one:
            return plain
        if subject in language.short_subjects:
            who = language.short_subjects[subject]
        elif subject in language.definite:
            if token not in language.noun_verbs:
                return plain
            who = language.noun_verbs[token]
        else:
            return plain
        verb = token
        return f"{language.yes}, {who} {verb}", f"{language.no}, {who} {language.short_answers[token]}"
    return plain


def asks_opinion(sentence: str, language: Language) -> bool:
    """Return whether a question is for an opinion: "Any thoughts?"."""
    low = sentence.lower().strip(_MARKS)
    for head in (low, low.rpartition(", ")[2]):
        if len(head.split()) < 10 and head.startswith(language.opinion):
            return True
    return False


def options(sentence: str, language: Language, asked: bool = False) -> tuple[str, ...]:
    """
    Return the things a sentence offers to choose from, two or more, C{()} when it offers no choice.

    @param asked: it is a question, so that a choice need not be called one.
    """
    if language.or_ not in sentence.lower():
        return ()
    head, colon, tail = sentence.rpartition(": ")
    if asked and colon and f" {language.or_} " in tail and f" {language.or_} " not in head:
        sentence = tail  # "no excuses: the first or the last week?"
    how = restating(language.code)
    found = [_whole(one, language) for one in _offered(sentence, language, asked)]
    if len(found) == len(("one", "other")) and asked and (
            _about_as_many(found, language) or found[1].lower() in asking(language.code).vague and (
                found[1].lower() not in language.counts or found[0].partition(" ")[0].lower() in language.determiners)):
        return ()  # "three or four kinds", "in a bowl or such"
    if len(found) > len(("one", "other")):
        found = [one for one in found if one.lower() not in how.auxiliaries]  # "what the motto was, red or blue"
    return tuple(found) if all(found) else ()


def _about_as_many(found: Sequence[str], language: Language) -> bool:
    """Whether two things are a number of them: "three or four kinds"."""
    one, other, *behind = (*(word.lower() for thing in found for word in thing.split()), "", "")
    counts = {word: number for word, number in language.counts.items() if word not in language.determiners}
    return bool(behind[:1] and behind[0]) and counts.get(other, 0) - counts.get(one, 0) == 1 and one in counts


def _whole(option: str, language: Language) -> str:
    """A thing without a word at its end that opens something else: "any room with a"."""
    how, said = restating(language.code), option.split()
    said = said[1:] if said[:1] == [language.and_] and len(said) > 1 else said
    while len(said) > 1 and said[-1].lower() in how.trailing | language.determiners and said[-1].islower():
        said.pop()
    return " ".join(said)


def _offered(sentence: str, language: Language, asked: bool) -> tuple[str, ...]:
    """The things a sentence offers, as they stand in it."""
    sentence = _NUMBERED.sub("", sentence)
    plain = _ASIDE.sub("", sentence)
    sentence = plain if f" {language.or_} " in plain else sentence
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    if language.or_ not in low or not any(word in language.choice_words for word in low) and not asked:
        return ()
    if asked and low[max(0, low.index(language.or_) - 1):] == [language.yes, language.or_, language.no] + low[-1:] * (
            low[-1] == "?"):
        return ()
    named = _QUOTED.findall(sentence) if asked else []
    if len(named) > 1 and f" {language.or_} " in _QUOTED.sub(" ", sentence):
        return tuple(one.strip(" .,") for one in named)  # '"Stay salty" or "Come in"?'
    if asked and (two := persons(sentence, language)):
        return two
    which = asked and any(word in language.question_words for word in low[:2])
    apart = (which and _set_off(sentence, language) or several(sentence, language) or _set_off(
        sentence, language)) if asked else ()
    if apart:
        return apart
    middle = low.index(language.or_)
    how = asking(language.code)
    pair = asked and _between(tokens, low, middle, language)
    if pair:
        return pair
    every = next((at for at in range(max(1, middle - 4), middle - 1) if low[at] in how.each_of), 0)
    if asked and every and any(one in how.limiting for one in low[middle + 1:middle + 2]):
        # "With every file or only some?"
        part = [one for one in tokens[middle + 1:] if one[-1].isalnum()]
        return " ".join(tokens[every - (low[every - 1] in language.choice_prepositions):middle]), " ".join(part)
    ways = tokens[:middle], [one for one in tokens[middle + 1:] if one[-1].isalnum()]
    how_said = restating(language.code)
    if asked and middle < 7 and not opens_question(" ".join(low), language) and all(
            language.choice_prepositions.intersection(map(str.lower, one[1:3])) and one[0].lower() not in
            language.choice_prepositions and {*how_said.asked, *how_said.asking}.isdisjoint(
                map(str.lower, one)) for one in ways) and all(one[-1].isalnum() for one in tokens[:-1]):
        return " ".join(ways[0]), " ".join(ways[1])  # "cash on site or invoice to the office?"
    if low[middle + 1:middle + 2] and (low[middle + 1] in (
            language.clause_openers | restating(language.code).conditions) or asked and is_clause(
            tokens[middle + 1:], language)):
        return ()  # "shall we change it or that we give it back": no things
    least = 1 if asked and low[0] not in (language.yes, language.no) else 2
    if middle < least or middle + 1 >= len(tokens) or (
            low[middle + 1] in language.not_words and not is_timed(" ".join(tokens[middle + 1:]), language)):
        return ()
    right: list[str] = []
    for token in tokens[middle + 1:middle + 10]:
        if not token[-1].isalnum() or right and token.lower() in language.option_ends:
            break
        right.append(token)
    if not right:
        return ()
    if right[0].lower() not in language.determiners:
        return _plain(sentence, low, language) if asked else ()
    starts = [index for index in range(middle - 1, max(-1, middle - 10), -1) if low[index] in language.determiners]
    # "The silk paper at the same price or the matt paper": what follows a preposition begins no choice.
    start = next((index for index in starts if not index or low[index - 1] not in language.choice_prepositions),
                 starts[0] if starts else None)
    proper = not tokens[middle - 1][0].islower() and low[max(0, middle - 2)] not in language.choice_prepositions
    if start is None and asked and proper and not any(done(one.lower(), how_said) for one in right[1:]):
        return _plain(sentence, low, language)  # "Mill Road or the one above the shop"
    if start is None or any(not token[-1].isalnum() for token in tokens[start:middle - 1]):
        return ()
    alike = right[0].lower() in language.choice_prepositions
    if start and not alike and low[start - 1] in language.choice_prepositions:
        # "Packed lunches on the Friday or a hot meal": what one would like begins behind the verb.
        wanted = next((at + 1 for at in range(start - 2, 0, -1) if low[at] in language.choice_words), 0)
        start = wanted or start
    left = [token for token in tokens[start:middle] if token[-1].isalnum()]
    if not 1 < len(left) <= 9 or len(right) < 2:
        return ()
    return _chosen(left, language), _chosen(right, language)


def persons(sentence: str, language: Language) -> tuple[str, ...]:
    """Return the two of whom a question asks which it is, at its end: "who pays, you or me?", C{()} for none."""
    how = restating(language.code)
    head, comma, tail = sentence.strip(_MARKS).rpartition(", ")
    one, found, other = tail.partition(f" {language.or_} ")
    said = {*how.asked, *how.asking, *how.objects, *how.theirs, *how.you, *how.speakers}
    single = len(one.split()) == 1 and 0 < len(other.split()) < _SHORT_CLAUSE + 1
    return (one, other) if comma and found and single and (
        one.lower() in said or other.split()[0].lower() in said) and (
        one in how.asked or one.lower() not in how.determiners) else ()


def _between(tokens: list[str], low: list[str], middle: int, language: Language) -> tuple[str, ...]:
    """The two things behind "either": "I expect either a new pair or half the money", C{()} for none."""
    cue = asking(language.code).either
    start = low.index(cue) + 1 if cue and cue in low[:middle] else 0
    left = tokens[start:middle]
    right = tokens[middle + 1:next((at for at in range(middle + 1, len(low)) if at > middle + 1 and (
        low[at] in language.option_ends) or not low[at][-1].isalnum()), len(low))]
    how = restating(language.code)
    persons = {*how.asked, *how.asking, *how.subjects}
    if how.prepositions.isdisjoint(map(str.lower, left)):
        right = right[:next((at for at, one in enumerate(right) if at and one.lower() in how.prepositions), None)]
    plain = start and all(0 < len(one) <= _MOST_WORDS and one[0].lower() not in persons for one in (left, right))
    return (" ".join(left), " ".join(right)) if plain and all(one[-1].isalnum() for one in left) else ()


def _set_off(sentence: str, language: Language) -> tuple[str, ...]:
    """Two things set off by marks: "what can I bring - cake or the salad?", C{()} for none."""
    pieces = [piece.strip(_MARKS) for piece in _SET_OFF.split(sentence)]
    for piece in pieces[1:] if len(pieces) > 1 else ():
        one, found, other = piece.partition(f" {language.or_} ")
        if found and ")" not in one and max(len(one.split()), len(other.split())) <= _FEW and not any(
                " " in half.strip() and _verbal(half.lower(), language) for half in (one, other)):
            return one, other
    return ()


def _verbal(low: str, language: Language) -> bool:
    """Whether lower-case words have a verb or a question in them, as far as one can tell."""
    how = asking(language.code).opening
    return any(word in how.verbs or word in how.modals or word in how.nominative for word in low.split()) or (
        opens_question(low, language))


def _plain(sentence: str, low: list[str], language: Language) -> tuple[str, ...]:
    """A choice without articles; "Tea or coffee?" begins with no name."""
    found = alternatives(sentence, language)
    start = found and len(found[0].split()) == 1 and found[1][0].islower() and found[0].lower() == low[0]
    return (found[0].lower(), found[1]) if start else found


def either(sentence: str, language: Language) -> bool:
    """Return whether a question offers two sentences: "Was it the price, or was something missing?"."""
    low = sentence.lower()
    for joint in (f", {language.or_} ", f" {language.or_} "):
        head, found, tail = low.partition(joint)
        if found:
            return len(head) >= _SHORTEST and (is_clause(tail.strip(_MARKS).split(), language) or tail.startswith(tuple(
                f"{word} " for word in (
                    *language.short_answers, *language.question_verbs, *language.clause_openers))))
    return False


def _chosen(option: list[str], language: Language) -> str:
    # "a replacement" is offered, "the replacement" is taken.  The case of a German article is not known, so it goes,
    # and so does the verb behind the noun.
    if language.inflected:
        while len(option) > 1 and option[-1][0].islower():
            option = option[:-1]
        return " ".join(option[1:] if option[0].lower() in language.determiners and len(option) > 1 else option)
    theirs = restating(language.code).theirs.get(option[0].lower(), "")
    if theirs and len(option) > 1:
        return " ".join([flip(option[0], language), *option[1:]])
    if option[0].lower() in language.offered_with:
        return " ".join([language.default_determiner, *option[1:]])
    return " ".join([option[0].lower(), *option[1:]])
