"""
Answers with what they answer below, as each mail program puts it.

Takes the new text and the original, gives the two bodies of the answer.
Telling new text from quoted is L{core.message.splitting}.
Source: decisions, section 8 (quoting dialects).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from html import escape
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, convert

from simmail.core.html.sanitize import safe
from simmail.core.language_data import LANGUAGES, read_optional, read_yaml
from simmail.core.message.mail import Mail
from simmail.core.mime.address import Address

#: Characters of the original that are quoted, in each form.
LONGEST_QUOTE = 256 * 1024
#: Where Gmail wraps an attribution.
_WRAP = 78


class _Language(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Names and phrases of a language (C{quoting.yaml} of its folder); C{wrote} takes the date and the author.

    C{dates}: how each client tells a date, with the C{day}, C{month} and C{short} month by name, C{hour} and C{half} of
    the twelve-hour clock, the C{offset}, and the instant C{at}.
    """

    months: tuple[str, ...]
    shorts: tuple[str, ...]
    days: tuple[str, ...]
    fields: tuple[str, str, str, str, str, str]
    wrote: str
    undated: str
    forwarded: str
    begin: str
    original: str
    dates: dict[str, str]


@cache
def _language(code: str) -> _Language:
    """A language, English for one that has no such phrases."""
    return convert((code in LANGUAGES and read_optional(code, "quoting.yaml")) or read_yaml("en", "quoting.yaml"),
                   _Language)


def quote(
    client: str, new_text: str, original: Mail | None, *, forward: bool = False, at: datetime | None = None,
    language: str = "en",
) -> tuple[str, str]:
    """
    The plain and the HTML body of an answer; the HTML is C{""} for the client C{plain}.

    @param new_text: what the author wrote, signature included, LF lines.
    @param original: what is answered or passed on, None for a mail that quotes nothing.
    @param forward: it is passed on, not answered.
    @param at: when it came, in the zone of who quotes it; by itself what its Date header says.
    @param language: of the attribution; one that has no C{quoting.yaml} has that of C{en}.
    """
    new_text = new_text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    dialect = _DIALECTS.get(client, _plain)
    if original is None:
        return new_text + "\n", _PAGES[client](_PARAGRAPHS[client](new_text), "") if client in _PAGES else ""
    return dialect(_Answer(
        client, new_text, original, forward, at or original.date, _language(language)))


class _Answer(NamedTuple):
    """What a dialect works on."""

    client: str
    new: str
    original: Mail
    forward: bool
    at: datetime | None
    language: _Language

    def author(self) -> str:
        """C{Name <a@b>} of the original's sender."""
        return _shown(self.original.from_)

    def attribution(self, date: str, comma: str = ",") -> str:
        """C{On ... wrote:}."""
        if not date:
            return self.language.wrote.format(date=self.language.undated, comma=",", author=self.author())
        return self.language.wrote.format(date=date, comma=comma, author=self.author())

    def text(self) -> str:
        """The original's text, without blank lines at its ends."""
        return self.original.text[:LONGEST_QUOTE].replace("\r\n", "\n").strip("\n")

    def marked(self, mark: str = "> ", above: str = "") -> str:
        """The original's text with a mark before each line; C{above} goes first."""
        body = f"{above}{self.text()}"
        return "\n".join([(mark + line).rstrip() for line in body.split("\n")])

    def html(self) -> str:
        """The original as a piece of HTML, cleaned as it would be for showing it."""
        page = self.original.html
        return safe(page, remote=True, light=True)[0] if page and len(page) <= LONGEST_QUOTE else _as_html(self.text())

    def fields(self, names: tuple[int, ...], date: str) -> list[tuple[str, str]]:
        """Header fields of the original to be shown, those that it has."""
        mail, labels = self.original, self.language.fields
        values = (self.author(), date, "; ".join(map(_shown, mail.to[:50])), "; ".join(map(_shown, mail.cc[:50])),
                  " ".join(mail.subject.split()), date)
        return [(labels[n], values[n]) for n in names if values[n]]

    def page(self, quotation: str) -> str:
        """The whole HTML body."""
        return _PAGES[self.client](_PARAGRAPHS[self.client](self.new), quotation)


