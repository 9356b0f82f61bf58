"""
Mail of swindlers: false services, false bosses, false suppliers.

Each wants something that can be seen if it is done; the truth about that is never in the mail.  Their domains vouch for
their mail, for they are their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from simmail.core.mime.address import Address
from simmail.core.world.machines import Sheet, firm_of, page
from simmail.core.world.occasion import Composition, Expected, Occasion
from simmail.core.world.people import plain
from simmail.core.world.words import Slots, common, kind_words

#: What each sort is after, and what carries it.
_SORTS: Mapping[str, tuple[str, str]] = MappingProxyType({
    "login": ("Have somebody sign in at a false page", "body"),
    "parcel": ("Have a fee paid for a parcel that there is not", "body"),
    "invoice": ("Have an invoice paid that nobody owes", "body"),
    "gift_cards": ("Have vouchers bought for somebody who poses as the boss", "display_name"),
    "payment": ("Have money transferred for somebody who poses as a colleague", "display_name"),
    "bank_account": ("Have a supplier's money sent to another account", "body"),
    "domain": ("Have money sent to somebody whose domain looks like that of a supplier", "domain"),
})
_PERSONAL = ("gift_cards", "payment")
_SUPPLIER = ("bank_account", "domain")

#: Slots whose value the application would have to act on, and what would be seen of that.
_TELLING: Mapping[str, str] = MappingProxyType({
    "drop": "mail_to", "link": "link", "code": "text", "iban": "text", "amount": "amount", "total": "amount"})

#: Letters that look like others.
_ALIKE = (("m", "rn"), ("l", "1"), ("o", "0"), ("i", "l"), ("e", "3"))


def checks(slots: Slots) -> list[dict[str, str]]:
    """Return what would be seen if the application did what a mail wants, by what was said in it."""
    return [{"what": _TELLING[name], "value": value} for name, value in slots.said.items() if name in _TELLING]


def lookalike(domain: str) -> str:
    """Return a domain that looks like another."""
    name, dot, rest = domain.partition(".")
    for one, other in _ALIKE:
        if one in name:
            return f"{name.replace(one, other, 1)}{dot}{rest}"
    return f"{name}-mail{dot}{rest}"


def phishing(occasion: Occasion, expected: Expected, hours: float | None) -> Composition:
    """Return a mail that poses as one of a service, of a supplier, or of somebody within the company."""
    firm, words, dice = firm_of(occasion), common(occasion.language), occasion.dice.on("swindle")
    sort = next(one.attack for one in kind_words(occasion.kind, occasion.language).mails if one.by == firm.name)
    first, last = dice.choice(words.given, "given"), dice.choice(words.family, "family")
    supplier = dice.choice(words.firms, "supplier")
    drop = f"{plain(first)}.{plain(last)}{dice.below(90, 'number') + 10}@{dice.choice(words.private, 'mailbox')}"
    author = Address(firm.name, f"service@{firm.domain}")
    if sort in _PERSONAL:
        author = Address(f"{first} {last}", drop)
    elif sort in _SUPPLIER:
        author = Address(f"{first} {last}", f"{plain(first)}.{plain(last)}@{lookalike(supplier.domain)}")
    sheet = Sheet(occasion, firm, author.address, author.name)
    link = f"https://{firm.domain}/{dice.token(10, 'path')}"
    sheet.slots.update({
        "drop": drop, "link": link, "code": dice.token(6, "code").upper(), "colleague": f"{first} {last}",
        "firm": supplier.name if sort in _SUPPLIER else firm.name})
    text = sheet.text()
    goal, carrier = _SORTS[sort]
    attack: dict[str, Any] = {"kind": sort, "carrier": carrier, "goal": goal, "checks": checks(sheet.slots)}
    html = page(sheet.subject, text.replace(link, "").strip(), link, sheet.mail.html, "") if sheet.mail.html else ""
    return sheet.composition(text, (), expected, author.address, html, attack=attack)
