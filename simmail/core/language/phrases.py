"""
Small phrases taken out of one sentence: what a question is about, what is asked for, which choice is offered.
"""

from __future__ import annotations

import re
from functools import cache

from simmail.core.language.tables import Language, spaced
from simmail.core.language.tables import language as known

_WORD = re.compile(r"[€$£]?[^\W_]+(?:(?:['’.-]|(?<=[0-9]),(?=[0-9]))[^\W_]+)*|[,;:()?!–—]")
_WORDS = 120
_LONGEST_PHRASE = 4
#: Fewer characters before an "and" are no question of their own.
_SHORTEST = 12


def words(sentence: str) -> list[str]:
    """The words of a sentence and the marks that end a phrase."""
    return _WORD.findall(sentence[:1500])[:_WORDS]


_OPTION_ENDS = frozenset({"if", "and", "which", "wenn", "und", "please", "bitte"})
_DEED_ENDS = frozenset({"and", "which", "that", "so", "when", "while", "because", "last", "this", "if", "as"})
_DEED_TAIL = frozenset({"yesterday", "today", "again", "quickly", "promptly", "to", "with", "the", "a", "on", "in"})
_DEED_FLIPS = {"us": "you", "me": "you", "you": "us"}


def asking_clause(low: str, language: Language) -> str:
    """The part of a lower-case question that asks: after "Also," and the like."""
    for _ in range(8):
        head, comma, tail = low.partition(", ")
        if not comma or len(head) >= 60 or not tail or head.startswith(_openings(language)):
            break
        low = tail
    for opening in ("and ", "also ", "but ", "so ", "und ", "außerdem ", "or ", "then "):
        if low.startswith(opening):
            return low[len(opening):].lstrip(" :")
    head, colon, tail = low.partition(": ")
    low = tail if colon and (len(head) < 40 or opens_question(tail, language)) else low
    for filler in language.question_fillers:
        low = low.removeprefix(f"{filler} ")
    return low


def _openings(language: Language) -> tuple[str, ...]:
    return _openings_of(language.code)


@cache
def _openings_of(code: str) -> tuple[str, ...]:
    # How questions begin: "which", "do you".  Of German verbs only those that mostly begin one.
    language = known(code)
    return tuple(f"{word} " for word in (*language.question_words, *language.short_answers, *language.question_verbs))


def opens_question(low: str, language: Language) -> bool:
    """Whether lower-case words begin a question, also with "roughly how many" or "in which"."""
    for filler in language.question_fillers:
        low = low.removeprefix(f"{filler} ")
    if low.startswith(_openings(language)):
        return True
    first, _, rest = low.partition(" ")
    return first in language.question_prepositions and rest.startswith(
        tuple(f"{word} " for word in language.question_words))


def asks_what(clause: str, language: Language) -> bool:
    """Whether a lower-case question begins with a question word: "which", "in which"."""
    first, _, rest = clause.partition(" ")
    if first in language.question_prepositions:
        clause = rest
    return clause.startswith(language.question_words)


def led_in(question: str, language: Language) -> str:
    """A question without what leads it in: "Two questions: which browser ...?"."""
    head, colon, tail = question.partition(": ")
    if colon and len(head) > 3 and opens_question(tail.lower(), language):
        return tail[:1].upper() + tail[1:]
    return question


def has_question_word(clause: str, language: Language) -> bool:
    """Whether a question such as "Could you tell me which ..." asks for more than yes or no."""
    # Only where it is embedded: in the first words, after tell, know, confirm, say.
    embedding = ("tell", "know", "confirm", "say", "explain", "sagen", "mitteilen", "wissen", "verraten", "erklären")
    bare = [word.strip(".,;:?") for word in clause.split()[:14]]
    return any(word in embedding for word in bare) and any(
        word in language.question_words for word in bare
    )


def asks_time(sentence: str, language: Language) -> bool:
    """Whether a question asks for an appointment: "Do you have half an hour next week?"."""
    return any(map(f" {sentence.lower()}".__contains__, spaced(language.code, "time_asked")))


def is_idle(sentence: str, language: Language) -> bool:
    """Whether a question wants no answer, such as "Any questions?" in a footer."""
    low = sentence.lower().strip(" ?!.\"'")
    return len(low) < 8 or len(low.split()) < 10 and low.startswith(language.idle_questions)


def asks_for_something(sentence: str, language: Language) -> bool:
    """Whether a sentence asks its reader to do something."""
    return any(map(f" {sentence.lower()}".__contains__, spaced(language.code, "ask_words")))


def asks_to_do(sentence: str, language: Language) -> bool:
    """Whether a question asks its reader to do something, and not what it would like."""
    low = sentence.lower()
    for cue in language.do_words:
        _, found, rest = low.partition(f"{cue} ")
        if found and not rest.startswith(language.no_doing):
            return True
    return False


