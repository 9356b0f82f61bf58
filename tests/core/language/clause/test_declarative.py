"""Yes-or-no questions, said again as a yes and a no in full."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.restate import statement
from simmail.core.language.clause.tables import restating
from simmail.core.language.tables import language

FR, ES = language("fr"), language("es")
#: How questions of each language begin, with the first person of their verb, and what may follow.
ASKED = {
    "en": (("Do you take", "I take"), ("Can you bring", "I can bring"), ("Have you got", "I have got"),
           ("Will you and Ada see", "we will see"), ("Did you order", "I ordered"),
           ("Are you bringing", "I'm bringing")),
    "de": (("Nimmst du", "ich nehme"), ("Kannst du", "ich kann"), ("Hast du", "ich habe"), ("Bringst du", "ich bringe"),
           ("Brauchst du", "ich brauche"), ("Willst du", "ich will")),
    "fr": (("Tu prends", "je prends"), ("Est-ce que tu as", "j'ai"), ("Apportes-tu", "j'apporte"),
           ("Au fait, tu nous prêtes", "je vous prête"), ("Tu me gardes", "je te garde"), ("Tu veux", "je veux")),
    "es": (("¿Traes", "traigo"), ("¿Tienes", "tengo"), ("¿Necesitas", "necesito"), ("¿Y nos traes", "os traigo"),
           ("¿Te llevas", "me llevo"), ("¿Has visto", "he visto")),
}
THINGS = {
    "en": ("the blue ladder", "the big tent on Friday", "the two cakes", "the keys of the barn"),
    "de": ("die blaue Leiter", "das große Zelt am Freitag", "die zwei Kuchen", "den Schlüssel zur Scheune"),
    "fr": ("le grand plat", "la tente bleue vendredi", "les deux gâteaux", "les clefs de la grange"),
    "es": ("la escalera azul", "el taladro el viernes", "las dos tartas", "las llaves del granero"),
}
CASES = [(code, *begin, thing) for code, begins in ASKED.items() for begin in begins for thing in THINGS[code]]


class DeclarativeTests(SynchronousTestCase):
    """French and Spanish."""

    def test_statement(self) -> None:
        """The verb in the first person, persons as the other side says them, and its own negation."""
        for known, question, said, denied in (
            (FR, "Jeanne joue samedi, tu viens avec les enfants ?", "je viens avec les enfants",
             "je ne viens pas avec les enfants"),
            (FR, "Arriverez-vous avant 18 h ?", "j'arriverai avant 18 h", "je n'arriverai pas avant 18 h"),
            (FR, "Ta fille a-t-elle toujours peur ?", "ma fille a toujours peur", ""),
            (FR, "Tu m'apportes le plat ?", "je t'apporte le plat", "je ne t'apporte pas le plat"),
            (FR, "Tu as encore ma perceuse ?", "j'ai encore ta perceuse", ""),
            (ES, "¿Traes tú la tortilla?", "traigo la tortilla", "no traigo la tortilla"),
            (ES, "¿Y tu perro se lleva bien con los gatos?", "mi perro se lleva bien con los gatos", ""),
            (ES, "¿Le viene bien el martes?", "me viene bien el martes", "no me viene bien el martes"),
            (ES, "¿nos puedes llevar?", "os puedo llevar", "no os puedo llevar"),
        ):
            self.assertEqual(tuple(statement(question, known, False)), (said, denied), question)

    def test_unsure(self) -> None:
        """Nothing is said again of more than one, of what is denied already, and of what has two parts."""
        for known, question in (
            (FR, "Vous serez bien quatre, comme prévu ?"), (FR, "Tu manges toujours pas d'agneau ?"),
            (FR, "Y a-t-il un parking ?"), (FR, "Tu viens ou tu restes ?"), (ES, "¿Sigue en pie lo de Nube?"),
            (ES, "¿Puede recogerlo su abuela?"), (ES, "¿No vienes?"),
        ):
            self.assertEqual(tuple(statement(question, known, False)), ("", ""), question)

    def test_words_stay(self) -> None:
        """In every language what is asked about keeps its words, and the person is turned once."""
        for code, asked, own, thing in CASES:
            said = statement(f"{asked} {thing}?", language(code), False).said
            self.assertEqual(said, f"{own} {thing}", asked)

    @given(st.text(max_size=160), st.sampled_from(("fr", "es")))
    def test_anything(self, text: str, code: str) -> None:
        """Any text is said again in one line without a mark at its end, or not at all."""
        begins = sorted(restating(code).you | restating(code).mine.keys())
        for question in (text, f"{begins[len(text) % len(begins)]} {text} ?"):
            for said in statement(question, language(code), False):
                self.assertNotIn("\n", said)
                self.assertFalse(said.endswith(("?", "!", ",")), said)
