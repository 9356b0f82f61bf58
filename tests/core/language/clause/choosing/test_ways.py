"""What may be done, by a sentence that offers it."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.choosing.ways import ways
from simmail.core.language.tables import language

EN = language("en")


class WayTests(SynchronousTestCase):
    """Ways to go on."""

    def test_deeds(self) -> None:
        """What goes on behind "or" needs no subject of its own, and what is happily done is offered."""
        for sentence, found in (
            ("We can swap them for grey ones, cancel the order or hold it till May.",
             ("please swap them for grey ones", "please cancel the order", "please hold it till May")),
            ("The owner is happy to renew for 12 months at £925 (now £890), or you can go month to month.",
             ("please renew for 12 months at £925", "I'll go month to month")),
            ("You can have it delivered for £15 or collect it yourself.",
             ("I'll have it delivered for £15", "I'll collect it myself")),
            ("I expect either a new pair or half the money.", ()),
            ("The lorry is late.", ()),
        ):
            self.assertEqual(ways(sentence, EN), found, sentence)

    def test_things(self) -> None:
        """Of what is offered only the name is said."""
        self.assertEqual(ways("We can do oak at £40 a metre or ash for £35.", EN),
                         ("oak at £40 a metre", "ash for £35"))
