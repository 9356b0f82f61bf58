"""
Mail as the world writes it: some of each kind of oddity, the same for the same seed.

Each kind is a function from a draw and a number to the octets of a message with CRLF line ends.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from random import Random

WORDS = (
    "invoice shipment meeting zebra quarterly budget harbour lantern copper violin orchard thunder ribbon marble "
    "pepper saddle window canyon velvet whistle compass timber saffron anchor meadow").split()
NAMES = ("Maria Keller", "Otto Brandt", "Ann Li", "Jean-Luc Petit", "Olga Petrova", "Tom O'Hara", "Zoe Quinn")
HOSTS = ("acme.test", "beta.example", "mail.gamma.test", "delta-4.example")
FOREIGN = ("Grüße aus Köln", "Résumé à signer", "Ωmega τεστ", "会議の予定", "Привет мир", "naïve café")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

Kind = Callable[[Random, int], bytes]


def corpus(seed: int, each: int) -> Iterator[tuple[str, bytes]]:
    """Name of the kind, and message; C{each} of every kind."""
    for name, kind in KINDS.items():
        for number in range(each):
            yield name, kind(Random(f"{seed} {name} {number}"), number)


def crlf(text: str | bytes) -> bytes:
    """Octets with CRLF line ends."""
    octets = text.encode() if isinstance(text, str) else text
    return octets.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def words(draw: Random, count: int) -> str:
    """Some words."""
    return " ".join(draw.choice(WORDS) for _ in range(count))


def address(draw: Random) -> str:
    """A local part and a host."""
    return f"{draw.choice(WORDS)}.{draw.randrange(100)}@{draw.choice(HOSTS)}"


def person(draw: Random) -> str:
    """Somebody as most programs write them."""
    return f"{draw.choice(NAMES)} <{address(draw)}>"


def date(draw: Random, zone: str = "") -> str:
    """An instant of 2026."""
    return (f"{draw.randrange(1, 29)} {draw.choice(('Jan', 'Feb', 'Mar', 'Apr', 'Jun', 'Oct'))} 2026 "
            f"{draw.randrange(24):02}:{draw.randrange(60):02}:{draw.randrange(60):02} "
            + (zone or draw.choice(("+0000", "-0500", "+0200", "+0530", "-1000", "+1300"))))


def head(draw: Random, number: int, **given: str | None) -> str:
    """Usual fields, some of them replaced, or left out with None."""
    found: dict[str, str | None] = {
        "From": person(draw), "To": f"{person(draw)}, {address(draw)}", "Subject": words(draw, 3), "Date": date(draw),
        "Message-ID": f"<{draw.randrange(10**9)}.{number}@{draw.choice(HOSTS)}>", "MIME-Version": "1.0"}
    for name, text in given.items():
        found[name.replace("_", "-")] = text
    return "".join([f"{name}: {text}\n" for name, text in found.items() if text is not None])


def mail(draw: Random, number: int, body: str = "", **given: str | None) -> bytes:
    """A message of one part."""
    return crlf(head(draw, number, **given) + "\n" + (body or f"Dear {draw.choice(NAMES)},\n\n{words(draw, 20)}\n"))


def multipart(draw: Random, number: int, parts: list[str], kind: str = "mixed", end: str = "--b1--\n",
              **given: str | None) -> bytes:
    """A message of several parts, each with its header section."""
    body = "".join([f"--b1\n{part}\n" for part in parts]) + end
    return mail(draw, number, body, **{"Content_Type": f'multipart/{kind}; boundary="b1"', **given})


def text(draw: Random, subtype: str = "plain", encoding: str = "7bit") -> str:
    """A text part."""
    content = words(draw, 12) if subtype == "plain" else f"<html><body><p>{words(draw, 12)}</p></body></html>"
    return f"Content-Type: text/{subtype}; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n\n{content}\n"


def attached(draw: Random, name: str = "filename=report.pdf") -> str:
    """An attachment."""
    content = b64encode(draw.randbytes(150)).decode()
    return ("Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n"
            f"Content-Disposition: attachment; {name}\n\n{content[:76]}\n{content[76:]}\n")


def plain(draw: Random, number: int) -> bytes:
    return mail(draw, number)


def western(draw: Random, number: int) -> bytes:
    octets = mail(draw, number, f"{draw.choice(FOREIGN[:2])} {words(draw, 9)}\n",
                  Content_Type="text/plain; charset=iso-8859-1",
                  Content_Transfer_Encoding="8bit")
    return octets.decode().encode("latin-1")


def utf8_headers(draw: Random, number: int) -> bytes:
    return mail(draw, number, Subject=f"{draw.choice(FOREIGN)} {words(draw, 1)}", From=f"Jörg Öztürk <{address(draw)}>")


def encoded_q(draw: Random, number: int) -> bytes:
    encoded = "".join([f"={octet:02X}" for octet in draw.choice(FOREIGN).encode()])
    return mail(draw, number, Subject=f"=?utf-8?Q?{encoded[:60]}?=\n =?utf-8?q?_{words(draw, 1)}?=",
                From=f"=?iso-8859-1?Q?J=F6rg_{draw.choice(WORDS)}?= <{address(draw)}>")


def encoded_b(draw: Random, number: int) -> bytes:
    octets = f"{draw.choice(FOREIGN)} {words(draw, 2)}".encode()
    cut = len(octets) // 2
    return mail(draw, number, Subject=" ".join([f"=?UTF-8?B?{b64encode(one).decode()}?=" for one in (octets[:cut],
                                                                                                     octets[cut:])]),
                To=f"=?utf-8?b?{b64encode('Zoë'.encode()).decode()}?= <{address(draw)}>")


def encoded_broken(draw: Random, number: int) -> bytes:
    word = draw.choice(WORDS)
    return mail(draw, number, Subject=(
        f"=?x-none?Q?{word}?=", f"=?utf-8?Q?{word}", f"=?utf-8?X?{word}?=", f"=?utf-8?B?{word}*?= tail",
        f"a=?utf-8?Q?{word}?=b",
        f'"=?utf-8?Q?{word}?="', f"=?utf-8?Q?{word} two?=", "=?utf-8?Q??=", f"=?utf-8*en?Q?{word}?=",
        f"=?us-ascii?Q?{word}=3D?=",
        f"(=?utf-8?Q?{word}?=)", f"=?utf-8?Q?{word}?==?utf-8?Q?more?=")[number % 12])


def folded(draw: Random, number: int) -> bytes:
    fold = "\n\t" if number % 4 == 3 else "\n "
    return mail(draw, number, Subject=f"{words(draw, 4)}{fold}{words(draw, 3)}\n {words(draw, 2)}",
                To=f"{person(draw)},\n {person(draw)} ,\n\t{address(draw)}", X_Long=f"\n {words(draw, 3)}")


def huge_header(draw: Random, number: int) -> bytes:
    received = "".join([f"Received: from {draw.choice(HOSTS)} by {draw.choice(HOSTS)};\n\t{date(draw)}\n"
                        for _ in range(60)])
    return crlf(received) + mail(draw, number, References="\n ".join(f"<{n}.{number}@ref.test>" for n in range(150)))


def missing(draw: Random, number: int) -> bytes:
    gone = draw.sample(("From", "To", "Subject", "Date", "Message_ID", "MIME_Version"), number % 6 + 1)
    return mail(draw, number, **dict.fromkeys([name.replace("_", "-") for name in gone]))


def empty_values(draw: Random, number: int) -> bytes:
    name = ("From", "To", "Subject", "Date", "Message-ID", "Cc", "Reply-To", "In-Reply-To", "Sender", "References",
            "Bcc",
            "Content-Type")[number % 12]
    return mail(draw, number, **{name: ""})


def repeated(draw: Random, number: int) -> bytes:
    more = f"To: {person(draw)}\nX-Note: {words(draw, 1)}\nReceived: from {draw.choice(HOSTS)}; {date(draw)}\n"
    if number % 4 == 3:
        more += f"Subject: {words(draw, 2)}\nDate: {date(draw)}\n"
    return crlf(more) + mail(draw, number, X_Note=words(draw, 1), Cc=person(draw))


def odd_dates(draw: Random, number: int) -> bytes:
    clock = f"{draw.randrange(24):02}:{draw.randrange(60):02}"
    return mail(draw, number, Date=(
        f"Tue, 3 Mar 2026 {clock}:00 EST", f"3 Mar 26 {clock} GMT", f"Tue, 03 Mar 2026 {clock}:00 -0000 (UTC)",
        f"Tue,3 Mar 2026 {clock}:09 +0100", f"3 mar 2026 {clock}:01 Z", f"Mon, 03 Mar 1997 {clock}:00 PDT",
        f"Tue, 3 Mar 2026 {clock}:60 +0000", f"Thu, 3 Mar 2026 {clock}:00 +0100 (CET)", "yesterday", "",
        f"Tue, 3 Mar 2026 {clock}:00", f"Tue, 31 Dec 1999 {clock}:59 +1400")[number % 12])


def midnight(draw: Random, number: int) -> bytes:
    return mail(draw, number, Date=f"{draw.choice((1, 15, 28))} Feb 2026 {draw.choice(('00:05', '23:55'))}:00 "
                + draw.choice(("-1200", "-0800", "+0000", "+0900", "+1400")))


def groups(draw: Random, number: int) -> bytes:
    return mail(draw, number, To=(
        "undisclosed-recipients:;", f"Team: {address(draw)}, {person(draw)};",
        f"A: {address(draw)};, B: {address(draw)};",
        f'"The, Team": {person(draw)};', f"Empty: ;, {person(draw)}", f"{person(draw)}, Team:;")[number % 6])


def no_domain(draw: Random, number: int) -> bytes:
    return mail(draw, number, From=(
        '"Mail Delivery System" <MAILER-DAEMON>', "MAILER-DAEMON", "root (Cron Daemon)", f"<{draw.choice(WORDS)}>",
    )[number % 4], To=(draw.choice(WORDS), f"{draw.choice(WORDS)}, {address(draw)}",
                       f"Ann <{draw.choice(WORDS)}>")[number % 3])


def angles(draw: Random, number: int) -> bytes:
    one = address(draw)
    return mail(draw, number, From=(
        f"<{one}>", f"{one} ({draw.choice(NAMES)})", f"<@a.test,@b.test:{one}>", f"Ann < {one} >", f"Ann<{one}>",
        f"(comment) Ann (more) <{one}>")[number % 6], Return_Path="<>")


def quoted_names(draw: Random, number: int) -> bytes:
    one = address(draw)
    return mail(draw, number, From=(
        f'"Keller, Maria" <{one}>', f'"Otto \\"O\\" B" <{one}>', f'"a b"@{draw.choice(HOSTS)}', f"'Ann' <{one}>",
        f'"back\\\\slash" <{one}>', f"M. P. Keller <{one}>")[number % 6])


def many_recipients(draw: Random, number: int) -> bytes:
    return mail(draw, number, To=",\n ".join(person(draw) for _ in range(80)), Cc=person(draw), Bcc=address(draw))


def alternative(draw: Random, number: int) -> bytes:
    return multipart(draw, number, [text(draw), text(draw, "html")], "alternative")


def attachments(draw: Random, number: int) -> bytes:
    names = ("filename=report.pdf", 'filename="two words.pdf"', "filename*=utf-8''Gr%C3%BC%C3%9Fe.pdf",
             "filename*0=long; filename*1=er.pdf", 'filename="=?utf-8?Q?Gr=C3=BC?="', "filename=\"a\\\"b.pdf\"")
    return multipart(draw, number, [text(draw), attached(draw, names[number % 6])])


def nested(draw: Random, number: int) -> bytes:
    inner = text(draw)
    for depth in range(2, 4 + number % 4):
        inner = (f'Content-Type: multipart/mixed; boundary="b{depth}"\n\n--b{depth}\n{inner}\n'
                 f"--b{depth}\n{text(draw)}\n--b{depth}--\n")
    return multipart(draw, number, [inner, attached(draw)])


def forwarded(draw: Random, number: int) -> bytes:
    return multipart(draw, number, [text(draw), "Content-Type: message/rfc822\nContent-Disposition: inline\n\n"
                                    + alternative(draw, number + 1000).decode().replace("b1", "c1").replace("\r\n",
                                                                                                            "\n")])


def digest(draw: Random, number: int) -> bytes:
    return multipart(draw, number, ["\n" + mail(draw, number + n).decode().replace("\r\n", "\n") for n in range(2)],
                     "digest")


def bounce(draw: Random, number: int) -> bytes:
    report = (f"Content-Type: message/delivery-status\n\nReporting-MTA: dns; {draw.choice(HOSTS)}\n\n"
              f"Final-Recipient: rfc822; {address(draw)}\nAction: failed\nStatus: 5.1.1\n")
    headers = "Content-Type: text/rfc822-headers\n\n" + head(draw, number)
    return multipart(draw, number, [text(draw), report, headers], "report; report-type=delivery-status",
                     From='"Mail Delivery System" <MAILER-DAEMON>', Auto_Submitted="auto-replied")


def receipt(draw: Random, number: int) -> bytes:
    report = ("Content-Type: message/disposition-notification\n\n"
              f"Final-Recipient: rfc822;{address(draw)}\nDisposition: manual-action; displayed\n")
    return multipart(draw, number, [text(draw), report], "report; report-type=disposition-notification")


def calendar(draw: Random, number: int) -> bytes:
    event = ("Content-Type: text/calendar; method=REQUEST; charset=UTF-8; name=\"invite.ics\"\n\n"
             f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:{words(draw, 3)}\nEND:VEVENT\nEND:VCALENDAR\n")
    return multipart(draw, number, [text(draw), text(draw, "html"), event], "alternative")


def unclosed(draw: Random, number: int) -> bytes:
    octets = multipart(draw, number, [text(draw), attached(draw)], end=("", "", "--b1-- \t\n", "--b1")[number % 4])
    return octets[:-40] if number % 6 == 1 else octets


def odd_delimiters(draw: Random, number: int) -> bytes:
    """Lines that look like delimiters and are none, or have blanks behind them."""
    line = ("--b1 \n", "--B1\n", " --b1\n", "--b\n", "----b1\n", "--b1-\n" if number == 5 else "- -b1\n")[number % 6]
    return multipart(draw, number, [text(draw) + line + words(draw, 3) + "\n", text(draw)])


def boundaries(draw: Random, number: int) -> bytes:
    boundary = ("b1", "'()+_,-./:=?", "two words", "x" * 70, "=_b", "never" if number == 5 else "0")[number % 6]
    octets = multipart(draw, number, [text(draw), text(draw, "html")],
                       Content_Type=f'multipart/mixed; boundary="{boundary}"; x=y')
    return octets if boundary == "never" else octets.replace(b"--b1", b"--" + boundary.encode())


def boundary_prefix(draw: Random, number: int) -> bytes:
    inner = ("Content-Type: multipart/alternative; boundary=b1b\n\n"
             f"--b1b\n{text(draw)}\n--b1b\n{text(draw, 'html')}\n--b1b--\n")
    return multipart(draw, number, [inner, text(draw)])


def empty_parts(draw: Random, number: int) -> bytes:
    return multipart(draw, number, ["", "\n", text(draw), "Content-Type: text/html\n"][number % 3:])


def preamble(draw: Random, number: int) -> bytes:
    octets = multipart(draw, number, [text(draw), text(draw)], end=f"--b1--\n{words(draw, 4)}\n")
    return octets.replace(b"\r\n\r\n--b1", b"\r\n\r\nThis is MIME.\r\n--b1", 1)


def quoted_printable(draw: Random, number: int) -> bytes:
    body = (f"{words(draw, 3)} =\n{words(draw, 2)}=20\nGr=C3=BC=C3=9Fe  \n=3Dend=\n",
            f"soft = \n{words(draw, 2)}\t\nend=",
            f"{words(draw, 4)}=0D=0A=e4=f6\n", f"lower=c3=bc {words(draw, 3)}\n")[number % 4]
    if number % 12 != 1:
        body = body.replace("\t\nend=", "\t\nend")
    return mail(draw, number, body, Content_Type="text/plain; charset=utf-8",
                Content_Transfer_Encoding="quoted-printable")


def base64(draw: Random, number: int) -> bytes:
    content = b64encode(f"{words(draw, 12)}\r\n".encode()).decode()
    body = (content, "\n".join(content[at:at + 20] for at in range(0, len(content), 20)),
            f"{content[:40]}\n\n{content[40:]}",
            f"  {content}  ")[number % 4]
    return mail(draw, number, body + "\n", Content_Type="text/plain", Content_Transfer_Encoding="Base64")


def odd_types(draw: Random, number: int) -> bytes:
    return mail(draw, number, Content_Type=(
        "TEXT/PLAIN; CHARSET=US-ASCII; FORMAT=flowed", "text/plain;charset=utf-8;", "text/plain; charset = utf-8",
        "text/html",
        "text/plain; charset=\"utf-8\"; x=\"a;b\"", "application/octet-stream; name=a b.bin",
        "text/x-custom (comment); a=b",
        "text/plain; (comment) charset=utf-8", "text/plain; charset='utf-8'", "image/png; name=\"a.png\"",
        "text/plain; delsp=yes",
        "message/partial; id=x; number=1")[number % 12])


def odd_dispositions(draw: Random, number: int) -> bytes:
    return multipart(draw, number, [text(draw), (
        f"Content-Type: text/plain\nContent-Disposition: {draw.choice(('inline', 'ATTACHMENT', 'x-odd; a=b'))}\n"
        f"Content-ID: <{number}@id.test>\nContent-Description: {words(draw, 2)}\nContent-Language: de, en-GB\n"
        f"Content-Location: http://a.test/{number}\nContent-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\n\n{words(draw, 4)}\n")],
        "related")


def html_only(draw: Random, number: int) -> bytes:
    return mail(draw, number, f"<html><body><b>{words(draw, 8)}</b></body></html>\n",
                Content_Type="text/html; charset=utf-8")


def header_only(draw: Random, number: int) -> bytes:
    octets = crlf(head(draw, number))
    return octets if number % 4 == 3 else octets + b"\r\n"


def long_lines(draw: Random, number: int) -> bytes:
    return mail(draw, number, words(draw, 400) + "\n", Subject=words(draw, 90))


def chains(draw: Random, number: int) -> bytes:
    refs = [f"<{one}@chain.test>" for one in draw.sample(range(14), draw.randrange(4))]
    return mail(draw, number, Message_ID=f"<{number}@chain.test>", References=" ".join(refs) or None,
                In_Reply_To=f"<{draw.randrange(14)}@chain.test>" if number % 3 == 0 else None,
                Subject=f"chain {number % 3}")


def replies(draw: Random, number: int) -> bytes:
    base = ("lunch", "Budget", "lunch plans")[number % 3]
    return mail(draw, number, Subject=draw.choice((
        "{}", "Re: {}", "RE: re: {}", "Fwd: {}", "[list] {}", "Re: [list] {}", "{} (fwd)", "[Fwd: {}]", "Re[2]: {}",
        "AW: {}", "FW: {}",
    )).format(base), Message_ID=f"<{number}.{base.split()[0]}@re.test>", From=f"{draw.choice(NAMES)} <{address(draw)}>")


def odd_fields(draw: Random, number: int) -> bytes:
    octets = mail(draw, number)
    return (b"X-Blank : value\r\n", b"no colon here\r\n", b"X-Tab:\tvalue\r\n",
            b"x-lower:value\r\n")[number % 4] + octets


def in_reply_to(draw: Random, number: int) -> bytes:
    return mail(draw, number, In_Reply_To=(
        f"<{number}@a.test>", f"Your message of {words(draw, 1)} <{number}@a.test>", f"<{number}@a.test> <2@b.test>",
        words(draw, 2),
    )[number % 4], References=f"<r{number}@a.test>\n\t<s@b.test>", Reply_To=person(draw), Sender=address(draw))


def latin_unlabelled(draw: Random, number: int) -> bytes:
    return mail(draw, number, Subject=f"{words(draw, 1)} caf_", From=f"Ren_ <{address(draw)}>").replace(b"_", b"\xe9")


#: By name; the order is that of arrival.
KINDS: dict[str, Kind] = {one.__name__: one for one in (
    plain, western, utf8_headers, encoded_q, encoded_b, encoded_broken, folded, huge_header, missing, empty_values,
    repeated,
    odd_dates, midnight, groups, no_domain, angles, quoted_names, many_recipients, alternative, attachments, nested,
    forwarded,
    digest, bounce, receipt, calendar, unclosed, odd_delimiters, boundaries, boundary_prefix, empty_parts, preamble,
    quoted_printable, base64,
    odd_types, odd_dispositions, html_only, header_only, long_lines, chains, replies, odd_fields, in_reply_to,
    latin_unlabelled)}
