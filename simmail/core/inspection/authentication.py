"""
What was found out about who vouches for a mail; rules and profiles read it.

The results' words are those of Authentication-Results (RFC 8601 section 2.7), and C{unseen} where the question could
not be put at all.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Result = Literal["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror", "unseen"]


class SpfCheck(Struct, frozen=True):
    """
    SPF of one sender (RFC 7208).

    @ivar lookups: terms that asked the name system, of the 10 there may be; void: of these, without an answer.
    @ivar record: the record that was found, C{""} for none; broken: why nobody can evaluate it, whoever sends.
    """

    result: Result
    why: str
    domain: str = ""
    record: str = ""
    lookups: int = 0
    void: int = 0
    broken: str = ""


class DkimCheck(Struct, frozen=True):
    """
    One signature (RFC 6376).

    @ivar bits: of the key, 0 where there is none; headers: signed fields, lower case; partial: C{l=} is used.
    """

    result: Result
    why: str
    domain: str = ""
    selector: str = ""
    algorithm: str = ""
    bits: int = 0
    headers: tuple[str, ...] = ()
    partial: bool = False


class DmarcCheck(Struct, frozen=True):
    """
    DMARC (RFC 7489) of the domain in From.

    @ivar policy: what the owner asks for, C{""} where there is no record; place: the domain whose record it is.
    @ivar spf_aligned, dkim_aligned: domains that vouch and are the author's, C{""} for none.
    """

    result: Result
    why: str
    policy: str = ""
    place: str = ""
    record: str = ""
    spf_aligned: str = ""
    dkim_aligned: str = ""


class RecordCheck(Struct, frozen=True):
    """
    A record of the author's domain: BIMI, MTA-STS.

    @ivar place: the file that it speaks of and that is still to be looked at, C{""} for none; hosts: the domain's
        exchangers, where they are known.
    """

    result: Result
    why: str
    record: str = ""
    place: str = ""
    hosts: tuple[str, ...] = ()


_NOT_ASKED = "the name system was not asked"


class Authentication(Struct, frozen=True):
    """All of it; C{dkim}: one for each signature, in order."""

    spf: SpfCheck = SpfCheck("unseen", _NOT_ASKED)
    dkim: tuple[DkimCheck, ...] = ()
    dmarc: DmarcCheck = DmarcCheck("unseen", _NOT_ASKED)
    bimi: RecordCheck = RecordCheck("unseen", _NOT_ASKED)
    mta_sts: RecordCheck = RecordCheck("unseen", _NOT_ASKED)
    asked: bool = False


NOT_ASKED = Authentication()
