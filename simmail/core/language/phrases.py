"""
Small phrases taken out of one sentence: what is asked for, what thanks are for, what is promised.
"""

from __future__ import annotations

import re
from functools import cache

from simmail.core.language.clause.inverted import participle
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.tables import restating
from simmail.core.language.tables import Language, every
from simmail.core.language.tables import language as every_language
from simmail.core.language.text import capital

_WORD = re.compile(r"[€$£]?[^\W_]+(?:(?:['’.-]|(?<=[0-9]),(?=[0-9]))[^\W_]+)*|[,;:()?!–—]")
_WORDS = 120
_LONGEST_PHRASE = 4


def words(sentence: str) -> list[str]:
    """Return the words of a sentence and the marks that end a phrase."""
    return _WORD.findall(sentence[:1500])[:_WORDS]


@cache
def _asking(code: str) -> re.Pattern[str]:
    # Whole words: "you to" is not in "you told".
    known = every_language(code)
    unless = "|".join(map(re.escape, known.not_asked_for))
    wanted = rf" (?!(?:{unless})\b)" if unless else " "

    def cue(word: str) -> str:
        return re.escape(word.strip()) + (wanted if word[-1:] == " " else r"(?!\w)" if word[-1:].isalnum() else "")
    # What others can as well asks for nothing inside of a statement: "puede recibir visitas de 4 a 7".
    only = known.asking_only
    inside = "|".join(cue(word) for word in known.ask_words if word not in only)
    begins = "|".join(map(cue, only))
    others = rf"|^ (?:¿ ?)?(?:{begins})| (?:{begins})(?=.*\?\W*$)" if only else ""
    return re.compile(f" (?:{inside}){others}", re.DOTALL)


def asks_for_something(sentence: str, language: Language) -> bool:
    """Return whether a sentence asks its reader to do something."""
    return _asking(language.code).search(f" {sentence.lower()} ") is not None


def noun_phrase(tokens: list[str], start: int, language: Language) -> list[str]:
    """Return the words from C{start} up to the end of their phrase, at most L{_LONGEST_PHRASE}."""
    found: list[str] = []
    for token in tokens[start:start + _LONGEST_PHRASE]:
        low = token.lower()
        if low in language.ordering and not found:
            found.append(token)  # "the next order", but not "the order next week"
            continue
        if found and low in language.counts and tokens[start + len(found) + 1:start + len(found) + 2] and (
                tokens[start + len(found) + 1].lower() in language.spans):
            break  # "the code two days before"
        verb = low in language.phrase_verbs and bool(found) and found[-1].lower() not in language.ordering
        if verb or low in language.phrase_stops or not token[-1].isalnum() or low in language.determiners:
            break
        found.append(token)
    while found and found[-1].lower() in language.of_words:
        found.pop()  # "la date de": what follows has an article
    while len(found) > 1 and language.adverb_ending and found[-1].lower().endswith(language.adverb_ending) and (
            found[-1].lower() not in language.no_adverbs):
        found.pop()  # "the present properly"
    return found


def flip(determiner: str, language: Language) -> str:
    """Return a determiner as the other side says it: "your" becomes "our"."""
    low = determiner.lower()
    if low in language.flips:
        return language.flips[low]
    return language.default_determiner if low in language.pointing else low


def deed(sentence: str, language: Language) -> str:
    """Return what thanks are for, as the thanked one says it: "talking to your customers"; C{""} for no doing."""
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    joint = next((place for place, word in enumerate(low[:9]) if word in language.deed_joints), -1)
    if joint < 0 or language.deed_thanks.isdisjoint(low[:8]):
        return ""
    start = joint + 1
    if start >= len(low) or not low[start].endswith(language.deed_endings) or len(low[start]) < 5:
        return ""
    said = []
    for token, word in zip(tokens[start:start + 10], low[start:start + 10]):
        if not token[-1].isalnum() or word in language.deed_ends:
            break
        said.append(language.flips.get(word) or language.deed_flips.get(word) or token)
    while said and said[-1].lower() in language.deed_tail:
        said.pop()
    return " ".join(said)


def _is_senders(low: list[str], at: int, senders: frozenset[str]) -> bool:
    """Whether a verb is what the writer does: "we send", "I'll forward"."""
    return any(word.replace("\u2019", "'").partition("'")[0] in senders for word in low[max(0, at - 2):at])


