"""
HTML that got through somewhere: scripts in all dresses, ways to fetch, pages that change when they are parsed again.

Public knowledge of many years, gathered by what it abuses: markup that parsers read differently, event attributes,
URL schemes, CSS, foreign content.  Source: promises, S5.
"""

from __future__ import annotations

JS = "javascript:alert(1)"
X = "https://x.test/"

_KNOWN = (
    "<script>alert(1)</script>", "<SCRIPT SRC=//x.test/x.js></SCRIPT>", "<scr<script>ipt>alert(1)</script>",
    "<script/x>alert(1)", "<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)//",
    "<img/src/onerror=alert(1)>", "<svg onload=alert(1)>", "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>", "<svg><a xlink:href=\"javascript:alert(1)\"><text>x",
    "<svg><animate attributeName=href values=javascript:alert(1) /><a id=x>",
    "<svg><set attributeName=onmouseover to=alert(1)>", f"<svg><feImage href='{X}'/></svg>",
    f"<svg><image xlink:href='{X}'/></svg>", f"<svg><use href='{X}#x'/></svg>",
    "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>", "<math href='javascript:alert(1)'>x</math>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">", "<a href='javascript:alert(1)'>x</a>",
    "<a href=' javascript:alert(1)'>x</a>", "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='java&#10;script:alert(1)'>x</a>", "<a href='&#106;avascript:alert(1)'>x</a>",
    "<a href='javascript&colon;alert(1)'>x</a>", "<a href='\x01javascript:alert(1)'>x</a>",
    "<a href='JaVaScRiPt:alert(1)'>x</a>", "<a href='vbscript:x'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>", "<a href='file:///etc/passwd'>x</a>",
    "<a href='//x.test'>x</a>", "<a href='/api/admin'>x</a>", "<a href='blob:x'>x</a>",
    f"<a ping='{X}' href='{X}'>x</a>", f"<a download href='{X}'>x</a>", "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>", f"<frameset><frame src={X}>",
    f"<object data={X}></object>", f"<embed src={X}>", f"<applet code={X}></applet>", f"<base href={X}>",
    f"<meta http-equiv=refresh content='0;url={X}'>", f"<link rel=stylesheet href={X}>",
    f"<link rel=prefetch href={X}>", "<style>@import url(//x.test/x.css);</style>",
    "<style>body{background:url(//x.test)}</style>", "<style><img src=x onerror=alert(1)>",
    "<style>*{x:expression(alert(1))}</style>", "<div style='width:expression(alert(1))'>x</div>",
    "<div style='background:url(javascript:alert(1))'>x</div>", f"<div style='background:url({X})'>x</div>",
    f"<div style='background:u\\72l({X})'>x</div>", f"<div style='background:\\75\\72\\6c({X})'>x</div>",
    f"<div style='background-image:image-set(\"{X}\" 1x)'>x</div>",
    f"<div style='--x:url({X});background:var(--x)'>x</div>", f"<div style='list-style:url({X})'>x</div>",
    f"<div style='cursor:url({X}),auto'>x</div>", f"<div style='content:url({X})'>x</div>",
    "<div style='-moz-binding:url(//x.test/x.xml#x)'>x</div>", "<div style='behavior:url(#default#time2)'>x</div>",
    "<div style='position:fixed;top:0;left:0;width:100%;height:100%'>x</div>",
    f"<div style='background:url(\"{X}\\\")'>x</div>", f"<div style='/*\\*/background:url({X})/**/'>x</div>",
    f"<div style='color:red;x:\"}};background:url({X})'>x</div>",
    "<div style='color:red' style='background:url(//x.test)'>x</div>",
    f"<table background={X}><tr background={X}><td background={X}>x</table>",
    f"<body background={X} onload=alert(1)>x</body>", f"<img srcset='{X}1 1x, {X}2 2x'>",
    f"<img lowsrc={X} dynsrc={X}>", f"<picture><source srcset={X}><img></picture>",
    f"<video poster={X} src={X}><source src={X}></video>", f"<audio src={X} autoplay>", f"<input type=image src={X}>",
    f"<button formaction={JS}>x</button>", f"<form action={JS}><input type=submit></form>",
    f"<isindex type=image src={X} action={JS}>", "<textarea><script>alert(1)</script></textarea>",
    "<title><script>alert(1)</script></title>", "<xmp><script>alert(1)</script></xmp>",
    "<plaintext><script>alert(1)</script>", "<!--><script>alert(1)</script>-->",
    "<!--[if IE]><script>alert(1)</script><![endif]-->", "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version=1?><script>alert(1)</script>", "<template><script>alert(1)</script></template>",
    "<select><option><script>alert(1)</script></select>", "<details open ontoggle=alert(1)>x",
    "<marquee onstart=alert(1)>x</marquee>", "<b onmouseover=alert(1)>x</b>", "<b\x0conmouseover=alert(1)>x</b>",
    "<p/onclick=alert(1)>x</p>", "<div id=cookie name=cookie class=x>x</div>",
    "<img src='data:image/svg+xml;base64,PHN2Zy8+'>", "<img src='data:text/html;base64,PHN2Zy8+'>",
    "<img src='data:image/png;base64,AA\" onerror=\"alert(1)'>", "<img src=\"x` onerror=alert(1)`\">",
    "<img src='cid:a\" onerror=alert(1)'>", f"<bgsound src={X}>", f"<layer src={X}></layer>",
    f"<image src={X} onerror=alert(1)>", "<img src='/api/status'>", "<img src='../../x'>",
    "<img src='\\\\x.test\\x'>", "<img src='http:/\\x.test'>", f"<q cite={X}>x</q>",
    f"<blockquote cite={X}>x</blockquote>", "<a href='https://x.test' onclick=alert(1) target=_self rel=opener>x</a>",
    "<table><td><table><td onclick=alert(1)>x", "\x00<scr\x00ipt>alert(1)</script>", "<0 onclick=alert(1)>",
    "</script><script>alert(1)</script>", "<<script>alert(1)//<</script>",
    "<a title='</a><script>alert(1)</script>'>x", f"<font color='red\" style=\"background:url({X})'>x</font>",
    f"<td width='1;background:url({X})'>x", "<p lang='\"onclick=alert(1)'>x",
)

