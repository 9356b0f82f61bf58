"""
Sentences that tell and ask, and questions without their mark.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.opening import asked_apart
from simmail.core.language.tables import language

_APART = {
    "en": (
        ("I left my scarf on your sofa, have you seen it?", ("I left my scarf on your sofa", "have you seen it?")),
        ("Did you ring him, and do we have cones left or shall I order some - last time I got 20.", (
            "Did you ring him, and do we have cones left or shall I order some?", "last time I got 20.")),
        ("Oh and the boss wants the sheet, do you know where it lives", (
            "Oh and the boss wants the sheet", "do you know where it lives?")),
        ("And is there parking round the back", ("And is there parking round the back?",)),
        ("How is mum", ("How is mum?",)),
        ("Did the dishes.", ("Did the dishes.",)),
        ("He lives next door and has the keys.", ("He lives next door and has the keys.",)),
        ("This applies to the invoice, which is due this week.", (
            "This applies to the invoice, which is due this week.",)),
        ("One last question, do parents have to stay?", ("One last question", "do parents have to stay?")),
        ("Two sockets (is that possible?) by May.", ("Two sockets by May.", "is that possible?")),
        ("And who signs for it now Carol has left", ("And who signs for it now Carol has left?",)),
        ("can my mum come too (so 3 of us)", ("can my mum come too (so 3 of us)?",)),
        ("is it ok if I finish at 3 on Thursday, driving test!!", (
            "is it ok if I finish at 3 on Thursday, driving test?",)),
        ("Should you need more, call me.", ("Should you need more, call me.",)),
        ("If it rains, can we come in?", ("If it rains, can we come in?",)),
        ("Maria, are you there?", ("Maria, are you there?",)),
    ),
    "de": (
        ("Er wäre um halb sieben da – ist da schon wer?", ("Er wäre um halb sieben da", "ist da schon wer?")),
        ("Wenn er kommt, ist das dann ok?", ("Wenn er kommt, ist das dann ok?",)),
        ("Dann kann ich mich direkt melden.", ("Dann kann ich mich direkt melden.",)),
        ("Hast du noch den Schlüssel.", ("Hast du noch den Schlüssel?",)),
        ("Und: darf ich am 2. Oktober frei haben!", ("Und: darf ich am 2. Oktober frei haben?",)),
        ("Hab ich dabei.", ("Hab ich dabei.",)),
        ("Schicken Sie mir das bitte.", ("Schicken Sie mir das bitte.",)),
    ),
    "fr": (
        ("Samedi on fait une fête, tu viens ?", ("Samedi on fait une fête", "tu viens ?")),
        ("Luc rentre quand, et tu viens avec lui ?", ("Luc rentre quand?", "et tu viens avec lui ?")),
    ),
    "es": (("Vamos el sábado, vienes con nosotros?", ("Vamos el sábado", "vienes con nosotros?")),),
}


class OpeningTests(SynchronousTestCase):
    """Each language with what it is written in."""

    def test_one_word(self) -> None:
        """A word alone is nothing to be cut: it asks what it asks."""
        for code, words in (("en", ("what", "Who", "when")), ("de", ("was", "Wer", "wie")), ("fr", ("quand",)),
                            ("es", ("quién",)), ("it", ("chi",)), ("nl", ("wie",)), ("pt", ("quem",))):
            for word in words:
                self.assertIn(asked_apart(word, language(code)), ((word,), (f"{word}?",)), word)

    def test_apart(self) -> None:
        """What is told stands apart from what is asked, and a forgotten mark is set."""
        for code, some in _APART.items():
            for sentence, pieces in some:
                self.assertEqual(tuple(asked_apart(sentence, language(code))), pieces)

    @given(st.sampled_from(sorted(_APART)), st.text(max_size=200))
    def test_words_stay(self, code: str, text: str) -> None:
        """Nothing but marks is lost or added."""
        pieces = asked_apart(text, language(code))
        self.assertEqual([one for one in "".join(pieces) if one.isalnum()], [one for one in text if one.isalnum()])
