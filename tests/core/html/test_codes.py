"""The codes of a mail."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html.codes import MOST_CODES, find_codes


def codes(text: str) -> list[tuple[str, str]]:
    """(value, kind) of the codes of a text."""
    return [(one.value, one.kind) for one in find_codes(text)]


class CodeTests(SynchronousTestCase):
    """What is a code, and what is none."""

    def test_one_time(self) -> None:
        """One-time codes, before or after the words that name them, grouped or alone on a line."""
        for text, value in (
            ("Your verification code is 482913.", "482913"), ("482 913 is your Acme verification code", "482913"),
            ("Your code:\n\n  482913\n\nIt expires in 10 minutes.", "482913"),
            ("Verification code\n**739201**", "739201"), ("Use the following code to sign in: 4821", "4821"),
            ("G-482913 is your Google verification code.", "482913"), ("Enter code 123-456 to continue", "123456"),
            ("Your login code: X7K9PQ", "X7K9PQ"), ("OTP 2024", "2024"), ("Your PIN is 1984", "1984"),
            ("Ihr Bestätigungscode lautet 556677", "556677"), ("Your Steam code: 4KX9X", "4KX9X"),
            ("your one-time passcode: 12 34 56", "123456"),
            ("To verify your email, enter 662211 in the app.", "662211"), ("code ABC-DEF", "ABC-DEF"),
            ("Zip code: 12345 pin code 778899", "778899"), ("TAN: 443322", "443322"),
            ("verification code 445566, call 5551234", "445566"), ("Your access code\n\n1 2 3 4 5 6\n", "123456"),
        ):
            self.assertEqual(codes(text), [(value, "otp")], text)

    def test_other_languages(self) -> None:
        """French and Spanish say what a code is for behind the word; what is measured, dialled or posted is none."""
        for text, value, kind in (
            ("Votre code de vérification est 482913.", "482913", "otp"),
            ("482 913 est votre code de connexion.", "482913", "otp"),
            ("Votre numéro de commande est FR-20417", "FR-20417", "reference"),
            ("Commande n° 884213 : expédiée", "884213", "reference"),
            ("Utilisez le code promo PRINTEMPS20 à la caisse.", "PRINTEMPS20", "coupon"),
            ("Su código de verificación es 482913.", "482913", "otp"), ("Código: 1234", "1234", "otp"),
            ("482913 es su código de acceso", "482913", "otp"), ("Pedido n.º 884213 enviado", "884213", "reference"),
            ("Su número de reserva: ES-20417", "ES-20417", "reference"),
            ("Usa el cupón VERANO20 al pagar", "VERANO20", "coupon"),
            ("10 % de descuento con VERANO10 en la caja", "VERANO10", "coupon"),
        ):
            self.assertEqual(codes(text), [(value, kind)], text)
        for text in ("Code postal 75001 Paris", "Código postal 28001 Madrid", "La réunion dure 4500 secondes",
                     "Teléfono: 954 556 677", "Le dossier 2025 est clos", "La factura de 2026 está pagada"):
            self.assertEqual(codes(text), [], text)
        self.assertEqual(find_codes("Su código de acceso: 482913")[0].label, "código de acceso")

    def test_coupons(self) -> None:
        """Coupons are codes of a shop."""
        for text, value in (
            ("Use code SAVE20 at checkout for 20% off", "SAVE20"), ("Gutscheincode: SOMMER-10", "SOMMER-10"),
            ("Your promo code WELCOME is waiting", "WELCOME"), ("Voucher code: 8XK2-99AB-77CD", "8XK2-99AB-77CD"),
            ("Just use SAVE20 at checkout.", "SAVE20"), ("Use “BLACKFRIDAY” in your cart, save a third", "BLACKFRIDAY"),
            ("Mit HERBST15 an der Kasse zahlen Sie weniger", "HERBST15"),
        ):
            self.assertEqual(codes(text), [(value, "coupon")], text)
        for text in ("Pay with VISA at checkout", "Please use PAYPAL in your cart", "Meet HALL4 at checkout"):
            self.assertEqual(codes(text), [], text)

    def test_paired(self) -> None:
        """What a device shows is a code where somebody is to enter it."""
        self.assertEqual(codes("Enter WDJB-MJHT on your phone to sign in."), [("WDJB-MJHT", "otp")])
        self.assertEqual(codes("Enter COVID-19 figures to confirm"), [])

    def test_references(self) -> None:
        """Numbers of orders, invoices, bookings and the like."""
        for text, values in (
            ("Your order #100-23456 has shipped. Invoice INV-2041 attached.", ["100-23456", "INV-2041"]),
            ("Order number: 10045", ["10045"]), ("Rechnungsnummer: RE-2026-0042", ["RE-2026-0042"]),
            ("Ticket #4521", ["4521"]), ("Ref: ABC/2026/17", ["ABC/2026/17"]),
            ("Booking confirmation code: XK4P2Z flight", ["XK4P2Z"]), ("As to PROJ-20417 we agreed.", ["PROJ-20417"]),
            ("customer no. 88123", ["88123"]),
        ):
            self.assertEqual(codes(text), [(value, "reference") for value in values], text)

    def test_not_codes(self) -> None:
        """Phone numbers, years, prices, dates, postcodes, amounts, addresses and words are not codes."""
        for text in (
            "Call us: +1 555 123 4567 or (030) 123456", "© 2024 Acme, 10115 Berlin, CA 94105, 1010 Wien",
            "The price is $1234 or 4500 EUR, 1,234.56, 99.95", "On 2024-05-01 at 10:30 we met 20240501 or 01/05/2024",
            "Meeting in 2026 on the code of conduct", "postal code 94105", "Zip code: 12345", "Postleitzahl 10115",
            "123456", "The code will expire in 30 minutes. Use 554433 now",
            "We have 15000 users. Order of 12000 units", "error code 404404", "area code 2125",
            "see https://x.test/code/123456 or code123456@x.test", "Tel. 123456 is not your code",
            "code below: PLEASE", "invoice 2024", "account ending in 1234", "Fax 0301234567", "phone 555-123-4567",
            "UTF-8 COVID-19", "Your order 2500 items", "",
        ):
            self.assertEqual(codes(text), [], text)

    def test_surest_first(self) -> None:
        """What is named outright comes before what only may be meant; each says what named it."""
        found = find_codes("Invoice INV-2041.\nYour security code for order 55512 is 991122.\nLogin code: 771100")
        self.assertEqual(found[0].value, "771100")
        self.assertEqual([one.confidence for one in found], sorted((one.confidence for one in found), reverse=True))
        self.assertEqual({one.value: one.label for one in found},
                         {"INV-2041": "invoice", "991122": "security code", "55512": "order", "771100": "login code"})

    def test_addresses_are_no_codes(self) -> None:
        """Nothing in an address or a URL is a code, whichever begins first."""
        for text in ("code 48@2913.test", "code: a:http://123456@b", "code: http://a.test/x@123456,@123456",
                     "code " + "1" * 64 + "@482913"):
            self.assertEqual(codes(text), [], text)

    def test_limits(self) -> None:
        """No more than so many codes are told of one text."""
        self.assertEqual(len(codes("".join(f"Your code: {n}\n" for n in range(100000, 100200)))), MOST_CODES)

    @given(st.lists(st.sampled_from(
        ["code", "order", "PIN", "Rechnung", "nr.", "is", "at checkout", "use", "enter", ":", "#", "482913", "2024",
         "€", "SAVE20", "12 34 56", "ABC-DEF", "\n", ".", "a@b.test", "https://a.test/1234", "Tel.", "ü", "\x00"]),
        max_size=30).map(" ".join))
    def test_any_words(self, text: str) -> None:
        """Whatever is written, codes come surest first, each once, and stand in the text."""
        found = find_codes(text)
        self.assertEqual([one.confidence for one in found], sorted((one.confidence for one in found), reverse=True))
        self.assertEqual(len({one.value for one in found}), len(found))
        squeezed = text.replace(" ", "").replace("-", "")
        for one in found:
            self.assertIn(one.value.replace(" ", "").replace("-", ""), squeezed)
