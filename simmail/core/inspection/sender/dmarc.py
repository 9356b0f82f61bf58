"""
DMARC, BIMI and MTA-STS of the domain in From.

The organizational domain is found by walking up the tree of names and reading the records there, which needs no list
of public suffixes.  Sources: RFC 7489; draft-ietf-dmarc-dmarcbis section 4.10 (tree walk); RFC 8461 section 3.1;
draft-brand-indicators-for-message-identification section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simmail.core.inspection.authentication import DkimCheck, DmarcCheck, RecordCheck, SpfCheck
from simmail.core.inspection.sender.lookup import Lookup, NoAnswer

#: Names that are asked on the way up.
_MOST_STEPS = 8


class _Found(NamedTuple):
    domain: str
    text: str
    tags: Mapping[str, str]


def tags_of(text: str) -> dict[str, str]:
    """Return the tags of a record such as C{v=DMARC1; p=none}, names in lower case; the first of two counts."""
    found: dict[str, str] = {}
    for part in text.split(";"):
        name, equals, value = part.partition("=")
        if equals:
            found.setdefault(name.strip().lower(), value.strip())
    return found


def check_dmarc(author: str, spf: SpfCheck, dkim: Sequence[DkimCheck], lookup: Lookup) -> DmarcCheck:
    """Return whether who vouches for a mail is the author's domain."""
    if not author:
        return DmarcCheck("permerror", "From names no domain")
    try:
        walked = _walk(author, lookup)
        record = walked[0] if walked and walked[0].domain == author else _organization(walked)
        if record is None:
            return DmarcCheck("none", f"{author} has no DMARC record")
        strict = {kind: record.tags.get(kind, "r").lower() == "s" for kind in ("aspf", "adkim")}
        home = _home(author, walked)
        spf_aligned = dkim_aligned = ""
        if spf.result == "pass" and _aligned(author, home, spf.domain, strict["aspf"], lookup):
            spf_aligned = spf.domain
        for one in dkim:
            if one.result == "pass" and _aligned(author, home, one.domain, strict["adkim"], lookup):
                dkim_aligned = one.domain
    except NoAnswer as error:
        return DmarcCheck("temperror", f"{author}: {error}")
    policy = record.tags.get("p", "none").lower()
    if record.domain != author:
        policy = record.tags.get("sp", policy).lower()
    place, text = record.domain, record.text
    if spf_aligned or dkim_aligned:
        by = " and ".join(f"{kind} of {one}" for kind, one in (("SPF", spf_aligned), ("DKIM", dkim_aligned)) if one)
        return DmarcCheck("pass", f"{by} is aligned with {author}", policy, place, text, spf_aligned, dkim_aligned)
    if spf.result in ("unseen", "temperror") or any(one.result in ("unseen", "temperror") for one in dkim):
        return DmarcCheck("unseen", f"nothing that could be checked is aligned with {author}", policy, place, text)
    return DmarcCheck("fail", f"neither SPF nor DKIM is aligned with {author}", policy, place, text)


def check_bimi(author: str, dmarc: DmarcCheck, lookup: Lookup) -> RecordCheck:
    """Return whether a mark of the author's domain can be shown."""
    try:
        found = _records(f"default._bimi.{author}", "v=bimi1", lookup)
        if not found and dmarc.place and dmarc.place != author:
            found = _records(f"default._bimi.{dmarc.place}", "v=bimi1", lookup)
    except NoAnswer as error:
        return RecordCheck("temperror", f"{author}: {error}")
    if len(found) != 1:
        return RecordCheck("none", f"{author} has {len(found) or 'no'} BIMI record{'s' * (len(found) > 1)}")
    place = tags_of(found[0]).get("l", "")
    if not place.startswith("https://"):
        return RecordCheck("fail", f"the BIMI record names no https address (l={place[:60]})", found[0])
    if dmarc.result == "temperror":
        return RecordCheck("temperror", dmarc.why, found[0])
    if dmarc.policy not in ("quarantine", "reject"):
        return RecordCheck("fail", f"BIMI needs a DMARC policy of quarantine or reject, not {dmarc.policy or 'none'}",
                           found[0])
    return RecordCheck("unseen", f"the mark is at {place[:200]}; it was not fetched", found[0], place)


def check_mta_sts(author: str, lookup: Lookup) -> RecordCheck:
    """Return whether the domain announces a policy for mail to it."""
    try:
        found = _records(f"_mta-sts.{author}", "v=stsv1", lookup)
    except NoAnswer as error:
        return RecordCheck("temperror", f"{author}: {error}")
    if len(found) != 1:
        return RecordCheck("none", f"{author} has {len(found) or 'no'} MTA-STS record{'s' * (len(found) > 1)}")
    number = tags_of(found[0]).get("id", "")
    if not number.isalnum() or len(number) > 32:
        return RecordCheck("fail", f"id={number[:60]} is no id of an MTA-STS policy", found[0])
    try:
        hosts = lookup(author, "MX")
    except NoAnswer:
        hosts = ()
    return RecordCheck("unseen", f"a policy is announced (id={number}); it was not fetched", found[0],
                       f"https://mta-sts.{author}/.well-known/mta-sts.txt", hosts)


def _records(name: str, version: str, lookup: Lookup) -> list[str]:
    return [text for text in lookup(name, "TXT") if text.replace(" ", "").lower().startswith(version)]


def _walk(domain: str, lookup: Lookup) -> list[_Found]:
    """The DMARC records from a domain up, the most specific first."""
    labels = domain.split(".")
    steps = [labels] + [labels[n:] for n in range(max(1, len(labels) - _MOST_STEPS + 1), len(labels))]
    found = []
    for some in steps:
        name = ".".join(some)
        texts = _records(f"_dmarc.{name}", "v=dmarc1", lookup)
        # Several records are none (RFC 7489 section 6.6.3).
        if len(texts) == 1:
            found.append(_Found(name, texts[0], tags_of(texts[0])))
            if found[-1].tags.get("psd", "").lower() in ("y", "n"):
                break
    return found


def _organization(walked: Sequence[_Found]) -> _Found | None:
    return next((one for one in reversed(walked) if one.tags.get("psd", "").lower() != "y"), None)


def _home(domain: str, walked: Sequence[_Found]) -> str:
    """The organizational domain of a name."""
    if walked and walked[-1].tags.get("psd", "").lower() == "y" and walked[-1].domain != domain:
        below = domain[:-len(walked[-1].domain) - 1].rpartition(".")[2]
        return f"{below}.{walked[-1].domain}"
    found = _organization(walked)
    return found.domain if found is not None else domain


def _aligned(author: str, home: str, domain: str, strict: bool, lookup: Lookup) -> bool:
    domain = domain.lower()
    if strict or domain == author:
        return domain == author
    # Only a name below the same organization can be of it.
    return (domain == home or domain.endswith("." + home)) and _home(domain, _walk(domain, lookup)) == home
