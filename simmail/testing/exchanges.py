"""
What exchanges are told by: the sentences that begin them, and those of mails in general, which begin none; and how they
are learned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from simmail.core.language.vectors.exemplars import NOTHING, Exemplars, reduced
from simmail.core.language.reader import Findings
from simmail.core.language_data import WRITTEN
from simmail.core.writer.exchanges.bank import heard
from simmail.testing.examples import NOW, digest_of, examples
from simmail.testing.learning import learned, logistic

#: Sentences of mails in general that are learned as those of nothing.
MOST = 2000
#: Parts into which sentences are divided, one of which is held out at a time.
FOLDS = 5
#: Learning: what large weights cost, the length of a step, rounds, how far apart vectors are taken for.
_HOW: dict[str, Any] = {"cost": 1e-3, "step": 2.0, "rounds": 100, "scale": 8.0}


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


def fit(vectors: Any, labels: Sequence[str], trust: Any = None) -> Exemplars:
    """Return what is learned of some vectors; without C{trust} it says how far nothing is to be trusted."""
    # A name without an example of nothing among them has its place all the same.
    names, weights = learned(vectors, labels, **_HOW)
    mean, axes, known = reduced(vectors)
    return Exemplars(tuple(names), weights.astype(np.float32), mean, axes, known,
                     np.array([names.index(label) for label in labels]),
                     np.zeros(8, np.float32) if trust is None else trust)


def held_out(vectors: Any, labels: Any, beside: Any, whole: bool) -> Iterator[tuple[int, str, Any]]:
    """
    Give the place of each vector, what it is told to be by what was learned of the others, and what speaks for it.

    @param beside: vectors of nothing; whole: all vectors of a name are held out at once, so that none can be right.
    """
    names = sorted(set(labels))
    group = dict(zip(np.random.RandomState(2).permutation(names), np.arange(len(names)) % FOLDS))
    parts = np.array([group[label] for label in labels]) if whole else (
        np.random.RandomState(1).permutation(len(labels)) % FOLDS)
    for part in range(FOLDS):
        rest = parts != part
        model = fit(np.vstack([vectors[rest], beside]), [*labels[rest], *[NOTHING] * len(beside)])
        for at in np.flatnonzero(~rest):
            place, evidence = model.evidence(vectors[at])
            yield int(at), model.names[place], evidence


def learn(
    vectors: Any, labels: Any, beside: Any, apart: Sequence[tuple[int, str, Any]],
    strange: Sequence[tuple[int, str, Any]], examples: str = "",
) -> Exemplars:
    """
    Return what is learned of all: what it is told, and by what was held out how far that is to be trusted.

    @param apart, strange: what L{held_out} gave, of sentences and of whole exchanges.
    """
    told = [*((evidence, name == labels[at]) for at, name, evidence in apart),
            *((evidence, False) for _, _, evidence in strange)]
    trust = logistic(np.array([one for one, _ in told], float), np.array([right for _, right in told], float))
    found = fit(np.vstack([vectors, beside]), [*labels, *[NOTHING] * len(beside)], trust)
    found.examples = examples
    return found
