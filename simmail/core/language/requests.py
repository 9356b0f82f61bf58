"""
What one sentence asks its reader to send, or to tell.
"""

from __future__ import annotations

from simmail.core.language.phrases import flip, noun_phrase, words
from simmail.core.language.tables import Language


def documents(sentence: str, language: Language) -> list[str]:
    """The documents a sentence asks to be sent, each with its determiner as the sending side says it."""
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    if not any(word in language.send_words for word in low):
        return []
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
        # "To issue invoices" and "please note" are no things, "3,200 copies" are not sent, nor are bank details.
        verb = start == position > 0 and low[position - 1] in _VERB_NEXT
        if hit is None or verb or _no_document(low, start, hit, language):
            position = position + 1 if hit is None else end
            continue
        inside = [token for token in tokens[start:hit + 1]]
        determiner = _determiner(low[position] if start > position else "", language)
        if low[position] in ("a", "an") and tokens[hit + 1:hit + 2] == ["of"]:
            determiner = low[position]  # "a copy of", whichever
        said = " ".join(part for part in (determiner, *inside, *_of_what(tokens, hit + 1, language)) if part)
        (generic if low[hit] in language.generic_documents else exact).append(said)
        position = end
    return exact or generic[:1]


_RIGHT = (["correct"], ["right"], ["current"], ["new"])
_VERB_NEXT = frozenset({"to", "please", "bitte"})
#: Details of these are facts to be told, and no paper.
_DETAILS_OF = frozenset({"bank", "account", "contact", "billing", "payment", "company", "tax", "login", "correct"})


def _no_document(low: list[str], start: int, hit: int, language: Language) -> bool:
    inside = low[start:hit]
    if any(word[:1].isdigit() for word in inside) and low[hit] in language.generic_documents:
        return True
    return low[hit] == "details" and not _DETAILS_OF.isdisjoint(inside)


def detail(sentence: str, language: Language) -> str:
    """
    What a sentence asks to be told, as the answering side says it ("our VAT number"); C{""} for nothing.

    Documents are asked for as well, but are sent.
    """
    tokens = words(sentence)
    low = [token.lower() for token in tokens]
    verb = next((position for position, word in enumerate(low) if word in language.tell_words), None)
    if verb is None:
        return ""
    for position, token in enumerate(low):
        if token not in language.flips or language.code == "en" and not 0 < position - verb < 5:
            continue
        phrase = noun_phrase(tokens, position + 1 + (low[position + 1:position + 2] in _RIGHT), language)
        last = phrase[-1].lower() if phrase else ""
        if last == "details" and not _DETAILS_OF.isdisjoint(word.lower() for word in phrase) or (
            last.endswith(tuple(language.details)) if language.code == "de" else last in language.details
        ):
            return " ".join([flip(token, language), *phrase]) if language.code == "en" else phrase[-1]
    return ""


def _of_what(tokens: list[str], position: int, language: Language) -> list[str]:
    # "A copy of your passport": a copy alone is a copy of nothing.
    if language.code != "en" or [token.lower() for token in tokens[position:position + 1]] != ["of"]:
        return []
    following = tokens[position + 1:position + 2]
    determined = bool(following) and following[0].lower() in language.determiners
    phrase = noun_phrase(tokens, position + 1 + determined, language)
    if not phrase:
        return []
    said = [flip(following[0], language)] if determined else []
    return ["of", *said, *phrase]


def is_document(word: str, language: Language) -> bool:
    """Whether a lower-case word is something that can be sent."""
    if word in language.generic_documents:
        return True
    if language.code == "de":
        return word.endswith(language.documents) and len(word) < 40
    return word in language.documents or word.endswith("s") and word[:-1] in language.documents


def _determiner(low: str, language: Language) -> str:
    if low in language.flips:
        return language.flips[low]
    if language.code == "en":
        return "the"
    return low or language.default_determiner
