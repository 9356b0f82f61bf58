"""
Addresses: parse, compare, show.

Two parsers that must not be mixed up.  L{parse} is the door: an envelope or
JSON address is right or it is Invalid.  L{parse_list} reads header fields as
they come and never fails.  Source: RFC 5321 section 4.1.2, RFC 5322 section
3.4, RFC 6531; decisions, section 23 ("Addresses are compared and stored in
lower case").
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple
from unicodedata import normalize

from simmail.core.mime import encoded_word, encodings
from simmail.errors import Invalid

#: Octets of an addr-spec (RFC 5321 section 4.5.3.1.3: a path of 256 with its brackets), local part, label of a domain.
LONGEST, LONGEST_LOCAL, LONGEST_LABEL = 254, 64, 63
#: What L{parse_list} looks at: characters of a header field, mailboxes in it, characters of a comment.
LIST_LENGTH, LIST_COUNT, LONGEST_COMMENT = 1 << 18, 10_000, 1000


class Address(NamedTuple):
    """A mailbox of a header: its display name (decoded, C{""} for none) and addr-spec."""

    name: str
    address: str


# Possessive where a run could be cut in more than one way: nothing here backtracks beyond a label.
_DOT_STRING = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]++(?:\.[\w!#$%&'*+/=?^`{|}~-]++)*", re.ASCII)
_USUAL = re.compile(
    r"[\w!#$%&'*+/=?^`{|}~-]++(?:\.[\w!#$%&'*+/=?^`{|}~-]++)*@"
    r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*", re.ASCII)
_NOT_ATEXT = frozenset(' "(),:;<>@[]\\')
_LABEL = re.compile(r"[A-Za-z0-9-]+")


def parse(text: str, field: str = "address") -> str:
    """
    A mailbox address as it is compared and stored: lower case, the local part quoted only where it must be.

    Quoted local parts, UTF-8 (RFC 6531) and address literals are addresses.  Many clients write international
    domains as A-labels (C{xn--mnchen-3ya.test}): those are stored as the U-labels they stand for.

    @raise Invalid: anything else, and more than 254 octets.
    """
    if len(text) < LONGEST_LOCAL and _USUAL.fullmatch(text) is not None:
        address = text.lower()
        if "xn--" not in address:
            return address
    if not text or len(text) > LONGEST or not text.isprintable() or len(text.encode("utf-8")) > LONGEST:
        raise Invalid(field, "is not an email address")
    local, at, domain = text.rpartition("@")
    if local[:1] == '"':
        local = _unquoted(local)
    elif not _is_dot_string(local):
        local = ""
    domain = _domain(domain)
    if not local or not domain or len(local.encode("utf-8")) > LONGEST_LOCAL:
        raise Invalid(field, "is not an email address")
    # One form for what may be written composed or decomposed, or else an address would have two mailboxes.
    address = normalize("NFC", f"{local}@{domain}".lower())
    if len(address.encode("utf-8")) > LONGEST:
        raise Invalid(field, "is not an email address")
    return address


def stored(text: str) -> str:
    """An address that somebody asks for, as it would be stored; text that is none in lower case."""
    low = text.lower()
    if low.isascii() and "xn--" not in low:
        return low
    try:
        return parse(text)
    except Invalid:
        return low


def is_valid(text: str) -> bool:
    """Whether L{parse} takes it."""
    try:
        parse(text)
    except Invalid:
        return False
    return True


def domain_of(address: str) -> str:
    """What stands after the last C{@}."""
    return address.rpartition("@")[2]


def local_part(address: str) -> str:
    """What stands before the last C{@}, quotes included."""
    return address.rpartition("@")[0]


def _is_dot_string(local: str) -> bool:
    if local.isascii():
        return _DOT_STRING.fullmatch(local) is not None
    # Printable excludes foreign blanks, controls, surrogates.
    return _NOT_ATEXT.isdisjoint(local) and all(local.split("."))


def _unquoted(local: str) -> str:
    """A quoted local part with only the quoting it needs (RFC 5321 section 4.1.2), C{""} for a bad one."""
    if len(local) < 3 or local[-1] != '"':
        return ""
    content: list[str] = []
    characters = iter(local[1:-1])
    for character in characters:
        if character == "\\":
            character = next(characters, "")
            if not character:
                return ""  # the closing quote was escaped
        elif character == '"':
            return ""
        content.append(character)
    bare = "".join(content)
    if _is_dot_string(bare):
        return bare
    return '"' + bare.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _domain(domain: str) -> str:
    """A domain or address literal, C{""} for a bad one."""
    if domain[:1] == "[":
        try:
            if domain[-1] != "]":
                return ""
            if domain[1:6].lower() == "ipv6:":
                return f"[IPv6:{IPv6Address(domain[6:-1].partition('%')[0])}]" if "%" not in domain else ""
            return f"[{IPv4Address(domain[1:-1])}]"
        except ValueError:
            return ""
    labels = domain.split(".")
    for label in labels:
        if not label or label[0] == "-" or label[-1] == "-":
            return ""
        if label.isascii():
            if len(label) > LONGEST_LABEL or _LABEL.fullmatch(label) is None:
                return ""
        elif not label.replace("-", "").isalnum() and not _is_u_label(label):
            return ""
    return u_labels(domain) if "xn--" in domain.lower() else domain


def u_labels(domain: str) -> str:
    """A domain with its A-labels as U-labels (RFC 5890 section 2.3.2.1), lower case; labels that are none stay."""
    return ".".join(_u_label(label) for label in domain.lower().split("."))


def _u_label(label: str) -> str:
    if not label.startswith("xn--") or len(label) > LONGEST_LABEL:
        return label
    try:
        told = label[4:].encode("ascii").decode("punycode")
        same = normalize("NFC", told.lower()).encode("punycode").decode("ascii") == label[4:]
    except UnicodeError:
        return label
    fits = told.isprintable() and not told.isascii() and told[0] != "-" != told[-1] and _is_u_label(told)
    return told if same and fits else label


def ascii_form(address: str) -> str:
    """The address with its domain in A-labels, where that makes it ASCII: so it may go wherever ASCII may."""
    local, at, domain = address.rpartition("@")
    if address.isascii() or not local.isascii():
        return address
    labels = [label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")
              for label in domain.split(".")]
    return address if any(len(label) > LONGEST_LABEL for label in labels) else f"{local}{at}{'.'.join(labels)}"


def _is_u_label(label: str) -> bool:
    # Combining marks of Indic and other scripts are no alphanumerics.
    return all(ord(c) > 0x7F or c.isalnum() or c == "-" for c in label) and not any(c in "。．｡＠" for c in label)


# A header, cut into what matters: quoted strings, specials, runs of anything else.  A quote that nothing closes is
# dropped; there can be one only, so looking for its end is paid once.
_TOKEN = re.compile(
    r'"((?:[^"\\]++|\\.)*)"|"|([()<>,;:\[\]])|([^"()<>,;:\[\]\\]++)|\\(.?)', re.DOTALL
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# What nearly all mailboxes look like, with the comma after them.
_SIMPLE = re.compile(
    r'\s*+(?:(?:"([^"\\]*+)"[ \t]*+|([^"(),:;<>@\[\]\\]*+))<([^\s"(),:;<>@\[\]\\]++@[^\s"(),:;<>@\[\]\\]++)>'
    r'|([^\s"(),:;<>@\[\]\\]++@[^\s"(),:;<>@\[\]\\]++))\s*+(?:,|$)'
)


def parse_list(value: str | bytes) -> tuple[Address, ...]:
    """
    The mailboxes of an address header field, decoded; groups are flattened.

    Never raises: what is no address is left out, as is all past L{LIST_COUNT}
    mailboxes or L{LIST_LENGTH} characters.  Addresses are in lower case but
    need not pass L{parse}: some real ones do not.
    """
    return addressed(parse_all(value))


def addressed(found: tuple[Address, ...]) -> tuple[Address, ...]:
    """Those of what L{parse_all} finds that have an address: something on either side of an C{@}."""
    for one in found:
        if not _is_addressed(one.address):
            return tuple([one for one in found if _is_addressed(one.address)])
    return found


def _is_addressed(address: str) -> bool:
    local, _, domain = address.rpartition("@")
    return bool(local and domain) and ("@" not in local or local[0] == '"')


def parse_all(value: str | bytes) -> tuple[Address, ...]:
    """
    What an address header field names: L{parse_list} with what has no address.

    C{MAILER-DAEMON} has no C{@}, C{"Mail Delivery" <>} nothing but a name; so
    has a group, which stands before its members.
    """
    text = encodings.decode(value[:LIST_LENGTH]) if isinstance(value, bytes) else value[:LIST_LENGTH]
    if "\0" in text:
        text = text.replace("\0", " ")
    found: list[Address] = []
    at = 0
    while at < len(text) and len(found) < LIST_COUNT:
        simple = _SIMPLE.match(text, at)
        if simple is None:
            break
        at = simple.end()
        quoted, phrase, angled, bare = simple.groups()
        one = _mailbox([quoted or phrase] if quoted or phrase else [], angled or bare, [])
        if one is not None:
            found.append(one)
    else:
        return tuple(found)
    return _tokenized(text)


def _tokenized(text: str) -> tuple[Address, ...]:
    """L{parse_list} for what has groups, comments, escapes, routes or mistakes in it."""
    reader = _ListReader()
    depth = 0
    for match in _TOKEN.finditer(text):
        quoted, special, run, escaped = match.groups()
        if special == "(":
            depth += 1
            if depth == 1:
                reader.comments.append("")
            elif len(reader.comments[-1]) < LONGEST_COMMENT:
                reader.comments[-1] += "("
        elif depth:
            depth -= special == ")"
            if depth and len(reader.comments[-1]) < LONGEST_COMMENT:
                reader.comments[-1] += match[0]
        elif quoted is not None:
            reader.string(_ESCAPE.sub(r"\1", quoted))
        elif run is not None:
            reader.word(run)
        elif special is not None:
            if not reader.special(special):
                break
        elif escaped:
            reader.word(escaped)
    reader.end()
    return tuple(reader.found)


class _ListReader:
    """Mailboxes gathered from the tokens of one field."""

    def __init__(self) -> None:
        self.found: list[Address] = []
        self._start()

    def _start(self) -> None:
        self.phrase: list[str] = []
        self.comments: list[str] = []
        self.spec: list[str] | None = None
        self.inside = False
        self.bracket = False

    def string(self, text: str) -> None:
        if self.inside or (self.phrase and self.phrase[-1].endswith((".", "@"))):
            self.word('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
        else:
            # Kept apart: a string is a whole word of the phrase, or the local part before an "@".
            self.phrase.append("\0" + text)

    def word(self, text: str) -> None:
        (self.spec if self.inside and self.spec is not None else self.phrase).append(text)

    def special(self, special: str) -> bool:
        """Take a special character; False when there are enough mailboxes."""
        if special == "<":
            self.spec, self.inside = [], True
        elif special == ">":
            self.inside = False
        elif special == "[" or special == "]":
            self.bracket = special == "["
            self.word(special)
        elif self.bracket:
            self.word(special)
        elif special == ",":
            if self.inside:
                self.spec = []  # an obsolete route (RFC 5322 section 4.4) or a forgotten ">"
            else:
                self.end()
        elif special == ":":
            if self.inside:
                self.spec = []
            else:
                group = _name(self.phrase)
                if group:
                    self.found.append(Address(group, ""))
                self._start()
        elif special == ";":
            self.end()
        return len(self.found) < LIST_COUNT

    def end(self) -> None:
        if self.spec is not None:
            found = _mailbox(self.phrase, "".join(self.spec), self.comments)
        else:
            found = _bare(self.phrase, self.comments)
        if found is not None:
            self.found.append(found)
        self._start()


def _bare(phrase: list[str], comments: list[str]) -> Address | None:
    """A mailbox without angle brackets: C{a@b}, C{a@b (Name)}, C{"a b"@c}; also C{Name a@b}."""
    if len(phrase) > 1 and phrase[0][0] == "\0" and phrase[1][0] == "@":
        # NUL marks strings; foreign ones were taken out.
        phrase = ['"' + phrase[0][1:].replace("\\", "\\\\").replace('"', '\\"') + '"', *phrase[1:]]
    text = " ".join("".join(phrase).replace("\0", " ").split())
    if "@" not in text:
        # One word is a local part, more are a name.
        return _mailbox([], text, comments) if text and " " not in text else _mailbox(phrase, "", comments)
    if text[:1] == '"':
        return _mailbox([], text, comments)
    before, _, spec = text.replace(" @", "@").replace("@ ", "@").rpartition(" ")
    return _mailbox([before] if before else [], spec, comments)


def _mailbox(phrase: list[str], spec: str, comments: list[str]) -> Address | None:
    """One mailbox, or None when it has neither a name nor an address."""
    spec = spec.strip()
    if spec[:1] != '"':
        spec = "".join(spec.split())
    try:
        address = parse(spec)
    except Invalid:
        good = len(spec) <= 320 and spec.isprintable() and _NOT_ATEXT.isdisjoint(spec.replace("@", ""))
        address = spec.lower() if good else ""
    name = _name(phrase) or (_name(comments[-1:]) if comments else "")
    return Address(name, address) if name or address else None


def _name(words: list[str]) -> str:
    if len(words) == 1 and "=?" not in words[0] and "\0" not in words[0]:
        return " ".join(encoded_word.clean(words[0]).split())
    # A quoted string is decoded too: many senders quote encoded words.
    text = encoded_word.decode("".join(words).replace("\0", " "))
    return " ".join(text.split())


_PHRASE = re.compile(r"[\w!#$%&'*+/=?^`{|}~ -]+", re.ASCII)


def format_address(address: Address) -> str:
    """
    A mailbox for a header field: the name quoted, or in encoded words joined by blanks, where it must be; a domain
    in A-labels, which every reader understands.

    @raise Invalid: line ends or NUL in either part, lone surrogates.
    """
    name, spec = address
    both = name + spec
    if "\r" in both or "\n" in both or "\0" in both:
        raise Invalid("address", "must not hold CR, LF or NUL")
    try:
        _ = both.isascii() or both.encode("utf-8")
    except UnicodeEncodeError:
        raise Invalid("address", "must not hold lone surrogates") from None
    spec = ascii_form(spec)
    if not name:
        return spec
    if encoded_word.plain(name):
        if _PHRASE.fullmatch(name) is None:
            name = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return f"{name} <{spec}>"
    return f"{' '.join(encoded_word.encode(name))} <{spec}>"
