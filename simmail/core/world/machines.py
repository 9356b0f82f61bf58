"""
Mail that nobody writes by hand: newsletters, notifications, automatic answers, bounces of what was never sent, spam.

Each has the header fields that such mail has, and none of it wants an answer.
"""

from __future__ import annotations

from datetime import datetime
from html import escape
from typing import Any

from simmail.core.compose.dsn import Notice, dialect_of, notification
from simmail.core.compose.message import compose
from simmail.core.compose.message_id import message_id
from simmail.core.message.mail import Attachment, Draft
from simmail.core.message.parse import read_headers
from simmail.core.mime.address import Address, domain_of
from simmail.core.records.bad_address import BadKind
from simmail.core.time.instant import zone
from simmail.core.world.facts import slots as drawn
from simmail.core.world.occasion import Composition, Expected, Occasion
from simmail.core.world.people import plain
from simmail.core.world.trace import traced
from simmail.core.world.words import Firm, MailWords, Slots, common, fill, kind_words

_SIMULATED = ("X-Service-Simulated", "yes")

#: Programs that send by the million.
_MAILERS = ("PHPMailer 5.2.9", "Microsoft Outlook Express 6.00.2600.0000", "MailKing 4.1", "SmartSend.2.0.121")

#: What is wrong with an address that a forged mail went to.
_BOUNCES: tuple[tuple[BadKind, float], ...] = (("unknown", 0.6), ("full", 0.2), ("blocked", 0.2))


class Sheet:
    """What a mail says that no persona writes: its words, and what is put into them."""

    def __init__(self, occasion: Occasion, sender: Firm, address: str, name: str = "") -> None:
        self.occasion = occasion
        self.words = kind_words(occasion.kind, occasion.language)
        self.dice = occasion.dice.on("words")
        self.local: datetime = occasion.now.astimezone(zone(common(occasion.language).zone))
        self.sender, self.author = sender, Address(name or sender.name, address)
        self.mail: MailWords = self.dice.choice(
            [one for one in self.words.mails if one.by in ("", sender.name)], "mail")
        self.slots = Slots({
            **drawn(occasion.language, occasion.dice.on("facts"), self.local, occasion.company.industry,
                    occasion.company_name, name, sender.name, address),
            "domain": sender.domain, "to": occasion.to, "local": occasion.to.partition("@")[0],
            "token": occasion.dice.token(16, "link")})
        self.subject = fill(self.dice.choice(self.mail.subject, "subject"), self.slots, self.dice, "s")

    def text(self) -> str:
        """The whole text: opening, what it is about, ending."""
        dice, slots = self.dice, self.slots
        return "\n\n".join(filter(None, [
            fill(dice.choice(self.words.openings, "opening"), slots, dice, "o").strip(),
            fill(self.mail.text.strip(), slots, dice, "t"),
            fill(dice.choice(self.words.endings, "ending"), slots, dice, "e").strip()])) + "\n"

    def composition(
        self, text: str, extra: tuple[tuple[str, str], ...], expected: Expected, reverse_path: str, html: str = "",
        client: str = "plain", references: tuple[str, ...] = (), authentic: bool = True,
        to: tuple[Address, ...] | None = None, reply_to: tuple[Address, ...] = (),
        attachments: tuple[Attachment, ...] = (), forms: tuple[Attachment, ...] = (),
        attack: dict[str, Any] | None = None,
    ) -> Composition:
        """The mail that says so."""
        occasion, author = self.occasion, self.author
        own = message_id(occasion.dice, client, author.address, occasion.id)
        octets = compose(Draft(
            message_id=own, date=self.local, from_=author, to=(Address("", occasion.to),) if to is None else to,
            subject=self.subject, text=text, html=html, reply_to=reply_to, in_reply_to=references[-1] if references
            else "", references=references, client=client, extra=(*extra, _SIMULATED),
            attachments=attachments, forms=forms, key=occasion.id))
        return Composition(
            octets=traced(octets, reverse_path, occasion.to, occasion.server, occasion.now, occasion.dice.on("trace"),
                          author.address, authentic),
            message_id=own, sender=author, reverse_path=reverse_path, subject=self.subject,
            expected=self.mail.expected or expected, attack=attack)


