"""
What exchanges are told by: the sentences that begin them, and those of mails in general, which begin none.
"""

from __future__ import annotations

from simmail.core.language.reader import Findings
from simmail.core.language_data import WRITTEN
from simmail.core.writer.exchanges.bank import heard
from simmail.testing.examples import NOW, digest_of, examples

#: The name of what begins nothing, and how many sentences of mails in general are learned as that.
NOTHING, MOST = "", 2000


def general(known: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Return sentences of mails of all kinds, as such that begin nothing, without those that begin something."""
    begin = {text.lower() for _, _, text in known}
    found = {sentence: one.language for one in examples() if one.language in WRITTEN
             for sentence in Findings(one.mail, NOW).prose.sentences if sentence.lower() not in begin}
    return [(code, NOTHING, sentence) for sentence, code in sorted(found.items())][:MOST]


def digest() -> str:
    """Return a digest of all there is to learn from."""
    known = list(heard(WRITTEN))
    return digest_of((*known, *general(known)))
