"""
Mails of eighteen kinds, honest and not, each in fourteen grades: what spam filters are compared on.

Built as programs build them, headers and all; the same each time.  The grade of a mail, from 0 to 1, says how much of
what its kind is known for stands in it.
"""

from __future__ import annotations

from base64 import encodebytes
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from simmail.core.rng import Dice

EACH = 14

MARIA = "maria@acme.test"


class Junk(NamedTuple):
    """
    One mail.

    @ivar sender: its reverse-path.
    """

    kind: str
    name: str
    sender: str
    octets: bytes


class _Draft(NamedTuple):
    """What a mail says; C{parts}: whole further parts; C{fields}: further header fields; C{bare}: few fields at all."""

    from_: str
    subject: str
    text: str
    html: str = ""
    parts: tuple[str, ...] = ()
    fields: str = ""
    bare: bool = False


class _Draw:
    """Draws for one mail; C{grade}: how much it shows."""

    def __init__(self, kind: str, nth: int) -> None:
        self._dice = Dice("junkmail").on(kind, nth)
        self.nth = nth
        self.grade = nth / (EACH - 1)

    def one(self, of: Sequence[str], key: str) -> str:
        """One of some."""
        return self._dice.choice(of, key)

    def some(self, of: Sequence[str], least: int = 1) -> list[str]:
        """As many as the grade says, in their order."""
        return list(of[:max(least, round(self.grade * len(of)))])

    def number(self, below: int, key: str) -> int:
        """A number."""
        return self._dice.below(below, key)


_FIRST = ("Dana", "Tom", "Anja", "Luc", "Carmen", "Peter", "Nora", "Sam")
_TOPICS = ("the samples", "our order", "the contract", "next week's fair", "the spare parts", "the new price list")


def _letter(draw: _Draw) -> _Draft:
    first, topic = draw.one(_FIRST, "first"), draw.one(_TOPICS, "topic")
    lines = draw.some((
        f"thank you for your call about {topic}.", "Could you tell me which delivery address we should use?",
        "The pallets are 80 cm wide, so two of them fit side by side.", "Peter will be there on Thursday at 10.",
        "If that doesn't suit you, any day after the 14th is fine too.",
        "I have asked accounts about the discount and will come back to you.",
    ), 2)
    return _Draft(f"{first} Brown <{first.lower()}@harbour-parts.com>", f"About {topic}",
                  f"Hi Maria,\n\n{' '.join(lines)}\n\nBest,\n{first}\n")


def _order(draw: _Draw) -> _Draft:
    number, price = 70000 + draw.number(9999, "number"), 12 + draw.number(900, "price")
    items = draw.some(("Ball bearing 6204", "V-belt A38", "Grease, 400 g", "Work gloves, size 9", "Hex key set"))
    rows = "".join(f"<tr><td>{one}</td><td>{price + n}.00 EUR</td></tr>" for n, one in enumerate(items))
    return _Draft(
        "Harbour Parts <orders@harbour-parts.com>", f"Your order {number} has been received",
        f"Hello Maria,\n\nthank you for your order {number}.\n\n" + "".join(
            f"{one}  {price + n}.00 EUR\n" for n, one in enumerate(items))
        + f"\nYou can follow it here: https://www.harbour-parts.com/orders/{number}\n\nHarbour Parts\n",
        f"<html><head><title>Order {number}</title></head><body><p>Hello Maria,</p><p>thank you for your order "
        f"{number}.</p><table>{rows}</table>"
        f"<p><a href=\"https://www.harbour-parts.com/orders/{number}\">Follow your order</a></p>"
        "<p>Harbour Parts</p></body></html>")


