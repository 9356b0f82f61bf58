"""What is said to who claims that something was said, or is not so."""

from __future__ import annotations

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.conversation import Remark
from simmail.core.writer.context import set_scene
from simmail.core.writer.reply.reply import reply
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, maria, request

BASE = Remark("said", "correspondent", "", NOW, "A base of 3 by 2 metres would be 680 pounds in concrete.")
HALF = Remark("said", "persona", "", NOW, "I will pay half of it up front.")


class ClaimTests(SynchronousTestCase):
    """Claims in a thread, and without one."""

    def acts(self, text: str, *remarks: Remark, temperament: str = "responsive", **own: str) -> list[str]:
        """Return what is said to a mail, in a thread where something was said before."""
        more = {"own": (mail("Concrete, please."),), "remarks": remarks} if remarks else {}
        came = replace(mail(text, "Re: Shed base"), in_reply_to="<0@x.example>" if remarks else "")
        asked = request(came, persona=maria(temperament, **own), **more)
        return [one.act for one in reply(set_scene(asked))]

    def values(self, text: str, **own: str) -> list[str]:
        """Return what is told to a mail outside a thread."""
        return [one.values.get("value", "") for one in reply(set_scene(request(mail(text), persona=maria(**own))))]

    def test_never_said(self) -> None:
        """What nobody spoke of was not said, nor with other figures; what was is not denied so."""
        for temperament in TEMPERAMENTS:
            for text, act in (
                ("You also told me your neighbour is fine with the noise, so I'll be there at seven.", "answer.unsaid"),
                ("You promised me 900 pounds for the base in concrete, is that right?", "answer.said_not"),
            ):
                self.assertIn(act, self.acts(text, BASE, HALF, temperament=temperament), text)
            self.assertNotIn("answer.unsaid", self.acts(
                "You said you'd pay half up front, didn't you?", BASE, HALF, temperament=temperament))

    def test_first_mail(self) -> None:
        """Outside a thread a promise may have been made: it is kept or not."""
        self.assertNotIn("answer.unsaid", self.acts("You said you'd bring the tent on Saturday."))

    def test_denied(self) -> None:
        """Who is asked whether something is not so says no where it is not."""
        told = " ".join(self.values("You're not closed on Monday, are you?"))
        self.assertRegex(told, "^(No, we're not|No, we aren't|We're) closed on Monday")

    def test_own_matters(self) -> None:
        """Among friends somebody does what is asked who does it; what one is doing is not looked up."""
        self.assertTrue({"I'm bringing the map.", ""}.issuperset(self.values(
            "Hi Maria,\n\nwho's bringing the map?\n\nDana", org="", role="")))
        self.assertIn("You can ask me.", self.values("She needs a login too, who do I ask for that?"))

    def test_other_languages(self) -> None:
        """What was promised is confirmed, and what nobody is is denied."""
        for text, said in (
            ("Hallo Maria,\n\ndu hattest gesagt, du leihst mir am Freitag dein Auto, stimmt's?\n\nViele Grüße\nDana",
             "ich leihe dir am Freitag mein Auto"),
            ("Hallo Maria,\n\ndu bist doch nicht böse wegen neulich, oder?\n\nViele Grüße\nDana",
             "Nein, ich bin nicht böse wegen neulich."),
            ("Bonjour Maria,\n\nTu n'es pas fâchée pour l'autre jour, non ?\n\nBises\nDana", "Non, pas du tout."),
            ("Hola Maria:\n\ndijiste que me prestarías tu coche el viernes, ¿verdad?\n\nUn beso\nDana",
             "te prestaré mi coche el viernes"),
        ):
            told = self.values(text, org="", role="")
            self.assertTrue(any(said.rstrip(".") in one for one in told), (text, told))
