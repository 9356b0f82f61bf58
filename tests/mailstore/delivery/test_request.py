"""What the writer can be asked about the folders of a universe."""

from __future__ import annotations

import msgspec

from simmail.errors import NotFound
from simmail.mailstore.delivery.mailboxes import MakeStandardFolder, RenameFolder
from simmail.mailstore.delivery.request import FolderRequest, Into, OfFolder, StoreId
from simmail.mailstore.writer.protocol import decode_request, encode
from tests.mailstore.maildirs import AT, MARIA, MaildirTestCase, TOM


class RequestTests(MaildirTestCase):
    """Requests, and the Maildirs of one universe."""

    def test_there_and_back(self) -> None:
        """A request is the same behind the socket, whatever the names in it, and knows what it is."""
        for request in (RenameFolder(AT, MARIA, "box", "ä/\U0001f48c", "b"),
                        MakeStandardFolder(StoreId("/m", "other"), MARIA, "Sent")):
            again = decode_request(encode(request))
            self.assertEqual((again, type(again)), (request, type(request)))
        self.assertRaises(msgspec.MsgspecError, decode_request, encode(["Nothing", ["/m", "main"]]))

    def test_same_way(self) -> None:
        """Deliveries that are filed in the same way go together: the way is a key, and another one is another."""
        self.assertEqual(len({Into(AT), Into(AT, True), Into(AT, False), Into(StoreId("", "other"))}), 3)

    def test_open(self) -> None:
        """A folder that is not there is not made for what is asked of it; one that is only shown is made."""
        for mailbox, name in ((TOM, "INBOX"), (MARIA, "Never")):
            self.assertRaises(NotFound, OfFolder(AT, mailbox, name).open, self.folders)
        self.deliver(1)
        self.assertRaises(NotFound, OfFolder(AT, MARIA, "Never").open, self.folders)
        folder = OfFolder(AT, MARIA, "Sent").open(self.folders)
        self.assertEqual((folder.name, folder.directory), ("Sent", f"{MARIA}/.Sent"))
        self.assertEqual(MakeStandardFolder(AT, MARIA, "Sent").do(self.folders), folder.directory)

    def test_nothing_by_itself(self) -> None:
        """What requests are made of does nothing."""
        self.assertRaises(NotImplementedError, FolderRequest(AT).do, self.folders)
