"""Tests for C{simmail.core.rules.yaml_text}."""

from __future__ import annotations

import subprocess
import sys
import time

import yaml
from hypothesis import given
from hypothesis import strategies as some
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.yaml_text import LARGEST, decode
from simmail.errors import Invalid

#: Nine levels of nine: 387 million values.
BOMB = b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 9))

#: The same by merge keys, which the loader takes apart itself.
MERGES = b"a0: &a0 {x: 1, y: 2}\n" + b"".join(
    b"a%d: &a%d {<<: [%s], k%d: 1}\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9), n) for n in range(1, 9))

BOMBS = {
    "aliases": BOMB, "merges": MERGES, "itself": b"a: &a [*a]\n", "itself by a key": b"a: &a {b: {c: *a}}\n",
    "levels": b"[" * 100_000, "levels closed": b"[" * 900 + b"]" * 900, "block levels": b"- " * 5000 + b"x",
}


class DecodeTests(SynchronousTestCase):
    """What is taken and what is not."""

    def refused(self, octets: bytes) -> str:
        """Why it is refused."""
        return str(self.assertRaises(Invalid, decode, octets))

    def test_as_the_loader(self) -> None:
        """A value, nothing, aliases and merge keys as people use them."""
        self.assertEqual(decode(b"a: [1, 2.5, yes, null, 2026-01-02]\nb: {c: 'd'}\n")["a"][:4], [1, 2.5, True, None])
        self.assertIsNone(decode(b""))
        self.assertIsNone(decode(b"# nothing\n"))
        self.assertEqual(decode(b"\xef\xbb\xbfa: 1\n"), {"a": 1})
        self.assertEqual(
            decode(b"base: &base {tz: UTC, days: mon-fri}\nsome: [{<<: *base, tz: CET}, *base]\n")["some"],
            [{"tz": "CET", "days": "mon-fri"}, {"tz": "UTC", "days": "mon-fri"}])

    def test_keys(self) -> None:
        """A key that stands twice is named with its place; the same key elsewhere is another."""
        for octets, says in (
            (b"a: 1\nb: 2\na: 3\n", "the key 'a' stands twice (line 3, column 1)"),
            (b"- {x: {y: 1, 'y': 2}}\n", "the key 'y' stands twice (line 1, column 14)"),
            (b"&k a: 1\n*k : 2\n", "the key 'a' stands twice"), (b"a: &a {x: 1}\nb: {<<: *a, <<: *a}\n", "'<<'"),
        ):
            self.assertIn(says, self.refused(octets))
        self.assertEqual(decode(b"a: {a: 1, b: a}\nb: [a, a, {a: 1}, {a: 1}]\n")["a"], {"a": 1, "b": "a"})

    def test_no_yaml(self) -> None:
        """What is no YAML, not UTF-8, or makes no value is told with its place."""
        for octets, says in (
            (b"a: [", "line"), (b"a: \xff", "UTF-8 at octet 3"), (b"a: 2026-13-45", "cannot be"), (b"a: *b", "alias"),
            (b"a: !!python/object/apply:os.system [id]", "could not determine a constructor"),
            (b"? [a]\n: 1\n", "unhashable"), (b"a\n---\nb\n", "document"), (b"a: " + b"9" * 5000, "cannot be"),
            (b"#" * (LARGEST + 1), "8 MiB"), (b"a: \x00", "not allowed"),
        ):
            self.assertIn(says, self.refused(octets))

    def test_bombs(self) -> None:
        """What would stand for very much is refused at once."""
        for name, octets in BOMBS.items():
            begin = time.process_time()
            self.refused(octets)
            self.assertLess(time.process_time() - begin, 0.5, name)

    def test_memory(self) -> None:
        """Nor do all of them take 50 MiB."""
        ran = subprocess.run([sys.executable, "-c", (
            "import resource\n"
            "from tests.core.rules.test_yaml_text import BOMBS, Invalid, decode\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "for octets in BOMBS.values():\n    try:\n        decode(octets)\n    except Invalid:\n        pass\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n")],
            capture_output=True, text=True, timeout=60, env={"PYTHONPATH": ":".join(filter(None, sys.path))})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertLess(int(ran.stdout), 50 * 1024)

    @given(some.recursive(
        some.none() | some.booleans() | some.integers() | some.text(),
        lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner), max_leaves=20))
    def test_whatever_is_dumped(self, value: object) -> None:
        """What the dumper writes, with its anchors, is read as it was."""
        octets = yaml.safe_dump([value, value]).encode()
        self.assertEqual(decode(octets), [value, value])

    @given(some.binary(max_size=200) | some.text("[]{}:,-&*<? \n'\"ab!#|>%", max_size=60).map(str.encode))
    def test_anything(self, octets: bytes) -> None:
        """Whatever comes is a value or refused."""
        try:
            decode(octets)
        except Invalid:
            pass