def firm_of(occasion: Occasion) -> Firm:
    """Which of the senders of a kind a stream's n-th is."""
    senders = kind_words(occasion.kind, occasion.language).senders or common(occasion.language).firms
    return senders[(occasion.serial - 1) % len(senders)]


def page(title: str, text: str, link: str, label: str, footer: str) -> str:
    """A page as tools for campaigns lay it out: a table, a button, small print, a picture of one pixel."""
    paragraphs = "".join(
        f'<p style="margin:0 0 16px">{escape(one).replace(chr(10), "<br>")}</p>' for one in text.strip().split("\n\n"))
    return (
        '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>' + escape(title) + "</title></head>\n"
        '<body style="margin:0;background:#f4f4f4;font-family:Arial,sans-serif">\n'
        '<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">\n'
        '<table role="presentation" width="600" cellpadding="24" style="background:#ffffff">\n'
        f'<tr><td style="font-size:22px;font-weight:bold">{escape(title)}</td></tr>\n'
        f'<tr><td style="font-size:15px;line-height:1.5">{paragraphs}\n'
        f'<a href="{escape(link)}" style="background:#1a5fb4;color:#ffffff;padding:10px 18px">'
        f"{escape(label)}</a></td></tr>\n"
        f'<tr><td style="font-size:12px;color:#666666">{footer}</td></tr>\n'
        f'</table></td></tr></table>\n<img src="{escape(link)}/open.gif" width="1" height="1" alt="">\n'
        "</body></html>\n")


def newsletter(occasion: Occasion, expected: Expected, hours: float | None) -> Composition:
    """Return a newsletter, with a way out (RFC 2369, RFC 2919, RFC 8058)."""
    firm = firm_of(occasion)
    sheet = Sheet(occasion, firm, f"news@{firm.domain}")
    papers, token = common(occasion.language).papers, occasion.dice.token(20, "subscriber")
    link = f"https://www.{firm.domain}/n/{token}"
    leave = f"https://www.{firm.domain}/unsubscribe/{token}"
    text = sheet.text()
    footer = f'{escape(firm.name)} | <a href="{leave}">{escape(papers["unsubscribe"])}</a>'
    return sheet.composition(
        f"{text}\n{papers['online']}: {link}\n{papers['unsubscribe']}: {leave}\n{firm.name}\n",
        (("List-Id", f"{firm.name} <news.{firm.domain}>"),
         ("List-Unsubscribe", f"<mailto:leave-{token}@{firm.domain}>, <{leave}>"),
         ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"), ("Precedence", "bulk"),
         ("Feedback-ID", f"{occasion.dice.below(9000, 'campaign') + 1000}:{plain(firm.name)}:news")),
        expected, f"bounce-{token}@{firm.domain}", page(firm.name, text, link, papers["online"], footer), "gmail")


def alert(occasion: Occasion, expected: Expected, hours: float | None) -> Composition:
    """Return a notification of some service (RFC 3834 section 5)."""
    firm = firm_of(occasion)
    sheet = Sheet(occasion, firm, f"no-reply@{firm.domain}")
    papers, text = common(occasion.language).papers, sheet.text()
    link = f"https://app.{firm.domain}/m/{occasion.dice.token(12, 'item')}"
    html = ""
    if occasion.dice.chance(0.6, "html"):
        html = page(firm.name, text, link, papers["open"], escape(f"{firm.name} | no-reply@{firm.domain}"))
    return sheet.composition(
        f"{text}\n{link}\n\n{firm.name}\n",
        (("Auto-Submitted", "auto-generated"), ("X-Auto-Response-Suppress", "All")),
        expected, f"bounces@{firm.domain}", html)


