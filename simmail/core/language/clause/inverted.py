"""
Words of languages whose questions put the verb before the subject, as the other side says them.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.tables import Restate


def flipped(words: Sequence[str], how: Restate) -> str:
    """Return words as the other side says them: "my flat" is "your flat", "call you" is "call me"."""
    done: list[str] = []
    for at, word in enumerate(words):
        low = word.lower()
        ours = low in how.theirs and not how.ours.isdisjoint(one.lower() for one in words[at + 1:at + 3])
        new = how.theirs.get(f"{low} ours" if ours else low) or how.theirs.get(low)
        done.append(new or how.objects.get(low, word))
    return " ".join(done)
