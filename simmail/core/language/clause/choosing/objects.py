"""
Deeds to choose from that are done to one thing, named with only one of them: "repair or replace it", "send them back or
throw away".
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.tables import Restate, done

#: Words of a deed without what it is done to: "throw away", "please repair".
_BARE = 3


def with_object(deeds: Sequence[str], how: Restate) -> tuple[str, ...]:
    """Return deeds with what only one of them is done to named in all; others as they are."""
    pronouns = [word for one in deeds for word in one.lower().split()[1:] if word in how.handled]
    if len(set(pronouns)) != 1 or how.order != "inverted":
        return tuple(deeds)
    return tuple(_done_to(one.split(), pronouns[0], how) for one in deeds)


def _done_to(words: list[str], thing: str, how: Restate) -> str:
    """A deed with what it is done to behind its verb."""
    low = [word.lower().strip(".") for word in words]
    at = next((at for at, word in enumerate(low) if done(word, how) and word not in how.auxiliaries), -1)
    bare = thing not in low and at >= 0 and at < _BARE and (
        at == len(low) - 1 or at == len(low) - 2 and low[-1] in how.prefixes | how.particles)
    if not bare:
        return " ".join(words)
    stop = "." if words[at].endswith(".") else ""
    return " ".join([*words[:at], words[at].rstrip("."), f"{thing}{stop}", *words[at + 1:]])
