"""Addresses somebody may send, and what becomes of them in a link, a picture and a frame.

Placeholders as in `hostile_elements`; None is what is refused.
"""

from __future__ import annotations

_SCRIPTS = [
    *("javascript:RUN", "JAVASCRIPT:RUN", "JaVaScRiPt:RUN", "javascript://example.org/%0aRUN"),
    *(" javascript:RUN", "\tjavascript:RUN", "\njavascript:RUN", "\x01\x1fjavascript:RUN"),
    *("\x00javascript:RUN", "java\x00script:RUN", "java\tscript:RUN", "java\nscript:RUN"),
    *("java\r\nscript:RUN", "j\ta\nv\ra\ts\nc\rr\ti\np\rt\t:RUN", "javascript\t:RUN"),
    *("javascript :RUN", "\u00a0javascript:RUN", "\u3000javascript:RUN", "\ufeffjavascript:RUN"),
    *(
        "\u2028javascript:RUN",
        "java\u200bscript:RUN",
        "java\u00adscript:RUN",
        "\u202ejavascript:RUN",
    ),
    *("javascript&colon;RUN", "javascript&#58;RUN", "javascript&#x3A;RUN", "&#106;avascript:RUN"),
    *(
        "java&Tab;script:RUN",
        "java&NewLine;script:RUN",
        "&#1;javascript:RUN",
        "&#xfeff;javascript:RUN",
    ),
    *("javascript:javascript:RUN", "javascript:/*https://*/RUN", "javascript:void(0),RUN"),
    *("\uff4aavascript:RUN", "java\u017fcript:RUN", "javascript\uff1aRUN:", "j\u0430vascript:RUN"),
    *(
        "vbscript:msgbox(1)",
        "VBSCRIPT:x",
        "livescript:x",
        "mocha:x",
        "jar:EVIL!/x",
        "feed:javascript:RUN",
    ),
    *("view-source:javascript:RUN", "data:text/html,<script>ran(NUMBER)</script>", "data:,x"),
    *(
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/svg+xml,<svg onload=RUN>",
        "DATA:text/xml,x",
    ),
    *("blob:https://example.org/1", "filesystem:https://example.org/x", "file:///etc/passwd"),
    *(
        "ftp://example.org/x",
        "ws://example.org/",
        "about:blank",
        "chrome://settings",
        "intent://x#Intent",
    ),
    *(
        "ms-settings:x",
        "x-javascript:RUN",
        "unknown:x",
        "page://x",
        "page:javascript:RUN",
        "block:a b",
    ),
]
LINKS: dict[str, str | None] = {
    **dict.fromkeys(_SCRIPTS),
    **{
        address: address
        for address in (
            *("http://example.org/", "https://example.org/a?b=c&d=e#f", "HTTPS://EXAMPLE.ORG/"),
            *("mailto:a@example.org?subject=Hi", "tel:+49-30-123", "sms:+49301;+49302"),
            *("tg://resolve?domain=x", "viber://chat?number=%2B1", "whatsapp://send?text=hi"),
            *("skype:name?call", "#", "#contacts", "#landing12", "#javascript:x", "page:#about"),
            *(
                "page:12",
                "block:#block12",
                "block:12",
                "product:#3",
                "/a/b",
                "a/b",
                "./a:b",
                "?a=b:c",
            ),
            *("../x", "//example.org/x", "http://user:word@example.org/", "https://[::1]/x"),
            *("https://xn--bcher-kva.example/", "https://b\u00fccher.example/", "/\\example.org"),
            *("\\javascript:x", "https:\\\\example.org", "%6aavascript", "", "/a:b"),
            *("/javascript:RUN", "?javascript:RUN", "./javascript:RUN", "http:javascript"),
        )
    },
    " /x ": "/x",
    "\t#a\n": "#a",
    "htt\tps://example.org/": "https://example.org/",
    "/a\x00b\u200bc": "/abc",
}
MEDIA: dict[str, str | None] = {
    **dict.fromkeys(address for address in _SCRIPTS if not address.startswith(("page:", "block:"))),
    **{
        address: address
        for address in (
            *("https://pics.example/a.png", "/a.png", "a.png", "//pics.example/a.png", "#", "?x"),
            *(
                "data:image/png;base64,AA+/==",
                "data:image/jpeg;base64,AA",
                "data:image/webp;base64,AA",
            ),
        )
    },
    "mailto:a@example.org": None,
    "tel:1": None,
    "data:image/png,raw": None,
    "data:image/png;base64,AA,<script>": None,
    "data:image/svg+xml;base64,AA==": None,
    "data:image/x-icon;base64,AA": None,
    "page:#about": None,
    "/a b.png": "/a%20b.png",
    '/assets/none" onerror="RUN': (
        "/assets/none%22%20onerror=%22%28ran%28NUMBER%29,alert%28NUMBER%29%29"
    ),
    "/assets/none'),url('EVIL": "/assets/none%27%29,url%28%27https://evil.example/NUMBER",
    "/a\\27\\29;x": "/a%5C27%5C29;x",
    "/a`<b>{c}|^": "/a%60%3Cb%3E%7Bc%7D%7C%5E",
}
FRAMES: dict[str, str | None] = {
    **dict.fromkeys(address for address in _SCRIPTS if address),
    **dict.fromkeys(
        (
            *("http://player.example/", "/x", "x", "#x", "page:#x", "https:player.example"),
            *("https:///player.example", "https:\\\\player.example", "https:/player.example"),
            *("https://own.example/", "https://OWN.example", "https://own.example./x"),
            *("https://own.example:8443/", "//own.example/", "https://\town.example/"),
            *("https://127.0.0.1/", "https://127.1", "https://0x7f000001/", "https://2130706433"),
            *("https://017700000001/", "https://[::1]/", "https://[::ffff:127.0.0.1]/"),
            *(
                "https://x@own.example/",
                "https://own.example@x.example/",
                "https://x\\@own.example",
            ),
            *("https://\uff4fwn.example/", "https://own%2eexample/", "https://own\u3002example/"),
            *(
                "https://b\u00fccher.example/",
                "https://a b/",
                "https://",
                "https://.example/",
                "https://a..b/",
            ),
            *(
                "https://player.example/\\..\\x",
                "https://player.example/a b",
                "https://player.example:x/",
            ),
        )
    ),
    "https://player.example/tour?a=1&b=2#c": "https://player.example/tour?a=1&b=2#c",
    "//player.example/tour": "https://player.example/tour",
    " HTTPS://player.example:8443 ": "HTTPS://player.example:8443",
    "https://xn--bcher-kva.example/": "https://xn--bcher-kva.example/",
    "https://93.184.216.34/": "https://93.184.216.34/",
    'https://player.example/"onload="RUN': 'https://player.example/"onload="RUN',
}