def apart(question: str, language: Language) -> list[str]:
    """The questions of one sentence: "When ... and how many ...?"."""
    low = question.lower()
    cuts: list[tuple[int, int]] = []
    for joint in (f", {language.and_} ", f" {language.and_} ", ", "):
        at = low.find(joint)
        while at >= 0 and len(cuts) < 4:
            after = low[at + len(joint):]
            if at >= _SHORTEST and opens_question(after, language) and not any(
                abs(at - cut) < 8 for cut, _ in cuts
            ):
                cuts.append((at, len(joint)))
            at = low.find(joint, at + 1)
    if not cuts or not opens_question(asking_clause(low[:min(cut for cut, _ in cuts)], language), language):
        return [question]
    parts, start = [], 0
    for at, length in sorted(cuts):
        parts.append(question[start:at].rstrip(" ,") + "?")
        start = at + length
    parts.append(question[start:])
    return [part[0].upper() + part[1:] for part in parts if len(part) > 8]


def noun_phrase(tokens: list[str], start: int, language: Language) -> list[str]:
    """The words from C{start} up to the end of their phrase, at most L{_LONGEST_PHRASE}."""
    found: list[str] = []
    for token in tokens[start:start + _LONGEST_PHRASE]:
        low = token.lower()
        if low in ("next", "last") and not found:
            found.append(token)  # "the next order", but not "the order next week"
            continue
        verb = low in language.phrase_verbs and bool(found) and found[-1].lower() not in ("next", "last")
        if verb or low in language.phrase_stops or not token[-1].isalnum() or low in language.determiners:
            break
        found.append(token)
    return found


def flip(determiner: str, language: Language) -> str:
    """A determiner as the other side says it: "your" becomes "our"."""
    low = determiner.lower()
    if low in language.flips:
        return language.flips[low]
    if low in ("this", "that", "these", "those"):
        return "the"
    return low


#: "On your side", "from your end": nobody asks about these.
_NO_TOPICS = frozenset(("side", "sides", "end", "ends", "behalf", "part", "seite"))


def topic(sentence: str, language: Language) -> str:
    """What a question is about, as a phrase of the answering side; C{""} when it cannot be told."""
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    # "Which delivery address ...", "How many licences ...": the noun is right behind the question word.
    for position, token in enumerate(low[:6]):
        counted = token in ("many", "much") and low[position - 1] == "how"
        if language.code == "en" and (token in ("which", "what") or counted):
            phrase = noun_phrase(tokens, position + 1, language)
            if phrase and len("".join(phrase)) > 3:
                if token in ("many", "much"):
                    return f"the number of {' '.join(phrase)}" if token == "many" else f"the {' '.join(phrase)}"
                return f"the {' '.join(phrase)}"
    best = ""
    for position, token in enumerate(low):
        if token not in language.definite:
            continue
        phrase = noun_phrase(tokens, position + 1, language)
        if not phrase or len("".join(phrase)) < 4 or phrase[-1].lower() in _NO_TOPICS:
            continue
        if language.code == "de":
            # The case of a German phrase is not known: only its noun is said again.
            nouns = [word for word in phrase if word[0].isupper()]
            if not nouns:
                continue
            return nouns[-1]
        found = " ".join([flip(token, language), *phrase])
        if not best:
            best = found
    if not best and language.code == "de":
        nouns = [word for word in tokens[1:] if word[0].isupper() and word not in ("Sie", "Ihnen", "Ihr", "Ihre", "Du")
                 and len(word) > 3]
        return nouns[0] if nouns else ""
    return best


def short_answers(tokens: list[str], language: Language) -> tuple[str, str]:
    """How yes and no are said to a question: "yes, we do", "no, we don't"."""
    plain = (language.yes, language.no)
    if not language.short_answers:
        return plain
    low = [token.lower() for token in tokens]
    for position, token in enumerate(low[:8]):
        if token in ("may", "shall") and low[position + 1:position + 2] in (["we"], ["i"]):
            return f"{language.yes}, please do", f"{language.no}, please don't"
        if token not in language.short_answers or position + 1 >= len(low):
            continue
        subject = low[position + 1]
        if token in ("could", "can", "should", "may", "would") and subject in ("we", "i"):
            return f"{language.yes}, please do", f"{language.no}, please don't"
        if token in ("could", "would", "must") and subject == "you":
            return plain
        if subject in language.short_subjects:
            who = language.short_subjects[subject]
            if who == "you":
                return plain
        elif subject in language.definite:
            if token in ("does", "is", "has", "was"):
                who = "it"
            elif token in ("do", "are", "have", "were"):
                who = "they"
            else:
                return plain
        else:
            return plain
        verb = token
        return f"{language.yes}, {who} {verb}", f"{language.no}, {who} {language.short_answers[token]}"
    return plain


