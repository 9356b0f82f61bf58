"""
Rules about form: lines, encodings, parts, size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from simmail.core.inspection.finding import Observation, failed, passed
from simmail.core.inspection.subject import InspectedMail
from simmail.core.message.parse import filename_of
from simmail.core.mime.headers import parameter
from simmail.core.mime.structure import Part

#: The largest message Gmail takes, and the HTML after which it shows no more.
_LARGEST, _CLIPPED = 25 * 1024 * 1024, 102 * 1024

_BARE = re.compile(rb"\r(?!\n)|(?<!\r)\n")


def line_ends(one: InspectedMail) -> Observation:
    """Say whether every line ends in CRLF."""
    found = _BARE.search(one.octets)
    if found is None:
        return passed("every line ends in CRLF")
    line = one.octets.count(b"\n", 0, found.start()) + 1
    return failed(f"line {line} holds a CR or LF that stands alone")


def body_lines(one: InspectedMail) -> Observation:
    """Say whether the lines of the body are short enough."""
    longest = max(map(len, one.body.split(b"\r\n")), default=0)
    return failed(f"a line of {longest} octets") if longest > 998 else passed(f"the longest line has {longest} octets")


def mime_version(one: InspectedMail) -> Observation:
    """Say whether a mail that uses MIME says so."""
    used = any(name in (b"content-type", b"content-transfer-encoding") for name, _ in one.fields)
    if not used:
        return passed("it does not use MIME")
    values = one.all(b"mime-version")
    return passed("MIME-Version is there") if values else failed("Content-Type without MIME-Version")


def charset_declared(one: InspectedMail) -> Observation:
    """Say whether text that is not ASCII says what it is in."""
    for part in _leaves(one.part):
        if part.head.type == b"text" and parameter(part.head.parameters, b"charset") is None:
            if part.head.encoding != b"7bit" or not one.octets[part.body:part.end].isascii():
                return failed(f"a text/{part.head.subtype.decode('ascii', 'replace')} part without a charset")
    return passed("every text part says its charset, or is plain ASCII")


def transfer_encoding(one: InspectedMail) -> Observation:
    """Say whether content is what its transfer encoding says."""
    for part in _leaves(one.part):
        if part.head.encoding == b"7bit" and not one.octets[part.body:part.end].isascii():
            return failed("a part that says 7bit holds octets that are not ASCII")
        if part.head.encoding not in (b"7bit", b"8bit", b"binary", b"quoted-printable", b"base64"):
            return failed(f"{part.head.encoding[:40].decode('ascii', 'replace')} is no transfer encoding")
    return passed("every part is what its Content-Transfer-Encoding says")


def multipart_closed(one: InspectedMail) -> Observation:
    """Say whether multiparts have their delimiters, up to the last one."""
    for part in _all(one.part):
        if not part.is_multipart:
            continue
        boundary = parameter(part.head.parameters, b"boundary")
        if not boundary:
            return failed("a multipart without a boundary")
        if b"--" + boundary + b"--" not in one.octets[part.body:]:
            return failed("a multipart without its closing delimiter")
    return passed("every multipart is closed")


def alternative_order(one: InspectedMail) -> Observation:
    """Say whether the plainest alternative comes first."""
    for part in _all(one.part):
        if part.head.subtype == b"alternative":
            kinds = [each.head.subtype for each in part.parts]
            if b"html" in kinds and b"plain" in kinds and kinds.index(b"html") < kinds.index(b"plain"):
                return failed("text/html stands before text/plain: clients show the last they can")
    return passed("the plainest alternative comes first")


def text_alternative(one: InspectedMail) -> Observation:
    """Say whether HTML comes with text."""
    if one.mail.format == "html":
        return failed("HTML without a text/plain alternative")
    if one.mail.format == "both" and not one.mail.text.strip():
        return failed("the text/plain alternative is empty")
    return passed("there is text" if one.mail.text.strip() else "there is no HTML either")


def size_taken(one: InspectedMail) -> Observation:
    """Say whether large providers take a message of that size."""
    size = len(one.octets)
    return failed(f"{size} octets of {_LARGEST}") if size > _LARGEST else passed(f"{size} octets")


def html_clipped(one: InspectedMail) -> Observation:
    """Say whether the HTML is shown to its end."""
    size = len(one.mail.html.encode("utf-8", "replace"))
    if size > _CLIPPED:
        return failed(f"{size} octets of HTML; Gmail clips what comes after {_CLIPPED}")
    return passed(f"{size} octets of HTML")


def attachment_names(one: InspectedMail) -> Observation:
    """Say whether attachments have names."""
    attached = [part for part in _leaves(one.part)
                if part.head.disposition is not None and part.head.disposition[0] == b"attachment"]
    for part in attached:
        if not filename_of(part.head):
            kind = b"%s/%s" % (part.head.type, part.head.subtype)
            return failed(f"an attachment ({kind[:60].decode('ascii', 'replace')}) without a name")
    return passed(f"{len(attached)} attachments, each with a name")


def _all(part: Part) -> Iterator[Part]:
    todo = [part]
    while todo:
        found = todo.pop()
        yield found
        todo += found.parts[::-1]


def _leaves(part: Part) -> Iterator[Part]:
    return (one for one in _all(part) if not one.parts)
