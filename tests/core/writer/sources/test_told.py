"""What a thread tells, as it holds now, or as it held before something else."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.core.writer.sources.threads import FRAME, MINE, asked, remarks

#: Language, what was said in turn, what is asked, and how the answer begins.
CHANGED = (
    ("en", ("the rug is 200 cm long.", "there is no 200 cm rug left, only 180 cm."),
     "How long is the rug going to be now?", "only 180 cm"),
    ("de", ("der Tisch soll 160 cm lang werden.", "160 cm haben wir nicht mehr, nur noch 140 cm."),
     "Wie lang wird der Tisch jetzt?", "140 cm"),
    ("fr", ("nous serons douze à table.", "finalement nous serons quinze."), "Combien serons-nous à table ?", "quinze"),
    ("es", ("seremos diez en la cena.", "al final seremos trece."), "¿Cuántos seremos en la cena?", "trece"),
)
MORE = "Henry rang me and wants two more. Make it eleven stools. Shout if that is too many."
BEFORE = (
    ("en", ("we want nine stools.", MORE), "How many stools was it before Henry rang me?", "nine stools"),
    ("de", ("wir brauchen sechs Tische.", "Markus hat mich angerufen, er braucht noch zwei. Also acht Tische."),
     "Wie viele Tische waren es, bevor Markus mich angerufen hat?", "sechs tische"),
    ("es", ("queremos seis mesas.", "Marcos me llamó y quiere dos más. Que sean ocho mesas."),
     "¿Cuántas mesas eran antes de que llamara Marcos?", "seis mesas"),
    ("en", ("we need 14 chairs for the hall.", "three more have said yes, so we need 17 chairs."),
     "How many chairs was it before the three said yes?", "14 chairs"),
)
OTHER = (
    ("en", ("the toaster, order 40912, arrived with a dent in the side.", "the new one is here, thanks."),
     "What was wrong with the first one, as you have it on file?", "with a dent in the side"),
    ("en", ("we come by car, the three of us.", f"{MINE}There is also a train every hour."),
     "How did I say we would come?", "by car"),
)


class ToldTests(SynchronousTestCase):
    """Threads of two mails."""

    def _told(self, *cases: tuple[str, tuple[str, ...], str, str]) -> None:
        for code, texts, question, answer in cases:
            before = remarks(code, tuple(
                one if one.startswith(MINE) else f"{FRAME[code][0]}\n\n{one}\n\nTom" for one in texts))
            self.assertTrue(asked(code, question, "busy", before).text.lower().startswith(answer), question)

    def test_changed(self) -> None:
        """What is there no more, and what is so after all, give way to what was said with it."""
        self._told(*CHANGED)

    def test_before(self) -> None:
        """What was so before something happened is looked for in what was said by then."""
        self._told(*BEFORE)

    def test_what_is_asked(self) -> None:
        """Trouble is no number, and a way to come is no number of people."""
        self._told(*OTHER)

    def test_settled_by_no_question(self) -> None:
        """Nothing was agreed by a mail that but asked, so it is not held against who believes it was."""
        before = remarks("en", ("Hello Maria,\n\nare you free on Tuesday at 14:00 for a call about Mill Lane?\n\nTom",))
        text = asked("en", "We said the next call is on Friday the 13th at 11:00, didn't we?", "busy", before).text
        self.assertNotIn("Mill Lane", text)
