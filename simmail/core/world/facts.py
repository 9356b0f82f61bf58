"""
What a mail is about: order numbers, sums, dates, things, drawn once a conversation and the same in all of it.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Literal

from simmail.core.rng import Dice
from simmail.core.world.people import street_of
from simmail.core.world.words import common, CommonWords, Slots, Trade

#: What a mail is about: what the company sells, what offices buy, or what people meet for.
Matter = Literal["trade", "supplies", "topics"]

#: Per cent of value added tax on invoices.
TAX = 19

#: Of what comes in sizes.
_SIZES = ("120 x 60 cm", "140 x 70 cm", "160 x 80 cm", "180 x 80 cm")


def slots(
    language: str, dice: Dice, now: datetime, industry: str, company: str, sender: str, firm: str, address: str,
    matter: Matter = "trade",
) -> Slots:
    """
    Return values for everything that the words of a language may speak of.

    @param now: in the zone of the writer; industry: of the company, in its own words.
    @param sender: a person's name; firm: where that person works, C{""} for nowhere; address: of the writer.
    @param matter: what it is about.
    """
    words = common(language)
    things = {"trade": trade_of(words, industry).products, "supplies": words.supplies, "topics": words.topics}[matter]
    product, other, *_ = dice.shuffled(things, "products")
    count = 2 + dice.below(23, "count")
    unit = 900 + 100 * dice.below(240, "unit") + dice.choice((0, 50, 90, 95), "cents")
    net = count * unit
    tax = round(net * TAX / 100)
    before, after = dice.below(12, "before") + 3, dice.below(12, "after") + 4
    # Nothing is due on a Sunday, and nobody meets then.
    weekday = (now + timedelta(days=after)).weekday()
    after += 7 - weekday if weekday >= 5 else 0
    hour, minute = 9 + dice.below(8, "hour"), dice.choice((0, 30), "half")
    start = (now + timedelta(days=after)).replace(hour=hour, minute=minute, second=0, microsecond=0)
    lately = now - timedelta(minutes=5 + dice.below(85, "lately"))
    year = f"{now:%Y}"
    return Slots({
        "company": company, "sender": sender, "first": sender.split()[0] if sender else "", "firm": firm or sender,
        "address": address, "language": language,
        "product": product, "other": other, "count": str(count), "few": str(2 + dice.below(4, "few")),
        "unit": money(words, unit), "net": money(words, net), "tax": money(words, tax),
        "total": money(words, net + tax), "amount": money(words, unit),
        "fee": money(words, 500 * (1 + dice.below(9, "fee"))),
        "salary": money(words, 100_000 * (38 + dice.below(40, "salary")), whole=True),
        "order": f"{dice.below(900_000, 'order') + 100_000}",
        "invoice": f"{dice.choice(('RE', 'INV', 'F', 'R'), 'series')}-{year}-{dice.below(9000, 'invoice') + 1000}",
        "customer": f"{dice.choice('KCD', 'letter')}{dice.below(90_000, 'customer') + 10_000}",
        "ticket": f"{dice.below(90_000, 'ticket') + 10_000}",
        "serial": f"{dice.token(4, 'lot').upper()}-{dice.below(9000, 'serial') + 1000}",
        "tracking": f"{dice.bits('tracking') % 10**12:012d}",
        "past": day(words, now - timedelta(days=before)), "past_year": f"{now - timedelta(days=before):%Y}",
        "due": day(words, now + timedelta(days=after)),
        "overdue": str(before), "weekday": words.days[(now + timedelta(days=after)).weekday()],
        "today": day(words, now), "soon": day(words, now + timedelta(days=after + 14)),
        "month": words.months[now.month - 1], "year": year,
        "hour": f"{hour}:{minute:02d}", "start": start.isoformat(),
        "lately": f"{lately.hour}:{lately:%M}", "lately_on": day(words, lately),
        "city": dice.choice(words.cities, "city"), "street": street_of(words, dice.on("street")),
        "phone": _digits(words.phone, dice.on("phone")),
        "position": dice.choice(words.positions, "position"), "percent": str(5 * (1 + dice.below(8, "percent"))),
        "years": str(2 + dice.below(14, "years")), "size": dice.choice(_SIZES, "size"),
        "error": f"{dice.choice(('E', '0x', 'ERR-'), 'prefix')}{dice.below(900, 'error') + 100}",
        "iban": account(words.iban, dice.on("iban")),
        "colleague": f"{dice.choice(words.given, 'colleague')} {dice.choice(words.family, 'colleague', 2)}",
    })


def trade_of(words: CommonWords, industry: str) -> Trade:
    """Return the trade of an industry, told in words of whatever language."""
    low = re.findall(r"\w+", industry.lower())
    return next((one for one in words.trades if any(
        word == part or len(part) > 3 and word.startswith(part) for word in low for part in one.match)),
        words.trades[0])


def _digits(pattern: str, dice: Dice) -> str:
    return "".join(str(dice.below(10, "digit", n)) if one == "#" else one for n, one in enumerate(pattern))


def account(pattern: str, dice: Dice) -> str:
    """Return an IBAN with the right check digits (ISO 13616), in groups of four."""
    country, number = _digits(pattern, dice).split(" ")
    check = 98 - int("".join(str(int(one, 36)) for one in f"{number}{country}00")) % 97
    whole = f"{country}{check:02d}{number}"
    return " ".join(whole[at:at + 4] for at in range(0, len(whole), 4))


def money(words: CommonWords, cents: int, whole: bool = False) -> str:
    """Return a sum as the language writes it."""
    units = f"{cents // 100:,}".replace(",", words.thousands)
    return words.amount.format(n=units if whole else f"{units}{words.point}{cents % 100:02d}")


def day(words: CommonWords, at: datetime) -> str:
    """Return a day as the language writes it, without the year."""
    return words.date.format(d=words.first if words.first and at.day == 1 else at.day, m=words.months[at.month - 1])
