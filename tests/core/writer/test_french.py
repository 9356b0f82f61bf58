"""
French: mails and what each of seven temperaments answers, approved as prose, and what no French line may hold.

C{french/<name>.eml} is the mail, C{french/<name>/<temperament>.eml} the answer.  After a change of the wording, look at
what it does and approve it with::

    SIMMAILD_GOLDEN=write python -m twisted.trial tests.core.writer.test_french
    git diff tests/core/writer/french
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.records.persona import OutOfOffice, Style
from simmail.core.rng import Dice
from simmail.core.writer import Written, write
from simmail.core.writer.request import Promised
from simmail.core.writer.voice import TemplateLine, fill, voice
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, maria, request
from tests.core.writer.test_golden import as_file

GOLDEN = Path(__file__).parent / "french"

#: The mails by name: (the intent they are taken for, what Maria knows of their case).
CONVERSATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "candidature": ("application", {}),
    "code": ("code", {}),
    "contrat": ("document", {}),
    "dejeuner": ("meeting", {}),
    "deuil": ("grief", {}),
    "deux_questions": ("question", {"adresse de livraison": "Hamnvägen 12, 211 24 Malmö"}),
    "devis": ("offer", {}),
    "erreur": ("wrong", {}),
    "facture": ("bill", {}),
    "geste": ("redress", {}),
    "maintenance": ("notice", {}),
    "merci": ("thanks", {}),
    "prospection": ("sales", {}),
    "questions": ("question", {"prix": "2,40 € pièce"}),
    "reclamation": ("complaint", {}),
    "relance": ("invoice", {}),
    "relance_devis": ("chaser", {}),
    "rendez_vous": ("meeting", {}),
    "retard": ("delay", {}),
    "rib": ("bank", {}),
    "support": ("support", {}),
    "tache": ("task", {}),
}

#: Words that tell whether a man or a woman writes or reads, by themselves or said of somebody.
_GENDERED = re.compile(
    r"\b(?:désol|navr|enchant)ée?\b|\bravie?\b|"
    r"\b(?:suis|serai|étais|êtes|es|serez|seras|resterai|reste) (?:très |bien |trop |toujours |encore |vraiment )?"
    r"(?:sûr|content|certain|absent|confus|heureu|satisfait|surpris|reconnaissant|abonné|inscrit|prêt|rassuré|déçu|"
    r"pressé|débordé|occupé|parti|revenu|passé|allé|rentré|arrivé|venu|tombé|curieu|seul)(?:e|x|se)?\b|"
    r"\bm[e']? ?(?:suis|étais) \w+(?:é|i|u)e?\b|"
    r"\bm'(?:avoir|avez|as|a) (?:si |bien )?(?:prévenu|informé|averti|convaincu|oublié|attendu|invité|compris)e?\b",
    re.IGNORECASE)
#: Between these and a noun that is filled in French contracts or elides: "de le", "que il".
_TRAPS = re.compile(
    r"\b(?:de|que|du|au|aux|le|la|un|une|ce|ne|se|me|te|si|jusqu'à|à) "
    r"\{(?:doc|what|topic|thing|option|owed|label|area|position|place|item|case|subject)\}"
    r"|\b(?:de|que|du|au|le|la|si|jusqu'à) \{(?:name|first|company|colleague|addressee|asker|sender|me|org)\}")
#: A double mark has a blank before it, but for the second of two.
_MARKS = re.compile(r"[^\s?!…][?!;:]|«\S|\S»")
_FAMILIAR = re.compile(r"\b(?:tu|te|toi|ton|ta|tes)\b", re.IGNORECASE)


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
        said = voice("fr", temperament)
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
        """Each mail is taken for what it is, and answered in French by everybody, by each in words of its own."""
        for name, (intent, _) in CONVERSATIONS.items():
            written = [answer(name, temperament) for temperament in TEMPERAMENTS]
            self.assertEqual({(one.intent, one.language) for one in written}, {(intent, "fr")}, name)
            self.assertEqual(len({one.text for one in written}), len(TEMPERAMENTS), name)

    def test_forms_of_address(self) -> None:
        """To vous nobody says tu, and to tu nobody vous."""
        for name in CONVERSATIONS:
            near = name in ("dejeuner", "merci", "tache")
            for temperament in TEMPERAMENTS:
                text = answer(name, temperament).text
                self.assertNotRegex(text, r"\b(?:vous|votre|vos)\b" if near else _FAMILIAR, f"{name}, {temperament}")

    def test_first_name(self) -> None:
        """Who greets by first name is not called tu for that."""
        text = "Bonjour Maria,\n\nla réunion de jeudi 5 mars à 10h00 est annulée.\n\nCordialement,\nClaire"
        for temperament in TEMPERAMENTS:
            for seed in range(5):
                said = write(request(mail(text, "Réunion"), temperament=temperament, seed=str(seed))).text
                self.assertNotRegex(said, _FAMILIAR)

    def test_days(self) -> None:
        """The first of a month and times of day are written as in French."""
        text = "Bonjour Maria,\n\nseriez-vous disponible mercredi 1er avril à 9h00 ?\n\nCordialement,\nClaire"
        self.assertIn("mercredi 1er avril à 9h00", write(
            request(mail(text, "Rendez-vous"), temperament="procedural")).text.lower())
        text = "Bonjour Maria,\n\nseriez-vous disponible vendredi 13 mars à 14h30 ?\n\nCordialement,\nClaire"
        self.assertIn("vendredi 13 mars à 14h30", write(request(mail(text, "Point"), temperament="ghost")).text)

    def test_first_mails(self) -> None:
        """A first mail is in the language of what it wants, or of its writer's country where it wants nothing."""
        for address, wants, told in (
            ("maria@imprimerie.fr", UNSET, "fr"), ("maria@druck.de", UNSET, "de"), ("maria@print.example", UNSET, "en"),
            ("maria@print.example", "souhaite un devis pour 500 affiches, livrées avant la fête", "fr"),
            ("maria@imprimerie.fr", "a quote for 500 posters that are delivered before the fair", "en"),
        ):
            written = write(request(kind="initiate", persona=maria(addresses=(address,), wants=wants)))
            self.assertEqual(written.language, told, address)

    def test_subjects(self) -> None:
        """Prefixes are those of French programs, and one at most."""
        for subject in ("Offre", "RE: Offre", "Re : Offre", "TR : RE : Offre"):
            one = mail("Bonjour Maria,\n\nvoici notre offre, merci de nous répondre.\n\nClaire", subject)
            self.assertEqual(write(request(one)).subject, "Re: Offre")
            self.assertEqual(write(request(one, style=Style(client="outlook"))).subject, "RE: Offre")
            self.assertEqual(write(request(one, kind="forward", style=Style(client="outlook"))).subject, "TR: Offre")
        absent = OutOfOffice(from_="2026-03-02", to="2026-03-06", message="")
        one = mail("Bonjour Maria,\n\nvoici notre offre, merci de nous répondre.\n\nClaire", "Offre")
        written = write(request(one, kind="ooo", ooo=absent))
        self.assertEqual(written.subject, "Réponse automatique : Offre")
        self.assertRegex(written.text, "jusqu'au 6 mars(.|\n)*lundi 9 mars")

    def test_promises(self) -> None:
        """What was promised in French is delivered in French, with a document that is French as well."""
        one = mail("Bonjour Maria,\n\npouvez-vous nous envoyer la liste de prix ?\n\nCordialement,\nClaire", "Prix")
        promise = write(request(one, temperament="procedural")).promise
        assert promise is not None
        self.assertEqual(promise.what, "la liste de prix")
        for temperament in TEMPERAMENTS:
            written = write(request(one, temperament=temperament, kind="deliver", promise=promise))
            self.assertIn("la liste de prix", written.text)
            self.assertEqual([one.filename for one in written.attachments], ["liste-de-prix.csv"])
            self.assertIn("Date,2 mars 2026", written.attachments[0].octets.decode())
            late = Promised("le certificat", NOW)
            self.assertIn("le certificat", write(
                request(one, temperament=temperament, kind="nudge", promise=late)).text)


