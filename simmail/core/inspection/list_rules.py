"""
Rules about leaving: what mail to many must offer (RFC 2369, RFC 8058, and what providers ask).
"""

from __future__ import annotations

import re

from msgspec import Struct

from simmail.core.html.links import unsubscribing
from simmail.core.inspection.finding import Observation, failed, passed, unseen
from simmail.core.inspection.subject import InspectedMail

_URI = re.compile(r"<\s*([^<>\s]{1,2000})\s*>")
_ONE_CLICK = "list-unsubscribe=one-click"


class Unsubscribe(Struct, frozen=True):
    """
    How a recipient leaves.

    @ivar header: the value of List-Unsubscribe, C{""} for none.
    @ivar one_click: RFC 8058 is offered as it asks; errors: what is wrong with it, a sentence each.
    """

    header: str
    one_click: bool
    errors: tuple[str, ...]


def unsubscribe_of(one: InspectedMail) -> Unsubscribe:
    """Return how a recipient leaves, and what is wrong with that."""
    values = one.all(b"list-unsubscribe")
    posts = one.all(b"list-unsubscribe-post")
    errors: list[str] = []
    uris = _URI.findall(values[0]) if values else []
    if len(values) > 1:
        errors.append(f"{len(values)} List-Unsubscribe fields; there must be one (RFC 2369 section 3.4)")
    if values and not uris:
        errors.append("List-Unsubscribe holds no URI in angle brackets (RFC 2369 section 2)")
    secure = any(uri.lower().startswith("https://") for uri in uris)
    for uri in uris:
        if not uri.lower().startswith(("https://", "http://", "mailto:")):
            errors.append(f"{uri[:80]} is neither https nor mailto")
    if posts:
        if posts[0].replace(" ", "").lower() != _ONE_CLICK:
            errors.append("List-Unsubscribe-Post must be List-Unsubscribe=One-Click (RFC 8058 section 3.1)")
        elif not secure:
            errors.append("one click needs an https URI in List-Unsubscribe (RFC 8058 section 3.1)")
    elif secure:
        errors.append("there is no List-Unsubscribe-Post: the https URI cannot be used with one click (RFC 8058)")
    if one.bulk and not values:
        errors.append("mail to many without List-Unsubscribe")
    right = bool(posts) and posts[0].replace(" ", "").lower() == _ONE_CLICK and secure and len(values) == 1
    return Unsubscribe(values[0][:2000] if values else "", right, tuple(errors))


def list_unsubscribe(one: InspectedMail) -> Observation:
    """Say whether mail to many can be left by its header."""
    found = unsubscribe_of(one)
    if found.header:
        return passed(f"List-Unsubscribe is {found.header[:100]}")
    return failed("mail to many without List-Unsubscribe") if one.bulk else passed("it is no mail to many")


def unsubscribe_form(one: InspectedMail) -> Observation:
    """Say whether the header is written as it must be."""
    found = unsubscribe_of(one)
    wrong = [error for error in found.errors if "RFC 2369" in error or "neither" in error]
    return failed("; ".join(wrong)) if wrong else passed("nothing wrong with it" if found.header else "there is none")


def one_click(one: InspectedMail) -> Observation:
    """Say whether one click is enough."""
    found = unsubscribe_of(one)
    if found.one_click:
        return passed("List-Unsubscribe-Post with an https URI")
    if not one.bulk and not found.header:
        return passed("it is no mail to many")
    wrong = [error for error in found.errors if "8058" in error]
    return failed("; ".join(wrong) or "no List-Unsubscribe-Post with an https URI")


def one_click_signed(one: InspectedMail) -> Observation:
    """Say whether a valid signature covers both fields."""
    if not unsubscribe_of(one).one_click:
        return passed("one click is not offered")
    if not one.authentication.asked:
        return unseen("signatures were not checked")
    for check in one.authentication.dkim:
        if check.result == "pass" and {"list-unsubscribe", "list-unsubscribe-post"} <= set(check.headers):
            return passed(f"the signature of {check.domain} covers both fields")
    return failed("no valid signature covers List-Unsubscribe and List-Unsubscribe-Post")


def unsubscribe_shown(one: InspectedMail) -> Observation:
    """Say whether the text shows how to leave."""
    if not one.bulk:
        return passed("it is no mail to many")
    found = next(filter(None, map(unsubscribing, (one.letter.low, *(link.text for link in one.letter.links)))), "")
    return passed(f"the text says {found!r}") if found else failed("the text does not say how to leave")


def list_id(one: InspectedMail) -> Observation:
    """Say whether a list has a name."""
    values = one.all(b"list-id")
    if values:
        return passed(values[0][:100]) if "<" in values[0] else failed(f"List-Id without <...>: {values[0][:80]}")
    return failed("mail to many without List-Id") if one.bulk else passed("it is no mail to many")