def documents(sentence: str, language: Language) -> list[str]:
    """Return the documents a sentence asks to be sent, each with its determiner as the sending side says it."""
    how = asking(language.code)
    for aside in how.no_papers:
        sentence = sentence.replace(aside, " ").replace(capital(aside), " ")
    for cue in how.purposes if sentence.lower().startswith(how.purpose_leads) else ():
        sentence = sentence[max(0, sentence.lower().find(cue)):]  # "to print the catalogue we need your logo"
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    if not any(word in language.send_words for word in low) or mentions_any(sentence, how.ever_after):
        return []
    looked = next((cue for cue in how.looking if cue in sentence.lower()), "")
    if looked and not any(word in language.send_words for word in low if word not in looked.split()):
        return []  # "could you have a look at the contract": it is there
    exact: list[str] = []
    generic: list[str] = []
    position = 0
    while position < len(low):
        start, end = position, position
        if low[position] in language.determiners:
            end = position + 1 + len(noun_phrase(tokens, position + 1, language))
            start = position + 1
        else:
            phrase = noun_phrase(tokens, position, language) if low[position] not in language.send_words else []
            end = position + len(phrase)
        hit = next((index for index in range(end - 1, start - 1, -1) if is_document(low[index], language)), None)
        behind = low[end] if end < len(low) else ""
        if behind and how.sending and hit is not None and participle(behind, restating(language.code)):
            position = max(end, position + 1)
            continue  # "could you have the order doubled"
        sent = next((at for at in range(start - 1, -1, -1) if low[at] in language.send_words), -1)
        if sent >= 0 and low[sent] in how.sending and _is_senders(low, sent, how.senders):
            position = max(end, position + 1)
            continue  # "before we send you the list I need ..."
        # "To issue invoices" and "please note" are no things, "3,200 copies" are not sent, nor are bank details.
        if position and low[position - 1] in how.no_paper_after:
            position = max(end, position + 1)
            continue
        verb = start == position > 0 and low[position - 1] in language.verb_next
        if hit is None or verb or _no_document(low, start, hit, language):
            position = position + 1 if hit is None else end
            continue
        # "Le contrat signé": in some languages the noun comes first.
        inside = tokens[start:end if language.head_first else hit + 1]
        determiner = _determiner(low[position] if start > position else "", language)
        if low[position] in language.of_any and language.of_words.intersection(tokens[start + len(inside):][:1]):
            determiner = low[position]  # "a copy of", whichever
        of_what = _of_what(tokens, start + len(inside), language)
        said = " ".join(part for part in (determiner, *inside, *of_what) if part)
        (generic if low[hit] in language.generic_documents else exact).append(said)
        position = end
    return exact or generic[:1]


def _no_document(low: list[str], start: int, hit: int, language: Language) -> bool:
    inside = low[start:hit]
    if not language.belonging.isdisjoint(inside):
        return True  # "in my own notes" are there already
    if any(word[:1].isdigit() for word in inside) and (
            low[hit] in language.generic_documents or low[hit] in language.spans):
        return True  # "30 minutes"
    return low[hit] in language.told_details and not language.details_of.isdisjoint(inside)


def detail(sentence: str, language: Language) -> str:
    """
    Return what a sentence asks to be told, as the answering side says it ("our VAT number"); C{""} for nothing.

    Documents are asked for as well, but are sent.
    """
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    verb = next((position for position, word in enumerate(low) if word in language.tell_words), None)
    if verb is None or verb > 1 and low[verb - 1] in language.asker and "?" in sentence:
        return ""  # "can I give them your name?" tells it
    for position, token in enumerate(low):
        if token not in language.flips or not language.inflected and not 0 < position - verb < 5:
            continue
        right = not language.right_words.isdisjoint(low[position + 1:position + 2])
        phrase = noun_phrase(tokens, position + 1 + right, language)
        last = phrase[-1].lower() if phrase else ""
        told = last in language.told_details and not language.details_of.isdisjoint(word.lower() for word in phrase)
        if told or (last.endswith(tuple(language.details)) if language.compounds else last in language.details):
            return phrase[-1] if language.inflected else " ".join([flip(token, language), *phrase])
    return ""


def _of_what(tokens: list[str], position: int, language: Language) -> list[str]:
    # "A copy of your passport": a copy alone is a copy of nothing.
    if tokens[position:position + 1] == [] or tokens[position].lower() not in language.of_words:
        return []
    following = tokens[position + 1:position + 2]
    determined = bool(following) and following[0].lower() in language.determiners
    phrase = noun_phrase(tokens, position + 1 + determined, language)
    if not phrase:
        return []
    said = [flip(following[0], language)] if determined else []
    return [tokens[position].lower(), *said, *phrase]


def is_document(word: str, language: Language) -> bool:
    """Return whether a lower-case word is something that can be sent."""
    if word in language.generic_documents:
        return True
    if language.compounds:
        return word.endswith(language.documents) and len(word) < 40
    return word in language.documents or word.endswith(language.many_endings) and word[:-1] in language.documents


def _determiner(low: str, language: Language) -> str:
    if low in language.flips:
        return language.flips[low]
    return low if low and not language.default_determiner else language.default_determiner


def things(what: str, language: Language) -> list[str]:
    """Return the two things of one promise."""
    opening = f" {language.and_} {language.what.answer.partition('{')[0].strip()}"
    at = what.find(opening)
    if at <= 0:
        return [what]
    return [what[:at], what[at + len(language.and_) + 2:]]


def pieces(what: str, language: Language) -> tuple[str, ...]:
    """Return the documents of a phrase such as "the offer and our price list"."""
    head, found, tail = what.rpartition(f" {language.and_} ")
    if found and tail.split(" ", 1)[0].lower() in language.determiners:
        return (*(one.strip() for one in head.split(", ")), tail)[:3]
    return (what,)


def what_kind(what: str, language: Language) -> str:
    """Return what sort of promise a phrase is: C{answer}, C{payment}, C{task} or C{document}."""
    low = what.lower()
    own = language.what
    for kind, phrases in (
        # "Word that it is done" is a task, "word" alone an answer.
        ("task", (own.task, *every("task_things"))),
        ("answer", (own.answer, own.answer_plain, own.news, *every("answer_things"))),
        ("payment", (own.payment, own.payment_plain, *every("payment_things"))),
    ):
        if any(low.startswith(phrase.partition("{")[0].strip().lower()) for phrase in phrases):
            return kind
    return "document"
