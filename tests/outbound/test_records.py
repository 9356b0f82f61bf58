"""Records of the name system, asked for at a server of the tests' own."""

from __future__ import annotations

import socket
from threading import Thread

import dns.flags
import dns.message
import dns.resolver
import dns.rrset
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.sender.lookup import NoAnswer
from simmail.outbound.records import Records

_ANSWERS = {
    ("shop.com.", "TXT"): ['"v=spf1 " "-all"', '"other"'], ("shop.com.", "MX"): ["20 b.shop.com.", "10 a.shop.com."],
    ("shop.com.", "A"): ["192.0.2.1"], ("1.2.0.192.in-addr.arpa.", "PTR"): ["mail.shop.com."],
}


class RecordsTests(SynchronousTestCase):
    """What is asked, and what is answered."""

    def setUp(self) -> None:
        """A server over UDP."""
        self.asked: list[str] = []
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server.bind(("127.0.0.1", 0))
        self.thread = Thread(target=self.serve, daemon=True)
        self.thread.start()
        self.addCleanup(self.stop)
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = ["127.0.0.1"], self.server.getsockname()[1]
        self.records = Records(resolver)

    def stop(self) -> None:
        """Break the server off."""
        self.server.sendto(b"", self.server.getsockname())
        self.thread.join(5)
        self.server.close()

    def serve(self) -> None:
        """Answer until there is an empty question."""
        while True:
            octets, sender = self.server.recvfrom(4096)
            if not octets:
                return
            question = dns.message.from_wire(octets)
            name, kind = str(question.question[0].name), dns.rdatatype.to_text(question.question[0].rdtype)
            self.asked.append(name)
            answer = dns.message.make_response(question)
            answer.flags |= dns.flags.RA
            found = _ANSWERS.get((name, kind))
            if found:
                answer.answer.append(dns.rrset.from_text_list(name, 60, "IN", kind, found))
            elif name == "broken.com.":
                answer.set_rcode(dns.rcode.SERVFAIL)
            elif not any(name == one for one, _ in _ANSWERS):
                answer.set_rcode(dns.rcode.NXDOMAIN)
            self.server.sendto(answer.to_wire(), sender)

    def test_values(self) -> None:
        """Texts are joined, exchangers are by preference, others sorted; names have no dot at their end."""
        self.assertEqual(self.records("shop.com", "TXT"), ("other", "v=spf1 -all"))
        self.assertEqual(self.records("shop.com", "MX"), ("a.shop.com", "b.shop.com"))
        self.assertEqual(self.records("shop.com", "A"), ("192.0.2.1",))
        self.assertEqual(self.records("1.2.0.192.in-addr.arpa", "PTR"), ("mail.shop.com",))

    def test_none(self) -> None:
        """A name without such records, and one that is not."""
        self.assertEqual(self.records("shop.com", "AAAA"), ())
        self.assertEqual(self.records("none.com", "TXT"), ())

    def test_no_answer(self) -> None:
        """A server that cannot answer is no proof that there is nothing."""
        self.assertRaises(NoAnswer, self.records, "broken.com", "TXT")

    def test_never_asked(self) -> None:
        """Names of inside networks leave this machine for nobody."""
        for name in ("localhost", "db.internal", "printer.local", "shop.test", "a..com", "x" * 300 + ".com"):
            self.assertRaises(NoAnswer, self.records, name, "TXT")
        self.assertEqual(self.asked, [])
