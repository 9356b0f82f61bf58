"""Which sentences begin exchanges, and how people of different temperaments answer them."""

from __future__ import annotations

from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import read_question
from simmail.core.writer.context import Scene, set_scene
from simmail.core.writer.exchanges.bank import ASKED, exchanges
from simmail.core.writer.exchanges.recognition import answered, begun, told
from simmail.universe.meaning import Meaning
from tests.core.writer.samples import TEMPERAMENTS, mail, maria, request, wrote

MEANING = Meaning()


def scene(text: str, temperament: str = "responsive", id: str = "p_maria", subject: str = "Hello") -> Scene:
    """What a private person has before it."""
    return set_scene(request(mail(text, subject), meaning=MEANING, persona=maria(
        temperament, org="", role="", id=id)))


class BegunTests(SynchronousTestCase):
    """Sentences that are no examples."""

    def test_told(self) -> None:
        """They begin the exchange that they are like, in whatever language."""
        for sentence, asked, name in (
            ("They closed our plant and I am out of a job since Friday.", False, "job_lost"),
            ("Could you water our roses while we are in Greece?", True, "water_plants"),
            ("Könntest du nächste Woche unsere Blumen gießen?", True, "water_plants"),
            ("¿Podríamos cambiar la cita del martes a otro día?", True, "reschedule_wished"),
            ("Je regrette de t'avoir crié dessus ce matin.", False, "apology_for_rudeness"),
        ):
            found = begun(scene(sentence), sentence, asked)
            self.assertEqual(found and found.name, name, sentence)

    def test_nothing(self) -> None:
        """What is like none begins nothing, and nothing does without a language model."""
        for sentence in ("The invoice number is 4711.", "It is 68 cm wide without its legs.", "Ok."):
            self.assertIsNone(begun(scene("Hello."), sentence, False), sentence)
        plain = set_scene(request(mail("Hello.", "Hello")))
        self.assertIsNone(begun(plain, "Could we borrow your ladder on Saturday?", True))

    def test_fits(self) -> None:
        """What is about what its reader wrote fits in a thread, and advice where no way to go on is asked for."""
        sentence = "Sorry, what exactly does that mean for me?"
        self.assertIsNone(begun(scene("Hello."), sentence, True))
        again = set_scene(request(mail("Hello."), meaning=MEANING, own=(mail("The fee is due on Friday."),)))
        self.assertEqual(getattr(begun(again, sentence, True), "name", ""), "explain_again")
        for sentence, name in (
            ("What shall I do?", ""), ("What would you do in my place?", "what_would_you_do"),
            ("Who decided this?", ""), ("Who is in charge of repairs?", "who_is_in_charge_asked"),
        ):
            self.assertEqual(getattr(begun(scene("Hello."), sentence, True), "name", ""), name, sentence)
        firm = set_scene(request(mail("Hello."), meaning=MEANING))
        self.assertIsNone(begun(firm, "What would you do in my place?", True))
        # Of a sentence that asks two things each has to name its own.
        self.assertIsNone(begun(scene("Hello."), "Who decided and when is it now?", True, "Who decided?"))

    def test_private(self) -> None:
        """What friends ask each other is not asked of a firm."""
        sentence = "What do I owe you for the flowers?"
        self.assertEqual(getattr(begun(scene("Hello."), sentence, True), "name", ""), "what_i_owe")
        firm = set_scene(request(mail("Hello."), meaning=MEANING))
        self.assertIsNone(begun(firm, sentence, True))

    def test_question(self) -> None:
        """What only questions begin no statement does, and the other way round."""
        self.assertIsNone(begun(scene("Hello."), "One can leave a bicycle there.", False))
        self.assertIsNone(begun(scene("Hello."), "Have I lost my job?", True))


class AnsweredTests(SynchronousTestCase):
    """What is said."""

    def test_stance(self) -> None:
        """One person always holds the same of a thing; of many most say yes, of the difficult fewer."""
        asked = "Could we borrow your ladder on Saturday?"
        counts = {}
        for temperament in ("responsive", "difficult"):
            acts = []
            for n in range(40):
                here = scene(asked, temperament, f"p_{n}")
                (first, again) = (answered(here, here.read[0], read_question(asked, here.language)) for _ in range(2))
                assert first is not None
                self.assertEqual(first, again)
                acts.append(first.act.rpartition(".")[2])
            self.assertLessEqual({*acts}, {*ASKED})
            counts[temperament] = Counter(acts)["yes"]
        self.assertGreater(counts["responsive"], 30)
        self.assertLess(counts["difficult"], 25)

    def test_names(self) -> None:
        """A day and a person that a sentence names are known to the lines."""
        text = "Any chance of a lift for Jonas to the station on Friday?"
        here = scene(text)
        act = answered(here, here.read[0], read_question(text, here.language))
        assert act is not None
        self.assertEqual((act.values["when"], act.values["who"]), ("on Friday", "Jonas"))

    def test_silence(self) -> None:
        """To what wants no answer most say nothing."""
        text = "No need to reply to this."
        silent = 0
        for n in range(40):
            here = scene(text, id=f"p_{n}")
            silent += not told(here, here.read[0], [text])
        self.assertGreater(silent, 25)

    def test_all(self) -> None:
        """Every exchange can be answered by every temperament, in each language, to its own first example."""
        greetings = {"en": "Hi Maria", "de": "Hallo Maria", "fr": "Bonjour Maria", "es": "Hola Maria"}
        for code, greeting in greetings.items():
            for name, one in exchanges(code).items():
                temperament = TEMPERAMENTS[len(name) % len(TEMPERAMENTS)]
                said = wrote(mail(f"{greeting},\n\n{one.heard[0]}\n\nDana", "Hello"), meaning=MEANING, persona=maria(
                    temperament, org="", role=""))
                self.assertNotIn("{", said.text, name)
                self.assertNotIn("<", said.text, name)
                self.assertNotIn("[", said.text, name)
