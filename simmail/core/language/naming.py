"""
Who an address might be: a name and a company, read from it.

For somebody nothing is known about but the address that mail was sent to.
"""

from __future__ import annotations

from typing import Any

from simmail.core.mime.address import domain_of, local_part

#: Mail providers: their domain says nothing about where somebody works.
PROVIDERS = frozenset((
    "gmail", "googlemail", "outlook", "hotmail", "live", "yahoo", "icloud", "me", "mac", "aol", "gmx", "web", "proton",
    "protonmail", "mail", "posteo", "t-online", "fastmail", "zoho", "yandex",
))
#: Local parts that are a place in a company and nobody's name.
ROLES = frozenset((
    "info", "sales", "support", "billing", "accounts", "accounting", "contact", "office", "hello", "team", "service",
    "help", "orders", "hr", "jobs", "admin", "finance", "invoices", "marketing", "press", "legal", "purchasing",
    "customer", "feedback", "kontakt", "buchhaltung", "vertrieb",
))
_LONGEST = 40


def named_by(address: str) -> dict[str, Any]:
    """
    Persona fields that an address suggests: C{maria.rossi@acme.example} is Maria Rossi of Acme.

    What it does not suggest is left out.
    """
    fields: dict[str, Any] = {}
    words = _words(local_part(address).partition("+")[0])
    if words and words[0].lower() in ROLES:
        fields["role"] = " ".join(words).capitalize()
    elif words:
        fields["name"] = " ".join(word.capitalize() for word in words)
    company = _company(address)
    if company and company not in PROVIDERS and company.replace("-", "").isalpha() and len(company) <= _LONGEST:
        fields["org"] = " ".join(part.capitalize() for part in company.split("-") if part)
    return fields


def at_provider(address: str) -> bool:
    """Whether an address is with a mail provider, so that others of its domain are strangers."""
    return _company(address) in PROVIDERS


def _company(address: str) -> str:
    labels = domain_of(address).split(".")
    # acme.co.uk is Acme, mail.acme.com too.
    return labels[-3] if len(labels) > 2 and len(labels[-2]) <= 3 else labels[-2] if len(labels) > 1 else ""


def _words(local: str) -> list[str]:
    """The words of a local part, [] when it is no name: digits apart from some at the end, too long."""
    if len(local) > _LONGEST:
        return []
    parts = local.replace("_", ".").replace("-", ".").split(".")
    words = [part.rstrip("0123456789") for part in parts]
    return [word for word in words if word] if all(word.isalpha() for word in words if word) else []