# Attributes that run something, on elements that are kept and on one that is not.
_EVENTS = (
    "abort afterprint animationend animationstart auxclick beforecopy beforecut beforeinput beforematch beforepaste"
    " beforetoggle beforeunload blur canplay change click close contextmenu copy cut dblclick drag dragend dragenter"
    " dragstart drop durationchange ended error focus focusin focusout formdata fullscreenchange gotpointercapture"
    " hashchange input invalid keydown keypress keyup load loadeddata loadstart message mousedown mouseenter mouseleave"
    " mousemove mouseout mouseover mouseup mousewheel pagehide pageshow paste play pointerdown pointerenter pointermove"
    " pointerover pointerrawupdate pointerup popstate progress readystatechange reset resize scroll scrollend search"
    " securitypolicyviolation select selectionchange selectstart show start submit toggle touchend touchmove touchstart"
    " transitionend transitionrun unload wheel").split()
_HANDLED = tuple(f"<{('p', 'img src=x', 'a href=https://x.test', 'table')[n % 4]} on{name}=alert(1)>x"
                 for n, name in enumerate(_EVENTS))

# Spellings of schemes that run, as an address of a link and of a picture.
_SCHEMES = (
    "javascript:alert(1)", "JAVASCRIPT:alert(1)", "java\tscript:alert(1)", "java\nscript:alert(1)",
    "java\rscript:alert(1)", "\x01javascript:alert(1)", "\x00javascript:alert(1)", " \t javascript:alert(1)",
    "&#x6A;avascript:alert(1)", "&#0000106avascript:alert(1)", "javascript&#58;alert(1)", "javascript&colon;alert(1)",
    "jav&#x09;ascript:alert(1)", "jav&#x0A;ascript:alert(1)", "javascript&#x3A;alert(1)", "java&Tab;script:alert(1)",
    "java&NewLine;script:alert(1)", "\u00a0javascript:alert(1)", "feed:javascript:alert(1)",
    "view-source:javascript:alert(1)", "vbscript:msgbox(1)", "livescript:alert(1)", "mocha:alert(1)",
    "data:text/html;base64,PHNjcmlwdD4=", "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "data:application/xhtml+xml,x", "blob:https://x.test/1", "filesystem:https://x.test/1", "file:///etc/passwd",
    "//x.test/1", "\\\\x.test\\1", "/\\x.test/1", "\\/x.test/1", "///x.test", "http&colon;//x.test", "ftp://x.test/1",
    "ws://x.test", "intent://x.test#Intent;end", "ms-appx:x", "about:blank", "chrome://x", "?x", "#x", "x", "",
)
_ADDRESSED = tuple(f'<a href="{one.replace(chr(34), "&quot;")}">x</a><img src="{one.replace(chr(34), "&quot;")}">'
                   for one in _SCHEMES)

