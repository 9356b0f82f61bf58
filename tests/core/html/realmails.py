"""HTML as mail programs and senders of newsletters write it, shortened."""

from __future__ import annotations

from typing import NamedTuple


class RealMail(NamedTuple):
    """
    A page, and what comes of it.

    @ivar shown: made safe, with its own colours; blocked: what of it is remote and not shown.
    @ivar links: (address, text) of each.
    """

    html: str
    shown: str
    blocked: int
    text: str
    links: tuple[tuple[str, str], ...]


_LINK = 'target="_blank" rel="noopener noreferrer nofollow"'

OUTLOOK = (
    '<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns="http://www.w3.org/TR/REC-html40"><head>'
    '<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><style><!--\n/* Style Definitions */\n'
    "p.MsoNormal {margin:0cm; font-family:\"Calibri\",sans-serif;}\n@page WordSection1 {size:612.0pt 792.0pt;}\n-->"
    "</style><!--[if gte mso 9]><xml><o:shapedefaults v:ext=\"edit\" spidmax=\"1026\"/></xml><![endif]--></head>"
    '<body lang="EN-GB" link="#0563C1" vlink="#954F72"><div class="WordSection1"><p class="MsoNormal">Hi Maria,'
    "<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>the <b><span style='color:#C00000'>"
    "offer</span></b> is attached, see <a href=\"https://acme.test/o/7\">our site</a>.<o:p></o:p></p>"
    '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class=MsoNormal><b>From:</b>'
    " Maria &lt;maria@sim.test&gt;<br><b>Subject:</b> Offer?</p></div></div></body></html>")

GMAIL = (
    '<div dir="ltr">Yes, Tuesday &amp; Thursday.<div><br></div><div>Best</div></div><br><div class="gmail_quote">'
    '<div dir="ltr" class="gmail_attr">On Mon, 2 Mar 2026 at 09:00, Maria &lt;<a href="mailto:maria@sim.test">'
    'maria@sim.test</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px '
    '0px 0.8ex;border-left:'
    '1px solid rgb(204,204,204);padding-left:1ex"><div>Which days?</div></blockquote></div>')

NEWSLETTER = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional'
    '.dtd"><html><head><title>News</title><style type="text/css">@import url(https://fonts.test/css?family=Lato);'
    "@media only screen {.x{width:100%!important}}</style></head><body bgcolor=\"#f4f4f4\" style=\"margin:0\">"
    '<div style="display:none;max-height:0">Preview of the news</div><table width="100%" '
    'cellpadding=0 bgcolor="#f4f4f4"'
    '><tr><td align=center background="https://cdn.test/bg.png"><!--[if mso]><table width="600"><tr><td><![endif]-->'
    '<img src="https://cdn.test/logo.png" alt="Acme" width=120 style="display:block"><h1 style="color:#ffffff">Spring'
    '</h1><a href="https://click.acme.test/ls/click?upn=1&amp;x=2" target=_blank '
    'style="background:#06c url(https://cdn.'
    'test/b.png);color:#fff">Shop now</a><font color=999999 size=1><br>No more? <a href="https://acme.test/u?id=7">'
    'Unsubscribe</a></font><img src="https://t.test/open.gif" width=1 height=1><!--[if mso]></td></tr></table><![endif]'
    "--></td></tr></table></body></html>")

MAILS = (
    RealMail(
        OUTLOOK, '<div lang="EN-GB"><div><p>Hi Maria,</p><p>&nbsp;</p><p>the <b><span style="color: '
        '#C00000">offer</span>'
        f'</b> is attached, see <a href="https://acme.test/o/7" {_LINK}>our site</a>.</p><div style="border: none; '
        'border-top: solid #E1E1E1 1.0pt; padding: 3.0pt 0cm 0cm 0cm"><p><b>From:</b> Maria '
        '&lt;maria@sim.test&gt;<br><b>'
        "Subject:</b> Offer?</p></div></div></div>", 0,
        "Hi Maria,\n\nthe offer is attached, see our site <https://acme.test/o/7>.\n\nFrom: Maria <maria@sim.test>\n"
        "Subject: Offer?", (("https://acme.test/o/7", "our site"),)),
    RealMail(
        GMAIL, '<div dir="ltr">Yes, Tuesday &amp; '
        'Thursday.<div><br></div><div>Best</div></div><br><div><div dir="ltr">On '
        f'Mon, 2 Mar 2026 at 09:00, Maria &lt;<a href="mailto:maria@sim.test" {_LINK}>maria@sim.test</a>&gt; wrote:<br>'
        '</div><blockquote style="margin: 0px 0px 0px 0.8ex; border-left: 1px solid '
        'rgb(204,204,204); padding-left: 1ex">'
        "<div>Which days?</div></blockquote></div>", 0,
        "Yes, Tuesday & Thursday.\n\nBest\n\nOn Mon, 2 Mar 2026 at 09:00, Maria <maria@sim.test> wrote:\n\n"
        "> Which days?", (("mailto:maria@sim.test", "maria@sim.test"),)),
    RealMail(
        NEWSLETTER, '<div bgcolor="#f4f4f4" style="background-color: #f4f4f4; margin: 0"><div style="display: none; '
        'max-height: 0">Preview of the news</div><table width="100%" cellpadding="0" bgcolor="#f4f4f4" '
        'style="background-color: #f4f4f4"><tbody><tr><td align="center"><img alt="Acme" width="120" style="display: '
        'block"><h1 style="color: #ffffff">Spring</h1><a href="https://click.acme.test/ls/click?upn=1&amp;x=2" '
        f'style="background-color: #06c; color: #fff" {_LINK}>Shop now</a><font color="999999" size="1" style="color: '
        f'#999999"><br>No more? <a href="https://acme.test/u?id=7" {_LINK}>Unsubscribe</a></font><img width="1" '
        'height="1"></td></tr></tbody></table></div>', 5,
        "Acme\n\nSpring\n\nShop now <https://click.acme.test/ls/click?upn=1&x=2>\nNo more? Unsubscribe "
        "<https://acme.test/u?id=7>",
        (("https://click.acme.test/ls/click?upn=1&x=2", "Shop now"), ("https://acme.test/u?id=7", "Unsubscribe"))),
)
