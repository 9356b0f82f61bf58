"""
Which links of a mail a persona opens.

Decides only; nothing is dialled here (C{outbound.browser} does, and vets each
address again).  Sources: API contract, "Link policy"; decisions, section 11;
RFC 2369 section 3.2 and RFC 8058 for the button that unsubscribes.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from simmail.core.html.links import Anchor, anchors, host_of, unsubscribes
from simmail.core.message.mail import Mail
from simmail.core.mime.address import domain_of
from simmail.core.net.egress import public_address, public_name, web_port
from simmail.core.net.hosts import MAIL_PROVIDERS, matches
from simmail.core.net.url import BadUrl, parse
from simmail.core.records.persona import Persona, Style
from simmail.core.records.settings import LinkPolicy
from simmail.core.rng import Dice


#: The chance that a link is opened, by C{style.links}.
HABITS: tuple[tuple[str, float], ...] = (("usual", 0.5), ("curious", 0.85), ("wary", 0.15), ("never", 0.0))


#: No more links left alone are told of, for one mail.
LEFT = 20


#: What the button of a mail program says that unsubscribes (RFC 8058).
UNSUBSCRIBE = "Unsubscribe"

#: Fields that the sender's signature has to cover for it.
_COVERED = frozenset(("list-unsubscribe", "list-unsubscribe-post"))


class LinkToOpen(NamedTuple):
    """
    A link to be opened.

    @ivar broken: it is on the sender's own machine and is found broken without being dialled.
    @ivar one_click: it is posted to, as RFC 8058 has it; leaves: it is one to unsubscribe.
    """

    url: str
    text: str
    why: str
    broken: bool = False
    one_click: bool = False
    leaves: bool = False


class LinkLeft(NamedTuple):
    """A link left alone; C{domain} instead of a URL's text for a sender that is not looked up."""

    url: str
    why: str
    domain: str = ""


class Choice(NamedTuple):
    """
    What a persona does about the links of one mail.

    @ivar look_up: the sender's domain to look at, or C{""}, and the C{reason}.
    """

    open: tuple[LinkToOpen, ...]
    skip: tuple[LinkLeft, ...]
    look_up: str
    why: str
    reason: str = ""

    def told(self) -> str:
        """The plan in a sentence."""
        count = len(self.open)
        parts = [f"open {count} link{'s' if count != 1 else ''}"] if count else []
        if self.look_up:
            parts.append(f"look up {self.look_up}")
        sentence = " and ".join(parts) or "open nothing"
        return sentence[:1].upper() + sentence[1:]


def habit(persona: Persona) -> tuple[str, float]:
    """The persona's C{style.links} and the chance that goes with it."""
    own = persona.style.links if isinstance(persona.style, Style) else UNSET
    name = "usual" if isinstance(own, UnsetType) else own
    return name, dict(HABITS)[name]


def decide(
    mail: Mail, persona: Persona, policy: LinkPolicy, dice: Dice, stranger: bool, lab: Collection[str] = (),
) -> Choice:
    """
    Which links of a mail in the inbox are opened, which are not and why, and whether its sender is looked up.

    @param dice: keyed for the mail; each link has its own draw, named by its place.
    @param stranger: the persona never had mail from the sender before.
    @param lab: the operator's test sites (C{host:port}), which are opened wherever they are.
    """
    if not policy.enabled:
        return Choice((), (), "", "opening links is switched off")
    name, chance = habit(persona)
    opened: list[LinkToOpen] = []
    left: list[LinkLeft] = []

    def draw(one: Anchor, key: str | int, local: bool, leaves: bool, signing: str | None = None) -> None:
        drawn = dice.uniform("link", key)
        if drawn >= chance:
            left.append(LinkLeft(one.url, f"link draw {drawn:.2f} over {chance:.2f} ({name})"))
        elif len(opened) >= policy.max_links:
            left.append(LinkLeft(one.url, f"{policy.max_links} links of this mail are opened already"))
        else:
            opened.append(LinkToOpen(
                one.url, one.text, f"link draw {drawn:.2f} under {chance:.2f} ({name}){signing or ''}", local,
                signing is not None, leaves))

    button = one_click(mail, lab) if policy.unsubscribe else ""
    if button:
        pressed = Anchor(button, UNSUBSCRIBE)
        refusal, local = _refusal(pressed, policy, lab, True)
        covered, signing = _signed(mail)
        if refusal or not covered:
            left.append(LinkLeft(button, refusal or signing))
        else:
            draw(pressed, "one click", local, True, signing and f"; {signing}")
    gone = bool(opened)
    for nth, one in enumerate(anchors(mail.text, mail.html)):
        leaves = unsubscribes(one)
        refusal, local = _refusal(one, policy, lab, leaves)
        if not refusal and gone and leaves:
            refusal = "unsubscribed with the mail program's own button"
        if refusal:
            left.append(LinkLeft(one.url, refusal))
        else:
            draw(one, nth, local, leaves)
    look_up = ""
    domain = domain_of(mail.from_.address) if "@" in mail.from_.address else ""
    drawn = dice.uniform("look up")
    # Nobody looks up the firm they work for.
    own = domain in map(domain_of, persona.addresses)
    if stranger and domain and not own and chance and drawn < policy.sender_check:
        if domain in MAIL_PROVIDERS:
            left.append(LinkLeft("", "a mail provider's domain tells nothing about the sender", domain))
        elif not permitted(domain, policy):
            left.append(LinkLeft("", "the link policy does not allow this host", domain))
        else:
            look_up = domain
    why = f"{len(opened)} of {len(opened) + sum(1 for one in left if one.url)} links"
    reason = ""
    if look_up:
        draw_told = f"sender draw {drawn:.2f} under {policy.sender_check:.2f}"
        why += f", {draw_told}"
        reason = f"the first mail from an unknown sender, {draw_told}"
    return Choice(tuple(opened), tuple(left[:LEFT]), look_up, why, reason)


