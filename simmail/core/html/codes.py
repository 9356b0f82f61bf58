"""
The codes of a mail: what somebody would copy out of it to type in elsewhere.

One-time codes, coupons and reference numbers, each with the words that say
what it is and how sure that is.  Without such words nothing is a code, and
phone numbers, years, prices, dates and postcodes are none.  Everything looks
at bounded windows of capped text.  Source: decisions, section 4.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Literal, NamedTuple

from msgspec import Struct

from simmail.core.language_data import words_in

# The data file with the words.
_WORDS = "extraction.yaml"

CodeKind = Literal["otp", "coupon", "reference"]

#: Characters of a text that are looked at, things in it that may be codes, codes told of one mail.
LOOKED_AT, MOST_CANDIDATES, MOST_CODES = 128 * 1024, 2000, 50

#: How far a label may be from what it names, before and after it.
_BEFORE, _AFTER = 80, 60


class Code(Struct, frozen=True):
    """
    One code.

    @ivar value: without the blanks or hyphens that group the digits of a one-time code; kind: what it is for.
    @ivar label: the words that name it, in lower case; confidence: how sure that is, 0 to 1.
    """

    value: str
    kind: CodeKind
    label: str
    confidence: float


class _Label(NamedTuple):
    """Words that name a code; C{kind} is C{code} where only the surroundings tell what for."""

    start: int
    end: int
    kind: str
    text: str


def _one_of(field: str) -> str:
    """An expression for a field's words, told apart by their first letters: what is none of them costs little."""
    by_letter: dict[str, list[str]] = {}
    for word in words_in(_WORDS, field):
        letter = word[0] if word[0].isalnum() else ""
        by_letter.setdefault(letter, []).append(word[len(letter):])
    return "(?:" + "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in by_letter.items()) + ")"


def _any(before: str, field: str, after: str) -> re.Pattern[str]:
    return re.compile(before + _one_of(field) + after, re.IGNORECASE)


_LABELS = re.compile(
    # None is shorter than two letters.
    r"\b(?=\w\w)(?:"
    rf"(?P<otp>{_one_of('proving')}[ -]?(?:pass)?{_one_of('proving_what')}\b|{_one_of('one_time')})"
    rf"|(?P<coupon>{_one_of('coupon')}[ -]?{_one_of('coupon_what')}|{_one_of('coupon_alone')}\b)"
    rf"|(?P<reference>{_one_of('referring')}\b\.?(?:[ -]?{_one_of('referring_what')})?"
    rf"|{_one_of('compounds')}-?{_one_of('compounds_what')}|{_one_of('referring_alone')}\b)"
    rf"|(?P<code>{_one_of('code')}\b)"
    rf"|(?P<enter>{_one_of('entering')}\b))",
    re.IGNORECASE)

#: References that need no word such as "number" beside them.
_PLAIN_REFERENCES = frozenset(words_in(_WORDS, "referring_plainly"))
_NUMBER_WORDS, _STATING = words_in(_WORDS, "number_words"), words_in(_WORDS, "stating")
#: What other codes there are.
_OTHER_CODES = _any(r"\b", "other_codes", "[ -]$")
_COUPON_WORDS, _BOOKING_WORDS = _any(r"\b", "coupon_hints", "|%"), _any(r"\b", "booking_hints", "")
_PROVING_WORDS = _any("", "proving_hints", "")

# What may be a code: groups of digits, other runs of digits, a word with digits or of capitals.
_CANDIDATES = re.compile(
    r"(?<![\w@./\\+&=-])#?(?:"
    r"(?P<grouped>(?:[0-9]{3}[ -][0-9]{3}|[0-9]{4}[ -][0-9]{4}|[0-9]{2}[ -][0-9]{2}[ -][0-9]{2}|[0-9](?: [0-9]){3,7})"
    r"(?![ -]?[0-9]))"
    r"|(?P<digits>[0-9]{4,12})"
    r"|(?P<word>[A-Za-z0-9][A-Za-z0-9_/-]{2,28}[A-Za-z0-9])"
    r")(?![\w@])")
_URL = re.compile(r"https?://[^\s<>\"]{1,8192}", re.IGNORECASE)
# What stands before the sign of an address is looked for backwards from it: most that could stand there stands nowhere.
_LONGEST_LOCAL = 64
_LOCAL = re.compile(r"[^\s<>@\"]++\Z")
_DOMAIN = re.compile(r"@[^\s<>@\"]{1,255}")

_CONNECTED = re.compile(
    rf"[\s:#=\"'“”„*()\[\]>–—-]{{0,40}}(?:{_one_of('connecting')}\b[\s:#=\"'“”„*().\[\]>–—-]{{0,30}}){{0,3}}",
    re.IGNORECASE)
