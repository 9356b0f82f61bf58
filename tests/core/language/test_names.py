"""Who writes, and to whom."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.names import Sender, addressee, company_of, is_somebody_else, sender, signed_kin
from simmail.core.language.prose import read_prose
from simmail.core.language.tables import language
from simmail.core.mime.address import Address
from tests.core.writer.samples import mail

EN, DE = language("en"), language("de")


def of(name: str, address: str, sign_off: str = "") -> Sender:
    one = mail(f"Hello,\n\nwords.\n\nBest regards,\n{sign_off}", sender=Address(name, address))
    return sender(one, read_prose(one.text, EN), EN)


class SenderTests(SynchronousTestCase):
    """From lines and sign-offs."""

    def test_people(self) -> None:
        """A person by the display name, turned round, or with the firm behind it."""
        self.assertEqual(of("Dana Novak", "dana@brightdesk.example"), Sender("Dana", "Dana Novak", "Brightdesk"))
        self.assertEqual(of("Novak, Dana", "dana@brightdesk.example").name, "Dana Novak")
        self.assertEqual(of("Tom Hale at Leafline", "tom@leafline.example"), Sender("Tom", "Tom Hale", "Leafline"))
        self.assertEqual(of("Anna Svensson", "anna@svensson.example").name, "Anna Svensson")
        self.assertEqual(of("Jörg Ahl", "joerg@ahl.example").name, "Jörg Ahl")
        self.assertEqual(of("Zoé Lang", "zoe@lang.example").name, "Zoé Lang")

    def test_offices(self) -> None:
        """Nobody is called Credit, Landlord or Ihr."""
        for name in ("Credit Control", "Landlord", "Fenwick Solicitors", "Ihr Radhaus Weser"):
            self.assertEqual(of(name, "office@x.example").first, "", name)

    def test_organisations(self) -> None:
        """A firm is no person; the person then is who signed."""
        self.assertEqual(of("Brightdesk Billing", "billing@brightdesk.example", "Dana Novak"),
                         Sender("Dana", "Dana Novak", "Brightdesk"))
        self.assertEqual(of("Hallgren Kitchens", "offers@hallgren.example", "Lena Hallgren").name, "Lena Hallgren")
        self.assertEqual(of("Brightdesk", "no-reply@brightdesk.example", "The Brightdesk team"),
                         Sender("", "", "Brightdesk"))
        self.assertEqual(of("Paperline", "orders@shop.example", "The Paperline team").name, "")
        self.assertEqual(of("", "x@gmail.com"), Sender("", "", ""))

    def test_teams(self) -> None:
        """Who writes for a team is told by the last line, without a word of leave too; a person is none."""
        for name, last, expected in (
            ("Paperline", "The Paperline team", ""), ("Paperline", "Your Paperline support", ""),
            ("Dana Novak", "Your Dana Novak", "Dana Novak"), ("Dana", "The support team", "Dana"),
        ):
            one = mail(f"Hello,\n\nyour order is here.\n\n{last}\n", sender=Address(name, "x@shop.example"))
            self.assertEqual(sender(one, read_prose(one.text, EN), EN).name, expected, last)

    def test_programs(self) -> None:
        """What has a word of an organisation in its name is nobody's first name; who signed is greeted, if anybody."""
        for name, address in (
            ("Sim App", "hello@simapp.example"), ("Acme Billing", "billing@acme.example"),
            ("Notifications", "notify@acme.example"), ("Procurement Bot", "procurement@vast.example"),
            ("Pulse Reports", "reports@pulse.example"), ("Papierwerk Returns", "returns@papierwerk.example"),
            ("Drivebox", "drivebox-noreply@drivebox.example"), ("Atelier Kiosk", "pay@atelierkiosk.example"),
            ("Nordfracht Disposition", "dispo@nordfracht.example"), ("Onboarding Agent", "agent@brightdesk.example"),
            ("Cloud-Hub Nord", "x@hub.example"),
        ):
            self.assertEqual(of(name, address).first, "", name)
            self.assertEqual(of(name, address, "Robin Okoro").name, "Robin Okoro", name)
        self.assertEqual(of("Onboarding Agent", "agent@b.example", "Robin, the Brightdesk onboarding agent").first,
                         "Robin")

    def test_department(self) -> None:
        """Who signs a mail of a department wrote it."""
        self.assertEqual(of("Tráfico", "trafico@transporte.example", "Koldo Ibarra").name, "Koldo Ibarra")

    def test_company(self) -> None:
        """The domain's own label, whatever stands around it; freemail says nothing."""
        self.assertEqual(company_of("a@mail.brightdesk.co.uk"), "Brightdesk")
        for domain in ("gmail.com", "msn.com", "yahoo.co.uk", "posteo.de"):
            self.assertEqual(company_of(f"a@{domain}"), "")
        self.assertEqual(company_of("nonsense"), "")


class SignedTests(SynchronousTestCase):
    """How somebody signs to its own."""

    def test_kin(self) -> None:
        """A mother is no Gerda to her son."""
        for text, code, kin in (("Bis bald\n\nDeine Mama", "de", "Mama"), ("Nos vemos. Un beso, papá", "es", "Papá"),
                                ("Gruß\nGerda", "de", "")):
            known = language(code)
            self.assertEqual(signed_kin(read_prose(f"Hallo,\n\nbis Sonntag.\n\n{text}", known), known), kin, text)


class AddresseeTests(SynchronousTestCase):
    """Whom a greeting means."""

    def test_names(self) -> None:
        """Names are read with their title; nobody in particular is nobody."""
        for greeting, expected in (
            ("Dear Mr Okafor", "Mr Okafor"), ("Hi Maria", "Maria"), ("Hello", ""), ("Dear Sir or Madam", ""),
            ("Hi all", ""), ("Dear customer", ""), ("Dear Support Team", ""),
        ):
            self.assertEqual(addressee(greeting, EN), expected, greeting)
        self.assertEqual(addressee("Sehr geehrte Frau Lindqvist", DE), "Frau Lindqvist")
        self.assertEqual(addressee("Sehr geehrte Damen und Herren", DE), "")

    def test_somebody_else(self) -> None:
        """Another name is somebody else; nicknames, initials and the local part are not."""
        for addressed, persona, address, expected in (
            ("Mr Okafor", "Maria Lindqvist", "maria@x.example", True),
            ("Tom", "Maria Lindqvist", "maria@x.example", True),
            ("Ms Lindqvist", "Maria Lindqvist", "m@x.example", False),
            ("Mary", "Maria Lindqvist", "m@x.example", False),
            ("Bob", "Robert Hill", "r@x.example", False),
            ("Rob Hill", "Robert Hill", "r@x.example", False),
            ("Nina", "Maria Lindqvist", "nina.l@x.example", False),
            ("Tom", "info", "info@x.example", False),
        ):
            self.assertEqual(is_somebody_else(addressed, persona, address, EN), expected, addressed)
