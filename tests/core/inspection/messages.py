"""Messages that rules are tried with: a good one, and what is wrong with others."""

from __future__ import annotations

GOOD = (b"From: Shop <news@shop.example>\r\nTo: maria@acme.test\r\nDate: Mon, 2 Mar 2026 09:00:00 +0000\r\n"
        b"Message-ID: <1@shop.example>\r\nSubject: Your order\r\n")
BODY = b"\r\nDear Maria,\r\nit is on its way.\r\n"
HTML = (b"MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain"
        b"\r\n\r\nDear Maria, https://shop.example/o/1\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
        b'<html lang="en"><head><title>Order</title></head><body>%s</body></html>\r\n--b--\r\n')
BULK = (GOOD + b"List-Unsubscribe: <https://shop.example/u/1>, <mailto:u@shop.example>\r\n"
        b"List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nList-Id: <news.shop.example>\r\n")


def html(markup: bytes, header: bytes = GOOD) -> bytes:
    """A message with HTML and text."""
    return header + HTML % markup


def without(name: bytes, octets: bytes = GOOD + BODY) -> bytes:
    """A message without a field."""
    head, blank, body = octets.partition(b"\r\n\r\n")
    left = [line for line in head.split(b"\r\n") if not line.lower().startswith(name.lower())]
    return b"\r\n".join(left) + blank + body
