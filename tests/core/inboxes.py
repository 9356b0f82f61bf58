"""
Mails as people find them in their inboxes, made up for this, and what a filter should make of each.

C{honest} is nobody's junk, C{doubtful} a strict filter's, C{spam} everybody's
who filters at all.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Specimen(NamedTuple):
    """One mail; C{fields} are further header fields, C{attached} a file name, C{path} the reverse-path."""

    name: str
    verdict: Literal["honest", "doubtful", "spam"]
    sender: str
    subject: str
    text: str
    html: str = ""
    fields: str = ""
    attached: str = ""
    path: str = ""

    @property
    def octets(self) -> bytes:
        """The message, to maria@acme.test."""
        parts = [("text/plain", self.text)] * bool(self.text) + [("text/html", self.html)] * bool(self.html)
        body = "".join(f"--b\r\nContent-Type: {kind}; charset=utf-8\r\n\r\n{text}\r\n" for kind, text in parts)
        if self.attached:
            body += ("--b\r\nContent-Type: application/octet-stream\r\n"
                     f'Content-Disposition: attachment; filename="{self.attached}"\r\n\r\nx\r\n')
        kind = "mixed" if self.attached else "alternative"
        return (f"From: {self.sender}\r\nTo: maria@acme.test\r\nSubject: {self.subject}\r\n"
                f"Message-ID: <1@x.test>\r\n{self.fields}MIME-Version: 1.0\r\n"
                f"Content-Type: multipart/{kind}; boundary=b\r\n\r\n{body}--b--\r\n").encode()


INBOX: tuple[Specimen, ...] = (
    Specimen(
        "receipt", "honest", "Shop <orders@shop.example>", "Your order #10023 has shipped",
        "Hi Maria,\n\nthank you for your order! Your parcel is on its way.\nOrder total: $129.00\n"
        "Track it: https://shop.example/track/10023", "<p>Thank you!</p><a href='https://shop.example/t'>Track it</a>"),
    Specimen(
        "receipt in HTML", "honest", "Taxi <receipts@taxi.example>", "Your trip on Monday", "",
        "<table><tr><td>Thanks for riding, Maria</td></tr><tr><td>Total: $23.40, Visa ****1234, from Main Street to "
        "the station, 12 minutes, your driver was Tom</td></tr></table>"),
    Specimen(
        "invoice", "honest", "Billing <billing@saas.example>", "Invoice INV-2041 for February 2026",
        "Dear Maria,\n\nplease find attached invoice INV-2041 over EUR 1,250.00, due 31 March.\n\nBest regards",
        attached="INV-2041.pdf"),
    Specimen(
        "invoice in German", "honest", "Buchhaltung <rechnung@firma.example>", "Rechnung 2026-0231",
        "Sehr geehrte Frau Rossi,\n\nanbei erhalten Sie unsere Rechnung über 1.190,00 EUR. Bitte überweisen Sie bis "
        "zum 15.03.2026.\n\nMit freundlichen Grüßen", attached="Rechnung.pdf"),
    Specimen(
        "reminder", "honest", "Billing <billing@saas.example>", "Reminder: invoice INV-2041 is overdue",
        "Dear Maria,\n\nour invoice is overdue since 14 days. Please update your payment details here: "
        "https://saas.example/pay\n\nBilling"),
    Specimen(
        "card declined", "honest", "Billing <billing@saas.example>", "Action needed: update your payment method",
        "Hi Maria,\n\nyour card was declined. Please update your payment method: https://billing.pay.example/p/abc"),
    Specimen(
        "newsletter", "honest", "Weekly <news@weekly.example>", "This week in testing: 5 tips",
        "Hello,\nhere is our newsletter with five tips.\nUnsubscribe: https://weekly.example/u/1",
        "<h1>This week</h1><p>Special offer for subscribers: 20% off the book.</p>" + "".join(
            f"<a href='https://weekly.example/{n}'>Read article {n}</a> " for n in range(12)),
        "List-Unsubscribe: <https://weekly.example/u/1>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"),
    Specimen(
        "welcome by a mail service", "honest", "Brand <hello@brand.example>", "Welcome to Brand, Maria!",
        "Welcome! Here is how to get started: https://click.esp.example/c/1",
        "<p>Welcome!</p><a href='https://click.esp.example/c/1'>Get started</a>"
        "<img src='https://click.esp.example/o.gif' width=1 height=1>",
        "List-Unsubscribe: <mailto:u@esp.example>\r\n", path="bounce+1@esp.example"),
    Specimen(
        "password reset", "honest", "App <no-reply@app.example>", "Reset your password",
        "Hi Maria,\n\nyou asked to reset your password. Click here: https://app.example/reset?token=abc\n"
        "The link expires in 1 hour."),
    Specimen("code", "honest", "App <no-reply@app.example>", "Your verification code is 482913",
             "Your code: 482913. It expires in 10 minutes. Never share it."),
    Specimen(
        "new sign-in", "honest", "App <security@app.example>", "Security alert: new sign-in",
        "We noticed a new sign-in to your account from Berlin. Was it you? https://app.example/security"),
    Specimen("sales", "honest", "Tom <tom@vendor.example>", "Quick question about Acme's onboarding",
             "Hi Maria,\n\nI noticed Acme is hiring. Do you have 15 minutes next week for a call?\n\nTom"),
    Specimen("appointment", "honest", "Anna <anna@partner.example>", "Lunch on Friday?",
             "Hi Maria,\n\ncould we meet for lunch on Friday at 12:30?\n\nAnna"),
    Specimen(
        "application", "honest", "Jo Doe <jo.doe1998@gmail.com>", "Application: QA engineer",
        "Dear Ms Rossi,\n\nI would like to apply for the position of QA engineer. My CV is attached.",
        attached="CV Jo Doe.docx"),
    Specimen(
        "sale without a way out", "doubtful", "DEALS <promo@deals4u.example>", "LAST CHANCE!!! 70% OFF EVERYTHING",
        "Shop now! Special offer, discount on everything. Act now, limited time! Click here: http://bit.ly/xx"),
    Specimen("prize in German", "doubtful", "Gewinnspiel <gewinn@spiel.example>", "SIE HABEN GEWONNEN!!!",
             "Herzlichen Glückwunsch! Sie haben 1.000.000 EUR gewonnen. Klicken Sie jetzt: http://bit.ly/gewinn"),
    Specimen(
        "bank", "spam", "Bank Support <support@secure-verify.example>", "Urgent: verify your account",
        "We detected unusual activity. Your account will be suspended unless you verify your account.",
        "<a href='http://185.22.14.9/login'>https://www.mybank.com/login</a> Your account will be suspended."),
    Specimen(
        "mailbox full", "spam", "IT Helpdesk <it@helpdesk-portal.example>", "Your mailbox is full",
        "Your mailbox is full. Validate your mailbox at https://forms.other.example/x or your password will expire."),
    Specimen(
        "somebody else's name", "spam", '"service@paypal.com" <x83726@mailer.example>', "Confirm your identity",
        "We have limited your account. Please confirm your identity.",
        "<a href='https://paypa1-login.example/verify'>www.paypal.com</a> Confirm your identity."),
    Specimen(
        "inheritance", "spam", "Barrister John <john7722881@freemail.example>", "BUSINESS PROPOSAL",
        "Dear beloved, I am barrister to a deceased client who left 15 million dollars. You are next of kin.",
        fields="Reply-To: barrister.john@gmail.com\r\n"),
    Specimen("lottery", "spam", "Lottery <win@luck.example>", "CONGRATULATIONS!!!",
             "You have won the international lottery! Claim your prize of $5,000,000 now."),
    Specimen("medicine", "spam", "Meds <a@meds.example>", "Cheap",
             "Viagra and cialis with no prescription from our online pharmacy. Order now! http://meds.example"),
    Specimen("malware", "spam", "Invoices <inv@x.example>", "Invoice", "See attached invoice.",
             attached="invoice.pdf.exe"),
    Specimen("threat", "spam", "Anon <you@hack.example>", "I know your password",
             "I hacked your device and recorded you through your webcam. Send bitcoin or all will see it."),
)
