"""Passwords that simmail gives itself."""

from twisted.trial.unittest import SynchronousTestCase

from simmail.server.new_password import new_password


class NewPasswordTests(SynchronousTestCase):
    def test_characters(self) -> None:
        """Nothing a shell, an option parser or a URL reads as its own, and no password twice."""
        made = {new_password() for _ in range(2000)}
        self.assertEqual(len(made), 2000)
        self.assertEqual([word for word in made if len(word) != 16 or not (word.isascii() and word.isalnum())], [])
