"""
Files that a domain publishes on the web for mail: its MTA-STS policy, and the picture of its BIMI record.

They are fetched elsewhere (C{outbound.web_files}); here is what is asked for, and what is thought of what came.
Sources: RFC 8461 sections 3.2 and 3.3; draft-brand-indicators-for-message-identification section 4;
draft-svg-tiny-ps-abrotman section 2.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from msgspec.structs import replace

from simmail.core.html.tokenizer import tokens
from simmail.core.inspection.authentication import RecordCheck, Result
from simmail.core.mime.encodings import decode

#: Octets of a file that are fetched, and that a picture may have (the draft's recommendation).
MOST, MOST_PICTURE = 64 * 1024, 32 * 1024

#: RFC 8461 section 3.2: a year in seconds.
_LONGEST = 31_557_600

_MODES = ("enforce", "testing", "none")
#: Elements that a picture of this profile must not hold.
_FORBIDDEN = frozenset(("script", "foreignobject", "image", "animate", "animatetransform", "set", "iframe", "video"))


class WebFile(NamedTuple):
    """
    What came of asking for a file.

    @ivar error: why there is no answer, C{""} where there is one.
    """

    status: int = 0
    content_type: str = ""
    body: bytes = b""
    error: str = ""


#: Asks for the file at an address; redirects are followed or not.
FetchFile = Callable[[str, bool], Awaitable[WebFile]]


async def not_fetched(url: str, redirects: bool) -> WebFile:
    """Ask nobody."""
    return WebFile(error="nothing is fetched")


def judge_policy(announced: RecordCheck, file: WebFile) -> RecordCheck:
    """Return what an MTA-STS record is worth with what was found at its C{place} (RFC 8461 section 3.3)."""
    def say(result: Result, why: str) -> RecordCheck:
        return replace(announced, result=result, why=why)

    if file.error:
        return say("unseen", f"a policy is announced; {announced.place} could not be fetched: {file.error}")
    if file.status != 200:
        return say("fail", f"a policy is announced, and {announced.place} answers {file.status}")
    if file.content_type.partition(";")[0].strip().lower() != "text/plain":
        return say("fail", f"the policy is {file.content_type[:60] or 'of no type'} instead of text/plain")
    fields: dict[str, str] = {}
    exchangers: list[str] = []
    for line in decode(file.body).replace("\r\n", "\n").split("\n")[:1000]:
        name, _, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if name == "mx":
            exchangers.append(value.lower().rstrip("."))
        elif name:
            fields.setdefault(name, value[:200])
    mode, age = fields.get("mode", ""), fields.get("max_age", "")
    if fields.get("version") != "STSv1":
        return say("fail", "the policy does not say version: STSv1")
    if mode not in _MODES:
        return say("fail", f"mode: {mode[:40]} is none of {', '.join(_MODES)}")
    if not (age.isascii() and age.isdigit() and len(age) < 12 and int(age) <= _LONGEST):
        return say("fail", f"max_age: {age[:40]} is no number of seconds up to {_LONGEST}")
    if mode == "none":
        return say("fail", "mode: none, which asks for nothing")
    if not exchangers:
        return say("fail", "the policy names no mx")
    strange = [host for host in announced.hosts if not any(
        _matches(host.lower().rstrip("."), one) for one in exchangers)]
    if strange:
        return say("fail", f"the exchanger {strange[0][:100]} is not among the policy's mx")
    told = f"mode: {mode}, max_age: {age}, mx: {', '.join(exchangers)[:200]}"
    return say("pass", told if mode == "enforce" else f"{told}; failures are reported only")


def _matches(host: str, pattern: str) -> bool:
    """RFC 8461 section 4.1: a wildcard stands for one label."""
    return host == pattern or pattern.startswith("*.") and host.partition(".")[2] == pattern[2:]


def judge_picture(found: RecordCheck, file: WebFile) -> RecordCheck:
    """Return what a BIMI record is worth with what was found at its C{place}."""
    def say(result: Result, why: str) -> RecordCheck:
        return replace(found, result=result, why=why)

    where = found.place[:200]
    if file.error:
        return say("unseen", f"the mark at {where} could not be fetched: {file.error}")
    if file.status != 200:
        return say("fail", f"the mark's address {where} answers {file.status}")
    if file.content_type.partition(";")[0].strip().lower() != "image/svg+xml":
        return say("fail", f"the mark at {where} is {file.content_type[:60] or 'of no type'}, not image/svg+xml")
    if len(file.body) > MOST_PICTURE:
        return say("fail", f"the mark at {where} has more than {MOST_PICTURE // 1024} KiB")
    wrong = _picture_fault(decode(file.body))
    if wrong:
        return say("fail", f"the mark at {where} is no SVG Tiny Portable/Secure: {wrong}")
    return say("pass", f"the mark at {where}: {len(file.body)} octets; a certificate for it (a=) is not checked")


def _picture_fault(text: str) -> str:
    root, titled = False, False
    for token in tokens(text, 20_000):
        if token.kind != "start":
            continue
        if not root:
            if token.name != "svg":
                return f"it begins with <{token.name[:40]}>"
            root = True
            if token.attributes.get("baseprofile") != "tiny-ps" or token.attributes.get("version") != "1.2":
                return 'the root is not version="1.2" baseProfile="tiny-ps"'
            if "x" in token.attributes or "y" in token.attributes:
                return "the root has x or y"
        titled = titled or token.name == "title"
        if token.name in _FORBIDDEN:
            return f"it holds <{token.name}>"
        for name, value in token.attributes.items():
            if name in ("href", "xlink:href") and not value.startswith("#"):
                return "it refers to another place"
            if name.startswith("on"):
                return f"it has the event {name[:40]}"
    if not root:
        return "there is no <svg>"
    return "" if titled else "it has no <title>"
