"""
What a persona wants (C{wants}), as a subject and as a sentence of its own.
"""

from __future__ import annotations

from simmail.core.language.tables import Language


def without_wish(want: str, language: Language) -> str:
    """Return what is wanted, without "wants to" before it."""
    low = want.lower()
    for prefix in language.want_prefixes:
        if low.startswith(prefix + " "):
            return want[len(prefix):].lstrip()
    return want


def want_subject(want: str, language: Language) -> str:
    """Return a subject from what somebody wants: C{January invoice corrected}; C{""} when it is a story."""
    parts = without_wish(want, language).rstrip(" .!").split()
    if len(parts) > 2 and parts[0].lower() in language.want_verbs:
        del parts[0]
    if len(parts) > 1 and parts[0].lower() in language.determiners:
        del parts[0]
    line = " ".join(parts)
    return line[:1].upper() + line[1:] if len(line) <= 60 else ""


def want_sentence(want: str, language: Language) -> str:
    """Return what somebody wants, told in the first person, as a sentence."""
    if want.endswith("?"):
        return want
    want = without_wish(want.rstrip(" .!"), language)
    parts = want.split()
    if not parts:
        return want
    first = parts[0].lower()
    if first in language.first_person or any(part.lower() in language.first_person for part in parts):
        parts = [language.first_person.get(part.lower(), part) for part in parts]
        want = " ".join(parts)
    if first in language.want_verbs:
        return language.wants.verb.format(want=want[:1].lower() + want[1:])
    if parts[0].lower() in language.want_openers:
        return language.wants.noun.format(want=want[:1].lower() + want[1:])
    if parts[0] in language.own_words:
        return f"{want}."
    return language.wants.other.format(want=want)