_NAMED_AFTER = re.compile(
    rf"[\s\"'“”*)\].,-]{{0,6}}(?:{_one_of('naming')}|=|–|—|-|\()\s{{0,3}}(?:{_one_of('naming_article')}\s{{1,3}})?"
    r"(?:[^\W\d][\w'&-]{0,19}[ \xa0]{1,3}){0,3}", re.IGNORECASE)
# "Use SAVE20 at checkout" names no code, and everybody knows one.
_USED_BEFORE = _any(r"\b", "using", r"\s{1,3}[\"'“„*]{0,3}$")
_PAID_AFTER = re.compile(
    rf"[\"'”“*]{{0,3}}\s{{1,3}}{_one_of('paying_at')}\s{{1,3}}(?:{_one_of('paying_article')}\s{{1,3}})?"
    rf"({_one_of('paying')})\b", re.IGNORECASE)
# Without a digit in it, it may be the name of a card.
_SAVED = _any(r"\b", "saved", r"\b|%")
# As devices and televisions show them.
_PAIRED = re.compile(r"[A-Z0-9]{3,5}-[A-Z0-9]{3,5}")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")

# Windows around a candidate.
_MONEY_BEFORE = re.compile(r"(?:[$€£¥₹]|\b(?:usd|eur|gbp|chf|jpy|inr|aud|cad))\s{0,2}$", re.IGNORECASE)
_MEASURE_AFTER = re.compile(
    r"[.,]?[0-9]{0,2}\s{0,2}(?:[$€£¥₹%°]|(?:usd|eur|gbp|chf|jpy|inr|aud|cad|kg|km|mb|gb|tb|kb|mm|cm|ml"
    rf"|{_one_of('measures')})\b)", re.IGNORECASE)
_PHONE_BEFORE = re.compile(
    rf"(?:\b{_one_of('telephone')}\b|\+)\W{{0,6}}(?:{_one_of('telephone_between')} )?\W{{0,4}}$", re.IGNORECASE)
_POST_BEFORE = re.compile(r"\b[A-Z]{2},? $|\bD-$")
_POST_WORD_BEFORE = _any(r"\b", "postcode", r"\W{0,4}$")
_CITY_AFTER = re.compile(r"\s{1,2}[A-ZÄÖÜ][a-zäöüß]{2,}")
_DIGIT_RUN_BEFORE = re.compile(r"[0-9()+/ .-]{0,24}$")
_DIGIT_RUN_AFTER = re.compile(r"[0-9()/ .-]{0,24}")
_MEASURED = re.compile(r"[0-9]{1,12}(?:am|pm|st|nd|rd|th|px|kb|mb|gb|tb|kg|km|min|h|x)", re.IGNORECASE)

#: Capitals that are words, not codes.
_NO_CODES = frozenset((
    *words_in(_WORDS, "no_codes"),
    *("HTTP HTTPS UTF-8 COVID-19 ISO-9001 MP3 MP4 B2B B2C 24/7 W-9 H1N1 G20 HTML HTML5 CSS3 IPV4 IPV6 SHA-256 SHA256"
      " AES-256 TLS1 USB-C RFC-2822").split()))
_PREFIXED = re.compile(r"[A-Z]{2,6}-?(?:[0-9]{2,6}-){0,2}[0-9]{3,12}")


def find_codes(text: str) -> tuple[Code, ...]:
    """The codes of a text, the surest first, each value once."""
    text = text[:LOOKED_AT]
    if "http" in text or "@" in text or "HTTP" in text:
        text = _blotted(text)
    labels = [
        _Label(match.start(), match.end(), match.lastgroup or "", " ".join(match[0].lower().split()))
        for match in _LABELS.finditer(text)
        if match.lastgroup != "code" or not _OTHER_CODES.search(text[max(0, match.start() - 12):match.start()])]
    starts, ends = [one.start for one in labels], [one.end for one in labels]
    found: dict[str, Code] = {}
    left = MOST_CANDIDATES
    for match in _CANDIDATES.finditer(text):
        candidate = _Candidate(text, match)
        if candidate.hopeless:
            continue
        left -= 1
        before, after = bisect_right(ends, candidate.start), bisect_left(starts, candidate.end)
        code = candidate.named(labels[max(0, before - 2):before], labels[after] if after < len(labels) else None)
        if code is not None and (code.value not in found or found[code.value].confidence < code.confidence):
            found[code.value] = code
        if len(found) >= MOST_CODES or not left:
            break
    return tuple(sorted(found.values(), key=lambda one: -one.confidence))


