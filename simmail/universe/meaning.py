"""
The language model of the process: loaded when it is first asked, in a thread, and what it found lately kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import maybeDeferred

from simmail.core.lru import Lru

if TYPE_CHECKING:
    from simmail.core.language.embedding import Encoder, Kinds, Matrix

#: So many texts are kept as vectors of two kilobytes.
MOST = 2000


class Meaning:
    """
    Answers as L{IMeaning}, from the reactor's thread.

    The answers are those of a function, whatever was asked before and however long it takes: what is asked about
    L{ahead} of its use is worked out in a thread, the rest when it is used.

    @param in_thread: runs a function in a thread, answering a Deferred.
    """

    def __init__(self, in_thread: Callable[..., Any] = maybeDeferred, most: int = MOST) -> None:
        self._in_thread = in_thread
        self._vectors: Lru[str, Matrix] = Lru(most)
        self._loading = Lock()

    def kinds(self, text: str) -> Mapping[str, float]:
        """Return the kinds of mail that a text is like, with their likelihoods."""
        return self._loaded()[1].likely(self._vector(text))

    def nearness(self, one: str, other: str) -> float:
        """Return how near two texts are in meaning."""
        return round(float(self._vector(one) @ self._vector(other)), 2)

    async def ahead(self, texts: Iterable[str]) -> None:
        """Work out in a thread what will be asked about these texts."""
        missing = [text for text in dict.fromkeys(texts) if self._vectors.use(text) is None]
        if missing:
            for text, vector in zip(missing, await maybeDeferred(self._in_thread, self._encoded, missing)):
                self._vectors.put(text, vector)

    def _vector(self, text: str) -> Matrix:
        vector = self._vectors.use(text)
        if vector is None:
            (vector,) = self._encoded([text])
            self._vectors.put(text, vector)
        return vector

    def _encoded(self, texts: list[str]) -> list[Matrix]:
        return list(self._loaded()[0].vectors(texts))

    def _loaded(self) -> tuple[Encoder, Kinds]:
        with self._loading:
            return _model()


@cache
def _model() -> tuple[Encoder, Kinds]:
    # One for all universes; nothing of it is imported by who never asks.
    from simmail.core.language.embedding import Encoder, Kinds

    return Encoder(), Kinds()
