"""
Tools that write mail: sent, answered, handed on, kept as a draft.

A reply carries the chain of Message-IDs that keeps a conversation together.
Source: RFC 5322 section 3.6.4; decisions, section 18.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from simmail.core.message.mail import Mail
from simmail.errors import Invalid
from simmail.rest.api import mailboxes, sending
from simmail.rest.api.sending import AttachmentIn, Forward, Send
from simmail.rest.mcp.accounts import MailPlace, account, mail_at, place
from simmail.rest.mcp.tool import ToolAnswer, Tool, asked
from simmail.rest.render.compose import Enclosure, MOST_REFERENCES, attachment, composed, one_message_id
from simmail.rest.route import Body, Call

_ROUTES = {one.endpoint: one for module in (mailboxes, sending) for one in module.ROUTES}
_MESSAGE = "/api/mailboxes/{address}/messages/{folder}/{uid}"
_DRAFTS = "Drafts"

Address = Annotated[str, Meta(description="local@domain, or Name <local@domain>")]
Account = Annotated[str, Meta(description="address of the account; needed only where there are several")]
Id = Annotated[str, Meta(description="id of a message, as other tools return it")]


class Writing(Body, frozen=True):
    """
    A new message.

    @ivar to: who gets it; cc: who gets a copy; bcc: who gets it without being named.
    @ivar text: plain body, made from the HTML where it is left out; html: HTML body; attachments: files that go along.
    """

    to: Annotated[list[Address], Meta(min_length=1)]
    subject: str = ""
    text: str = ""
    cc: list[Address] = []
    bcc: list[Address] = []
    html: str = ""
    attachments: list[AttachmentIn] = []
    account: Account = ""


class Answering(Body, frozen=True):
    """
    An answer to a message.

    @ivar text: plain body; html: HTML body; attachments: files that go along.
    """

    id: Id
    text: str
    html: str = ""
    attachments: list[AttachmentIn] = []


class Forwarding(Body, frozen=True):
    """
    A message to be handed on, with its attachments.

    @ivar to: who gets it; cc: who gets a copy; text: goes before it.
    """

    id: Id
    to: Annotated[list[Address], Meta(min_length=1)]
    text: str = ""
    cc: list[Address] = []


class Drafting(Body, frozen=True):
    """
    A message that is not sent yet.

    @ivar to: who shall get it; cc: who shall get a copy.
    @ivar text: plain body; html: HTML body; attachments: files that go along.
    """

    to: list[Address] = []
    subject: str = ""
    text: str = ""
    cc: list[Address] = []
    html: str = ""
    attachments: list[AttachmentIn] = []
    in_reply_to: Annotated[str, Meta(description="id of the message it answers, if any")] = ""
    account: Account = ""


class Sending(Body, frozen=True):
    """Which draft."""

    id: Id


def _sender(call: Call, address: str) -> str:
    known = call.universe.policy.account(address)
    name = known.display_name.replace("\\", "").replace('"', "") if known is not None else ""
    return f'"{name}" <{address}>' if name else address


async def _sent(call: Call, message: Send) -> ToolAnswer:
    result = await asked(call, _ROUTES["POST /api/send"], message)
    return ToolAnswer(f"Sent. Message-ID: {result.message_id}", {"message_id": result.message_id})


def _titled(prefix: str, subject: str) -> str:
    # Of what somebody else wrote nothing but the one line.
    line = " ".join(subject.split())
    return line if line[:len(prefix)].lower() == prefix.lower() else f"{prefix} {line}".rstrip()


def _chain(mail: Mail) -> list[str]:
    """The Message-IDs an answer refers to, the last that of the mail; others may have written what is none."""
    chain = []
    for one in (*mail.references[1 - MOST_REFERENCES:], mail.message_id):
        try:
            chain.append(one_message_id(one, "references"))
        except Invalid:
            continue
    return chain


def _answered(mail: Mail, own: str) -> list[str]:
    """To whom an answer goes: those it asks for, else its author; of one's own mail, those it went to."""
    found = [one.address for one in mail.reply_to or (mail.author,) if one.address]
    if found in ([], [own]):
        found = [one.address for one in mail.to if one.address]
    if not found:
        raise Invalid("id", "there is nobody to answer: the message has no sender")
    return found


async def send_email(call: Call, given: Writing) -> ToolAnswer:
    """Send a new message."""
    return await _sent(call, Send(
        from_=_sender(call, account(call, given.account)), to=given.to, cc=given.cc, bcc=given.bcc,
        subject=given.subject, text=given.text, html=given.html, attachments=given.attachments))