# CSS that fetches, runs or lies over the page.
_STYLES = (
    f"background:url({X})", f"background:url('{X}')", f"background: URL( {X} )", f"background:u\\72l({X})",
    f"background:\\000075rl({X})", f"background:ur/**/l({X})", f"background:url(/**/{X})",
    f"background-image:-webkit-image-set(url({X}) 1x)", f"background:image-set('{X}' 1x)",
    f"background:cross-fade(url({X}),url({X}),50%)", "background:element(#x)", "background:paint(x)",
    f"list-style-image:url({X})", f"border-image-source:url({X})", f"mask:url({X})", f"-webkit-mask:url({X})",
    f"clip-path:url({X})", f"filter:url({X})", f"shape-outside:url({X})", f"offset-path:url({X})",
    f"cursor:url({X}),auto",
    f"content:url({X})", f"src:url({X})", f"font-family:x;src:url({X})", f"--a:url({X});background:var(--a)",
    "background:var(--a,url(//x.test))", "background:attr(title url)", "width:expression(alert(1))",
    "width:expr/**/ession(alert(1))", "width:e\\78pression(alert(1))", "behavior:url(x.htc)", "-ms-behavior:url(x)",
    "-moz-binding:url(x#y)", "position:fixed;inset:0", "position:absolute;top:0;left:0", "position:sticky",
    "z-index:99999;position:relative", "transform:scale(99)", "animation:x 1s", "transition:all 1s", "all:unset",
    f"@import '{X}'", f"}}@import url({X});{{", f"color:red}}body{{background:url({X})", "color:red;/*",
    "color:'\n;background:url(//x.test)",
    f"color:red\\;background:url({X})", f"background:\"url({X})", f"background:url({X}", "background:url(",
)
_STYLED = tuple(f"<div style='{one.replace(chr(39), '&#39;')}'>x</div>" for one in _STYLES)

# What one parser takes for text and the next for markup.
_MUTATED = (
    "<math><mtext><table><mglyph><style><math href=javascript:alert(1)>x</style></table></mtext></math>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<svg><desc><style><img src=x onerror=alert(1)></style></desc></svg>",
    "<math><annotation-xml encoding=text/html><p><img src=x onerror=alert(1)></annotation-xml></math>",
    "<svg><foreignObject><img src=x onerror=alert(1)></foreignObject></svg>",
    "<noembed><img title='</noembed><img src onerror=alert(1)>'></noembed>",
    "<noframes><p title='</noframes><img src onerror=alert(1)>'></noframes>",
    "<xmp><p title='</xmp><img src onerror=alert(1)>'></xmp>",
    "<iframe><p title='</iframe><img src onerror=alert(1)>'></iframe>",
    "<textarea><p title='</textarea><img src onerror=alert(1)>'>",
    "<title><p title='</title><img src onerror=alert(1)>'>", "<style><p title='</style><img src onerror=alert(1)>'>",
    "<!--<p title='--><img src onerror=alert(1)>'>", "<!--!><img src onerror=alert(1)>-->",
    "<!---><img src onerror=alert(1)>-->",
    "<!-- --!><img src onerror=alert(1)> -->", "<?><img src onerror=alert(1)>", "<!x><img src onerror=alert(1)>",
    "</><img src onerror=alert(1)>", "</ x><img src onerror=alert(1)>", "<a title=\"<img src onerror=alert(1)>\">x</a>",
    "<p title='<!--'><img src onerror=alert(1)>-->", "<select><style></select><img src onerror=alert(1)></style>",
    "<template><p title='</template><img src onerror=alert(1)>'></template>",
    "<object><param name=x><img src onerror=alert(1)></object>",
    "<table><caption><svg><style></caption><img src onerror=alert(1)>",
    "<form id=x><form><input name=innerHTML></form>",
    "<a id=x><a id=x name=y href=https://x.test>z</a>", "<img name=getElementById><img name=body>",
    "<isindex type=image src=1 onerror=alert(1)>",
)

