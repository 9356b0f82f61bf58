"""
A plausible web site for a sender whose domain has none: made up from the domain's name.

Source: decisions, section 11 (C{missing_site: imagine}).
"""

from __future__ import annotations

from typing import NamedTuple

from simmail.core.rng import Dice

#: What a word in a domain's name says of the business.
_TRADES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("bank", "pay", "finance", "capital", "invest", "kredit"), "financial services"),
    (("shop", "store", "market", "deal", "handel"), "an online shop"),
    (("tech", "soft", "cloud", "data", "app", "digital", "cyber", "code", "desk"), "software for companies"),
    (("health", "med", "care", "pharma", "klinik", "dental"), "health care"),
    (("law", "legal", "kanzlei", "notar"), "a law firm"),
    (("travel", "tour", "hotel", "reise", "flug"), "travel"),
    (("food", "cafe", "coffee", "kitchen", "bakery", "wein"), "food and drink"),
    (("build", "bau", "home", "immo", "estate", "roof"), "building and property"),
    (("freight", "logist", "cargo", "ship", "transport", "spedition"), "freight and storage"),
    (("school", "academy", "learn", "uni", "edu", "kurs"), "courses and training"),
    (("news", "press", "media", "verlag", "print"), "publishing"),
    (("energy", "solar", "power", "strom"), "energy"),
    (("auto", "car", "motor", "garage"), "cars and repairs"),
)
_ANY = (
    "office supplies", "consulting for small companies", "industrial parts", "events and catering", "accounting",
    "cleaning and facility services", "packaging", "design and advertising", "machine tools", "recruiting",
)
_FORMS = (
    "{name}: {trade}, {since}", "{name}. {Trade}. {since}", "{name} - {trade}, a team of {people}",
    "{name}: {trade} for the region, {people} people",
)
#: Second-level names below which firms register, and labels that are no firm's name.
_SHARED = frozenset(("co", "com", "org", "net", "ac", "gov", "edu", "or", "ne"))
_MACHINES = frozenset(("mail", "www", "smtp", "mx", "email", "news", "newsletter", "info", "send", "mg", "em", "go"))


class Site(NamedTuple):
    """C{title} as a browser would show it, C{text}: what it says, in a line."""

    title: str
    text: str


def imagine(domain: str, dice: Dice) -> Site:
    """
    The site a domain might have.

    @param dice: those of the universe: a domain has the same site for everybody in it.
    """
    own = dice.on("site", domain)
    label = _label(domain)
    name = " ".join(word.capitalize() for word in label.replace("_", "-").split("-") if word) or domain
    trade = next((told for words, told in _TRADES if any(word in label for word in words)), "")
    trade = trade or own.choice(_ANY, "trade")
    since = f"since {1950 + own.below(72, 'since')}"
    text = own.choice(_FORMS, "form").format(
        name=name, trade=trade, Trade=trade[:1].upper() + trade[1:], since=since, people=3 + own.below(90, "people"))
    return Site(name, text)


def _label(domain: str) -> str:
    """The part of a domain that is somebody's name."""
    labels = domain.lower().split(".")
    named = labels[:-1] or labels
    if len(named) > 1 and named[-1] in _SHARED:
        named = named[:-1]
    left = [one for one in named if one not in _MACHINES] or named
    return left[-1][:60]
