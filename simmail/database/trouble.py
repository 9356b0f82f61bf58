"""
What is wrong with a Redis, by the errors that it answers, and that its connection gives: for us, and for everybody.
"""

from __future__ import annotations

#: First words of error answers after which the connection is made anew, and is ready when there are none any more, with
#: what they say of Redis.
REFUSALS = {
    "LOADING": "it is loading its data", "READONLY": "it is read-only", "MASTERDOWN": "its primary is away",
    "CLUSTERDOWN": "its cluster is down", "NOREPLICAS": "it has too few replicas", "OOM": "it is out of memory",
    "MISCONF": "its disk refuses", "BUSY": "it is busy with a script"}
#: What is said of one that says nothing of the kind: it hangs, nobody is there, and it does not know us, or we not it.
UNANSWERED, UNREACHABLE = "it does not answer in time", "it cannot be reached"
LOCKED_OUT, UNTRUSTED = "it does not take the user or password", "its certificate is not trusted"
#: Those of error answers that pass.
AWAY = (*REFUSALS, "TRYAGAIN", "ASK", "MOVED")
#: What a script is told that takes two keys of a slot that is moved key by key: it is C{TRYAGAIN} of what is no script.
_APART = "access a non local key"

#: Parts of error answers to a greeting that another attempt does not change.
_LOCKED_OUT = ("WRONGPASS", "NOAUTH", "NOPERM", "invalid password", "no password is set", "without any password")
#: Why a connection is given up on which nothing came; what Twisted says of one that was not made in time.
HANGS, _TIMED_OUT = "no answer in time", "imeout"
#: What TLS says of a certificate: of OpenSSL, and of who compares its names.
_UNTRUSTED = ("certificate verify failed", "Mismatch(")


def reason(trouble: str) -> str:
    """Say for everybody why Redis is away: one of L{REFUSALS}, or of the four others."""
    if any(word in trouble for word in _LOCKED_OUT):
        return LOCKED_OUT
    if any(word in trouble for word in _UNTRUSTED):
        return UNTRUSTED
    if trouble == HANGS or _TIMED_OUT in trouble:
        return UNANSWERED
    return REFUSALS.get(first_word(trouble), UNREACHABLE)


def shut_out(word: str, packed: bytes) -> bool:
    """
    Whether we are not let in any more, or may not run scripts, which is how everything is done.

    Hosted Redis often keeps commands to itself without which all goes on.
    """
    return word == "NOAUTH" or word == "NOPERM" and b"EVALSHA" in packed[:40]


def first_word(text: str) -> str:
    """The code of an error answer; that of the command inside, where a script of an older Redis failed."""
    word = text.split(" ", 1)[0].lstrip("-")
    if word in ("ERR", "Error", ""):
        for away in AWAY:
            if f" -{away} " in text[:300]:
                return away
        if _APART in text[:300]:
            return "TRYAGAIN"
    return word