async def reply(call: Call, given: Answering) -> ToolAnswer:
    """Answer a message."""
    return await _reply(call, given, False)


async def reply_all(call: Call, given: Answering) -> ToolAnswer:
    """Answer a message, with a copy to all who got it."""
    return await _reply(call, given, True)


async def _reply(call: Call, given: Answering, all: bool) -> ToolAnswer:
    at = place(call, given.id)
    mail = await mail_at(call, at)
    to, chain = _answered(mail, at.address), _chain(mail)
    others = dict.fromkeys(one.address for one in (*mail.to, *mail.cc) if one.address) if all else {}
    return await _sent(call, Send(
        from_=_sender(call, at.address), to=to, cc=[one for one in others if one not in (at.address, *to)],
        subject=_titled("Re:", mail.subject), text=given.text, html=given.html, attachments=given.attachments,
        in_reply_to=chain[-1] if chain else "", references=chain))


async def forward(call: Call, given: Forwarding) -> ToolAnswer:
    """Hand a message on."""
    at = place(call, given.id)
    mail = await mail_at(call, at)
    author = f"{mail.author.name} <{mail.author.address}>" if mail.author.name else mail.author.address
    head = (("From", author),
            ("Date", mail.date.isoformat() if mail.date else ""), ("Subject", mail.subject),
            ("To", ", ".join([one.address for one in mail.shown_to])))
    old = "\n".join([f"{name}: {value}" for name, value in head if value])
    text = f"{given.text}\n\n---------- Forwarded message ----------\n{old}\n\n{mail.text}".lstrip("\n")
    return await _sent(call, Send(
        from_=_sender(call, at.address), to=given.to, cc=given.cc, subject=_titled("Fwd:", mail.subject), text=text,
        references=_chain(mail), forward=Forward(*at)))


async def save_draft(call: Call, given: Drafting) -> ToolAnswer:
    """Keep a message among the drafts."""
    answered = place(call, given.in_reply_to, "in_reply_to") if given.in_reply_to else None
    address = account(call, given.account or (answered.address if answered is not None else ""))
    chain = _chain(await mail_at(call, answered)) if answered is not None else []
    octets = composed(
        call.universe.clock.now(), _sender(call, address), given.to, given.cc, given.subject, given.text, given.html,
        [attachment(Enclosure(one.filename or f"attachment-{n + 1}", one.content_type, one.data), f"attachments.{n}")
         for n, one in enumerate(given.attachments)],
        chain[-1] if chain else "", chain)
    await asked(call, _ROUTES["POST /api/inject"], mailboxes.Injection(
        to=address, folder=_DRAFTS, raw=octets.decode("utf-8")))
    folder = await call.universe.mailboxes.folder(address, _DRAFTS)
    id = MailPlace(address, folder.name, folder.uids[-1]).id
    return ToolAnswer(f"Saved.\nid: {id}", {"id": id})


async def send_draft(call: Call, given: Sending) -> ToolAnswer:
    """Send a draft, which then is among the drafts no more."""
    at = place(call, given.id)
    if at.folder != _DRAFTS:
        raise Invalid("id", "is not the id of a draft")
    mail = await mail_at(call, at)
    if not mail.to and not mail.cc:
        raise Invalid("id", "the draft has no recipient")
    told = await _sent(call, Send(
        from_=_sender(call, at.address), to=[one.address for one in mail.to or mail.cc],
        cc=[one.address for one in mail.cc if mail.to], subject=mail.subject, text=mail.text, html=mail.html,
        in_reply_to=mail.in_reply_to, references=list(mail.references),
        forward=Forward(*at) if mail.attachments else None))
    await asked(call, _ROUTES["DELETE " + _MESSAGE], None, at.path)
    return told


def _tool(name: str, text: str, arguments: Any, run: Any, outside: bool = True) -> Tool:
    return Tool(name, text, arguments, run, outside=outside)


TOOLS: tuple[Tool, ...] = (
    _tool("send_email", "Send a new message. Attachments are base64.", Writing, send_email),
    _tool("reply", "Answer the sender of a message, in its conversation.", Answering, reply),
    _tool("reply_all", "Answer the sender of a message and all who got it.", Answering, reply_all),
    _tool("forward", "Hand a message with its attachments on to somebody else.", Forwarding, forward),
    _tool("save_draft", "Keep a message among the drafts; it is not sent.", Drafting, save_draft, outside=False),
    _tool("send_draft", "Send a draft.", Sending, send_draft),
)
