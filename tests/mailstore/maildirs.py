"""Maildirs of one universe in a temporary directory, as the writer has them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.delivery.folders import OpenFolder
from simmail.mailstore.delivery.maildir_delivery import MaildirDelivery
from simmail.mailstore.delivery.request import StoreId
from simmail.mailstore.journal.records import Departure
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.layout import Layout
from tests.contracts.mailstores import a_delivery

MARIA, TOM = "maria@acme.test", "tom@acme.test"

#: What requests call these Maildirs; who does them is given the folders.
AT = StoreId("", "main")


class MaildirTestCase(SynchronousTestCase):
    """
    Has a layout, and deliveries into it.

    @ivar departures: what was told of messages that left a folder.
    """

    def setUp(self) -> None:
        self.path = self.mktemp()
        os.makedirs(self.path)
        self.layout = Layout(self.path, "main", lambda: 77)
        self.maildirs = MaildirDelivery(self.layout)
        self.addCleanup(self.maildirs.close)
        self.folders = self.maildirs.folders
        self.departures: list[Departure] = []
        self.folders.departed = self.departures.append

    def deliver(self, *numbers: int, to: str | tuple[str, str] = MARIA) -> None:
        """Deliver some messages, which get the next UIDs."""
        for number in numbers:
            self.maildirs.file(a_delivery(number, to))

    def folder(self, mailbox: str = MARIA, name: str = "INBOX") -> OpenFolder:
        """A folder that is there."""
        return self.folders.open(mailbox, name, create=False)

    def files(self, mailbox: str = MARIA, name: str = "INBOX") -> list[str]:
        """The files of a folder, below it, by UID and then name."""
        directory = self.folder(mailbox, name).directory
        found = [part + one for part in (filename.NEW, filename.CUR)
                 for one in filename.names(self.layout.root, f"{directory}/{part}")]
        return sorted(found, key=lambda one: (filename.uid_of(one) if ",U=" in one else 0, one))

    def keys(self, mailbox: str = MARIA, name: str = "INBOX") -> list[str]:
        """The keys of the messages of a folder, by UID."""
        return [path.partition("/")[2].partition(",")[0] for path in self.files(mailbox, name)]

    def put(self, path: str, octets: bytes = b"", mailbox: str = MARIA, name: str = "INBOX") -> None:
        """Put a file into a folder, as another program does."""
        directory = self.folder(mailbox, name).directory
        fd = os.open(f"{directory}/{path}", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=self.layout.root)
        with open(fd, "wb") as file:
            file.write(octets)

    def temporary(self) -> Iterable[str]:
        """What lies in the universe's temporary directory."""
        return os.listdir(self.layout.tmp)
