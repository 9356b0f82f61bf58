"""Spanish questions said again as statements."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.spanish.statement import either_stated, of_speaker, stated, wondered

#: Questions to somebody who speaks for himself and says "usted", and what is so, and what is not.
_STATED = {
    "¿Está todavía libre la sala?": ("todavía está libre la sala", "ya no está libre la sala"),
    "¿Han recibido mi correo?": ("hemos recibido su correo", "no hemos recibido su correo"),
    "¿Puedes recoger a Lucía?": ("puedo recoger a Lucía", "no puedo recoger a Lucía"),
    "¿Ha preguntado alguien por mí?": ("ha preguntado alguien por usted", "no ha preguntado nadie por usted"),
    "¿Alguien puede prestarnos una mesa?": ("alguien puede prestarles una mesa", "nadie puede prestarles una mesa"),
    "¿Has leído algo bueno?": ("he leído algo bueno", "no he leído nada bueno"),
    "¿Hay un número para emergencias?": (
        "hay un número para emergencias", "no hay ningún número para emergencias"),
    "¿Hay que pagar aparte la limpieza?": (
        "hay que pagar aparte la limpieza", "no hace falta pagar aparte la limpieza"),
    "¿Ya has votado?": ("ya he votado", "todavía no he votado"),
    "¿Me lo podría mandar por correo?": ("se lo puedo mandar por correo", "no se lo puedo mandar por correo"),
    "¿Podría darme la dirección de su peluquero?": (
        "puedo darle la dirección de mi peluquero", "no puedo darle la dirección de mi peluquero"),
    "¿Vendrá usted a la junta?": ("iré a la junta", "no iré a la junta"),
    "¿La empresa paga el desayuno?": ("la empresa paga el desayuno", "la empresa no paga el desayuno"),
    "¿Puede Lena dormir aquí?": ("Lena puede dormir aquí", "Lena no puede dormir aquí"),
    "¿Puedo hacerle unas preguntas?": ("puede hacerme unas preguntas", "no puede hacerme unas preguntas"),
    "¿Todavía me puedo inscribir?": ("todavía se puede inscribir", "ya no se puede inscribir"),
    "¿Bajaría un poco la calefacción?": ("bajaré un poco la calefacción", "no bajaré la calefacción"),
    "¿Sabes si la sala está ocupada?": ("la sala está ocupada", "la sala no está ocupada"),
    "¿Le interesaría un puesto en Bilbao?": (
        "me interesaría un puesto en Bilbao", "no me interesaría un puesto en Bilbao"),
    "¿Ha habido algún acceso a nuestros datos?": (
        "ha habido algún acceso a sus datos", "no ha habido ningún acceso a sus datos"),
    "¿Eso es todo?": ("eso es todo", "eso no es todo"),
    "¿Alguien me lo explica?": ("alguien se lo explica", "nadie se lo explica"),
    "¿El puesto estaba ya decidido?": ("el puesto ya estaba decidido", "el puesto todavía no estaba decidido"),
    "¿Podrían traernos pan y vino?": ("podemos llevarles pan y vino", ""),
    "¿Tienen todavía plazas?": ("todavía tenemos plazas", "ya no tenemos plazas"),
    "¿Recibieron mi correo?": ("recibimos su correo", "no recibimos su correo"),
    "¿Disponen de una sala?": ("disponemos de una sala", "no disponemos de una sala"),
    "¿Han comprado máquinas nuevas?": ("hemos comprado máquinas nuevas", "no hemos comprado máquinas nuevas"),
    "¿Se las dejas a la portera?": ("se las dejo a la portera", "no se las dejo a la portera"),
}


class StatedTests(SynchronousTestCase):
    """A yes or a no in full."""

    def test_stated(self) -> None:
        """Verb and pronouns change sides, and "no" goes before them."""
        for question, both in _STATED.items():
            self.assertEqual(stated(question, False, True), both, question)

    def test_for_others(self) -> None:
        """Who speaks for a firm says "nosotros" and "nuestro"."""
        self.assertEqual(stated("¿Puede enseñarme su sala?", True, True), (
            "podemos enseñarle nuestra sala", "no podemos enseñarle nuestra sala"))

    def test_near(self) -> None:
        """Who is asked as "tú" says "tú"; who is asked as neither says what it says else."""
        self.assertEqual((stated("¿Puedo llamarte?", False, True) or ("", ""))[0], "puedes llamarme")
        self.assertEqual((stated("¿Puedo ir?", False, False) or ("", ""))[0], "puedes ir")
        self.assertEqual((stated("¿Puedo ir?", False, True) or ("", ""))[0], "puede ir")

    def test_unclear(self) -> None:
        """Nothing is said where it may be said of its reader or of somebody else."""
        for question in (
            "¿No vienes?", "¿Podemos cambiar?", "¿Le apunto para el viernes?", "¿Sabes cuándo viene?",
            "¿Podría ir al curso en mayo?", "¿Tiene garantía?", "Mi hijo está mejor, ¿puede ir?",
            "¿Azul?", "?", "¿Puede probarse hoy?", "¿Es nuestra?", "¿Ha sido usted?",
            "¿Puede llegar otra vez?", "¿Viene hoy, o va mañana?",
            "¿Te importaría esperar?", "¿Cuánto cuesta?",
        ):
            self.assertIsNone(stated(question, False, True), question)

    def test_either(self) -> None:
        """Two clauses, or two deeds of one."""
        self.assertEqual(either_stated("¿Hay ascensor, o hay que subirlo todo?", False, True), (
            "hay ascensor", "hay que subirlo todo"))
        self.assertEqual(either_stated("¿Puedes recogerlo o esperar?", False, True), (
            "puedo recogerlo", "puedo esperar"))
        self.assertEqual(either_stated("¿Té o café?", False, True), ())
        self.assertEqual(either_stated("¿Vienes el lunes o el martes?", False, True), ())

    def test_wondered(self) -> None:
        """Behind "no sé" the words stay, the persons change."""
        for question, clause in {
            "¿Dónde está la llave del candado?": "dónde está la llave del candado",
            "¿A qué hora empieza mi turno?": "a qué hora empieza su turno",
            "¿Cuándo puedo contar con las sillas?": "cuándo puede contar con las sillas",
            "¿Qué preguntas ponemos?": "qué preguntas ponemos",
            "¿Cuánto puede costar una comida?": "cuánto puede costar una comida",
            "¿Por qué no preguntamos?": "",
            "¿Quién puede hacerlo?": "quién puede hacerlo",
            "¿Vienes?": "",
        }.items():
            self.assertEqual(wondered(question, False, True), clause, question)

    def test_of_speaker(self) -> None:
        """A verb says who acts, and a noun that looks like one does not."""
        self.assertTrue(of_speaker("cojo", "un"))
        self.assertTrue(of_speaker("compramos", "unos"))
        self.assertFalse(of_speaker("vino", "un"))
        self.assertFalse(of_speaker("cojo", "taxi"))
