"""
Other spam filters that are asked about a mail, where the operator has configured them, and what they answer.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable
from typing import Any, Literal, Protocol

import msgspec
from msgspec import Struct

from simmail.core.inspection.subject import Envelope
from simmail.core.rules.spam import SpamRule

EngineName = Literal["spamassassin", "rspamd"]

#: Rules of one answer that are kept.
_MOST = 200

_SPAM = re.compile(
    r"(true|yes|false|no)\s*;\s*(-?\d{1,9}(?:\.\d{1,9})?)\s*/\s*(-?\d{1,9}(?:\.\d{1,9})?)", re.IGNORECASE)
_ROW = re.compile(r"[* ]*(-?\d{1,9}(?:\.\d{1,9})?)\s+([A-Z][A-Z0-9_]{2,99})\s+(.{0,300})")


class EngineReport(Struct, frozen=True):
    """
    What a filter says.

    @ivar engine: which filter.
    @ivar score: what it adds up to, without unit; threshold: from which score it acts, without unit.
    @ivar action: its own word (C{spam} and C{ham} of SpamAssassin), C{""} where there is no answer.
    @ivar rules: those that fired.
    @ivar ms: real milliseconds that it took; error: why there is no answer, C{""} where there is one.
    """

    engine: EngineName
    score: float = 0.0
    threshold: float = 0.0
    action: str = ""
    rules: tuple[SpamRule, ...] = ()
    ms: int = 0
    error: str = ""


class SpamEngine(Protocol):
    """Asks a filter."""

    def check(self, octets: bytes, envelope: Envelope) -> Awaitable[EngineReport]:
        """Return what it says; a filter that is away is a report with an C{error}."""


class BadEngineAnswer(ValueError):
    """What came back is not what such a filter answers."""


def read_spamd(octets: bytes) -> EngineReport:
    """
    Read an answer to C{REPORT} of the spamd protocol (version 1.5).

    @raise BadEngineAnswer: it is none.
    """
    head, blank, body = octets.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    first = lines[0].split(" ", 2)
    if len(first) < 2 or not first[0].startswith("SPAMD/") or not blank:
        raise BadEngineAnswer("this is no answer of spamd")
    if first[1] != "0":
        raise BadEngineAnswer(f"spamd answers {' '.join(first[1:])[:100]}")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    found = _SPAM.fullmatch(fields.get("spam", ""))
    if found is None:
        raise BadEngineAnswer("spamd gives no score")
    rules = []
    for line in body.decode("utf-8", "replace").split("\n")[:1000]:
        row = _ROW.fullmatch(line.rstrip("\r "))
        if row is not None:
            rules.append(SpamRule(row[2], float(row[1]), row[3].strip()))
    return EngineReport("spamassassin", float(found[2]), float(found[3]),
                        "spam" if found[1].lower() in ("true", "yes") else "ham", _weightiest(rules))


def read_rspamd(octets: bytes) -> EngineReport:
    """
    Read an answer of rspamd to C{/checkv2}.

    @raise BadEngineAnswer: it is none.
    """
    try:
        value: Any = msgspec.json.decode(octets)
        symbols = value["symbols"]
        rules = [SpamRule(str(name)[:100], float(one["score"]), str(one.get("description") or "")[:300])
                 for name, one in symbols.items()]
        return EngineReport("rspamd", float(value["score"]), float(value["required_score"]),
                            str(value["action"])[:60], _weightiest(rules))
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, ValueError):
        raise BadEngineAnswer("this is no answer of rspamd") from None


def _weightiest(rules: list[SpamRule]) -> tuple[SpamRule, ...]:
    return tuple(sorted(rules, key=lambda rule: (-abs(rule.score), rule.name))[:_MOST])
