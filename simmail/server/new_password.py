"""Passwords that simmail gives itself."""

from __future__ import annotations

from secrets import choice
from string import ascii_letters, digits


def new_password() -> str:
    """
    A password nobody has had before: 16 letters and digits, 95 bits.

    Nothing else, because people put it after C{--password} and into URLs, where a leading C{-} would be an option.
    """
    return "".join(choice(ascii_letters + digits) for _ in range(16))
