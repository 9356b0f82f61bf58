"""Requests said again with the infinitive."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.restate import deed
from simmail.core.language.tables import language
from tests.core.writer.samples import mail, wrote


class InfinitiveTests(SynchronousTestCase):
    """Languages that say what is to be done with the infinitive."""

    def test_deed(self) -> None:
        """Whom it is for as the other side says it, near and far; what cannot be said for sure is not."""
        for code, request, near, far in (
            ("fr", "Peux-tu arroser les tomates et relever le courrier ?", "", ""),
            ("fr", "Pourriez-vous nous envoyer vos plans ?", "vous envoyer nos plans", "vous envoyer nos plans"),
            ("fr", "Pouvez-vous m'envoyer la facture ?", "t'envoyer la facture", "vous envoyer la facture"),
            ("fr", "Tu peux de nouveau marcher ?", "", ""), ("fr", "Pouvez-vous me dire quand il vient ?", "", ""),
            ("es", "¿Podrían enviarnos las muestras al almacén?", "enviaros las muestras al almacén",
             "enviarles las muestras al almacén"),
            ("es", "¿Puedes traerme la escalera mañana?", "traerte la escalera mañana", "traerle la escalera mañana"),
            ("fr", "Pouvez-vous passer le prendre ce soir ?", "passer le prendre ce soir", "passer le prendre ce soir"),
            ("fr", "Pouvez-vous passer ce soir ?", "", ""), ("es", "¿Puedes venir a las siete y media?", "", ""),
            ("es", "¿Me puedes recoger a las siete y cuarto?", "recogerte a las siete y cuarto",
             "recogerle a las siete y cuarto"),
            ("es", "¿Puedes recoger el pan y llamar a Ana?", "", ""),
            ("es", "¿Ya puedes doblarla?", "", ""), ("es", "¿Podría confirmarme la hora?", "", ""),
        ):
            self.assertEqual(tuple(deed(request, language(code), polite)[0] for polite in (False, True)), (near, far))

    def test_in_answers(self) -> None:
        """What was asked for stands in the answer; who is asked whether it minds does not."""
        for text, subject, found in (
            ("Bonjour Maria,\n\nnous partons lundi. Peux-tu arroser les tomates ?\n\nClaire", "Tomates",
             "arroser les tomates"),
            ("Hola, Maria:\n\nnos vamos el lunes. ¿Puedes regar los tomates?\n\nClara", "Tomates", "regar los tomates"),
            ("Hallo Maria,\n\nkannst du am Samstag die Tomaten gießen?\n\nOle", "Tomaten",
             "gieße am Samstag die Tomaten"),
            ("Hi Maria,\n\nwould it bother you if we painted our fence?\n\nAnn", "Fence", "wouldn't"),
        ):
            self.assertIn(found, wrote(mail(text, subject)).text)