def _shown(address: Address) -> str:
    name = " ".join(address.name.split())
    return f"{name} <{address.address}>" if name else f"<{address.address}>"


# Dates

def _date(one: _Answer, client: str) -> str:
    """When the original came, as a client tells it; C{""} for one without a date."""
    at, language = one.at, one.language
    if at is None:
        return ""
    minutes = int((at.utcoffset() or timedelta(0)).total_seconds()) // 60
    return language.dates[client].format(
        at=at, day=language.days[at.weekday()], month=language.months[at.month - 1],
        short=language.shorts[at.month - 1], hour=at.hour % 12 or 12, half="PM" if at.hour >= 12 else "AM",
        offset=f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}")


# Dialects

def _wrapped(line: str) -> str:
    """A long line broken once, as Gmail breaks attributions."""
    if len(line) <= _WRAP:
        return line
    at = line.rfind(" ", 0, _WRAP)
    return f"{line[:at]}\n{line[at + 1:]}" if at > 0 else line


def _gmail(one: _Answer) -> tuple[str, str]:
    date = _date(one, "gmail")
    if one.forward:
        fields = one.fields((0, 5, 4, 2, 3), date)
        block = "\n".join([one.language.forwarded, *[f"{name}: {value}" for name, value in fields]])
        quotation = (
            f'<br><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">{_lines(block)}<br></div><br><br>'
            f"{one.html()}</div>")
        return f"{one.new}\n\n{block}\n\n\n{one.text()}\n", one.page(quotation)
    line = one.attribution(date, "")
    quotation = (
        f'<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">{escape(line)}<br></div>'
        '<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);'
        f'padding-left:1ex">{one.html()}</blockquote></div>')
    return f"{one.new}\n\n{_wrapped(line)}\n\n{one.marked()}\n", one.page(quotation)


def _outlook(one: _Answer) -> tuple[str, str]:
    fields = one.fields((0, 1, 2, 3, 4), _date(one, "outlook"))
    block = "\n".join([f"{name}: {value}" for name, value in fields])
    shown = "<br>".join([f"<b>{name}:</b> {escape(value)}" for name, value in fields])
    quotation = (
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in">'
        f'<p class="MsoNormal">{shown}</p></div><p class="MsoNormal">&nbsp;</p>{one.html()}')
    return f"{one.new}\n\n{'_' * 32}\n{block}\n\n{one.text()}\n", one.page(quotation)


def _apple(one: _Answer) -> tuple[str, str]:
    date = _date(one, "apple")
    if one.forward:
        block = "\n".join([f"{name}: {value}" for name, value in one.fields((0, 4, 5, 2, 3), date)])
        above, begin = f"{block}\n\n", one.language.begin
        shown = f"<div>{escape(begin)}</div><br><div>{_lines(block)}</div><br>"
        quotation = f'<div><br><blockquote type="cite">{shown}<div>{one.html()}</div></blockquote></div>'
        return f"{one.new}\n\n{begin}\n\n{one.marked(above=above)}\n", one.page(quotation)
    line = one.attribution(date)
    quotation = (
        f'<div><br><blockquote type="cite"><div>{escape(line)}</div><br class="Apple-interchange-newline">'
        f"<div>{one.html()}</div></blockquote></div>")
    return f"{one.new}\n\n> {line}\n>\n{one.marked()}\n", one.page(quotation)


def _android(one: _Answer) -> tuple[str, str]:
    date = _date(one, "android")
    if one.forward:
        block = "\n".join([
            one.language.original, *[f"{name}: {value}" for name, value in one.fields((0, 1, 2, 3, 4), date)]])
        quotation = f'<br><br><div class="gmail_quote"><div dir="auto">{_lines(block)}</div><br>{one.html()}</div>'
        return f"{one.new}\n\n{block}\n\n{one.text()}\n", one.page(quotation)
    line = one.attribution(date)
    quotation = (
        f'<br><br><div class="gmail_quote"><div dir="auto">{escape(line)}</div><blockquote class="gmail_quote" '
        'style="margin: 0pt 0pt 0pt 0.8ex; border-left: 1px solid rgb(204, 204, 204); padding-left: 1ex;">'
        f"{one.html()}</blockquote></div>")
    return f"{one.new}\n\n{line}\n{one.marked('>')}\n", one.page(quotation)


