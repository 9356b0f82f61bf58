"""What is wrong with a Redis."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.database.trouble import reason


class ReasonTests(SynchronousTestCase):
    """Why it is away."""

    def test_reasons(self) -> None:
        """What people are told of why it is away, without any name, address or password."""
        for trouble, why in (
            ("-WRONGPASS invalid username-password pair or user is disabled.", "it does not take the user or password"),
            ("NOAUTH Authentication required.", "it does not take the user or password"),
            ("ERR AUTH <password> called without any password configured", "it does not take the user or password"),
            ("[('SSL routines', '', 'certificate verify failed')]", "its certificate is not trusted"),
            ("no answer in time", "it does not answer in time"),
            ("User timeout caused connection failure.", "it does not answer in time"),
            ("LOADING Redis is loading the dataset in memory", "it is loading its data"),
            ("Connection was refused by other side: 111: Connection refused.", "it cannot be reached"),
            ("Connection to the other side was lost in a non-clean fashion.", "it cannot be reached"),
            ("", "it cannot be reached"),
        ):
            self.assertEqual(reason(trouble), why, trouble)
