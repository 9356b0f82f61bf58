"""What sentences are told to be, and how far that is trusted."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.vectors.embedding import SIZE
from simmail.core.language.vectors.exemplars import DIMENSIONS, NOTHING, Exemplars
from simmail.testing.exchanges import fit, held_out, learn
from simmail.testing.learning import logistic

#: Things, and examples of each.
THINGS, MANY = 12, 14


def clouds(seed: int, centres: np.ndarray, each: int) -> np.ndarray:
    """Return vectors of length 1 around some centres."""
    noise = np.random.RandomState(seed).normal(size=(len(centres) * each, SIZE)) * 0.6
    rows = np.repeat(centres, each, axis=0) + noise / np.sqrt(SIZE) * 3
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class ExemplarTests(SynchronousTestCase):
    """Things that were learned, a thing that was not, and nothing."""

    def setUp(self) -> None:
        """Learn."""
        self.centres = np.random.RandomState(1).normal(size=(THINGS, SIZE))
        self.centres /= np.linalg.norm(self.centres, axis=1, keepdims=True)
        self.vectors = clouds(2, self.centres[:-1], MANY)
        self.labels = np.repeat([f"thing{n:02}" for n in range(THINGS - 1)], MANY)
        self.beside = clouds(3, np.random.RandomState(4).normal(size=(60, SIZE)) / np.sqrt(SIZE), 1)
        self.model = learn(self.vectors, self.labels, self.beside, *(
            list(held_out(self.vectors, self.labels, self.beside, whole)) for whole in (False, True)))

    def test_best(self) -> None:
        """What is like the examples of a thing is told to be it, and trusted; what is like none is not."""
        for vector, thing in zip(clouds(5, self.centres, 3), np.repeat(range(THINGS), 3)):
            name, sure = self.model.best(vector)
            if thing < THINGS - 1:
                self.assertEqual(name, f"thing{thing:02}")
                self.assertGreater(sure, 0.6)
            else:
                self.assertLess(sure, 0.5)
            self.assertEqual(sure, round(sure, 2))
            self.assertNotEqual(name, NOTHING)

    def test_packed(self) -> None:
        """What is kept in a file is read again, and tells the same but for the last hundredth or two."""
        file = BytesIO()
        np.savez(file, **self.model.packed())
        with np.load(BytesIO(file.getvalue())) as packed:
            self.assertEqual(packed["known"].dtype, np.int8)
            self.assertEqual(packed["axes"].shape, (SIZE, min(DIMENSIONS, len(self.vectors) + len(self.beside))))
        again = Exemplars.unpacked(BytesIO(file.getvalue()))
        for vector in clouds(6, self.centres, 1):
            (name, sure), (other, near) = self.model.best(vector), again.best(vector)
            self.assertEqual(name, other)
            self.assertAlmostEqual(sure, near, delta=0.1)
            self.assertLess(abs(sure - near), 0.1)

    def test_alone(self) -> None:
        """Of one thing only it is told what it is, without anything to compare it with."""
        model = fit(np.vstack([self.vectors[:MANY], self.beside]), ["one"] * MANY + [NOTHING] * len(self.beside))
        self.assertEqual(model.best(self.vectors[0]), ("one", 0.5))


class LogisticTests(SynchronousTestCase):
    """How far something is right."""

    def test_learned(self) -> None:
        """The feature that tells it counts, on whatever scale it is, and the others do not."""
        features = np.random.RandomState(7).normal(size=(400, 3)) * [100, 1, 0.01] + [50, 0, 0]
        weights = logistic(features, (features[:, 0] > 50).astype(float))
        sure = features @ weights[:-1] + weights[-1] > 0
        self.assertGreater(float((sure == (features[:, 0] > 50)).mean()), 0.97)
        self.assertEqual(len(weights), 4)
