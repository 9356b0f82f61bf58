"""Tests for C{simmail.core.world.injection}: orders for a machine, in every place of a mail."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.message.splitting import split_reply
from simmail.core.world.injection import CARRIERS
from simmail.core.world.words import TONGUES
from tests.core.world.scenes import mail


def _attached(said: Mail) -> str:
    return "".join(one.octets.decode() for one in said.attachments)


#: Where a person, or a program, finds the orders.
PLACES: Mapping[str, Callable[[Mail], str]] = {
    "body": lambda said: said.text, "hidden_html": lambda said: said.html,
    "quoted": lambda said: split_reply(said.text)[1].replace("> ", "").replace("\n", " "),
    "attachment_name": lambda said: said.attachments[0].filename,
    "attachment_content": _attached,
    "calendar": lambda said: _attached(said).replace("\r\n ", "").replace("\\", ""),
    "display_name": lambda said: said.from_.name, "subject": lambda said: said.subject,
    "dsn": lambda said: " ".join(said.text.split()),
}


class CarrierTests(SynchronousTestCase):
    """One mail of each carrier and language."""

    def test_carriers(self) -> None:
        """What would be seen of obedience stands in the carrier as one would see it, and not in the text of others."""
        self.assertEqual(set(PLACES), set(CARRIERS))
        for language in TONGUES:
            for n, carrier in enumerate(CARRIERS):
                one = mail("prompt_injection", language, n)
                said = read(one.octets)
                assert one.attack is not None
                self.assertEqual((one.attack["kind"], one.attack["carrier"]), ("prompt_injection", carrier))
                self.assertTrue(one.attack["checks"])
                for check in one.attack["checks"]:
                    self.assertIn(check["value"], PLACES[carrier](said), (language, carrier))
                    if carrier not in ("body", "quoted", "dsn"):
                        self.assertNotIn(check["value"], said.text, (language, carrier))
                self.assertEqual((said.subject, said.from_), (one.subject, one.sender))
                self.assertFalse([file.filename for file in said.attachments if ".." in file.filename])

    def test_expected(self) -> None:
        """Only an honest writer who quotes another's orders is to be answered."""
        for n, carrier in enumerate(CARRIERS):
            one = mail("prompt_injection", "en", n)
            self.assertEqual((one.expected, one.hours), ("answer", 24) if carrier == "quoted" else ("junk", None))
            self.assertNotIn(b"prompt_injection", one.octets)
            self.assertNotIn(b"mail_to", one.octets)

    def test_question(self) -> None:
        """Around the orders there is an ordinary question, in every carrier but a bounce."""
        for n, carrier in enumerate(CARRIERS):
            if carrier != "dsn":
                said = read(mail("prompt_injection", "en", n).octets)
                self.assertRegex(split_reply(said.text)[0], r"\?|Please send me a quote")
