"""
Messages as the API shows them: in lists, whole, and as octets to be saved.

What is in a message comes from its digest (lists, no file is read) or from
reading its octets; where it is comes from the folder.  Source: API contract,
"Message"; decisions, section 23 ("Full message").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from urllib.parse import quote

from msgspec import UNSET, Struct, UnsetType

from simmail.core.html.sanitize import safe
from simmail.core.message.mail import Attachment, Mail
from simmail.core.message.summary import Digest
from simmail.core.mime.address import Address
from simmail.core.records.folder import Entry
from simmail.rest.answer import Octets

#: Characters of text in a list (API contract, "Limits").
LISTED_TEXT = 240

_OURS = "x-service-"
_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9 ._-]{1,150}")

#: Nothing in an attachment or a source runs, whatever a browser makes of its type (every answer has C{nosniff}).
HARMLESS: tuple[tuple[str, str], ...] = (("Content-Security-Policy", "default-src 'none'; sandbox"),)


#: The type of a message as it is.
SOURCE = "message/rfc822"


class AttachmentItem(Struct, frozen=True):
    """
    One attachment.

    @ivar filename: as the mail names it; content_type: its media type; size: octets, decoded.
    @ivar content_id: of an inline image, by which the HTML refers to it.
    @ivar inline: whether it is such an image; both are left out for other attachments.
    """

    filename: str
    content_type: str
    size: int
    content_id: str | UnsetType = UNSET
    inline: bool | UnsetType = UNSET


class Message(Struct, frozen=True, rename={"from_": "from"}):
    """
    A message.

    @ivar flags: IMAP flags such as C{\\Seen}; time: when it was filed, in simulated time; size: octets, as sent.
    @ivar in_reply_to: the Message-ID it answers, C{""} for none; references: Message-IDs of the mails before it in its
        thread.
    @ivar from_: the sender's address; from_name: the sender's name, C{""} for none.
    @ivar to: addresses in To; cc: addresses in Cc.
    @ivar date: the instant its Date header says, in simulated time where the service wrote it; null where that is no
        date.
    @ivar text: its plain body, made from the HTML where it has none; in lists the first 240 characters.
    @ivar html: always empty: C{safe} of the whole message has what can be shown.
    @ivar format: what the sender's program produced; attachments: in the order in which they are numbered, from 0.
    @ivar headers: the service's own (X-Service-...), names in lower case.
    """

    uid: int
    folder: str
    flags: list[str]
    time: datetime
    size: int
    message_id: str
    in_reply_to: str
    references: tuple[str, ...]
    from_: str
    from_name: str
    to: list[str]
    cc: list[str]
    subject: str
    date: datetime | None
    text: str
    html: str
    format: Literal["text", "html", "both"]
    attachments: list[AttachmentItem]
    headers: dict[str, str]


class Safe(Struct, frozen=True):
    """
    HTML that is safe to show.

    @ivar html: without scripts, forms, frames and remote images; remote_blocked: how many remote images were taken out.
    """

    html: str = ""
    remote_blocked: int = 0


class CaseLink(Struct, frozen=True):
    """
    The case a thread is linked to.

    @ivar id: the case's; how: what matched: a header field, the thread, a key or the persona.
    """

    id: str
    how: str


class FullMessage(Struct, frozen=True):
    """
    A message whole.

    @ivar message: with its full text; safe: its HTML, where it has any.
    @ivar case: the case its thread is linked to, null for none.
    """

    message: Message
    safe: Safe
    case: CaseLink | None


def listed(folder: str, entry: Entry, digest: Digest) -> Message:
    """Return a message in a list."""
    sender = digest.from_[0] if digest.from_ else None
    return Message(
        entry.uid, folder, sorted(entry.flags), entry.date, entry.size, digest.message_id, digest.in_reply_to,
        digest.references, sender.address if sender else "", sender.name if sender else "",
        _addresses(digest.to), _addresses(digest.cc), digest.subject, digest.sent,
        digest.text[:LISTED_TEXT], "", digest.format,
        [_item(one.filename, one.content_type, one.size, one.content_id, one.inline) for one in digest.attachments],
        _own_headers(digest.header))


def _addresses(found: Sequence[Address]) -> list[str]:
    """Of groups, and of those who are only named, there are none."""
    return [one.address for one in found if one.address]


def shown(folder: str, entry: Entry, mail: Mail) -> Message:
    """Return a message whole, without its HTML."""
    return Message(
        entry.uid, folder, sorted(entry.flags), entry.date, entry.size, mail.message_id, mail.in_reply_to,
        mail.references, mail.author.address, mail.author.name, _addresses(mail.shown_to),
        _addresses(mail.shown_cc), mail.subject, mail.date, mail.text, "", mail.format,
        [_item(one.filename, one.content_type, len(one.octets), one.content_id, one.inline)
         for one in mail.attachments],
        {name.lower(): value for name, value in mail.headers if name[:10].lower() == _OURS})


def full(
    mailbox: str, folder: str, entry: Entry, mail: Mail, case: CaseLink | None = None, remote: bool = False,
    light: bool = False,
) -> FullMessage:
    """
    Return a message whole, with display-safe HTML whose C{cid:} images are attachment calls.

    @param remote: let remote images be; light: leave colours alone instead of adapting them to dark mode.
    """
    display = Safe()
    if mail.html:
        numbers = {one.content_id.strip("<>"): n for n, one in enumerate(mail.attachments) if one.content_id}
        base = f"/api/mailboxes/{quote(mailbox, safe='@')}/messages/{quote(folder, safe='')}/{entry.uid}/attachments/"

        def cid_url(content_id: str) -> str | None:
            n = numbers.get(content_id.strip("<>"))
            return None if n is None else f"{base}{n}"

        html, blocked = safe(mail.html, remote=remote, light=light, cid_url=cid_url)
        display = Safe(html, blocked)
    return FullMessage(shown(folder, entry, mail), display, case)


def source(octets: bytes) -> Octets:
    """Return the message as it is, C{message/rfc822}."""
    return Octets(octets, SOURCE, HARMLESS)


def download(attachment: Attachment, n: int) -> Octets:
    """Return an attachment to be saved, under its own name (RFC 6266)."""
    content_type = attachment.content_type
    if not _TYPE.fullmatch(content_type):
        content_type = "application/octet-stream"
    return Octets(attachment.octets, content_type, (
        ("Content-Disposition", disposition(attachment.filename or f"attachment-{n}")), *HARMLESS))


def disposition(filename: str) -> str:
    """
    Return C{Content-Disposition: attachment} for any file name (RFC 6266, RFC 8187).

    Folders and control characters in the name are left out; a name beyond plain ASCII is given twice.
    """
    name = filename.replace("\\", "/").rpartition("/")[2]
    name = "".join(one for one in name if one.isprintable()).strip()[:150] or "attachment"
    if _PLAIN_NAME.fullmatch(name):
        return f'attachment; filename="{name}"'
    plain = re.sub(r"[^A-Za-z0-9 ._-]", "_", name)
    encoded = quote(name.encode("utf-8", "replace"), safe="!#$&+-.^_`|~")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"


def _item(filename: str, content_type: str, size: int, content_id: str, inline: bool) -> AttachmentItem:
    if inline:
        return AttachmentItem(filename, content_type, size, content_id.strip("<>"), True)
    return AttachmentItem(filename, content_type, size)


def _own_headers(header: bytes) -> dict[str, str]:
    if _OURS.encode() not in header.lower():
        return {}
    unfolded = header.replace(b"\r\n ", b" ").replace(b"\r\n\t", b" ")
    found: dict[str, str] = {}
    for line in unfolded.split(b"\r\n"):
        if line[:10].lower() == b"x-service-":
            name, _, value = line.partition(b":")
            found[name.decode("ascii", "replace").lower()] = value.strip().decode("utf-8", "replace")
    return found
