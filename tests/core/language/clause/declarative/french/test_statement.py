"""French questions said again as statements."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.french.statement import either_stated, stated, wondered

#: Questions to somebody who speaks for himself and says "vous", and what is so, and what is not.
_STATED = {
    "Est-ce que la salle est encore libre ?": ("la salle est encore libre", "la salle n'est plus libre"),
    "La salle est-elle encore libre ?": ("la salle est encore libre", "la salle n'est plus libre"),
    "Avez-vous reçu mon mail ?": ("j'ai reçu votre mail", "je n'ai pas reçu votre mail"),
    "Vous pouvez livrer samedi ?": ("je peux livrer samedi", "je ne peux pas livrer samedi"),
    "Y a-t-il encore des places ?": ("il y a encore des places", "il n'y a plus de places"),
    "Quelqu'un a-t-il trouvé mes clés ?": ("quelqu'un a trouvé vos clés", "personne n'a trouvé vos clés"),
    "As-tu vu quelqu'un ?": ("j'ai vu quelqu'un", "je n'ai vu personne"),
    "Tu m'as envoyé quelque chose ?": ("je t'ai envoyé quelque chose", "je ne t'ai rien envoyé"),
    "Pourriez-vous réserver une table ?": ("je peux réserver une table", "je ne peux pas réserver de table"),
    "Baisseriez-vous un peu le chauffage ?": ("je baisserai un peu le chauffage", "je ne baisserai pas le chauffage"),
    "Avez-vous déjà saisi vos absences ?": ("j'ai déjà saisi mes absences", "je n'ai pas encore saisi mes absences"),
    "Vous occuperiez-vous d'Amir ?": ("je m'occuperai d'Amir", "je ne m'occuperai pas d'Amir"),
    "Êtes-vous prêts ?": ("nous sommes prêts", "nous ne sommes pas prêts"),
    "Êtes-vous content de mon travail ?": (
        "je suis content de votre travail", "je ne suis pas content de votre travail"),
    "Avez-vous travaillé ensemble ?": ("nous avons travaillé ensemble", "nous n'avons pas travaillé ensemble"),
    "A-t-il encore changé ?": ("il a encore changé", ""),
    "Avez-vous aussi quelque chose sans gluten ?": ("j'ai aussi quelque chose sans gluten", "je n'ai rien sans gluten"),
    "Il faut réserver ?": ("il faut réserver", "ce n'est pas nécessaire"),
    "Savez-vous si la petite salle est prise ?": ("la petite salle est prise", "la petite salle n'est pas prise"),
    "Tu en vois une ?": ("j'en vois une", "je n'en vois pas"),
    "C'est encore possible ?": ("c'est encore possible", "ce n'est plus possible"),
    "Puis-je vous appeler ?": ("vous pouvez m'appeler", "vous ne pouvez pas m'appeler"),
    "Pourriez-vous fournir un projecteur et un écran ?": ("je peux fournir un projecteur et un écran", ""),
}


class StatedTests(SynchronousTestCase):
    """A yes or a no in full."""

    def test_stated(self) -> None:
        """However it is asked, persons change sides, and "ne" and "pas" go around the verb."""
        for question, both in _STATED.items():
            self.assertEqual(stated(question, False, True), both, question)

    def test_for_others(self) -> None:
        """Who speaks for a firm says "nous" and "notre"."""
        self.assertEqual(stated("Pouvez-vous me montrer votre salle ?", True, True), (
            "nous pouvons vous montrer notre salle", "nous ne pouvons pas vous montrer notre salle"))

    def test_near(self) -> None:
        """Who is asked as "tu" says "tu"; who is asked as neither says what it says else."""
        self.assertEqual((stated("Je peux t'appeler ?", False, True) or ("", ""))[0], "tu peux m'appeler")
        self.assertEqual((stated("Je peux venir ?", False, False) or ("", ""))[0], "tu peux venir")
        self.assertEqual((stated("Je peux venir ?", False, True) or ("", ""))[0], "vous pouvez venir")

    def test_unclear(self) -> None:
        """Nothing is said where who is meant, or the gender of a thing, is not known."""
        for question in (
            "Tu ne viens pas ?", "Pouvons-nous échanger ?", "Je fais une salade ?", "Tu sais quand il vient ?",
            "Dois-je réserver une place pour vous ?", "Vous avez retrouvé votre xyl ?", "Bleu ?", "?", "Au fait ?",
            "Ça coûte combien ?",
            "Tu écris à papi, ça lui ferait plaisir ?",
        ):
            self.assertIsNone(stated(question, False, True), question)

    def test_either(self) -> None:
        """Two clauses."""
        self.assertEqual(either_stated("Un PDF suffit-il ou vous faut-il le fichier Word ?", False, True), (
            "un PDF suffit", "il me faut le fichier Word"))
        self.assertEqual(either_stated("Vous pouvez livrer ou venir ?", False, True), (
            "je peux livrer", "je peux venir"))
        self.assertEqual(either_stated("Thé ou café ?", False, True), ())
        self.assertEqual(either_stated("Tu viens lundi ou mardi ?", False, True), ())

    def test_wondered(self) -> None:
        """Behind "je ne sais pas" the subject goes before the verb, where it is a pronoun."""
        for question, clause in {
            "Quels papiers nous faut-il ?": "quels papiers il vous faut",
            "Qu'est-ce que je dois apporter ?": "ce que vous devez apporter",
            "Que fait-on pour Noël ?": "ce qu'on fait pour Noël",
            "Quand l'ascenseur sera-t-il réparé ?": "quand l'ascenseur sera réparé",
            "Où est la clé ?": "où est la clé",
            "Combien d'inscrits y a-t-il ?": "combien d'inscrits il y a",
            "Combien cela coûte-t-il ?": "combien cela coûte",
            "Pour quel numéro de commande ?": "",
            "Tu viens ?": "",
        }.items():
            self.assertEqual(wondered(question, False, True), clause, question)
