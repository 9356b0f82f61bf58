"""Codes and links."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html.extract import extract
from tests.core.hostile import seconds


def codes(text: str) -> list[tuple[str, str]]:
    """(value, kind) of the codes of a text."""
    return [(one.value, one.kind) for one in extract(text)[0]]


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
        found = extract("Invoice INV-2041.\nYour security code for order 55512 is 991122.\nLogin code: 771100")[0]
        self.assertEqual(found[0].value, "771100")
        self.assertEqual([one.confidence for one in found], sorted((one.confidence for one in found), reverse=True))
        self.assertEqual({one.value: one.label for one in found},
                         {"INV-2041": "invoice", "991122": "security code", "55512": "order", "771100": "login code"})

    def test_from_html(self) -> None:
        """Without text the HTML is read."""
        html = "<style>p{color:#123456}</style><p>Your verification code:</p><h1>482913</h1>"
        self.assertEqual([one.value for one in extract("", html)[0]], ["482913"])


class LinkTests(SynchronousTestCase):
    """Links."""

    def test_kinds(self) -> None:
        """What a link is for, by its words, else by its address."""
        for text, url, kind in (
            ("Confirm email", "https://a.test/x", "verify"), ("Click", "https://a.test/verify?t=1", "verify"),
            ("Reset your password", "https://a.test/x", "reset"), ("here", "https://a.test/forgot-password", "reset"),
            ("Sign in to Acme", "https://a.test/x", "sign_in"), ("here", "https://a.test/magic/abc", "sign_in"),
            ("Accept invitation", "https://a.test/x", "invite"), ("Join the team", "https://a.test/x", "invite"),
            ("Unsubscribe", "https://a.test/confirm", "unsubscribe"), ("Abmelden", "https://a.test/x", "unsubscribe"),
            ("Shop now", "https://click.acme.test/ls/click?upn=abc", "tracking"),
            ("Our shop", "https://a.test/", "other"), ("Jetzt bestätigen", "https://click.acme.test/x/1", "verify"),
            ("Docs", "https://verify.test/", "other"),
        ):
            (link,) = extract("", f'<a href="{url}">{text}</a>')[1]
            self.assertEqual(link.kind, kind, (text, url))

    def test_html(self) -> None:
        """Decoded addresses, text of the link or of its picture; only http and https; each once."""
        html = (
            '<a href="https://A.test:8080/x?a=1&amp;b=2">Go <b>there</b></a>'
            '<a href="HTTPS://b.test/"><img alt="Logo"></a>'
            '<a href="https://A.test:8080/x?a=1&amp;b=2">again</a><a href="mailto:a@b.test">m</a>'
            '<a href="javascript:x()">j</a>'
            '<a href=" https://c.test/\n ">c</a><a name="x">d</a><map><area href="https://d.test/" alt="D"></map>'
        )
        self.assertEqual([(one.url, one.text, one.host) for one in extract("", html)[1]], [
            ("https://A.test:8080/x?a=1&b=2", "Go there", "a.test"), ("HTTPS://b.test/", "Logo", "b.test"),
            ("https://c.test/", "c", "c.test"), ("https://d.test/", "D", "d.test")])

    def test_text(self) -> None:
        """Addresses in text end where the sentence goes on; words before them tell what they are for."""
        text = ("Confirm your address:\nhttps://a.test/c/1.\n(see http://b.test/x_(y)), or <https://c.test/p>\n"
                "Reset password <https://d.test/q>; https://a.test/c/1")
        self.assertEqual([(one.url, one.text, one.kind) for one in extract(text)[1]], [
            ("https://a.test/c/1", "", "verify"), ("http://b.test/x_(y)", "", "other"),
            ("https://c.test/p", "or", "other"), ("https://d.test/q", "Reset password", "reset")])

    def test_both_forms(self) -> None:
        """A link of both bodies is one, with the words of the HTML."""
        (link,) = extract("Go: https://a.test/x", '<a href="https://a.test/x">Verify</a>')[1]
        self.assertEqual((link.text, link.kind), ("Verify", "verify"))

    def test_broken(self) -> None:
        """Addresses without a host are none."""
        self.assertEqual(extract("http:// https://[::1 http://]/ https://", '<a href="http://[x">x</a>')[1], ())

    @given(st.text(alphabet="code is:0123456789-#ABC \n.https/<>$@(\u00e4", max_size=200))
    @settings(max_examples=300)
    def test_any_text(self, text: str) -> None:
        """Any text gives codes that stand in it and links with a host."""
        found, links = extract(text, text)
        squeezed = text.replace(" ", "").replace("-", "")
        for code in found:
            self.assertIn(code.value.replace("-", ""), squeezed)
            self.assertTrue(0 < code.confidence < 1)
        for link in links:
            self.assertTrue(link.host)

    def test_cost(self) -> None:
        """A megabyte of anything takes a second or two."""
        for unit in (
            "code ", "code: 1234 ", "1234 ", "A1B2C3 ", "1 ", "your code is ", "@", "a@", "https://",
            "https://a.test/x ", "order #", "A-", "123-456 ", "((((", "http://a.test/(((", "enter 123456 ",
            "<a href='http://a.test/x'>", "+1 (0) ",
        ):
            text = unit * (1_000_000 // len(unit))
            self.assertLess(seconds(extract, text, text), 3.0, unit)

    def test_cost_of_beginnings(self) -> None:
        """What begins like an address, a label or a link and is none takes no longer than anything else."""
        for text in ("http://" + "a." * 450_000, "aut." * 225_000, "a." * 450_000 + "@",
                     ("http://a/" + ")" * 8_000 + " ") * 100, ("http://a/" + ").]" * 2_500 + " ") * 100):
            self.assertLess(min(seconds(extract, text) for _ in range(3)), 0.4, text[:20])

    def test_brackets(self) -> None:
        """Brackets around a link are no part of it, those that it opens itself are."""
        for text, url in (
            ("(see http://a.test/x)", "http://a.test/x"), ("http://a.test/x_(y)", "http://a.test/x_(y)"),
            ("(http://a.test/x_(y)).", "http://a.test/x_(y)"), ("[http://a.test/x].)", "http://a.test/x"),
            ("((http://a.test/x)!)", "http://a.test/x"), ("http://a.test/[x])", "http://a.test/[x]"),
        ):
            self.assertEqual([one.url for one in extract(text)[1]], [url], text)

    def test_addresses_are_no_codes(self) -> None:
        """Nothing in an address or a URL is a code, whichever begins first."""
        for text in ("code 48@2913.test", "code: a:http://123456@b", "code: http://a.test/x@123456,@123456",
                     "code " + "1" * 64 + "@482913"):
            self.assertEqual(codes(text), [], text)
