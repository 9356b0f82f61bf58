"""
Who writes, and to whom: display names, greetings, sign-offs and bare addresses read as people and organisations.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from typing import Any

from msgspec import Struct

from simmail.core.language.prose import Prose
from simmail.core.language.tables import LANGUAGES, Language, every
from simmail.core.language.tables import language as known
from simmail.core.language.text import capital, clean
from simmail.core.language_data import given_names
from simmail.core.message.mail import Mail
from simmail.core.mime.address import domain_of, local_part
from simmail.core.net.hosts import MAIL_PROVIDERS

#: Mail providers, in whatever country: their domain says nothing about where somebody works.
PROVIDERS = frozenset(domain.partition(".")[0] for domain in MAIL_PROVIDERS)
#: Characters of a local part or a company's name that is longer than any.
_LONGEST = 40
#: Words of the longest line with which somebody signs to its own: "Un beso muy grande, papá".
_SIGNED = 5
#: Letters that a pet name has of the name.
_PET = 2


class Sender(Struct, frozen=True):
    """C{first} and C{name} are C{""} when no person is named; C{company} is C{""} for private addresses."""

    first: str
    name: str
    company: str


def sender(mail: Mail, prose: Prose, language: Language) -> Sender:
    """Return who wrote a mail: from its From line and its sign-off."""
    name, company = split_display(mail.from_.name, language)
    firm = company_of(mail.from_.address)
    if name and firm and _is_firm(name, firm, mail.from_.address, prose):
        name, company = "", company or name
    elif name and _is_team(name, prose, language):
        name, company = "", company or name
    signed = ""
    for line in prose.sign_off[:3]:
        candidate, _ = split_display(line, language)
        if candidate and candidate.lower() != firm.lower():
            signed = candidate
            break
    if not name:
        name = signed
    elif signed and " " not in name and (signed.lower().startswith(name.lower()) or " " in signed and (
            name.lower() not in given_names() and is_person(signed, language))):
        name = signed  # "Jo", signed "Jo Miller"; "Traffic", signed "Koldo Ibarra"
    if not company or firm and firm.lower() in company.lower():
        company = firm or company
    first, *rest = name.split() or [""]
    # "R. Whitcombe" and "Aunt Hilde" are called by the whole.
    if first.lower().strip(".") in language.honorifics and rest:
        return Sender(first=f"{first} {rest[-1]}", name=name, company=company)  # "Mrs Eileen Darby"
    whole = len(first.strip(".")) < 2 or first.lower() in language.kin_titles
    return Sender(first=" ".join([first, *rest[:1]]) if whole else first, name=name, company=company)


def signed_kin(prose: Prose, language: Language) -> str:
    """Return how somebody calls itself who signs to its children or grandchildren: "Mama" of "Deine Mama"."""
    for line in (*prose.sign_off[:3], prose.body.rstrip().rpartition("\n")[2]):
        said = line.strip(" .!*").split()
        if 0 < len(said) <= _SIGNED and said[-1].lower() in language.kin_signed:
            return capital(said[-1])
    return ""


def _is_firm(name: str, firm: str, address: str, prose: Prose) -> bool:
    # "Hallgren Kitchens" at hallgren.example, unless the local part says it is a person's: anna@svensson.example.
    words, own = [word.lower() for word in name.split()], firm.lower().split()
    if "".join(words) == "".join(own):
        return True  # "Atelier Kiosk" at atelierkiosk.example
    local = _unmarked(address.partition("@")[0].lower())
    return any(word in own for word in words) and not _signs_alone(words, prose) and not any(
        _unmarked(word)[:4] in local for word in words if len(word) > 1 and word not in own)


def _signs_alone(words: list[str], prose: Prose) -> bool:
    """Whether a name of two words is signed with its first alone, as people do."""
    return len(words) > 1 and any(line.strip(" .!").lower() == words[0] for line in prose.sign_off)


def _unmarked(text: str) -> str:
    """Letters without their marks, as addresses have them: "jorg" for "Jörg" and for "joerg"."""
    text = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    return text.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def _is_team(name: str, prose: Prose, language: Language) -> bool:
    # "Paperline", signed "The Paperline team", with or without a word of leave before it.
    last = prose.body.rstrip().rpartition("\n")[2]
    for line in (*prose.sign_off[:3], last[:60]):
        person, organisation = split_display(line, language)
        if not person and 1 < len(organisation.split()) < 5 and name.lower() in organisation.lower():
            return True
    return False


def split_display(text: str, language: Language) -> tuple[str, str]:
    """Return the person and the organisation a display name names; each may be C{""}."""
    return _split_display(text[:200], language.code)


@lru_cache(1024)
def _split_display(text: str, code: str) -> tuple[str, str]:
    language = known(code)
    text = " ".join(_plain(text).split())[:80]
    organisation = ""
    for part in every("name_joints"):
        head, found, tail = text.partition(part)
        if found and head:
            if part == ", " and " " not in head and tail and tail.split()[0][:1].isupper() and len(tail.split()) <= 2 \
                    and is_person(f"{tail} {head}", language):
                text = f"{tail} {head}"  # "Novak, Dana"
                continue
            text, organisation = head, organisation or tail.strip(" )")
    if is_person(text, language):
        return text, organisation
    return "", organisation or (text if text and "@" not in text else "")


@cache
def _organisations() -> frozenset[str]:
    # A German mail may come from "Acme Billing", an English one from a "Buchhaltung".
    return frozenset().union(*(known(code).organisation_words for code in LANGUAGES))


def is_person(name: str, language: Language) -> bool:
    """Return whether a name looks like a person's: one to four capitalised words, none of an organisation."""
    words = name.split()
    if not 1 <= len(words) <= 4 or any(character.isdigit() or character in "@/_&" for character in name):
        return False
    if any(part in _organisations() for word in words for part in word.strip(".,").lower().split("-")):
        return False
    return all(word[0].isupper() or word.lower() in every("name_particles")
               for word in words) and any(len(word.strip(".")) > 1 for word in words) and not (
        len(words) == 1 and words[0].isupper() and len(words[0]) > 1)


