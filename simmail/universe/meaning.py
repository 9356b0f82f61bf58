"""
The language model of the process: loaded when it is first asked, in a thread, and what it found lately kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from twisted.internet.defer import maybeDeferred

from simmail.core.lru import Lru

if TYPE_CHECKING:
    from simmail.core.language.vectors.embedding import Classes, Encoder, Matrix
    from simmail.core.language.vectors.exemplars import Exemplars

#: So many texts are kept as vectors of two kilobytes.
MOST = 2000
#: So often work is begun again because of what it asks; what it then still lacks it waits for.
MOST_ROUNDS = 4

T = TypeVar("T")


class Meaning:
    """
    Answers as L{IMeaning}, from the reactor's thread.

    The answers are those of a function, whatever was asked before and however long it takes: what is asked
    by what is L{worked_out} is found in a thread, the rest when it is used.

    @param in_thread: runs a function in a thread, answering a Deferred.
    """

    def __init__(self, in_thread: Callable[..., Any] = maybeDeferred, most: int = MOST) -> None:
        self._in_thread = in_thread
        self._vectors: Lru[str, Matrix] = Lru(most)
        self._kinds: Lru[str, Mapping[str, float]] = Lru(most)
        self._exchanges: Lru[str, tuple[str, float]] = Lru(most)
        self._loading = Lock()
        # What is asked in vain, while that is gathered.
        self._missing: dict[str, None] | None = None

    def kinds(self, text: str) -> Mapping[str, float]:
        """Return the kinds of mail that a text is like, with their likelihoods."""
        if self._lacks(text):
            return {}
        likely = self._kinds.use(text)
        if likely is None:
            likely = _classes().likely(self._vector(text))
            self._kinds.put(text, likely)
        return likely

    def exchange(self, sentence: str) -> tuple[str, float]:
        """Return the exchange that a sentence is likeliest to begin, and how far that is to be trusted."""
        if self._lacks(sentence):
            return "", 0.0
        best = self._exchanges.use(sentence)
        if best is None:
            best = _exemplars().best(self._vector(sentence))
            self._exchanges.put(sentence, best)
        return best

    def nearness(self, one: str, other: str) -> float:
        """Return how near two texts are in meaning."""
        if self._lacks(one, other):
            return 0.0
        return round(float(self._vector(one) @ self._vector(other)), 2)

    async def worked_out(self, work: Callable[[], T]) -> T:
        """
        Return what some work comes to that asks this model, whose answers are found in a thread.

        @param work: changes nothing, for it is done again once what it asked is known.
        """
        for _ in range(MOST_ROUNDS):
            missing = self._missing = {}
            try:
                result = work()
            finally:
                self._missing = None
            if not missing:
                return result
            await self.ahead(missing)
        return work()

    def _lacks(self, *texts: str) -> bool:
        if self._missing is None:
            return False
        missing = [text for text in texts if self._vectors.use(text) is None]
        self._missing.update(dict.fromkeys(missing))
        return bool(missing)

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
        with self._loading:
            encoder = _encoder()
        return list(encoder.vectors(texts))


# One for all universes; nothing of it is imported by who never asks.
@cache
def _encoder() -> Encoder:
    from simmail.core.language.vectors.embedding import Encoder

    return Encoder()


@cache
def _classes() -> Classes:
    from simmail.core.language.vectors.embedding import Classes

    return Classes("kinds.npz")


@cache
def _exemplars() -> Exemplars:
    from simmail.core.language.vectors.exemplars import Exemplars

    return Exemplars.read("exchanges.npz")
