"""
Things that are promised, told apart by the phrase that names them.
"""

from __future__ import annotations

from simmail.core.language.tables import Language


def apart(what: str, language: Language) -> list[str]:
    """The two things of one promise."""
    opening = f" {language.and_} {language.what.answer.partition('{')[0].strip()}"
    at = what.find(opening)
    if at <= 0:
        return [what]
    return [what[:at], what[at + len(language.and_) + 2:]]


def pieces(what: str, language: Language) -> tuple[str, ...]:
    """The documents of a phrase such as "the offer and our price list"."""
    head, found, tail = what.rpartition(f" {language.and_} ")
    if found and tail.split(" ", 1)[0].lower() in language.determiners:
        return (*(one.strip() for one in head.split(", ")), tail)[:3]
    return (what,)


def what_kind(what: str, language: Language) -> str:
    """What sort of promise a phrase is: C{answer}, C{payment}, C{task} or C{document}."""
    low = what.lower()
    told = language.what
    for kind, phrases in (
        ("answer", (told.answer, told.answer_plain, told.news, "an answer", "an update", "a confirmation", "word",
                    "news", "eine antwort", "rückmeldung")),
        ("payment", (told.payment, told.payment_plain, "the payment", "the refund", "payment")),
        ("task", (told.task, "the fix", "a solution", "a call")),
    ):
        if any(low.startswith(phrase.partition("{")[0].strip().lower()) for phrase in phrases):
            return kind
    return "document"
