"""
The rules of the spam score: each looks for one thing spam does and honest mail seldom does.

A mail is taken apart once for all of them: capped, in lower case, counted.  A
rule answers what it adds and what it saw, or None.  What a test
application sends by carelessness (a date off the simulated clock, links to
localhost, a plain subject) is no sign of spam.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import NamedTuple

from simmail.core.html.links import Anchor, anchors, host_of, unsubscribing
from simmail.core.language_data import words_in
from simmail.core.message.auto_submitted import bulk
from simmail.core.message.mail import Mail
from simmail.core.mime.address import Address, domain_of
from simmail.core.net.hosts import MAIL_PROVIDERS, is_local

#: Characters of each body that are looked at.
LOOKED_AT = 65_536

_ADVERTISING = words_in("extraction.yaml", "advertising")

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


Look = Callable[[ScoredMail], "RuleHit | None"]


class RuleHit(NamedTuple):
    """What a rule adds (less than 0 takes off), and what it saw."""

    score: float
    seen: str


class SpamTest(NamedTuple):
    """A rule by its name; C{description} says what it is about."""

    name: str
    description: str
    look: Look


#: The text every spam filter knows as spam (SpamAssassin's GTUBE), so that junk can be had on purpose.
GTUBE = "xjs*c4jdbqadn1.nsbn3*2idnen*gtube-standard-anti-ube-test-email*c.34x"

_SHORTENERS = frozenset((
    "bit.ly", "tinyurl.com", "t.co", "goo.gl", "ow.ly", "is.gd", "buff.ly", "cutt.ly", "rebrand.ly", "shorturl.at",
    "t.ly", "rb.gy", "tiny.cc", "v.gd", "bl.ink",
))
_EXECUTABLE = (
    ".exe", ".scr", ".com", ".pif", ".bat", ".cmd", ".vbs", ".vbe", ".js", ".jse", ".wsf", ".hta", ".msi", ".jar",
    ".ps1", ".lnk", ".cpl", ".iso", ".img",
)
#: Firms in whose name passwords are asked for.
_BRANDS = ("paypal", "microsoft", "amazon", "apple id", "netflix", "docusign", "dropbox", "facebook", "instagram",
           "linkedin", "american express", "mastercard", "coinbase", "wells fargo", "sparkasse", "postbank")
_MACROS = (".docm", ".xlsm", ".pptm", ".dotm", ".xll")
_INNOCENT = (".pdf", ".doc", ".docx", ".xls", ".xlsx", ".jpg", ".png", ".txt", ".csv")


def _phrases(each: float, most: float, *phrases: str) -> Look:
    """A rule that adds C{each} for every different phrase found, up to C{most}."""
    def look(one: ScoredMail) -> RuleHit | None:
        found = [phrase for phrase in phrases if phrase in one.low]
        if not found:
            return None
        return RuleHit(min(most, each * len(found)), ", ".join(f'"{phrase}"' for phrase in found[:3]))
    return look


def _gtube(one: ScoredMail) -> RuleHit | None:
    return RuleHit(1000.0, "the standard test text") if GTUBE in one.low else None


def _subject_caps(one: ScoredMail) -> RuleHit | None:
    letters = [c for c in one.subject if c.isalpha()]
    if len(letters) >= 10 and sum(1 for c in letters if c.isupper()) > 0.8 * len(letters):
        return RuleHit(1.5, "the subject shouts")
    return None


def _subject_marks(one: ScoredMail) -> RuleHit | None:
    marks = one.subject.count("!") + one.subject.count("$") + one.subject.count("\u20ac")
    return RuleHit(min(1.5, 0.5 * marks), f"{marks} marks such as ! or $ in the subject") if marks >= 2 else None


def _subject_missing(one: ScoredMail) -> RuleHit | None:
    return None if one.subject.strip() else RuleHit(0.8, "no subject")


def _subject_fake_reply(one: ScoredMail) -> RuleHit | None:
    if one.subject[:3].lower() in ("re:", "aw:") and not one.mail.in_reply_to and not one.mail.references:
        return RuleHit(0.8, "Re: without anything replied to")
    return None


def _from_missing(one: ScoredMail) -> RuleHit | None:
    return None if "@" in one.from_.address else RuleHit(2.0, "no sender in From")


def _from_name_is_address(one: ScoredMail) -> RuleHit | None:
    name = one.from_.name.lower()
    if "@" not in name or "@" not in one.from_.address:
        return None
    shown = name[:500].rpartition("@")[2].strip(" >)\"'").split(" ")[0]
    actual = domain_of(one.from_.address)
    if "." in shown and shown != actual:
        return RuleHit(2.0, f"the name shows {shown}, the address is at {actual}")
    return None


def _from_random(one: ScoredMail) -> RuleHit | None:
    local = one.from_.address.partition("@")[0]
    digits = sum(1 for c in local if c.isdigit())
    return RuleHit(0.7, "many digits in the sender's name") if digits >= 6 and digits * 2 >= len(local) else None


def _brand_elsewhere(one: ScoredMail) -> RuleHit | None:
    name = one.from_.name.lower()
    found = next((brand for brand in _BRANDS if brand in name), "")
    host = domain_of(one.from_.address) if found and "@" in one.from_.address else ""
    if host and found.replace(" ", "") not in host.replace("-", ""):
        return RuleHit(1.4, f"the name says {found}, the address is at {host[:60]}")
    return None


def _forged_mailer(one: ScoredMail) -> RuleHit | None:
    # Outlook Express never wrote a mail without the second field; spam programs know of the first only.
    if one.headers.get("x-mailer", "").startswith("Microsoft Outlook Express") and "x-mimeole" not in one.headers:
        return RuleHit(2.2, "no mail of Outlook Express, as it says it is")
    return None


def _reply_to_elsewhere(one: ScoredMail) -> RuleHit | None:
    if "@" not in one.from_.address:
        return None
    own = domain_of(one.from_.address)
    for address in one.mail.reply_to:
        if "@" in address.address:
            other = domain_of(address.address)
            if other != own and other in MAIL_PROVIDERS:
                return RuleHit(1.2, f"replies go to a free mailbox at {other}")
    return None


def _sender_differs(one: ScoredMail) -> RuleHit | None:
    if "@" not in one.envelope_sender or "@" not in one.from_.address:
        return None
    path, shown = domain_of(one.envelope_sender), domain_of(one.from_.address)
    if _organisation(path) != _organisation(shown):
        return RuleHit(0.4, f"sent by {path} for {shown}")
    return None


def _not_addressed(one: ScoredMail) -> RuleHit | None:
    named = [address.address.lower() for address in (*one.mail.to, *one.mail.cc)]
    if not one.recipient or not named or one.recipient in named:
        return None
    return RuleHit(0.5, "not addressed to its recipient")


def _shouting(one: ScoredMail) -> RuleHit | None:
    # Counted in the first part: shouting does not wait.
    part = one.text[:8192]
    capitals = sum(map(str.isupper, part))
    # Few in a glance: most mail need not be counted twice.
    if capitals > 40 and 80 <= sum(map(str.isalpha, part)) < 2 * capitals:
        return RuleHit(1.4, "most of the text is in capitals")
    return None


def _exclaiming(one: ScoredMail) -> RuleHit | None:
    marks = one.text.count("!")
    if "!!!" in one.text or marks > 5 + one.words // 10:
        return RuleHit(0.9, f"{marks} exclamation marks")
    return None


def _obfuscated(one: ScoredMail) -> RuleHit | None:
    if one.unseen >= 5:
        return RuleHit(1.8, f"{one.unseen} invisible letters")
    found = [word for word in ("v1agra", "vi@gra", "c1alis", "fr33", "cl1ck", "m0ney", "pr0n", "0ffer", "w1nner",
                               "cas1no", "b0nus", "l0an") if word in one.low]
    return RuleHit(1.8, f"disguised words such as {found[0]}") if found else None


def _big_money(one: ScoredMail) -> RuleHit | None:
    for sign in ("$", "usd", "us$", "\u20ac", "eur", "\u00a3", "gbp"):
        at = one.low.find(sign)
        looked = 0
        while at >= 0 and looked < 50:
            near = one.low[at + len(sign):at + len(sign) + 20].strip()
            amount = near.split(" ")[0].rstrip(".,;:)-")
            if amount[-3:-2] in (".", ",") and amount[-2:].isdigit():
                amount = amount[:-3]
            if sum(map(str.isdigit, amount)) >= 7 or "million" in near:
                return RuleHit(1.6, "millions in money")
            at = one.low.find(sign, at + len(sign))
            looked += 1
    return RuleHit(1.6, "millions in money") if "million dollars" in one.low or "million usd" in one.low else None


def _link_mismatch(one: ScoredMail) -> RuleHit | None:
    for link, host in zip(one.links, one.hosts):
        shown = link.text.strip().lower()
        if link.text == link.url or not host or " " in shown or "." not in shown:
            continue
        named = host_of(shown if "://" in shown else f"http://{shown}")
        if "." in named and named.rpartition(".")[2].isalpha() and _organisation(named) != _organisation(host):
            return RuleHit(2.6, f"a link shows {named[:60]} and leads to {host[:60]}")
    return None


def _link_to_number(one: ScoredMail) -> RuleHit | None:
    for host in one.hosts:
        if host[:1].isdigit() or ":" in host:
            try:
                public = ip_address(host).is_global
            except ValueError:
                continue
            if public:
                return RuleHit(2.0, f"a link to the bare address {host}")
    return None


def _link_shortened(one: ScoredMail) -> RuleHit | None:
    found = [host for host in one.hosts if host in _SHORTENERS]
    return RuleHit(1.0, f"a link hidden behind {found[0]}") if found else None


def _link_credentials(one: ScoredMail) -> RuleHit | None:
    for link in one.links:
        authority = link.url.partition("://")[2].partition("/")[0]
        if "@" in authority:
            return RuleHit(2.0, "a link with a sham host before an @")
    return None


def _link_lookalike(one: ScoredMail) -> RuleHit | None:
    for host in one.hosts:
        if any(label.startswith("xn--") for label in host.split(".")):
            return RuleHit(1.2, f"a link to a host in foreign letters, {host[:60]}")
    return None


def _many_links(one: ScoredMail) -> RuleHit | None:
    count = sum(1 for host in one.hosts if host and not is_local(host))
    return RuleHit(0.8, f"{count} links in {one.words} words") if count > 15 and one.words < count * 12 else None


def _image_only(one: ScoredMail) -> RuleHit | None:
    if "<img" in one.html and one.words < 15:
        return RuleHit(1.4, f"pictures and only {one.words} words")
    return None


def _html_only(one: ScoredMail) -> RuleHit | None:
    return RuleHit(0.3, "HTML without a text part") if one.mail.format == "html" else None


def _html_hidden(one: ScoredMail) -> RuleHit | None:
    folded = one.html.replace(" ", "")
    for style in ("font-size:0;", "font-size:0px", 'font-size:0"', "visibility:hidden", "text-indent:-999"):
        if style in folded:
            return RuleHit(0.7, "hidden text")
    return None


def _html_form(one: ScoredMail) -> RuleHit | None:
    if "<form" in one.html and 'type="password"' in one.html.replace("'", '"'):
        return RuleHit(2.5, "a form that asks for a password")
    if "<script" in one.html:
        return RuleHit(1.5, "a script")
    return RuleHit(0.8, "a form") if "<form" in one.html else None


def _attached_program(one: ScoredMail) -> RuleHit | None:
    for attachment in one.mail.attachments[:100]:
        name = attachment.filename.lower().strip()
        if name.endswith(_EXECUTABLE):
            stem = name[:name.rfind(".")]
            if stem.endswith(_INNOCENT):
                return RuleHit(6.0, f"a program disguised as a document, {name[-60:]}")
            return RuleHit(5.0, f"an attached program, {name[-60:]}")
    return None


def _attached_macros(one: ScoredMail) -> RuleHit | None:
    for attachment in one.mail.attachments[:100]:
        if attachment.filename.lower().strip().endswith(_MACROS):
            return RuleHit(1.2, f"an attached document with macros, {attachment.filename[-60:]}")
    return None


def _no_way_out(one: ScoredMail) -> RuleHit | None:
    if "list-unsubscribe" not in one.headers and sum(map(one.low.__contains__, _ADVERTISING)) > 1 and (
            not unsubscribing(one.low)):
        return RuleHit(1.0, "advertising without a way to unsubscribe")
    return None


def _unsubscribe_header(one: ScoredMail) -> RuleHit | None:
    if "list-unsubscribe-post" in one.headers and "list-unsubscribe" in one.headers:
        return RuleHit(-0.5, "one-click unsubscribe")
    return RuleHit(-0.3, "an unsubscribe header") if "list-unsubscribe" in one.headers else None


def _crowd(one: ScoredMail) -> RuleHit | None:
    count = len(one.mail.to) + len(one.mail.cc)
    return RuleHit(0.8, f"{count} addressees") if count > 20 and bulk(one.mail) else None


def _conversation(one: ScoredMail) -> RuleHit | None:
    return RuleHit(-1.0, "part of a conversation") if one.mail.in_reply_to and one.mail.references else None


def _phishing_link(one: ScoredMail) -> RuleHit | None:
    """Urgent talk of an account is a sign only together with a link that leads elsewhere than to the sender."""
    asked = [phrase for phrase in (
        "verify your account", "confirm your account", "account has been suspended", "account will be suspended",
        "account has been limited", "unusual activity", "unusual sign-in", "update your billing", "update your payment",
        "confirm your identity", "validate your", "mailbox is full", "password will expire", "password expires",
        "security alert", "your account will be closed", "re-activate your", "reactivate your",
        "ihr konto wurde", "konto gesperrt", "bestätigen sie ihr", "postfach ist voll",
    ) if phrase in one.low]
    if not asked or not one.links:
        return None
    own = _organisation(domain_of(one.from_.address)) if "@" in one.from_.address else ""
    foreign = [host for host in one.hosts if host and not is_local(host) and _organisation(host) != own]
    if not foreign:
        return None
    return RuleHit(min(5.2, 1.0 + 1.4 * len(asked)), f'"{asked[0]}" with a link to {foreign[0][:60]}')


def _organisation(host: str) -> str:
    """The last two labels, three where the last two are a public suffix such as co.uk."""
    labels = host.rsplit(".", 3)
    if len(labels) >= 3 and len(labels[-1]) == 2 and labels[-2] in ("co", "com", "org", "net", "ac", "gov", "edu"):
        return ".".join(labels[-3:])
    return ".".join(labels[-2:])


RULES: tuple[SpamTest, ...] = (
    SpamTest("GTUBE", "the text made for testing spam filters", _gtube),
    SpamTest("SUBJECT_CAPS", "a subject in capitals", _subject_caps),
    SpamTest("SUBJECT_MARKS", "exclamation marks and money signs in the subject", _subject_marks),
    SpamTest("SUBJECT_MISSING", "no subject", _subject_missing),
    SpamTest("SUBJECT_FAKE_REPLY", "a reply to nothing", _subject_fake_reply),
    SpamTest("FROM_MISSING", "no sender", _from_missing),
    SpamTest("FROM_NAME_ADDRESS", "a name that shows another address", _from_name_is_address),
    SpamTest("FROM_DIGITS", "a sender's name made of digits", _from_random),
    SpamTest("BRAND_ELSEWHERE", "the name of a firm that is often feigned, at another domain", _brand_elsewhere),
    SpamTest("FORGED_MAILER", "a mail program that writes other mail", _forged_mailer),
    SpamTest("REPLY_TO_FREE", "replies to a free mailbox elsewhere", _reply_to_elsewhere),
    SpamTest("SENDER_DIFFERS", "reverse-path and From of different domains", _sender_differs),
    SpamTest("NOT_ADDRESSED", "the recipient is neither in To nor in Cc", _not_addressed),
    SpamTest("SHOUTING", "text in capitals", _shouting),
    SpamTest("EXCLAIMING", "many exclamation marks", _exclaiming),
    SpamTest("OBFUSCATED", "disguised words", _obfuscated),
    SpamTest("MILLIONS", "very much money", _big_money),
    SpamTest("LOTTERY", "prizes and winnings", _phrases(
        1.5, 4.5, "you have won", "you've won", "you are a winner", "claim your prize", "lottery", "sweepstake",
        "selected as a winner", "congratulations, you", "cash prize", "jackpot", "free gift card",
        "sie haben gewonnen", "ihr gewinn", "glückwunsch! sie")),
    SpamTest("ADVANCE_FEE", "inheritances and favours", _phrases(
        1.6, 4.0, "next of kin", "inheritance", "beneficiary", "unclaimed funds", "business proposal of mutual",
        "transfer of funds", "deceased client", "strictly confidential transaction", "barrister", "compensation fund",
        "western union", "dear beloved", "god bless you", "dear friend,", "the late mr",
        "million united states dollars", "plane crash", "my late husband", "foreign account", "foreign partner")),
    SpamTest("PHARMACY", "medicines", _phrases(
        2.2, 4.5, "viagra", "cialis", "levitra", "online pharmacy", "no prescription", "weight loss pills",
        "male enhancement", "miracle cure", "lose weight fast")),
    SpamTest("REPLICA", "copies of what is dear", _phrases(
        2.0, 4.0, "replica watch", "rolex", "breitling", "luxury watches", "designer replica", "perfect copies",
        "replica handbag")),
    SpamTest("QUICK_MONEY", "earning without work", _phrases(
        1.3, 3.5, "work from home", "make money fast", "earn extra cash", "be your own boss", "financial freedom",
        "risk free", "risk-free", "guaranteed income", "no experience needed", "passive income", "double your",
        "100% free", "get rich")),
    SpamTest("CRYPTO", "coins and trading", _phrases(
        1.4, 3.5, "bitcoin investment", "crypto investment", "guaranteed returns", "trading signals", "wallet phrase",
        "seed phrase", "token airdrop", "binary options", "100x", "send bitcoin")),
    SpamTest("LOAN", "credit without questions", _phrases(
        1.4, 3.0, "no credit check", "instant loan", "pre-approved", "consolidate your debt", "lowest interest rate",
        "debt relief", "payday loan")),
    SpamTest("ADULT", "dating and adult offers", _phrases(
        2.0, 4.0, "hot singles", "adult dating", "xxx videos", "sexy girls", "meet singles", "lonely women")),
    SpamTest("GAMBLING", "casinos and bets", _phrases(
        1.5, 3.0, "online casino", "free spins", "no deposit bonus", "betting tips", "place your bets")),
    SpamTest("EXTORTION", "threats with recordings", _phrases(
        2.2, 4.5, "recorded you", "your webcam", "i hacked", "have full access to your device",
        "send the payment to my", "your browsing history")),
    SpamTest("HURRY", "urging", _phrases(
        0.6, 2.0, "act now", "limited time", "expires today", "only today", "last chance", "don't miss", "hurry up",
        "urgent response", "while supplies last", "offer ends", "once in a lifetime", "order now", "click here",
        "buy now", "klicken sie jetzt", "nur heute", "letzte chance", "jetzt kaufen")),
    SpamTest("PHISHING", "account threats with a link elsewhere", _phishing_link),
    SpamTest("LINK_MISMATCH", "a link that says one thing and leads to another", _link_mismatch),
    SpamTest("LINK_NUMBER", "a link to a bare address", _link_to_number),
    SpamTest("LINK_SHORTENED", "a shortened link", _link_shortened),
    SpamTest("LINK_CREDENTIALS", "a link with a sham host", _link_credentials),
    SpamTest("LINK_FOREIGN", "a host in foreign letters", _link_lookalike),
    SpamTest("MANY_LINKS", "more links than words to explain them", _many_links),
    SpamTest("IMAGE_ONLY", "pictures without text", _image_only),
    SpamTest("HTML_ONLY", "no text part", _html_only),
    SpamTest("HTML_HIDDEN", "text that is not seen", _html_hidden),
    SpamTest("HTML_FORM", "forms and scripts", _html_form),
    SpamTest("ATTACHED_PROGRAM", "a program attached", _attached_program),
    SpamTest("ATTACHED_MACROS", "macros attached", _attached_macros),
    SpamTest("NO_WAY_OUT", "advertising without unsubscribing", _no_way_out),
    SpamTest("UNSUBSCRIBE_HEADER", "a way to unsubscribe", _unsubscribe_header),
    SpamTest("CROWD", "many addressees", _crowd),
    SpamTest("CONVERSATION", "an answer in a conversation", _conversation),
)
