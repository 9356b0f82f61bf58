"""What follows when a question of one's own has been answered."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime.address import Address
from simmail.core.writer.write import drafted
from tests.core.writer.samples import TEMPERAMENTS, mail, request


class SettledTests(SynchronousTestCase):
    """What was put off until a question was answered."""

    def test_done(self) -> None:
        """What was put off is promised or said to be due once the question has been answered."""
        own = mail("Which version of the report is meant?", "Re: Report", sender=Address("Maria", "maria@x.example"))
        for temperament in TEMPERAMENTS:
            said = drafted(request(mail("The one of February.", "Re: Report"), temperament=temperament, own=(own,),
                                   held={"act": "document", "doc": "the report"})).said
            self.assertTrue({"document.promise", "settle.still"} & {one.act for one in said}, temperament)

    def test_put_off(self) -> None:
        """What was put off until a question is answered is not done when nobody wants it any more."""
        own = mail("Which version of the report is meant?", "Re: Report", sender=Address("Maria", "maria@x.example"))
        held = {"act": "document", "doc": "the report"}
        for temperament in TEMPERAMENTS:
            written = drafted(request(mail("Don't bother about the report, Ann has sent it to me.", "Re: Report"),
                                      temperament=temperament, held=held, own=(own,)))
            self.assertEqual((written.written.promise, written.written.attachments), (None, ()))
            self.assertIn("dropped.ok", [one.act for one in written.said])