VECTORS = tuple(dict.fromkeys((*_KNOWN, *_HANDLED, *_ADDRESSED, *_STYLED, *_MUTATED)))

#: Pages, and how much of each is remote and not shown.
COUNTS: tuple[tuple[str, int], ...] = (
    ("<p>none</p>", 0), (f"<img src={X}>", 1), ("<img src=//x.test/a>", 1), ("<img src=http://x.test/a>", 1),
    (f"<img src={X}><img src={X}>", 2), (f"<img src={X} srcset='{X}1 1x, {X}2 2x'>", 1),
    (f"<img srcset='{X}1 1x'>", 1), (f"<picture><source srcset={X}><img src={X}></picture>", 1),
    (f"<table background={X}><tr><td background={X}></table>", 2), (f"<p style='background:url({X})'>x", 1),
    (f"<p style='background:u\\72l({X});list-style:url(//x.test)'>x", 2),
    ("<style>@font-face{src:url(https://x.test/f)} @import '//x.test';</style>", 2),
    (f"<link rel=stylesheet href={X}>", 1), (f"<svg><image href={X}></svg>", 1),
    (f"<svg><feImage xlink:href={X}></svg>", 1), (f"<image src={X}>", 1), (f"<input type=image src={X}>", 1),
    (f"<video poster={X}></video>", 1), ("<img src=cid:x>", 0), ("<img src=/local>", 0),
    ("<img src='data:image/png;base64,AA=='>", 0), ("<p style='background:url(cid:x)'>x", 0),
    (f"<a href={X}>x</a>", 0), (f"<!-- <img src={X}> -->", 0), ("<img src='ht\ntps://x.test/'>", 1),
    ("<img src='\\\\x.test\\a'>", 1),
    (f"<div style='background:url({X})'><form style='background:url({X})'></form></div>", 2),
)

#: Pages that are kept as they are.
PAGES = (
    "<p>Hello <b>you</b>, <i>how</i> <u>are</u> things?</p>", "<h1>Title</h1><hr><pre>a\n b</pre>",
    '<table width="600" cellpadding="0" bgcolor="#ffffff" style="background-color: #ffffff"><tbody><tr>'
    '<td align="center" valign="top" colspan="2">x</td></tr></tbody></table>',
    '<div style="font-family: \'Segoe UI\', Arial; font-size: 14px; color: #333; padding: 0 10px">x</div>',
    '<a href="https://x.test/?a=1&amp;b=2" title="T" target="_blank" rel="noopener noreferrer nofollow">x</a>',
    '<font color="red" face="Arial" size="2" style="color: red">x</font>', "<ul><li>a</li><li>b</li></ul>",
    "<blockquote>q<br>r</blockquote>", '<img src="data:image/png;base64,AA==" alt="A" width="10" height="5">',
    '<p dir="rtl" lang="ar">ü</p>', "<dl><dt>a</dt><dd>b</dd></dl>",
    "<details><summary>s</summary>t</details>",
)