def _newsletter(draw: _Draw) -> _Draft:
    stories = draw.some((
        "How we rebuilt the crane in nine days", "New opening hours in March", "Five tips for storing belts",
        "Meet the team: Nora from dispatch", "20% off all gloves until Friday", "Free shipping on orders over 50 EUR",
    ))
    text = "\n\n".join(f"{one}\nhttps://news.harbour-parts.com/{n}" for n, one in enumerate(stories))
    html = "".join(f"<h2>{one}</h2><p>Read the whole story on our site, with pictures and a short film.</p>"
                   f"<p><a href=\"https://news.harbour-parts.com/{n}\">Read more</a></p>"
                   for n, one in enumerate(stories))
    return _Draft(
        "Harbour Parts News <news@harbour-parts.com>", f"Harbour news: {stories[0]}",
        f"Hello Maria,\n\nthis is our news of the month.\n\n{text}\n\nYou receive this because you subscribed.\n"
        "Unsubscribe: https://news.harbour-parts.com/unsubscribe?u=1\n",
        f"<html><body><p>Hello Maria,</p><p>this is our news of the month.</p>{html}<p>You receive this because you "
        "subscribed. <a href=\"https://news.harbour-parts.com/unsubscribe?u=1\">Unsubscribe</a></p></body></html>",
        fields="List-Id: Harbour news <news.harbour-parts.com>\r\n"
        "List-Unsubscribe: <https://news.harbour-parts.com/unsubscribe?u=1>\r\n"
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nPrecedence: bulk\r\n")


def _code(draw: _Draw) -> _Draft:
    code = 100000 + draw.number(899999, "code")
    lines = draw.some((
        f"your code is {code}.", "It is valid for ten minutes.", "If you did not ask for it, you can ignore this mail.",
        "You can also sign in here: https://app.harbour-parts.com/login?t=9f2c", "Never give this code to anybody.",
    ))
    return _Draft("Harbour Parts <no-reply@harbour-parts.com>", draw.one((
        "Your sign-in code", "Reset your password", "Confirm your e-mail address"), "subject"),
        f"Hello Maria,\n\n{' '.join(lines)}\n\nHarbour Parts\n")


def _invoice(draw: _Draw) -> _Draft:
    number, amount = 2000 + draw.number(900, "number"), 40 + draw.number(5000, "amount")
    lines = draw.some((
        f"please find attached invoice {number} of {amount}.50 EUR.", "It is due within 14 days.",
        "Please pay to our usual account and give the number of the invoice.",
        "This is a reminder: the amount has been due for two weeks.", "Kindly let us know when we may expect it.",
    ))
    pdf = encodebytes(b"%PDF-1.4\n" + bytes(range(32, 127)) * 12 + b"\n%%EOF\n").decode().replace("\n", "\r\n")
    part = (f'Content-Type: application/pdf; name="invoice-{number}.pdf"\r\nContent-Transfer-Encoding: base64\r\n'
            f'Content-Disposition: attachment; filename="invoice-{number}.pdf"\r\n\r\n{pdf}')
    return _Draft("Accounts Harbour Parts <accounts@harbour-parts.com>", f"Invoice {number}",
                  f"Dear Maria,\n\n{' '.join(lines)}\n\nKind regards,\nAnja Brown\n", parts=(part,))


def _reply(draw: _Draw) -> _Draft:
    first = draw.one(_FIRST, "first")
    lines = draw.some((
        "yes, Thursday works.", "I'd rather have the larger ones.", "The price is fine for us.",
        "Send me the contract and I'll sign it.", "Let's talk about the rest on the phone."))
    return _Draft(
        f"{first} Brown <{first.lower()}@harbour-parts.com>", "Re: Delivery next week",
        f"Hi Maria,\n\n{' '.join(lines)}\n\n{first}\n\nOn Mon, 2 Mar 2026, Maria Rossi wrote:\n"
        "> Does Thursday suit you?\n> And which size do you want?\n",
        fields="In-Reply-To: <7@acme.test>\r\nReferences: <7@acme.test>\r\n")


def _alert(draw: _Draw) -> _Draft:
    host, share = draw.one(("web-1", "db-2", "cache-3"), "host"), 80 + draw.number(20, "share")
    lines = draw.some((
        f"ALERT: disk /dev/sda1 on {host} is {share}% full!", "Severity: CRITICAL", "Since: 2026-03-02 08:41 UTC",
        "Runbook: http://wiki.harbour-parts.com/runbooks/disk?host=1&id=88231", "Acknowledge within 15 minutes.",
        "This mail was sent by a machine, please do not reply."))
    return _Draft("Monitoring <alerts@harbour-parts.com>", f"[CRITICAL] {host}: DISK FULL", "\n".join(lines) + "\n",
                  fields="Auto-Submitted: auto-generated\r\n")


def _sale(draw: _Draw) -> _Draft:
    offers = draw.some((
        "Spring sale: 20% off all gloves until Sunday!", "Free shipping on every order, only this week.",
        "Buy two belts, get one free.", "Don't miss our special offer on hex keys!",
        "Last chance: the sale ends Friday.",
        "Shop now and save 50 EUR."))
    html = "".join(f"<h1>{one}</h1><p><img src=\"https://cdn.harbour-parts.com/{n}.png\" alt=\"{one}\" width=600></p>"
                   f"<p>{one} All prices include tax, and you can send everything back within 30 days.</p>"
                   for n, one in enumerate(offers))
    return _Draft(
        "Harbour Parts Shop <shop@harbour-parts.com>", f"{offers[0]}",
        "Hello Maria,\n\n" + "\n".join(offers) + "\n\nhttps://www.harbour-parts.com/sale\n\nUnsubscribe: "
        "https://www.harbour-parts.com/unsubscribe?u=1\n",
        f"<html><body>{html}<p><a href=\"https://www.harbour-parts.com/sale\">Shop now</a></p><p><a href="
        "\"https://www.harbour-parts.com/unsubscribe?u=1\">Unsubscribe</a></p></body></html>",
        fields="List-Unsubscribe: <https://www.harbour-parts.com/unsubscribe?u=1>\r\n"
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nFeedback-ID: sale:harbour\r\n")


def _careless(draw: _Draw) -> _Draft:
    code = 1000 + draw.number(8999, "code")
    lines = draw.some((
        "Welcome Maria! Your account has been created.", f"Confirm it with the number {code}.",
        "Click <a href=\"http://localhost:3000/confirm?t=abc\">here</a> to confirm your e-mail address.",
        "TODO: footer", "Lorem ipsum dolor sit amet, consectetur adipiscing elit."))
    return _Draft("app@dev.harbour-parts.com", draw.one(("Welcome", "test", "Confirm your account"), "subject"),
                  "", "<p>" + "</p><p>".join(lines) + "</p>", bare=True)


def _advance_fee(draw: _Draw) -> _Draft:
    lines = draw.some((
        "I am Barrister James Okoro, attorney to the late Mr. Henry Brown who died in a plane crash with his family.",
        "He left the sum of US$18,500,000.00 (Eighteen Million Five Hundred Thousand United States Dollars) in a bank "
        "in Lagos, Nigeria.",
        "I seek your consent to present you as the next of kin to the deceased so that the funds can be released.",
        "The transfer of funds is strictly confidential and 100% risk free.",
        "You will be given 40% of the total sum as the beneficiary for your assistance.",
        "Please send your full name, bank account number, telephone number and address for immediate transfer.",
        "I await your urgent response. God bless you.",
    ))
    return _Draft(
        "Barrister James Okoro <james.okoro.chambers2@gmail.com>", draw.one((
            "Urgent business proposal", "FROM BARRISTER JAMES OKORO", "Dear Beloved", "Confidential"), "subject"),
        "Dear Friend,\n\n" + "\n".join(lines) + "\n\nYours sincerely,\nBarrister James Okoro\n",
        fields="Reply-To: okoro.private@yahoo.com\r\n")


def _pharmacy(draw: _Draw) -> _Draft:
    lines = draw.some((
        "Online pharmacy: Viagra from $1.15, Cialis from $1.99, Levitra from $2.50.",
        "No prescription needed! Order now and save up to 80%.",
        "Buy Viagra, Cialis, Valium, Xanax and Ambien online.",
        "Male enhancement that works, with 100% money back guarantee.", "Click here to buy now.",
    ))
    place = draw.one(("http://canadian-meds-4u.biz/", "http://93.184.215.99/rx", "http://pillsdirect.info/"), "place")
    subject = draw.one(("Viagra $1.15 per pill", "Cheap meds, no prescription", "V1AGRA and C1ALIS 80% OFF!!!",
                        "SAVE BIG ON MEDS NOW"), "subject")
    html = "".join(f"<p><font size=5 color=red>{one}</font></p>" for one in lines)
    page = f"<html><body>{html}<a href=\"{place}\">Click here</a></body></html>"
    return _Draft("Canadian Pharmacy <best2938475@cheap-rx.biz>", subject, "\n".join(lines) + f"\n{place}\n",
                  page if draw.nth % 2 else "")


def _phishing(draw: _Draw) -> _Draft:
    lines = draw.some((
        "we noticed unusual activity in your account.", "Your account has been suspended.",
        "To restore access you must verify your account within 24 hours.",
        "If you do not confirm your identity, your account will be closed.",
        "Click the link below and enter your password and credit card number.",
    ))
    bank = draw.one(("PayPal", "Netbank", "Microsoft"), "bank")
    shown, real = f"https://www.{bank.lower()}.com/signin", "http://secure-login.account-check.xyz/paypal/"
    real = real if draw.nth % 3 else "http://185.199.108.9/~user/signin.php"
    html = (f"<html><body><p>Dear customer,</p><p>{' '.join(lines)}</p><p><a href=\"{real}\">{shown}</a></p>"
            f"<p>{bank} Security</p></body></html>")
    return _Draft(f"\"{bank} Security\" <security@account-check.xyz>", draw.one((
        f"{bank}: your account is limited", "URGENT: VERIFY YOUR ACCOUNT", "Security alert"), "subject"),
        "" if draw.nth % 2 else f"Dear customer,\n\n{' '.join(lines)}\n\n{real}\n\n{bank} Security\n", html)


def _lottery(draw: _Draw) -> _Draft:
    lines = draw.some((
        "CONGRATULATIONS! You have won the sum of EUR 1,500,000.00 in the Euro Millions Lottery.",
        "Your e-mail address was selected as a winner from 250,000 addresses.",
        "To claim your prize, contact our claims agent with your name, age and telephone number.",
        "Ticket number: 56475600545, lucky numbers 3-9-17-21-33, batch number 12/25/0304.",
        "Winnings not claimed within two weeks are returned to the fund.",
        "This lottery was sponsored by Microsoft and Coca Cola.",
    ))
    return _Draft("Euro Millions <euro.millions.award77@hotmail.com>", draw.one((
        "YOU HAVE WON!!!", "CONGRATULATIONS YOU ARE A WINNER", "Award notification", "Final notice: claim your prize"),
        "subject"), "\n\n".join(lines) + "\n\nMrs. Anne Smith\nClaims Department\n",
        fields="Reply-To: claims.agent.smith@gmail.com\r\n")


def _quick_money(draw: _Draw) -> _Draft:
    lines = draw.some((
        "MAKE MONEY FAST FROM HOME!!!", "Earn $5,000 per week, no experience needed, 100% risk free!",
        "Be your own boss and achieve financial freedom!!!", "This is not spam. Act now, this offer expires today!",
        "Online casino: free spins and no deposit bonus!", "No credit check, instant loan, pre-approved!",
    ))
    html = "<br>".join(f"<b><font color=\"#ff0000\" size=\"7\">{one}</font></b>" for one in lines)
    return _Draft("Money Team <x8837465@moneynow.biz>", draw.one((
        "MAKE $5000 A WEEK!!!", "Earn extra cash now", "$$$ FREE MONEY $$$"), "subject"),
        "", f"<html><body>{html}<br><a href=\"http://bit.ly/2x\">CLICK HERE</a></body></html>")


def _carrier(draw: _Draw) -> _Draft:
    name = draw.one(("invoice.pdf.exe", "document.scr", "photo.jpg.pif", "update.bat"), "name")
    octets = encodebytes(b"MZ\x90\x00\x03\x00\x00\x00" + bytes(range(200)) * 4).decode().replace("\n", "\r\n")
    lines = draw.some(("see attached.", "Open the file to see your invoice.", "You must open it today!",
                       "Your password is 1234."))
    part = (f'Content-Type: application/octet-stream; name="{name}"\r\nContent-Transfer-Encoding: base64\r\n'
            f'Content-Disposition: attachment; filename="{name}"\r\n\r\n{octets}')
    return _Draft("Scanner <scan@acme-office.biz>", draw.one(("Your invoice", "Scanned document", "Photos"), "subject"),
                  "Hello,\n\n" + " ".join(lines) + "\n", parts=(part,))


def _extortion(draw: _Draw) -> _Draft:
    lines = draw.some((
        "I hacked your computer and recorded you with your webcam while you visited adult sites.",
        "I have full access to your device, your contacts and your browsing history.",
        "Send $950 in bitcoin to my BTC wallet: 1Lughwk11SAsz54wZJ3bpGbNqGfVanMWzk",
        "You have 48 hours. After that I send the video to all your contacts.",
        "Do not answer this mail, the address is not mine. Your password is hunter2."))
    return _Draft("Hacker <noone@darkweb-mail.xyz>", draw.one((
        "Your account was hacked", "I RECORDED YOU", "Payment required"), "subject"),
        "Hello!\n\n" + "\n".join(lines) + "\n")


def _dating(draw: _Draw) -> _Draft:
    lines = draw.some((
        "Hot singles in your area want to meet you tonight!", "Sexy girls, xxx videos, all 100% FREE!!!",
        "Lonely women are waiting for your message.", "Adult dating without commitment, click here.",
        "I saw your profile and I am a Russian girl looking for a good man."))
    return _Draft("Svetlana <svetlana19984456@hot-dates.biz>", draw.one((
        "Hot girls near you!!!", "Hi honey", "MEET SEXY SINGLES TONIGHT"), "subject"),
        "\n".join(lines) + "\nhttp://hot-dates.biz/?id=1\n",
        "<html><body>" + "".join(f"<p>{one}</p>" for one in lines)
        + "<a href=\"http://hot-dates.biz/?id=1\"><img src=\"http://hot-dates.biz/1.jpg\"></a></body></html>")


def _replica(draw: _Draw) -> _Draft:
    lines = draw.some((
        "Replica watches: Rolex, Breitling, Omega from $199.", "Perfect copies, nobody will know the difference.",
        "Lose weight fast with our miracle cure!", "Order now, limited time, while supplies last!!!",
        "100% money back guarantee. Risk free. Click here.", "To be removed from our list send an empty mail."))
    return _Draft("Luxury Goods <sale7745521@replica-lux.info>", draw.one((
        "Rolex $199!!!", "LUXURY WATCHES 90% OFF", "Look rich for less"), "subject"),
        "", "<html><body bgcolor=\"#ffffff\"><center><font color=\"#fffffe\" size=1>river stone apple tree</font>"
        + "".join(f"<p><font size=6>{one}</font></p>" for one in lines)
        + "<a href=\"http://replica-lux.info/?a=7745521\"><img src=\"http://replica-lux.info/w.gif\"></a></center>"
        "</body></html>")


#: By kind; the first nine are honest.
KINDS: dict[str, Callable[[_Draw], _Draft]] = {
    "letter": _letter, "order": _order, "newsletter": _newsletter, "code": _code, "invoice": _invoice, "reply": _reply,
    "alert": _alert, "sale": _sale, "careless": _careless,
    "advance fee": _advance_fee, "pharmacy": _pharmacy, "phishing": _phishing, "lottery": _lottery,
    "quick money": _quick_money, "carrier": _carrier, "extortion": _extortion, "dating": _dating, "replica": _replica,
}

#: Kinds of which robots send two mails of three, whose traces are in the header; the others come as from anybody.
BY_ROBOT = frozenset(("pharmacy", "phishing", "quick money", "carrier", "extortion", "dating", "replica"))


def mails() -> Iterator[Junk]:
    """Yield all of them."""
    for kind, write in KINDS.items():
        for nth in range(EACH):
            draft = write(_Draw(kind, nth))
            sender = draft.from_.rpartition("<")[2].rstrip(">")
            yield Junk(kind, f"{kind} {nth}", sender, _built(draft, sender, kind, nth))


def _built(draft: _Draft, sender: str, kind: str, nth: int) -> bytes:
    domain = sender.rpartition("@")[2]
    fields = draft.fields
    host = f"mail.{domain} (mail.{domain} [93.184.215.{nth + 1}])"
    if kind in BY_ROBOT and nth % 3:
        # A robot on somebody's computer at home that says it is a mail program of old.
        fields += "X-Mailer: Microsoft Outlook Express 6.00.2800.1158\r\nX-Priority: 3\r\n"
        host = f"adsl-93-184-216-{nth + 1}.dynamic.homenet.com (unknown [93.184.216.{nth + 1}])"
    head = f"From: {draft.from_}\r\nTo: {MARIA}\r\nSubject: {draft.subject}\r\n"
    if not draft.bare:
        head = (
            f"Return-Path: <{sender}>\r\nReceived: from {host}\r\n\tby mx.acme.test with ESMTP id 4xYz{nth:04d};\r\n"
            f"\tMon, 02 Mar 2026 09:00:{nth:02d} +0000\r\nDate: Mon, 02 Mar 2026 08:59:{nth:02d} +0000\r\n{head}"
            f"Message-ID: <{kind.replace(' ', '-')}.{nth}.20260302@mail.{domain}>\r\n{fields}")
    head += "MIME-Version: 1.0\r\n"
    body = _bodies(draft)
    if draft.parts:
        return (head + 'Content-Type: multipart/mixed; boundary="mix"\r\n\r\n'
                + "".join(f"--mix\r\n{part}\r\n" for part in (body, *draft.parts)) + "--mix--\r\n").encode()
    return (head + body).encode()


def _bodies(draft: _Draft) -> str:
    text, html = (f"Content-Type: text/{sort}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
                  + body.replace("\n", "\r\n") for sort, body in (("plain", draft.text), ("html", draft.html + "\n")))
    if draft.text and draft.html:
        return ('Content-Type: multipart/alternative; boundary="alt"\r\n\r\n'
                f"--alt\r\n{text}\r\n--alt\r\n{html}\r\n--alt--\r\n")
    return text if draft.text else html