def _blotted(text: str) -> str:
    """A text with its URLs and addresses made unreadable; of the same length, so that offsets stay true."""
    pieces: list[str] = []
    at = 0
    url, address = _URL.search(text), _address(text, 0)
    while url is not None or address is not None:
        if url is not None and (address is None or url.start() <= address[0]):
            begin, end = url.span()
        else:
            assert address is not None
            begin, end = address
        pieces += text[at:begin], "\x01" * (end - begin)
        at = end
        if url is not None and url.start() < at:
            url = _URL.search(text, at)
        if address is not None and address[0] < at:
            address = _address(text, at)
    pieces.append(text[at:])
    return "".join(pieces)


def _address(text: str, at: int) -> tuple[int, int] | None:
    """Where the first address from an offset on begins and ends."""
    for domain in _DOMAIN.finditer(text, at):
        local = _LOCAL.search(text, max(at, domain.start() - _LONGEST_LOCAL), domain.start())
        if local is not None:
            return local.start(), domain.end()
    return None


class _Candidate:
    """Something that may be a code, in its surroundings."""

    def __init__(self, text: str, match: re.Match[str]) -> None:
        self.text = text
        self.start, self.end = match.span()
        self.shape = match.lastgroup or ""
        self.raw = match[0].lstrip("#")
        self.hash = match[0][0] == "#"
        self.before = text[max(0, self.start - 30):self.start]
        self.after = text[self.end:self.end + 30]
        self.digits = self.shape != "word"

    @property
    def hopeless(self) -> bool:
        """Whether no words could make it a code."""
        raw, before, after = self.raw, self.before, self.after
        if self.shape == "word":
            return (
                not (raw.isupper() or any(c.isdigit() for c in raw)) or raw.upper() in _NO_CODES or _is_date(raw)
                or _MEASURED.fullmatch(raw) is not None)
        if after[:1] in ".,:/-" and after[1:2].isdigit():
            return True
        if before[-1:] in ",:" and before[-2:-1].isdigit():
            return True
        if _MONEY_BEFORE.search(before) or _MEASURE_AFTER.match(after) or _PHONE_BEFORE.search(before):
            return True
        if _POST_WORD_BEFORE.search(before):
            return True
        count = sum(c.isdigit() for c in raw)
        run = _DIGIT_RUN_BEFORE.search(before.rpartition("\n")[2])
        following = _DIGIT_RUN_AFTER.match(after.partition("\n")[0])
        around = sum(c.isdigit() for c in (run[0] if run else "") + (following[0] if following else ""))
        return around > 0 and around + count >= 9

    @property
    def year(self) -> bool:
        """Whether it may be a year."""
        return self.shape == "digits" and len(self.raw) == 4 and 1900 <= int(self.raw) <= 2099

    @property
    def doubtful(self) -> bool:
        """Whether only words right beside it make it a code: years, dates, postcodes."""
        raw = self.raw
        if self.year or self._day():
            return True
        if self.digits and len(raw) in (4, 5) and (_CITY_AFTER.match(self.after) or _POST_BEFORE.search(self.before)):
            return True
        return not self.digits

    def named(self, before: list[_Label], after: _Label | None) -> Code | None:
        """The code that the labels around make it, None when they make it none."""
        best: Code | None = None
        for label in before:
            gap = self.text[label.end:self.start]
            if len(gap) > _BEFORE:
                continue
            confidence = self._by_gap(gap, label)
            code = self._code(label, confidence) if confidence else None
            if code is not None and (best is None or code.confidence >= best.confidence):
                best = code
        if after is not None and after.start - self.end <= _AFTER and (best is None or best.confidence < 0.95):
            gap = self.text[self.end:after.start]
            if after.kind not in ("reference", "enter") and _NAMED_AFTER.fullmatch(gap):
                best = self._code(after, 0.95) or best
        if best is None:
            best = self._spent()
        if best is None and not self.digits and _PREFIXED.fullmatch(self.raw) and len(self.raw) > 5:
            best = Code(self.raw, "reference", self.raw.rstrip("0123456789-").lower(), 0.5)
        return best

    def _spent(self) -> Code | None:
        """The coupon that it is because of where it is to be used, None when nobody says so."""
        paid = _PAID_AFTER.match(self.after)
        if self.digits or self.raw.upper() != self.raw or "/" in self.raw or paid is None:
            return None
        around = self.text[max(0, self.start - 120):self.end + 120]
        sure = any(c.isdigit() for c in self.raw) or _SAVED.search(around)
        return Code(self.raw, "coupon", paid[1].lower(), 0.85) if sure and _USED_BEFORE.search(self.before) else None

    def _by_gap(self, gap: str, label: _Label) -> float:
        """How sure a label before it makes it, by what stands between them; 0.0 for not at all."""
        said = gap.lower()
        if label.kind == "enter":
            around = self.text[max(0, label.start - 120):self.end + 120]
            shown = self.digits and not self.doubtful or _PAIRED.fullmatch(self.raw) is not None
            proving = shown and not gap.strip() and _PROVING_WORDS.search(around)
            return 0.8 if proving else 0.0
        if _CONNECTED.fullmatch(gap) is not None:
            stated = self.hash or any(c in gap for c in ":#=\n") or any(one in said for one in _STATING)
            if (self.year and label.kind != "otp" and not stated) or (
                label.kind == "reference" and label.text not in _PLAIN_REFERENCES and self.digits and not stated
                and not label.text.endswith(_NUMBER_WORDS)
            ):
                return 0.0
            return 0.9 if label.kind == "code" else 0.95
        ends = gap.rstrip().endswith(":")
        if label.kind == "reference" or (self.doubtful and (not ends or self.year or self._day())):
            return 0.0
        if ends:
            return 0.85
        if _SENTENCE_END.search(gap) and not gap.rstrip().endswith("."):
            return 0.0
        if "\n" in gap:
            return 0.75 if self._alone() else 0.0
        return 0.6 if self.digits and not _SENTENCE_END.search(gap) else 0.0

    def _day(self) -> bool:
        """Whether it may be a date without hyphens."""
        raw = self.raw
        return self.shape == "digits" and len(raw) == 8 and _is_date(f"{raw[:4]}-{raw[4:6]}-{raw[6:]}")

    def _alone(self) -> bool:
        """Whether nothing else stands on its line."""
        return not self.before.rpartition("\n")[2].strip(" \t*>|\"'") and not (
            self.after.partition("\n")[0].strip(" \t*|\"'."))

    def _code(self, label: _Label, confidence: float) -> Code | None:
        kind, raw = label.kind, self.raw
        around = self.text[max(0, label.start - 120):self.end + 120]
        if kind == "enter":
            return Code(self._one_time(), "otp", label.text, confidence) if self._one_time() else None
        if kind == "code":
            kind = "coupon" if _COUPON_WORDS.search(around) and not self.digits else "otp"
        elif label.text == "confirmation code" and not self.digits and _BOOKING_WORDS.search(around):
            kind = "reference"
        if kind == "otp":
            value = self._one_time()
            return Code(value, "otp", label.text, confidence) if value else None
        if kind == "coupon":
            fits = raw.upper() == raw and 3 <= len(raw) <= 24 and (self.shape == "word" or len(raw) >= 6)
            return Code(raw, "coupon", label.text, confidence) if fits and "/" not in raw else None
        if not any(c.isdigit() for c in raw) or (raw.isdigit() and len(raw) < 4 and not self.hash):
            return None
        return Code(raw, "reference", label.text, min(confidence, 0.9))

    def _one_time(self) -> str:
        """The code as it is typed, C{""} when it has not the form of one."""
        raw = self.raw
        if self.digits:
            value = raw.replace(" ", "").replace("-", "")
            return value if 4 <= len(value) <= 10 else ""
        if "/" in raw or "_" in raw or len(raw) > 20:
            return ""
        if re.fullmatch(r"[A-Z]-[0-9]{4,8}", raw):
            return raw[2:]
        if raw.isalpha():
            return raw if raw.isupper() and 5 <= len(raw) <= 9 else ""
        groups = raw.split("-")
        if not all(groups) or len(raw.replace("-", "")) < 4:
            return ""
        return raw if raw.upper() == raw or (len(groups) == 1 and not raw.islower()) or (
            raw.islower() and len(groups) == 1 and 6 <= len(raw) <= 10) else ""


def _is_date(text: str) -> bool:
    """Whether a word is a date such as 2026-03-01 or 01/02/2026."""
    parts = re.split(r"[/.-]", text)
    if len(parts) != 3 or not all(part.isdigit() and part.isascii() and len(part) <= 4 for part in parts):
        return False
    numbers = [int(part) for part in parts]
    if len(parts[0]) == 4:
        return 1900 <= numbers[0] <= 2099 and 1 <= numbers[1] <= 12 and 1 <= numbers[2] <= 31
    return 1 <= numbers[0] <= 31 and 1 <= numbers[1] <= 31 and (len(parts[2]) == 2 or 1900 <= numbers[2] <= 2099)