def deed(sentence: str, language: Language) -> str:
    """What thanks are given for, as the thanked one says it: "talking to your customers"; C{""} when it is no doing."""
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    if language.code != "en" or "for" not in low[:9] or not any(word in ("thank", "thanks") for word in low[:8]):
        return ""
    start = low.index("for") + 1
    if start >= len(low) or not low[start].endswith("ing") or len(low[start]) < 5:
        return ""
    said = []
    for token, word in zip(tokens[start:start + 10], low[start:start + 10]):
        if not token[-1].isalnum() or word in _DEED_ENDS:
            break
        said.append(language.flips.get(word) or _DEED_FLIPS.get(word) or token)
    while said and said[-1].lower() in _DEED_TAIL:
        said.pop()
    return " ".join(said)


def asks_opinion(sentence: str, language: Language) -> bool:
    """Whether a question is for an opinion: "Any thoughts?"."""
    low = sentence.lower().strip(" ?!.\"'")
    for head in (low, low.rpartition(", ")[2]):
        if len(head.split()) < 10 and head.startswith(language.opinion):
            return True
    return False


def options(sentence: str, language: Language, asked: bool = False) -> tuple[str, ...]:
    """
    The two things a sentence offers to choose from, C{()} when it offers no choice.

    @param asked: it is a question, so that a choice need not be called one.
    """
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    if language.or_ not in low or not any(word in language.choice_words for word in low) and not asked:
        return ()
    middle = low.index(language.or_)
    if middle < 2 or middle + 1 >= len(tokens) or low[middle + 1] in ("not", "nicht"):
        return ()
    right: list[str] = []
    for token in tokens[middle + 1:middle + 10]:
        if not token[-1].isalnum() or right and token.lower() in _OPTION_ENDS:
            break
        right.append(token)
    if not right:
        return ()
    if right[0].lower() not in language.determiners:
        return _plain_choice(tokens, low, middle, right, language) if asked else ()
    starts = [index for index in range(middle - 1, max(-1, middle - 10), -1) if low[index] in language.determiners]
    # "The silk paper at the same price or the matt paper": what follows a preposition begins no choice.
    start = next((index for index in starts if not index or low[index - 1] not in language.choice_prepositions),
                 starts[0] if starts else None)
    if start is None or any(not token[-1].isalnum() for token in tokens[start:middle - 1]):
        return ()
    left = [token for token in tokens[start:middle] if token[-1].isalnum()]
    if not 1 < len(left) <= 9 or len(right) < 2:
        return ()
    return _chosen(left, language), _chosen(right, language)


def _plain_choice(
    tokens: list[str], low: list[str], middle: int, right: list[str], language: Language
) -> tuple[str, ...]:
    """A choice without articles: "monthly or at the end", "with a neighbour or at the parcel shop", "tea or coffee"."""
    before = [index for index in range(max(0, middle - 6), middle) if tokens[index][-1].isalnum()]
    if not before or len(right) > 6 or " ".join([*(one.lower() for one in right), ""]).startswith(_openings(language)):
        return ()
    if right[0].lower() in language.choice_prepositions:
        start = next((index for index in reversed(before) if low[index] in language.choice_prepositions), before[-1])
    elif len(right) > 2:
        return ()
    else:
        start = before[-1]
    left = [tokens[index] for index in before if index >= start]
    if len(left) == 1 and (left[0].lower() in language.phrase_stops or len(left[0]) < 2):
        return ()
    return " ".join(left), " ".join(right)


def either(sentence: str, language: Language) -> bool:
    """Whether a question offers two sentences: "Was it the price, or was something missing?"."""
    low = sentence.lower()
    for joint in (f", {language.or_} ", f" {language.or_} "):
        head, found, tail = low.partition(joint)
        if found:
            return len(head) >= _SHORTEST and tail.startswith(
                tuple(f"{word} " for word in (*language.short_answers, *language.question_verbs)))
    return False


def _chosen(option: list[str], language: Language) -> str:
    # "a replacement" is offered, "the replacement" is taken.  The case of a German article is not known, so it goes,
    # and so does the verb behind the noun.
    if language.code == "de":
        while len(option) > 1 and option[-1][0].islower():
            option = option[:-1]
        return " ".join(option[1:] if option[0].lower() in language.determiners and len(option) > 1 else option)
    if language.code == "en" and option[0].lower() in ("a", "an", "your", "our"):
        return " ".join(["the", *option[1:]])
    return " ".join([option[0].lower(), *option[1:]])