@lru_cache(1024)
def company_of(address: str) -> str:
    """Return the organisation a domain suggests: C{brightdesk.example} is C{Brightdesk}."""
    labels = address.rpartition("@")[2].lower().split(".")
    if len(labels) < 2:
        return ""
    label = labels[-2]
    if len(labels) >= 3 and (len(label) <= 3 and label in ("co", "com", "org", "net", "ac", "gov")):
        label = labels[-3]
    if label in PROVIDERS or not label.replace("-", "").isalnum() or not label.isascii() or label.startswith("xn--"):
        return ""
    return " ".join(part.capitalize() for part in label.split("-") if part)[:40]


def addressee(greeting: str, language: Language) -> str:
    """Return whom a greeting names: C{Mr Okafor}, C{Dana}; C{""} for nobody in particular."""
    low = greeting.lower()
    opening = max((word for word in language.greeting_words if low.startswith(word)), key=len, default="")
    if not opening:
        return ""
    name = _plain(greeting[len(opening):]).strip(" ,.!:-–—")
    words = name.split()[:5]
    named = [word for word in words if word.strip(".").lower() not in language.honorifics]
    if not named or len(words) > 4 or any(word.strip(".,").lower() in language.greeting_nobody for word in words):
        return ""
    if not all(word[0].isupper() and word.replace("-", "").replace("'", "").replace("’", "").replace(".", "").isalpha()
               for word in named):
        return ""
    if any(word.lower() in _organisations() for word in named):
        return ""
    return " ".join(words)[:60]


def is_somebody_else(addressed: str, persona: str, address: str, language: Language, org: str = "") -> bool:
    """
    Return whether a greeting means another person than the persona.

    Nicknames, initials, spellings that begin alike, and whatever the address
    itself says count as the same person, and so does its organisation: "Dear Heron Street".
    """
    if addressed.lower() in org.lower():
        return False
    named = [word.strip(".").lower() for word in addressed.split()]
    titled = any(word in language.honorifics for word in named)
    named = [word for word in named if word not in language.honorifics]
    own = {word.strip(".,").lower() for word in persona.replace("-", " ").split()}
    if not named or len(own) < 2:
        return False  # a persona named after its local part may be anybody
    local = address.partition("@")[0].lower()
    if titled:
        named = named[-1:]
    # "Mimi" for Mirjam: a person without a house is called by a name that only its own people know.
    pet = not org and not titled and len(named) == 1 and any(named[0][:_PET] == mine[:_PET] for mine in own)
    return not pet and not any(_alike(word, mine, language) for word in named for mine in own) and not any(
        len(word) > 2 and word in local for word in named
    )


def _alike(one: str, other: str, language: Language) -> bool:
    if one == other or one[:3] == other[:3] or (len(one) == 1 and other.startswith(one)):
        return True
    return any(one in names and other in names for names in language.nicknames)


def named_by(address: str) -> dict[str, Any]:
    """
    Return the persona fields that an address suggests: C{maria.rossi@acme.example} is Maria Rossi of Acme.

    What it does not suggest is left out.
    """
    fields: dict[str, Any] = {}
    words = _local_words(local_part(address).partition("+")[0])
    if words and words[0].lower() in every("role_words"):
        fields["role"] = " ".join(words).capitalize()
    elif words:
        fields["name"] = " ".join(word.capitalize() for word in words)
    company = _domain_label(address)
    if company and company not in PROVIDERS and company.replace("-", "").isalpha() and len(company) <= _LONGEST:
        fields["org"] = " ".join(part.capitalize() for part in company.split("-") if part)
    return fields


def at_provider(address: str) -> bool:
    """Return whether an address is with a mail provider, so that others of its domain are strangers."""
    return _domain_label(address) in PROVIDERS


def _domain_label(address: str) -> str:
    labels = domain_of(address).split(".")
    # acme.co.uk is Acme, mail.acme.com too.
    return labels[-3] if len(labels) > 2 and len(labels[-2]) <= 3 else labels[-2] if len(labels) > 1 else ""


def _local_words(local: str) -> list[str]:
    """Return the words of a local part, [] when it is no name: digits apart from some at the end, too long."""
    if len(local) > _LONGEST:
        return []
    parts = local.replace("_", ".").replace("-", ".").split(".")
    words = [part.rstrip("0123456789") for part in parts]
    return [word for word in words if word] if all(word.isalpha() for word in words if word) else []


def _plain(text: str) -> str:
    return clean(text[:200]).replace("\n", " ").translate(_NO_SIGNS)


_NO_SIGNS = {ord(sign): " " for sign in "{}[]<>|\"“”„"}
