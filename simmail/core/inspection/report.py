"""
What an inspection answers.

Source: decisions, section 10.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from simmail.core.inspection.authentication import Authentication, NOT_ASKED
from simmail.core.inspection.engine import EngineReport
from simmail.core.inspection.finding import Finding, Outcome
from simmail.core.inspection.html_support import supported
from simmail.core.inspection.list_rules import Unsubscribe, unsubscribe_of
from simmail.core.inspection.profiles import ProfileReport, Provider, by_provider
from simmail.core.inspection.rules import findings
from simmail.core.inspection.subject import Envelope, InspectedMail, inspected
from simmail.core.rules.spam import SpamRule, SpamScore, THRESHOLDS, scored

Action = Literal["deliver", "junk"]

#: Links told of one mail.
_MOST_LINKS = 100


class SpamReport(Struct, frozen=True):
    """
    How much a mail looks like spam.

    @ivar score: what the rules add up to, without unit.
    @ivar threshold: from which score the filter C{normal} acts, without unit; action: what that filter does.
    @ivar engine: who says so; rules: those that fired, weightiest first.
    """

    score: float
    threshold: float
    action: Action
    engine: Literal["rules"]
    rules: tuple[SpamRule, ...]


class LinkReport(Struct, frozen=True):
    """
    One link.

    @ivar url: where it leads; text: what is shown for it; status: HTTP status of the answer, 0 where it was not opened.
    @ivar final_url: behind all redirections, C{""} where it was not opened; ms: real milliseconds to the answer.
    @ivar ok: whether it works, null where it was not opened; why: what is wrong, or why it was not.
    """

    url: str
    text: str
    status: int = 0
    final_url: str = ""
    ms: int = 0
    ok: bool | None = None
    why: str = "not opened"


class HtmlReport(Struct, frozen=True):
    """
    What the recipient's client makes of the HTML; all clients, where nobody knows which it is.

    @ivar score: percent of what the HTML uses that is shown, 0 to 100; 100 where there is none.
    @ivar warnings: what is not shown, a sentence each.
    """

    score: float
    warnings: tuple[str, ...]


class AuthReport(Struct, frozen=True):
    """
    Results in the words of RFC 8601, C{unseen} where nobody could tell.

    @ivar spf: of the sender's host (RFC 7208); dkim: of the signatures (RFC 6376); dmarc: of both together (RFC 7489).
    @ivar why: each in a sentence.
    """

    spf: str
    dkim: str
    dmarc: str
    why: tuple[str, ...]


class Report(Struct, frozen=True):
    """
    All that is said of a mail.

    @ivar by_filter: what each C{style.filter} does with it.
    @ivar profiles: what large providers would make of it.
    @ivar engines: what other filters say that are configured.
    @ivar counts: how many rules pass, fail and cannot be seen from here.
    @ivar spam: how much it looks like spam; auth: SPF, DKIM and DMARC.
    @ivar links: one for each; html: what recipients see of the markup; unsubscribe: how they leave.
    @ivar accessibility: what keeps people from reading it, a sentence each; size: octets.
    @ivar rules: one for each rule, whether it fails or not.
    """

    message_id: str
    subject: str
    spam: SpamReport
    by_filter: Mapping[str, Action]
    auth: AuthReport
    links: tuple[LinkReport, ...]
    html: HtmlReport
    unsubscribe: Unsubscribe
    accessibility: tuple[str, ...]
    size: int
    counts: Mapping[Outcome, int]
    rules: tuple[Finding, ...]
    profiles: Mapping[Provider, ProfileReport]
    engines: tuple[EngineReport, ...] = ()


def inspect(
    octets: bytes, envelope: Envelope = Envelope(), authentication: Authentication = NOT_ASKED
) -> Report:
    """Inspect a message; blocks for as long as that takes."""
    one = inspected(octets, envelope, authentication)
    spam = scored(one.letter)
    found = findings(one, spam)
    counts = Counter(finding.outcome for finding in found)
    return Report(
        one.mail.message_id, one.mail.subject, spam_report(spam), by_filter(spam.score), _auth(one),
        tuple(LinkReport(link.url, link.text) for link in one.letter.links[:_MOST_LINKS]),
        HtmlReport(*supported(one.mail.html, envelope.client)),
        unsubscribe_of(one),
        tuple(f"{finding.description}: {finding.evidence}" for finding in found
              if finding.group == "accessibility" and finding.outcome == "fail"),
        len(octets), {"pass": counts["pass"], "fail": counts["fail"], "unseen": counts["unseen"]}, found,
        by_provider(found, one.bulk))


def spam_report(spam: SpamScore) -> SpamReport:
    """Return the score of the built-in rules as a report shows it."""
    threshold = THRESHOLDS["normal"]
    assert threshold is not None
    return SpamReport(spam.score, threshold, "junk" if spam.score >= threshold else "deliver", "rules", spam.rules)


def by_filter(score: float) -> dict[str, Action]:
    """Return what each filter does with a score."""
    return {name: "junk" if least is not None and score >= least else "deliver" for name, least in THRESHOLDS.items()}


def _auth(one: InspectedMail) -> AuthReport:
    auth = one.authentication
    dkim = "none" if not one.all(b"dkim-signature") else "unseen"
    for check in auth.dkim:
        dkim = check.result
        if check.result == "pass":
            break
    why = [f"spf: {auth.spf.why}", *(f"dkim: {check.why}" for check in auth.dkim), f"dmarc: {auth.dmarc.why}"]
    return AuthReport(auth.spf.result, dkim, auth.dmarc.result, tuple(why))
