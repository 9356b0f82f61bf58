"""The data folders of the languages."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.language_data import LANGUAGES, WRITTEN, foreign, read_optional, read_yaml, tongue, words_in


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


class ForeignTests(SynchronousTestCase):
    """Languages that nobody here reads."""

    TEXTS = {
        "pl": "Dzień dobry, kiedy możemy spodziewać się płatności?", "cs": "Dobrý den, kdy můžeme očekávat zboží?",
        "sk": "Dobrý deň, kedy môžeme prísť? Ďakujem", "sv": "Hej, när kan ni leverera? Tack för ditt svar.",
        "da": "Hej Emma, hvornår kan vi forvente betaling?", "nb": "Hei, når kan dere betale? Takk",
        "fi": "Hei! Kiitos, milloin tulette?", "hu": "Jó napot, mikor fizetnek? Köszönöm",
        "ro": "Bună ziua, când puteți plăti?", "tr": "Merhaba, siparişimiz ne zaman gelecek? Lütfen",
        "ru": "Здравствуйте, когда вы заплатите?", "uk": "Доброго дня, коли ви зможете оплатити? Дякую!",
        "el": "Καλημέρα, πότε θα πληρώσετε;", "ja": "請求書を送ってください。", "zh": "请问什么时候付款？", "": "Hi Måns, see you på torget",
    }

    def test_told(self) -> None:
        """Each is told by its words or its letters."""
        for code, text in self.TEXTS.items():
            self.assertEqual(foreign(text), code, text)
        self.assertEqual(foreign(""), "")

    def test_words(self) -> None:
        """None of their words is common in a language that is read, and each has a name wherever mail is written."""
        unread = read_yaml("tongues.yaml")["unread"]
        for code in LANGUAGES:
            for signs in unread.values():
                self.assertEqual(language(code).common_words.intersection(signs.get("words", ())), set())
        self.assertEqual([(one, code) for one in unread for code in WRITTEN if not tongue(one, code)], [])