def one_click(mail: Mail, lab: Collection[str] = ()) -> str:
    """
    Where a mail program's button unsubscribes by posting (RFC 8058 section 3.1), C{""} for nowhere.

    The address has to be https; that of a test site may be http.
    """
    if mail.header("List-Unsubscribe-Post").replace(" ", "").lower() != "list-unsubscribe=one-click":
        return ""
    for one in mail.header("List-Unsubscribe").split(",")[:10]:
        url = "".join(one.split())
        if not (url.startswith("<") and url.endswith(">")):
            continue
        url = url[1:-1]
        try:
            place = parse(url)
        except BadUrl:
            continue
        if place.scheme == "https" or place.place in lab:
            return url
    return ""


def _signed(mail: Mail) -> tuple[bool, str]:
    """
    Whether a mail program would show the button, and what is to be said of the signatures (RFC 8058 section 4).

    A signature that leaves the two fields out forbids it.  That there is none at all is only told: what is tested is
    seldom signed.  Whether a signature is valid is for the inspection to say, which asks the name system.
    """
    heads = [value for name, value in mail.headers if name.lower() == "dkim-signature"]
    if not heads:
        return True, "no DKIM signature, without which large providers show no button (RFC 8058 section 4)"
    for value in heads:
        tags = (part.partition("=") for part in value.split(";"))
        signed = next((fields for name, _, fields in tags if name.strip() == "h"), "")
        if _COVERED <= {field.strip().lower() for field in signed.split(":")}:
            return True, ""
    return False, "no DKIM signature covers List-Unsubscribe and List-Unsubscribe-Post (RFC 8058 section 4)"


def _refusal(one: Anchor, policy: LinkPolicy, lab: Collection[str], leaves: bool) -> tuple[str, bool]:
    """Why a link is never opened, C{""} if it may be; and whether it is on the sender's own machine."""
    host = host_of(one.url)
    if not host:
        scheme = one.url.partition(":")[0][:20]
        return f"only web links are opened, this is {scheme or 'none'}", False
    try:
        url = parse(one.url)
    except BadUrl as error:
        return str(error), False
    if not web_port(url.port):
        return f"port {url.port} is no web server", False
    if not permitted(url.host, policy):
        return "the link policy does not allow this host", False
    if url.place not in lab and not (public_address(url.host) if url.literal else public_name(url.host)):
        if policy.local_links == "ignore":
            return "a testing link to the sender's own machine", True
        return "", True
    if leaves and not policy.unsubscribe:
        return "unsubscribe links are not followed", False
    return "", False


def permitted(host: str, policy: LinkPolicy) -> bool:
    """Whether C{allow} and C{deny} let a host be visited."""
    if isinstance(policy.deny, tuple) and matches(host, policy.deny):
        return False
    return not isinstance(policy.allow, tuple) or matches(host, policy.allow)