def auto_reply(occasion: Occasion, expected: Expected, hours: float | None) -> Composition:
    """Return what a mailbox answers by itself (RFC 3834): somebody is away, or a request was taken."""
    firm, words = firm_of(occasion), common(occasion.language)
    dice = occasion.dice.on("away")
    first, last = dice.choice(words.given, "given"), dice.choice(words.family, "family")
    address, name = f"{plain(first)}.{plain(last)}@{firm.domain}", f"{first} {last}"
    sheet = Sheet(occasion, firm, address, name)
    if sheet.mail.from_:
        sheet.author = Address(firm.name, f"{sheet.mail.from_}@{firm.domain}")
    asked = f"<{dice.token(24, 'asked')}@{domain_of(occasion.to)}>"
    return sheet.composition(
        sheet.text(), (("Auto-Submitted", "auto-replied"), ("X-Auto-Response-Suppress", "All"), ("Precedence", "bulk")),
        expected, "", references=(asked,))


def backscatter(occasion: Occasion, expected: Expected, hours: float | None) -> Composition:
    """Return a bounce of a mail that the company never sent: somebody used its address (RFC 3464)."""
    firm, words, dice = firm_of(occasion), common(occasion.language), occasion.dice.on("forged")
    first, last = dice.choice(words.given, "given"), dice.choice(words.family, "family")
    recipient = f"{plain(first)}.{plain(last)}@{firm.domain}"
    sheet = Sheet(occasion, firm, f"MAILER-DAEMON@{firm.domain}")
    forged = message_id(dice, "plain", f"x@{dice.token(8, 'host')}.example", "forged")
    original = compose(Draft(
        message_id=forged, date=sheet.local, from_=Address("", occasion.to), to=(Address("", recipient),),
        subject=sheet.subject, text=sheet.text(), extra=(("X-Mailer", "The Bat! (v3.99.3) Professional"),),
        key=occasion.id))
    own = message_id(occasion.dice, "plain", f"MAILER-DAEMON@{firm.domain}", occasion.id)
    return reported(occasion, Notice(
        message_id=own, date=sheet.local, server=f"mail.{firm.domain}", to=occasion.to, recipient=recipient,
        original=original, arrived=sheet.local, dialect=dialect_of(recipient, occasion.dice),
        kind=dice.weighted(_BOUNCES, "bounce"), original_id=forged, subject=sheet.subject,
        ret="FULL" if dice.chance(0.5, "full") else "HDRS"), expected)


def reported(occasion: Occasion, notice: Notice, expected: Expected) -> Composition:
    """Return a notice of a mail server as it comes: from nobody, traced."""
    octets = notification(notice).replace(b"Return-Path: <>\r\n", b"", 1)
    said = read_headers(octets)
    return Composition(
        octets=traced(octets, "", occasion.to, occasion.server, occasion.now, occasion.dice.on("trace"),
                      said.from_.address),
        message_id=notice.message_id, sender=said.from_, reverse_path="", subject=said.subject, expected=expected)


def spam(occasion: Occasion, expected: Expected, hours: float | None) -> Composition:
    """Return spam: nobody vouches for its sender, and there is no way out."""
    dice = occasion.dice.on("spam")
    firm = firm_of(occasion)
    host = f"{plain(firm.name)[:12]}-{dice.token(5, 'host')}.example"
    sheet = Sheet(occasion, Firm(firm.name, host), f"{dice.token(9, 'local')}@{host}")
    link = f"http://{host}/{dice.token(10, 'path')}"
    sheet.slots["link"] = link
    text, html = sheet.text(), ""
    if sheet.mail.html:
        body = escape(text).replace("\n", "<br>\n")
        html = (f'<html><body bgcolor="#ffffff"><center><font size="5" color="#ff0000"><b>{escape(sheet.subject)}</b>'
                f'</font></center><p>{body}</p><p><a href="{link}"><b>{escape(sheet.mail.html)}</b></a></p>'
                f'<img src="{link}.jpg" width="600" height="400"></body></html>\n')
    there = f"{dice.token(8, 'envelope')}@{dice.token(7, 'elsewhere')}.example"
    to = () if dice.chance(0.3, "undisclosed") else None
    reply_to = (Address("", f"{dice.token(8, 'reply')}@free-mail.example"),) if dice.chance(0.3, "reply") else ()
    return sheet.composition(
        "" if html else text, (("X-Mailer", dice.choice(_MAILERS, "mailer")), ("X-Priority", "1")),
        expected, there, html, authentic=False, to=to, reply_to=reply_to)
