"""
A mail taken apart once for all spam rules: capped, in lower case, counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from simmail.core.html.links import Anchor, anchors, host_of
from simmail.core.message.mail import Mail
from simmail.core.mime.address import Address

#: Characters of each body that are looked at.
LOOKED_AT = 65_536

#: Letters that are not seen: zero width, soft hyphen.
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


class ScoredMail(NamedTuple):
    """
    What rules look at.

    @ivar subject, text: as written; low: both in lower case, without unseen letters, straight apostrophes.
    @ivar words: how many words the text has.
    @ivar html: capped and lower case.
    @ivar hosts: of the links, C{""} for those that are no web links.
    @ivar headers: first values by lower-case name.
    @ivar unseen: how many unseen letters stood inside words.
    """

    mail: Mail
    envelope_sender: str
    recipient: str
    from_: Address
    subject: str
    text: str
    low: str
    words: int
    html: str
    links: tuple[Anchor, ...]
    hosts: tuple[str, ...]
    headers: Mapping[str, str]
    unseen: int


def letter(mail: Mail, envelope_sender: str, recipient: str) -> ScoredMail:
    """A mail, taken apart."""
    text, html = mail.text[:LOOKED_AT], mail.html[:LOOKED_AT]
    subject = mail.subject[:1000]
    unseen = sum(text.count(one) for one in UNSEEN)
    seen = f"{subject}\n{text}"
    if unseen or any(one in subject for one in UNSEEN):
        seen = seen.translate(dict.fromkeys(map(ord, UNSEEN)))
    links = anchors(text, html)
    return ScoredMail(
        mail=mail, envelope_sender=envelope_sender.lower(), recipient=recipient.lower(), from_=mail.from_,
        subject=subject, text=text, low=" ".join(seen.lower().replace("\u2019", "'").split()),
        words=len(text.split()), html=html.lower(), links=links, hosts=tuple(host_of(one.url) for one in links),
        headers=mail.fields, unseen=unseen,
    )
