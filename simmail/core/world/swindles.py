"""
Mail of swindlers: false services, false bosses, false suppliers.

Each wants something that can be seen if it is done; the truth about that is never in the mail.  Their domains vouch for
their mail, for they are their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from simmail.core.compose.quoting import quote
from simmail.core.mime.address import Address
from simmail.core.rng import Dice
from simmail.core.world.letters import answering
from simmail.core.world.machines import Sheet, firm_of, page
from simmail.core.world.occasion import Composition, Expected, Occasion
from simmail.core.world.people import plain
from simmail.core.world.words import CommonWords, Firm, Slots, common, kind_words

#: What each sort is after, and what carries it.
_SORTS: Mapping[str, tuple[str, str]] = MappingProxyType({
    "login": ("Have somebody sign in at a false page", "body"),
    "parcel": ("Have a fee paid for a parcel that there is not", "body"),
    "invoice": ("Have an invoice paid that nobody owes", "body"),
    "gift_cards": ("Have vouchers bought for somebody who poses as the boss", "display_name"),
    "payment": ("Have money transferred for somebody who poses as a colleague", "display_name"),
    "bank_account": ("Have a supplier's money sent to another account", "body"),
    "domain": ("Have money sent to somebody whose domain looks like that of a supplier", "domain"),
    "thread_hijack": ("Have somebody believe that a true conversation goes on, and pay or send papers to another",
                      "thread"),
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
    supplier, drop = dice.choice(words.firms, "supplier"), _drop(words, dice, first, last)
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
    html = page(sheet.subject, text.replace(link, "").strip(), link, sheet.mail.html, "") if sheet.mail.html else ""
    return sheet.composition(text, (), expected, author.address, html, attack=_attack(sort, sheet))


def thread_hijack(occasion: Occasion, expected: Expected, hours: float | None) -> Composition:
    """
    Return a mail that goes on with a conversation of C{occasion.persona}, with all of it below.

    Where there is none, it poses as somebody that nobody has heard of going on with one.
    """
    words, dice, persona = common(occasion.language), occasion.dice.on("swindle"), occasion.persona
    first, last = dice.choice(words.given, "given"), dice.choice(words.family, "family")
    name, address = f"{first} {last}", f"{plain(first)}.{plain(last)}@{dice.choice(words.firms, 'supplier').domain}"
    client, resumed = "plain", occasion.resumed
    references: tuple[str, ...] = ()
    quoted, at = None, None
    if persona is not None and resumed is not None and resumed.quoted is not None:
        name, address = persona.name, persona.address
        quoted, at = resumed.quoted, resumed.quoted_at
        references = tuple(dict.fromkeys((resumed.thread.root, *quoted.references, quoted.message_id)))
        client = (persona.style.client if persona.style else None) or "plain"
    local, _, domain = address.rpartition("@")
    sheet = Sheet(occasion, Firm(name, lookalike(domain)), f"{local}@{lookalike(domain)}", name)
    sheet.slots.update({
        "drop": _drop(words, dice, first, last), "link": f"https://{lookalike(domain)}/{dice.token(10, 'path')}"})
    sheet.subject = sheet.subject if quoted is None else answering(quoted.subject)
    text, html = quote(client, f"{sheet.text()}\n{name}\n", quoted, at=at and at.astimezone(sheet.local.tzinfo),
                       language=occasion.language)
    made = sheet.composition(text, (), expected, sheet.author.address, html, client, references,
                             attack=_attack("thread_hijack", sheet))
    return replace(made, references=references)


def _drop(words: CommonWords, dice: Dice, first: str, last: str) -> str:
    """A mailbox of somebody who is who nobody thinks."""
    return f"{plain(first)}.{plain(last)}{dice.below(90, 'number') + 10}@{dice.choice(words.private, 'mailbox')}"


def _attack(sort: str, sheet: Sheet) -> dict[str, Any]:
    goal, carrier = _SORTS[sort]
    return {"kind": sort, "carrier": carrier, "goal": goal, "checks": checks(sheet.slots)}
