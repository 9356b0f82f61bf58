"""The data folders of the languages."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language_data import LANGUAGES, read_optional, read_yaml, words_in


class DataTests(SynchronousTestCase):
    """Reading."""

    def test_languages(self) -> None:
        """English comes first; each has its own words."""
        self.assertEqual(LANGUAGES[0], "en")
        self.assertIn("de", LANGUAGES)
        for code in LANGUAGES:
            self.assertEqual(read_yaml(code, "language.yaml")["code"], code)

    def test_scalars_are_text(self) -> None:
        """No word becomes a truth or a number."""
        self.assertEqual(read_yaml("en", "language.yaml")["no"], "no")
        self.assertIn("no", read_yaml("en", "extraction.yaml")["connecting"])

    def test_missing(self) -> None:
        """A file that a language has not is None; one that is needed is an error."""
        self.assertIsNone(read_optional("en", "nothing.yaml"))
        self.assertRaises(FileNotFoundError, read_yaml, "en", "nothing.yaml")

    def test_words(self) -> None:
        """Of all languages, English first, each once; a field of one language only will do, one of none will not."""
        words = words_in("extraction.yaml", "saved")
        self.assertLess(words.index("save"), words.index("rabatt"))
        self.assertEqual(len(set(words)), len(words))
        self.assertIn("rechnungs", words_in("extraction.yaml", "compounds"))
        self.assertRaises(KeyError, words_in, "extraction.yaml", "nothing")

    def test_expressions(self) -> None:
        """Every word that tells codes and links is a piece of a regular expression that stands by itself."""
        for code in LANGUAGES:
            for field, words in (read_optional(code, "extraction.yaml") or {}).items():
                for word in words:
                    self.assertIsNone(re.compile(f"(?:{word})").fullmatch(""), (code, field, word))