class LineTests(SynchronousTestCase):
    """Every line of every voice."""

    def test_nobody_is_a_man_or_a_woman(self) -> None:
        """No line tells whether a man or a woman writes, or reads."""
        for whose, line in lines():
            self.assertIsNone(_GENDERED.search(told(line, True)), f"{whose}: {told(line, True)}")

    def test_no_traps(self) -> None:
        """Nothing is filled in where it would have to contract, to elide or to agree."""
        for whose, line in lines():
            self.assertIsNone(_TRAPS.search(told(line, True)), f"{whose}: {told(line, True)}")
            self.assertTrue(line.names.isdisjoint(("is", "it")), whose)

    def test_marks(self) -> None:
        """Double marks and quotes are set off by a blank, everywhere alike, and apostrophes are straight."""
        for whose, line in lines():
            text = told(line, True).replace("{", "").replace("}", "")
            self.assertIsNone(_MARKS.search(text), f"{whose}: {text}")
            self.assertNotRegex(text, "[’\u00a0\u202f]|  ", whose)

    def test_two_forms(self) -> None:
        """A line to strangers has no tu in it, but to a colleague."""
        for whose, line in lines():
            if "forward.note" not in whose and "private.warm" not in whose:
                self.assertIsNone(_FAMILIAR.search(told(line, True)), f"{whose}: {told(line, True)}")

    def test_capitals(self) -> None:
        """A line begins with a capital where its voice uses them."""
        for whose, line in lines():
            first = line.parts[0]
            text = first if isinstance(first, str) else first[0]
            if "ghost" not in whose and text[:1].isalpha() and "answer." not in whose:
                self.assertTrue(text[:1].isupper(), f"{whose}: {text}")

    def test_words(self) -> None:
        """The words of the language: its months in small letters, its own marks, « and » with blanks."""
        french = language("fr")
        self.assertEqual((french.months[7], french.weekdays[1]), ("août", "mardi"))
        self.assertEqual((french.colon, french.quotes), (" : ", ("« ", " »")))
