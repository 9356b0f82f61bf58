"""
C{POST /api/send}: a message from the application, on the same road as over SMTP.

Source: API contract, "Send body"; decisions, section 23 ("Mail").
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from simmail.core.message.mail import Attachment
from simmail.core.message.parse import read
from simmail.core.mime.address import stored
from simmail.core.rules.recipients import RecipientVerdict
from simmail.errors import Invalid
from simmail.rest.api.mailboxes import check_header
from simmail.rest.render.compose import Enclosure, MOST_ATTACHMENTS, addresses, attachment, composed, one_address
from simmail.rest.render.shown import heavy
from simmail.rest.route import Body, Call, Route, Uid
from simmail.universe.mailflow.envelope import Recipient, Submission

HEADING = "Mailboxes and mail"


class AttachmentIn(Body, frozen=True):
    """
    One attachment.

    @ivar data: its octets in base64; filename: what it is called; content_type: its media type.
    """

    data: str
    filename: str = ""
    content_type: str = "application/octet-stream"


class Forward(Body, frozen=True):
    """A message whose attachments are carried along.  C{address}: mailbox of the message that is forwarded."""

    address: str
    folder: str
    uid: Uid


class Send(Body, frozen=True, rename={"from_": "from"}):
    """
    A message to send; addresses may be C{local@domain} or C{Name <local@domain>}.

    @ivar from_: the sender; to: the recipients; cc: recipients of a copy; bcc: who gets it without being named.
    @ivar reply_to: where answers shall go, one address or several.
    @ivar text: plain body, made from the HTML where it is left out.
    @ivar html: HTML body; images given as C{data:} URLs become inline attachments; attachments: files that go along.
    @ivar in_reply_to: Message-ID of the mail that is answered; references: Message-IDs, made from what is answered
        unless given.
    @ivar forward: a message whose attachments are carried along.
    @ivar headers: further header fields by name, of which none may be the service's own.
    """

    from_: str
    to: Annotated[list[str], Meta(min_length=1)]
    cc: list[str] = []
    bcc: list[str] = []
    reply_to: list[str] | str = []
    subject: str = ""
    text: str | None = None
    html: str = ""
    attachments: list[AttachmentIn] = []
    in_reply_to: str = ""
    references: list[str] | str = []
    forward: Forward | None = None
    headers: dict[str, str] = {}


class SendResult(Struct, frozen=True):
    """The message was accepted.  C{message_id}: the Message-ID it has; C{status}: always C{sent}."""

    message_id: str
    status: str = "sent"


async def send(call: Call) -> SendResult:
    asked: Send = call.body
    universe, config = call.universe, call.services.config
    universe.usage.require_mail()
    sender = one_address(asked.from_, "from").address
    recipients = dict.fromkeys(
        one.address for one in (
            *addresses(asked.to, "to"), *addresses(asked.cc, "cc"), *addresses(asked.bcc, "bcc")))
    if len(recipients) > config.limits.recipients:
        raise Invalid("to", f"at most {config.limits.recipients} recipients")
    if len(asked.attachments) > MOST_ATTACHMENTS:
        raise Invalid("attachments", f"at most {MOST_ATTACHMENTS}")
    carried = await _forwarded(call, asked.forward, asked.html) if asked.forward is not None else []
    references = asked.references.split() if isinstance(asked.references, str) else asked.references
    reply_to = [asked.reply_to] if isinstance(asked.reply_to, str) else asked.reply_to
    now = universe.clock.now()

    def written() -> bytes:
        enclosed = [
            attachment(Enclosure(one.filename or f"attachment-{n + 1}", one.content_type, one.data), f"attachments.{n}")
            for n, one in enumerate(asked.attachments)]
        octets = composed(
            now, asked.from_, asked.to, asked.cc, asked.subject, asked.text, asked.html, enclosed + carried,
            asked.in_reply_to, references, reply_to, asked.headers)
        check_header(octets, config.limits.header, config.limits.header_field)
        return octets

    size = sum(len(one.data) for one in asked.attachments) + sum(len(one.octets) for one in carried)
    octets = await heavy(call.services.in_thread, written, size + len(asked.html) + len(asked.text or ""))
    accepted = await universe.postoffice.accept(Submission(
        sender=sender,
        recipients=tuple(Recipient(address, _verdict(call, address, sender)) for address in recipients),
        octets=octets, via="api", remote=getattr(call.request.getClientAddress(), "host", ""), save_sent=True))
    return SendResult(accepted.message_id)


def _verdict(call: Call, address: str, sender: str) -> RecipientVerdict:
    """There is no RCPT to refuse at here: what SMTP would refuse comes back as a notice (decisions, section 23)."""
    verdict = call.universe.policy.recipient(address, sender)
    return replace(verdict, kind="bounce") if verdict.kind == "refuse" else verdict


async def _forwarded(call: Call, forward: Forward, html: str) -> list[Attachment]:
    """The attachments of another message; a picture in its text is one like any, unless C{html} shows it again."""
    _, octets = await call.universe.mailboxes.read(stored(forward.address), forward.folder, forward.uid)
    mail = await heavy(call.services.in_thread, lambda: read(octets), len(octets))
    return [one if not one.inline or f"cid:{one.content_id}" in html else replace(one, inline=False)
            for one in mail.attachments]


_EXAMPLE: dict[str, Any] = {
    "from": "app@sim.test", "to": ["maria@acme.test"], "subject": "Your order",
    "text": "Dear Maria,\n\nwhen would you like your order delivered?\n\nThe shop",
}

ROUTES: tuple[Route, ...] = (
    Route("POST", "/api/send", send,
          "Send a message: a copy in the sender's Sent folder, one in each recipient's INBOX, and personas plan "
          "their replies", SendResult, role="member", body=Send, large=True, statuses=(404,), example=_EXAMPLE,
          answer_example={"message_id": "<18c9f2@sim.test>", "status": "sent"}),
)
