"""
Arguments of MAIL and RCPT.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime.address import is_valid
from simmail.smtp import replies
from simmail.smtp.arguments import MailFrom, RcptTo, mail_from, rcpt_to
from simmail.smtp.replies import CommandRefused


class ParameterTests(SynchronousTestCase):
    """What is read, what is refused."""

    def test_mail(self) -> None:
        """Everything that MAIL can carry; the path keeps its spelling, the address is compared."""
        self.assertEqual(mail_from(b"FROM:<>"), MailFrom("", ""))
        self.assertEqual(mail_from(b"FROM:<Bounce+Ab=c@Sim.test>").path, "Bounce+Ab=c@Sim.test")
        self.assertEqual(
            mail_from("FROM:<Jürgen@sim.test> SIZE=12 BODY=8BITMIME SMTPUTF8 RET=full ENVID=a+20b".encode()),
            MailFrom("Jürgen@sim.test", "jürgen@sim.test", 12, True, "FULL", "a+20b"))

    def test_rcpt(self) -> None:
        """Everything that RCPT can carry."""
        self.assertEqual(rcpt_to(b"TO:<Maria@ACME.test>", "sim.test", False), RcptTo("maria@acme.test"))
        self.assertEqual(rcpt_to(b"to:<postMASTER>", "sim.test", False), RcptTo("postmaster@sim.test"))
        self.assertEqual(
            rcpt_to(b"TO:<a@b.test> NOTIFY=DELAY,SUCCESS,DELAY ORCPT=rfc822;A+2Bx@b.test", "sim.test", False),
            RcptTo("a@b.test", ("DELAY", "SUCCESS"), "rfc822;A+2Bx@b.test"))
        self.assertEqual(
            rcpt_to("TO:<ä@b.test> ORCPT=utf-8;ä@b.test".encode(), "sim.test", True).orcpt, "utf-8;ä@b.test")

    def test_original_recipient(self) -> None:
        """Its type is an atom; of the type utf-8 a backslash begins an embedded character (RFC 6533 section 3)."""
        for orcpt, utf8 in (("utf-8;j\\x{FC}rgen@b.test", False), ("utf-8;\\x{5C}\\x{1F600}@b.test", False),
                            ("UTF-8;jürgen@b.test", True), ("x400;/C=us;/S=m", False), ("rfc822;a=b@b.test", False)):
            self.assertEqual(rcpt_to(f"TO:<a@b.test> ORCPT={orcpt}".encode(), "sim.test", utf8).orcpt, orcpt)
        for orcpt, utf8 in (("utf-8;jürgen@b.test", False), ("utf-8;a\\b@b.test", True), ("utf-8;\\x{zz}@b.test", True),
                            ("utf-8;\\x{0A}@b.test", True), ("utf-8;\\x{110000}@b.test", True),
                            ("utf-8;\\x{D800}@b.test", True), ("fo(o;a@b.test", False), ("ä;a@b.test", True)):
            with self.assertRaises(CommandRefused, msg=orcpt) as caught:
                rcpt_to(f"TO:<a@b.test> ORCPT={orcpt}".encode(), "sim.test", utf8)
            self.assertEqual(caught.exception.reply, replies.parameter_bad("ORCPT"))

    def test_quoted(self) -> None:
        """Brackets, blanks and escapes inside a quoted local part belong to it."""
        self.assertEqual(rcpt_to(rb'TO:<"a > \" b"@acme.test> NOTIFY=NEVER', "sim.test", False),
                         RcptTo(r'"a > \" b"@acme.test', ("NEVER",)))
        with self.assertRaises(CommandRefused) as caught:
            rcpt_to(b'TO:<"a > b@acme.test>', "sim.test", False)
        self.assertEqual(caught.exception.reply, replies.BAD_RCPT)

    @settings(max_examples=500, deadline=None)
    @given(st.one_of(
        st.binary(max_size=100).map(lambda octets: b"TO:<" + octets),
        st.binary(max_size=60).map(lambda octets: b"TO:<a@b.test> " + octets),
        st.binary(max_size=60).map(lambda octets: b"TO:<a@b.test> ORCPT=rfc822;" + octets),
        st.binary(max_size=100)))
    def test_anything(self, octets: bytes) -> None:
        """Whatever is sent is an address without control characters, or is refused with a reply."""
        try:
            rcpt = rcpt_to(octets, "sim.test", True)
        except CommandRefused as refused:
            self.assertRegex(refused.reply, rb"\A5[05][0-9] 5\.[0-9.]+ [ -~]+\r\n\Z")
        else:
            self.assertTrue(is_valid(rcpt.address))
            self.assertTrue(rcpt.address.isprintable() and rcpt.orcpt.isprintable())
