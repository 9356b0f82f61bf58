"""
How a linear model is learned from labelled vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

#: Rounds, the length of a step, what it keeps of the last one, what large weights cost, how far apart vectors are taken
#: for.
_ROUNDS, _STEP, _KEPT, _COST, _SCALE = 600, 0.3, 0.9, 2e-3, 6.0


def learned(
    vectors: Any, labels: Sequence[str], cost: float = _COST, step: float = _STEP, rounds: int = _ROUNDS,
    scale: float = _SCALE,
) -> tuple[list[str], Any]:
    """
    Return the names of the labels and their weights: multinomial logistic regression, rare labels counting more.

    @param vectors: a row for each label, of length 1.
    @return: names in order, and a matrix with a row for each number of a vector and the last for none.
    """
    names = sorted(set(labels))
    often = Counter(labels)
    rows = np.hstack([vectors * scale, np.ones((len(labels), 1))]).astype(np.float32)
    wanted = np.eye(len(names), dtype=np.float32)[[names.index(label) for label in labels]]
    share = np.array([often[label] ** -0.5 for label in labels], np.float32)
    share /= share.sum()
    weights = np.zeros((rows.shape[1], len(names)), np.float32)
    moving = np.zeros_like(weights)
    for _ in range(rounds):
        found = rows @ weights
        found = np.exp(found - found.max(axis=1, keepdims=True))
        found /= found.sum(axis=1, keepdims=True)
        moving = _KEPT * moving - step * (rows.T @ ((found - wanted) * share[:, None]) + cost * weights)
        weights += moving
    weights[:-1] *= scale
    return names, weights


def logistic(features: Any, right: Any, cost: float = 1.0, rounds: int = 25) -> Any:
    """
    Return what features are multiplied by, and at the end what is added, to tell what is right: logistic regression.

    @param features: a row for each case, on whatever scales; right: whether it is.
    """
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    rows = np.hstack([(features - mean) / spread, np.ones((len(features), 1))])
    weights = np.zeros(rows.shape[1])
    keep = np.diag([*[cost] * (rows.shape[1] - 1), 0.0])
    for _ in range(rounds):
        found = 1 / (1 + np.exp(-(rows @ weights)))
        slope = rows.T @ (found - right) + keep @ weights
        weights = weights - np.linalg.solve(rows.T @ (rows * (found * (1 - found))[:, None]) + keep + 1e-9 * np.eye(
            len(keep)), slope)
    return np.append(weights[:-1] / spread, weights[-1] - (weights[:-1] / spread) @ mean).astype(np.float32)
