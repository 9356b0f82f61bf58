"""
A look at a web page on a persona's behalf: what is asked for, and what came of it.

The asking is C{outbound.browser}'s; here is what both sides speak of, and a plausible site for a sender
whose domain has none.  Source of that: decisions, section 11 (C{missing_site: imagine}).
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from simmail.core.html.page import PageForm
from simmail.core.rng import Dice


class Errand(Struct, frozen=True):
    """
    One page to be opened.

    @ivar job_id: for whom, in what is recorded.
    @ivar allow: if set, only these hosts; deny: hosts never opened; both hold for redirects too.
    @ivar one_click: the body of RFC 8058 is posted, and no redirect followed.
    """

    url: str
    job_id: str
    user_agent: str
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    one_click: bool = False


class Visit(Struct, frozen=True, omit_defaults=True):
    """
    What came of it.

    @ivar status: of the last answer, 0 when there was none; then C{error} says why.
    @ivar form: what the page asks for.
    @ivar ms: real milliseconds.
    """

    status: int = 0
    final_url: str = ""
    title: str = ""
    content_type: str = ""
    ms: int = 0
    error: str = ""
    form: PageForm = ""

    @property
    def broken(self) -> bool:
        """Whether a reader would say that the link does not work."""
        return self.status in (0, 404, 410) or self.status >= 500


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
