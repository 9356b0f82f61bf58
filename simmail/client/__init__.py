"""Talking to a running service from a program: L{Client} and L{AsyncClient}, with the standard library and msgspec."""

from simmail.client.answers import Arrived, Found, InboxMail, Moved
from simmail.client.client import Client, MailLogin
from simmail.client.later import AsyncClient
from simmail.client.transport import ApiError

__all__ = ["ApiError", "Arrived", "AsyncClient", "Client", "Found", "InboxMail", "MailLogin", "Moved"]
