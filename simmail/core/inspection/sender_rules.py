"""
Rules about who vouches for a mail, and about what only the receiving side knows.
"""

from __future__ import annotations

from simmail.core.inspection.authentication import Result
from simmail.core.inspection.finding import Observation, Rule, failed, passed, unseen
from simmail.core.inspection.subject import InspectedMail

_UNSEEN = ("unseen", "temperror")

#: The least key a verifier takes (RFC 8301 section 3.2), and the bits Gmail recommends.
_LEAST_KEY = 1024


def _judged(result: Result, why: str) -> Observation:
    if result in _UNSEEN:
        return unseen(why)
    return passed(why) if result == "pass" else failed(why)


def spf_pass(one: InspectedMail) -> Observation:
    """Say whether the client may send for the reverse-path's domain."""
    return _judged(one.authentication.spf.result, one.authentication.spf.why)


def spf_record(one: InspectedMail) -> Observation:
    """Say whether the domain has one SPF record that can be evaluated."""
    spf = one.authentication.spf
    if spf.broken:
        return failed(spf.broken)
    if spf.record:
        return passed(spf.record[:200])
    return failed(spf.why) if spf.result in ("none", "permerror") else unseen(spf.why)


def spf_lookups(one: InspectedMail) -> Observation:
    """Say whether evaluation stays within 10 look-ups."""
    spf = one.authentication.spf
    if not spf.record:
        return unseen("there is no SPF record to count in" if spf.result == "none" else spf.why)
    if "look-ups" in spf.broken:
        return failed(spf.broken)
    return passed(f"{spf.lookups} of 10 look-ups, {spf.void} of 2 without an answer")


def dkim_signed(one: InspectedMail) -> Observation:
    """Say whether there is a signature at all."""
    count = len(one.all(b"dkim-signature"))
    return passed(f"{count} signatures") if count else failed("there is no DKIM-Signature")


def dkim_pass(one: InspectedMail) -> Observation:
    """Say whether a signature is valid."""
    if not one.all(b"dkim-signature"):
        return failed("there is no DKIM-Signature")
    if not one.authentication.asked:
        return unseen("signatures were not checked")
    for check in one.authentication.dkim:
        if check.result == "pass":
            return passed(check.why)
    if any(check.result in _UNSEEN for check in one.authentication.dkim):
        return unseen("; ".join(check.why for check in one.authentication.dkim)[:500])
    return failed("; ".join(check.why for check in one.authentication.dkim)[:500])


def dkim_key(one: InspectedMail) -> Observation:
    """Say whether the keys are long enough."""
    keyed = [check for check in one.authentication.dkim if check.bits]
    if not keyed:
        return unseen("no key was found")
    for check in keyed:
        if check.algorithm.startswith("rsa") and check.bits < _LEAST_KEY:
            return failed(f"the key {check.selector} of {check.domain} has {check.bits} bits")
    return passed(", ".join(f"{check.domain}: {check.bits} bits" for check in keyed))


def dkim_whole(one: InspectedMail) -> Observation:
    """Say whether signatures cover From and the whole body."""
    if not one.all(b"dkim-signature"):
        return unseen("there is no signature to look at")
    for check in one.authentication.dkim:
        if check.partial:
            return failed(f"the signature of {check.domain} covers a part of the body only (l=)")
        if check.headers and "from" not in check.headers:
            return failed(f"the signature of {check.domain} does not cover From")
    if not one.authentication.asked:
        return unseen("signatures were not checked")
    return passed("signatures cover From and the whole body")


def dmarc_record(one: InspectedMail) -> Observation:
    """Say whether the author's domain has a DMARC record."""
    dmarc = one.authentication.dmarc
    if dmarc.record:
        return passed(f"{dmarc.place}: {dmarc.record[:200]}")
    return unseen(dmarc.why) if dmarc.result in _UNSEEN else failed(dmarc.why)


def dmarc_aligned(one: InspectedMail) -> Observation:
    """Say whether who vouches is the author's domain."""
    return _judged(one.authentication.dmarc.result, one.authentication.dmarc.why)


def dmarc_policy(one: InspectedMail) -> Observation:
    """Say whether the owner of the author's domain asks to refuse or set aside the mail."""
    dmarc = one.authentication.dmarc
    if dmarc.result == "fail" and dmarc.policy in ("reject", "quarantine"):
        return failed(f"{dmarc.place} asks to {dmarc.policy} what is not aligned (p={dmarc.policy})")
    return unseen(dmarc.why) if dmarc.result in _UNSEEN else passed(f"nothing asks to refuse it: {dmarc.why}")


def bimi(one: InspectedMail) -> Observation:
    """Say whether a mark of the sender can be shown."""
    return _judged(one.authentication.bimi.result, one.authentication.bimi.why)


def mta_sts(one: InspectedMail) -> Observation:
    """Say whether answers to the domain are asked to come by TLS."""
    return _judged(one.authentication.mta_sts.result, one.authentication.mta_sts.why)


def helo_name(one: InspectedMail) -> Observation:
    """Say whether the client gives a name that can be one."""
    name = one.envelope.helo
    if not name:
        return unseen("the name in EHLO is not known")
    if name.startswith("[") or "." in name and not name.replace(".", "").isdigit():
        return passed(f"EHLO {name[:100]}")
    return failed(f"EHLO {name[:100]} is no fully qualified name")


def _only_there(what: str) -> Rule:
    def look(one: InspectedMail) -> Observation:
        return unseen(what)
    return look


complaint_rate = _only_there("recipients' complaints are known to their provider; see its postmaster tools")
block_lists = _only_there("what is on block lists is the sending address of the real world, not of a test")
reverse_dns = _only_there("the PTR record of the sending address is seen by the server it really sends to")
transport_tls = _only_there("whether the real connection uses TLS is seen by the server at its other end")
sending_volume = _only_there("how much a domain sends in a day is known to each provider for itself")
engagement = _only_there("what recipients open, move and delete is known to their provider")
spam_traps = _only_there("addresses that nobody gave are known to those who keep them")
