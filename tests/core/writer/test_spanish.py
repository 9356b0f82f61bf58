"""
Spanish: mails and what each of seven temperaments answers, approved as prose, and what no Spanish line may hold.

C{spanish/<name>.eml} is the mail, C{spanish/<name>/<temperament>.eml} the answer.  After a change of the wording, look
at what it does and approve it with::

    SIMMAILD_GOLDEN=write python -m twisted.trial tests.core.writer.test_spanish
    git diff tests/core/writer/spanish
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.records.persona import OutOfOffice, Style
from simmail.core.rng import Dice
from simmail.core.writer import Written, write
from simmail.core.writer.request import Promised
from simmail.core.writer.voice import TemplateLine, fill, manners, own, voice, ways
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, request
from tests.core.writer.test_golden import as_file

GOLDEN = Path(__file__).parent / "spanish"

#: The mails by name: (the intent they are taken for, what Maria knows of their case).
CONVERSATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "banco": ("bank", {}),
    "boletin": ("newsletter", {}),
    "candidatura": ("application", {}),
    "comercial": ("sales", {}),
    "confirmacion": ("confirmation", {}),
    "congreso": ("question", {}),
    "contrasena": ("phishing", {}),
    "contrato": ("document", {}),
    "copia": ("document", {}),
    "cumple": ("congrats", {}),
    "dos_preguntas": ("question", {"Dirección de envío": "Hamnvägen 12, 211 24 Malmö"}),
    "enferma": ("sick", {}),
    "gracias": ("thanks", {}),
    "mantenimiento": ("notice", {}),
    "pedido": ("status", {}),
    "pesame": ("grief", {}),
    "plazo": ("chaser", {}),
    "presupuesto": ("offer", {}),
    "queja": ("complaint", {}),
    "recordatorio": ("invoice", {}),
    "retraso": ("delay", {}),
    "reunion": ("meeting", {}),
}

#: Mails to somebody who is called tú.
NEAR = ("congreso", "copia", "cumple", "gracias", "pesame")
#: Words that tell whether a man or a woman writes or reads.
_GENDERED = re.compile(
    r"\b(?:encantad|bienvenid|querid|agradecid|interesad)[oa]s?\b|"
    r"\b(?:estoy|estás|está usted|soy|eres|quedo|sigo|ando) (?:muy |tan |más |ya |bastante )?"
    r"(?:segur|content|cansad|ocupad|list|preparad|convencid|sorprendid|atent|enferm|liad|desbordad|perdid|sol)[oa]\b|"
    r"\bnosotr[oa]s\b|\byo mism[oa]\b", re.IGNORECASE)
#: Between these and a noun that is filled in, Spanish contracts: "de el", "a el".
_TRAPS = re.compile(
    r"\b(?:de|a|del|al|el|la|los|las|un|una) "
    r"\{(?:doc|what|topic|option|other|owed|slot|counter|counter2|day|by|when|deadline|back)\}")
_FAMILIAR = re.compile(
    r"\b(?:tú|tu|tus|ti|contigo|tuy[oa]s?|te|puedes|podrías|quieres|tienes|necesitas|prefieres|dime|has|vosotr[oa]s|"
    r"vuestr[oa]s?|sois|podéis|tenéis|habéis|queréis|hacéis)\b", re.IGNORECASE)
_POLITE = re.compile(r"\b(?:usted|ustedes|le|les|su|sus|podría|dígame|escríbame)\b", re.IGNORECASE)
#: Said by a colleague to a colleague, or of other things than the reader.
_AMONG_FRIENDS = ("forward.note",)


def original(name: str) -> Mail:
    """The mail that is answered."""
    return read((GOLDEN / f"{name}.eml").read_bytes().replace(b"\n", b"\r\n"))


def answer(name: str, temperament: str) -> Written:
    """What a temperament answers it."""
    return write(request(
        original(name), temperament=temperament, facts=CONVERSATIONS[name][1],
        dice=Dice("golden").on(name, temperament)))


def lines() -> Iterator[tuple[str, TemplateLine]]:
    """Every line there is, with who says what by it."""
    for temperament in TEMPERAMENTS:
        said = voice("es", temperament)
        for table in (said.greeting, said.closing, said.acts):
            for name, some in table.items():
                for line in some:
                    yield f"{temperament}, {name}", line


def told(line: TemplateLine, far: bool) -> str:
    """A line with the names of what is filled in standing for it."""
    return "".join(piece.text for piece in fill(line, {name: "{%s}" % name for name in line.names}, far))


class AnswerTests(SynchronousTestCase):
    """Those mails, seven people."""

    def test_answers(self) -> None:
        """Each answer is, to the letter, the one that was read and approved."""
        writing = os.environ.get("SIMMAILD_GOLDEN") == "write"
        for name in CONVERSATIONS:
            for temperament in TEMPERAMENTS:
                path = GOLDEN / name / f"{temperament}.eml"
                now = as_file(original(name), answer(name, temperament))
                if writing:
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(now, encoding="utf-8")
                self.assertEqual(path.read_text(encoding="utf-8"), now, f"{name}, {temperament}")

    def test_understood(self) -> None:
        """Each mail is taken for what it is, and answered in Spanish by everybody, by each in words of its own."""
        for name, (intent, _) in CONVERSATIONS.items():
            written = [answer(name, temperament) for temperament in TEMPERAMENTS]
            self.assertEqual({(one.intent, one.language) for one in written}, {(intent, "es")}, name)
            self.assertEqual(len({one.text for one in written}), len(TEMPERAMENTS), name)

    def test_forms_of_address(self) -> None:
        """To usted nobody says tú, and to tú nobody usted."""
        for name in CONVERSATIONS:
            for temperament in TEMPERAMENTS:
                text = answer(name, temperament).text
                self.assertNotRegex(text, r"\busted" if name in NEAR else _FAMILIAR, f"{name}, {temperament}")

    def test_first_name(self) -> None:
        """Who greets by first name is not called tú for that."""
        text = "Hola, María:\n\nse cancela la reunión del jueves 5 de marzo a las 10:00.\n\nSaludos,\nLucía"
        for temperament in TEMPERAMENTS:
            for seed in range(5):
                said = write(request(mail(text, "Reunión"), temperament=temperament, seed=str(seed))).text
                self.assertNotRegex(said, _FAMILIAR)

    def test_days(self) -> None:
        """Days and times of day are written as in Spanish."""
        text = "Buenos días, María:\n\n¿nos reunimos el viernes 13 de marzo a las 14:30?\n\nUn saludo,\nLucía"
        self.assertIn("l viernes 13 de marzo a las 14:30", write(
            request(mail(text, "Reunión"), temperament="procedural")).text)

    def test_subjects(self) -> None:
        """Prefixes are those of Spanish programs, and one at most."""
        text = "Hola, María:\n\nadjunto nuestra oferta, quedo a la espera de su respuesta.\n\nUn saludo,\nLucía"
        for subject in ("Oferta", "RE: Oferta", "RV: RE: Oferta"):
            one = mail(text, subject)
            self.assertEqual(write(request(one)).subject, "Re: Oferta")
            self.assertEqual(write(request(one, style=Style(client="outlook"))).subject, "RE: Oferta")
            self.assertEqual(write(request(one, kind="forward", style=Style(client="outlook"))).subject, "RV: Oferta")
        absent = OutOfOffice(from_="2026-03-02", to="2026-03-06", message="")
        written = write(request(mail(text, "Oferta"), kind="ooo", ooo=absent))
        self.assertEqual(written.subject, "Respuesta automática: Oferta")
        self.assertRegex(written.text, "hasta el 6 de marzo(.|\n)*el lunes 9 de marzo")
        self.assertNotIn("el el", written.text)

    def test_promises(self) -> None:
        """What was promised in Spanish is delivered in Spanish, with a document that is Spanish as well."""
        one = mail("Hola, María:\n\n¿podría enviarnos la lista de precios?\n\nUn saludo,\nLucía Ferrer", "Precios")
        promise = write(request(one, temperament="procedural", seed="1")).promise
        assert promise is not None
        self.assertEqual(promise.what, "la lista de precios")
        for temperament in TEMPERAMENTS:
            written = write(request(one, temperament=temperament, kind="deliver", promise=promise))
            self.assertIn("la lista de precios", written.text.lower())
            self.assertEqual([one.filename for one in written.attachments], ["lista-de-precios.csv"])
            self.assertIn("Fecha,2 de marzo de 2026", written.attachments[0].octets.decode())
            for days in (2, 20):
                late = Promised("el certificado", NOW - timedelta(days=days))
                text = write(request(one, temperament=temperament, kind="nudge", promise=late)).text
                self.assertIn("el certificado", text.lower())
                self.assertNotRegex(text, "(?:para|Para) (?:[a-z]+es|[0-9])")

    def test_quoted_question(self) -> None:
        """A question that stands above its answer has both of its marks."""
        text = answer("congreso", "skeptical").text
        self.assertIn('"¿Comes de todo?"', text)
        self.assertEqual(text.count("¿"), text.count("?"))


class LineTests(SynchronousTestCase):
    """Every line of every voice."""

    def test_nobody_is_a_man_or_a_woman(self) -> None:
        """No line tells whether a man or a woman writes, or reads."""
        for whose, line in lines():
            self.assertIsNone(_GENDERED.search(told(line, True)), f"{whose}: {told(line, True)}")

    def test_no_traps(self) -> None:
        """Nothing is filled in where it would have to contract or to agree."""
        for whose, line in lines():
            self.assertIsNone(_TRAPS.search(told(line, True)), f"{whose}: {told(line, True)}")
            self.assertTrue(line.names.isdisjoint(("is", "it")), whose)

    def test_marks(self) -> None:
        """Questions and exclamations are opened and closed; only who writes without capitals does not open them."""
        for whose, line in lines():
            for text in (told(line, True), told(line, False)):
                if whose.startswith("ghost"):
                    self.assertNotRegex(text, "¡", whose)
                    continue
                self.assertEqual(text.count("¿"), text.count("?"), f"{whose}: {text}")
                self.assertEqual(text.count("¡"), text.count("!"), f"{whose}: {text}")
                self.assertNotRegex(text, r"[\w}][?!]\w|[¿¡] | [?!;,.](?!\.)|  ", f"{whose}: {text}")

    def test_two_forms(self) -> None:
        """A line to strangers has no tú in it, but to a colleague; one to friends has no usted."""
        for whose, line in lines():
            if not whose.endswith(_AMONG_FRIENDS):
                self.assertIsNone(_FAMILIAR.search(told(line, True)), f"{whose}: {told(line, True)}")
                self.assertNotRegex(told(line, False), r"\b[Uu]sted\b", whose)

    def test_of_their_own(self) -> None:
        """Each voice says the core of what it does in its own words, in two ways or more."""
        for temperament, manner in manners().items():
            mine = own("es", temperament)["acts"]
            for intent, acts in manner.does.items():
                for name in {name for names, _ in acts for name in names.split("+")} if intent != "question" else ():
                    said = [way for line in mine.get(f"{intent}.{name}", ()) for way in ways(line)]
                    self.assertGreaterEqual(len(set(said)), 2, f"{temperament}: {intent}.{name}")

    def test_words(self) -> None:
        """Months and days in small letters; a day with its article answers when, and stands after para."""
        spanish = language("es")
        self.assertEqual((spanish.months[0], spanish.weekdays[2]), ("enero", "miércoles"))
        self.assertEqual(spanish.day.near.format(weekday="lunes"), "el lunes")
