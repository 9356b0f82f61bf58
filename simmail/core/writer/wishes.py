"""
What a persona wants (C{wants}), as a subject and as a sentence of its own, and what it says to offers of that or not.
"""

from __future__ import annotations

from simmail.core.language.tables import Language
from simmail.core.writer.choice import values_of
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.sources.aim import (
    aim, aim_words, as_price, counter, offered, price_of, steps, wants_money_back,
)
from simmail.core.writer.sources.said_words import content, shared
from simmail.core.writer.sources.side import side_words, tells
from simmail.core.writer.speech_act import Said


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


def remedy(scene: Scene, read: Read) -> list[Said]:
    """Return what is said to who offers a remedy: it is taken if it is that which is wanted; nothing for others."""
    language, after = scene.language, aim(scene.request.persona, scene.language)
    offer = offered(read.found.prose.body, language)
    if after is None or not offer or not (after.kinds & (aim_words(language.code).remedies | {"cancellation"}) or (
            not after.kinds and shared(content(after.text, language.code), content(_whole(read), language.code)))):
        return []
    values, options = values_of(scene, read), read.found.options
    fits = [option for option in options if offered(option, language) & after.kinds]
    if fits:
        return [Said(act="redress.choose", values={**values, "option": fits[0]})]
    if offer & after.kinds and not options:
        return [Said(act="redress.accept", values=values)]
    return [Said(act="redress.insist", values={**values, "want": want_sentence(after.text, language)})]


def _whole(read: Read) -> str:
    return f"{read.mail.subject[:200]} {read.found.prose.body}"


def refund(scene: Scene, read: Read) -> list[Said]:
    """Return what is said to who asks for money back: when it comes, or which order it is for; nothing to others."""
    after, persona = aim(scene.request.persona, scene.language), scene.request.persona
    # Who has a wish of its own and no firm is nobody's seller.
    if after is not None and ("refund" in after.kinds or not persona.org) or not wants_money_back(
            read.found.prose.body, scene.language):
        return []
    values = values_of(scene, read)
    if not values.get("ref") and values.get("amount") and values.get("subject") and not tells(
            read.found.prose.body, side_words(scene.language.code).orders):
        values["ref"] = values["subject"]  # money for what was no order: a sum that was taken twice
    side = side_words(scene.language.code)
    if not values.get("ref") and tells(read.found.prose.body, side.services):
        return []  # a lesson has no number
    if not values.get("ref"):
        # Among friends nobody has order numbers.
        return [] if scene.friends else [Said(act="refund.ask", values=values)]
    day = scene.due(scene.manner.days, read.found.deadlines)
    return [Said(act="refund.sum" if values.get("amount") else "refund.do", values={**values, **scene.by(day)},
                 promise=scene.promise(scene.language.what.payment.format(ref=values["ref"]), day))]


def bargain(scene: Scene, read: Read) -> list[Said]:
    """Return the price that somebody who wants a better one names, or that it takes the last; nothing for others."""
    after, offer = aim(scene.request.persona, scene.language), next(iter(read.found.amounts), "")
    step, most = len(scene.request.own), steps(scene.request.persona, scene.language)
    limit = scene.limits.most(_whole(read), scene.language.code)
    values = {**values_of(scene, read), "amount": offer}
    if limit and price_of(offer) > limit:
        # Nobody who has a limit comes nearer than that.
        return [Said(act="bargain.last" if step else "bargain.name", values={
            **values, "value": as_price(limit, offer)})]
    if after is None or not offer or not ("discount" in after.kinds or after.price and not (
            after.kinds & aim_words(scene.language.code).remedies)):
        return []
    price = counter(after, offer, step, most)
    if not price:
        return [Said(act="bargain.take", values=values)]
    return [Said(act="bargain.name" if step + 1 < most else "bargain.last", values={**values, "value": price})]