def _plain(one: _Answer) -> tuple[str, str]:
    date = _date(one, "plain")
    if one.forward:
        block = "\n".join([f"{name}: {value}" for name, value in one.fields((5, 0, 2, 3, 4), date)])
        above, below = f"----- Forwarded message from {one.author()} -----", "----- End forwarded message -----"
        return f"{one.new}\n\n{above}\n\n{block}\n\n{one.text()}\n\n{below}\n", ""
    return f"{one.new}\n\n{one.attribution(date)}\n{one.marked()}\n", ""


# HTML

_URL = re.compile(r"https?://[^\s<>\"']{1,2000}")
_TRAILING = ".,;:!?)]}"


def _lines(text: str) -> str:
    return "<br>".join([escape(line) for line in text.split("\n")])


def _linked(line: str) -> str:
    """A line as HTML with its addresses as links and its indent kept."""
    if "http" not in line:
        return escape(line).replace("  ", "&nbsp; ")
    out, at = [], 0
    for match in _URL.finditer(line):
        url = match[0].rstrip(_TRAILING)
        out.append(escape(line[at:match.start()]))
        out.append(f'<a href="{escape(url)}">{escape(url)}</a>')
        at = match.start() + len(url)
    out.append(escape(line[at:]))
    return "".join(out).replace("  ", "&nbsp; ")


def _as_html(text: str) -> str:
    return "<br>\n".join([_linked(line) for line in text.split("\n")])


def _gmail_paragraphs(text: str) -> str:
    return "".join([f"<div>{_linked(line) or '<br>'}</div>" for line in text.split("\n")])


def _outlook_paragraphs(text: str) -> str:
    return "\n".join([f'<p class="MsoNormal">{_linked(line) or "&nbsp;"}</p>' for line in text.split("\n")])


def _outlook_page(new: str, quotation: str) -> str:
    return (
        '<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word" '
        'xmlns="http://www.w3.org/TR/REC-html40">\n<head>\n<meta http-equiv="Content-Type" content="text/html; '
        'charset=utf-8">\n<meta name="Generator" content="Microsoft Word 15 (filtered medium)">\n<style><!--\n'
        "p.MsoNormal, li.MsoNormal, div.MsoNormal\n\t{margin:0in;\n\tfont-size:11.0pt;\n"
        "\tfont-family:\"Calibri\",sans-serif;}\n--></style>\n</head>\n"
        f'<body lang="EN-US" style="word-wrap:break-word">\n<div class="WordSection1">\n{new}\n'
        + (f'<p class="MsoNormal">&nbsp;</p>\n<div>\n{quotation}\n</div>\n' if quotation else "")
        + "</div>\n</body>\n</html>\n")


def _apple_page(new: str, quotation: str) -> str:
    return (
        '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head>'
        '<body style="overflow-wrap: break-word; -webkit-nbsp-mode: space; line-break: after-white-space;">'
        f"{new}{quotation}</body></html>\n")


def _iphone_page(new: str, quotation: str) -> str:
    return (
        '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head>'
        f'<body dir="auto"><div dir="ltr">{new}</div>{quotation}</body></html>\n')


_PARAGRAPHS: MappingProxyType[str, Callable[[str], str]] = MappingProxyType({
    "gmail": _gmail_paragraphs, "outlook": _outlook_paragraphs, "apple": _gmail_paragraphs,
    "iphone": _as_html, "android": _as_html,
})
_PAGES: MappingProxyType[str, Callable[[str, str], str]] = MappingProxyType({
    "gmail": lambda new, quotation: f'<div dir="ltr">{new}</div>{quotation}\n',
    "outlook": _outlook_page, "apple": _apple_page, "iphone": _iphone_page,
    "android": lambda new, quotation: (
        f'<!DOCTYPE html><html><body><div dir="auto">{new}</div>{quotation}</body></html>\n'),
})
_DIALECTS: MappingProxyType[str, Callable[[_Answer], tuple[str, str]]] = MappingProxyType({
    "gmail": _gmail, "outlook": _outlook, "apple": _apple, "iphone": _apple, "android": _android, "plain": _plain,
})
