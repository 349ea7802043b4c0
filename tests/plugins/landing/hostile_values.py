"""What somebody may send as the value of an attribute, and what becomes of it, kind by kind.

`RUN` is a script that reports itself, `EVIL` an address of the attacker's, `NUMBER` the number of
the value; see `armed`. None is what is refused.
"""

from __future__ import annotations

from msgspec import Struct
from plugins.landing.hostile_addresses import FRAMES, LINKS, MEDIA
from plugins.landing.hostile_texts import armed

FIRST = 2000


class Sent(Struct, frozen=True):
    """A value for an attribute of this kind, and the value that is stored."""

    number: int
    kind: str
    value: str
    becomes: str | None


_STYLES: dict[str, str | None] = {
    **dict.fromkeys(
        (
            *(
                "width:expression(RUN)",
                "behavior:url(EVIL)",
                "-moz-binding:url(EVIL#x)",
                "position:fixed",
            ),
            *("background:url(javascript:RUN)", "background:url('data:text/html,x')", "z-index:99"),
            *(
                "background:\\75rl(EVIL)",
                "background:url(EVIL",
                "background:url('EVIL)",
                "content:url(EVIL)",
            ),
            *(
                "cursor:url(EVIL),auto",
                "list-style:url(EVIL)",
                "mask:url(EVIL)",
                "filter:url(EVIL#x)",
            ),
            *(
                "border-image:url(EVIL)",
                "clip-path:url(EVIL)",
                "offset-path:url(EVIL)",
                "--x:url(EVIL)",
            ),
            *("background:image-set('EVIL' 1x)", "background:src('EVIL')", "src:url(EVIL)"),
            *(
                "background:cross-fade(url(EVIL),red)",
                "background:element(#x)",
                "background:paint(x)",
            ),
            *(
                "color:red;}</style><script>RUN</script>",
                "@import 'EVIL'",
                "color:red/**/",
                "all:unset",
            ),
            *(
                "background:-webkit-image-set('EVIL' 1x)",
                "width:attr(x url)",
                "animation:x 1s",
                "x",
            ),
            *('background-image:url("\'EVIL")' + "'", "color:{}", "color:\x01red", "top:0"),
        )
    ),
    "color:red": "color:red",
    "color:red;position:fixed": "color:red",
    "background:url('/a.png') no-repeat": "background:url('/a.png') no-repeat",
    "background-image:url(/a.png);behavior:url(x)": "background-image:url(/a.png)",
    "--x:1px;--y:url(EVIL)": "--x:1px",
    "font-family:'a;b'": "font-family:'a;b'",
}
_SRCSETS: dict[str, str | None] = {
    **dict.fromkeys(
        (
            *(
                "javascript:RUN",
                "javascript:RUN 2x",
                "/a.png 1x, javascript:RUN 2x",
                ",javascript:RUN",
            ),
            *("/a.png 1x (javascript:RUN)", "data:text/html,x 1x"),
            *("/a 1x, data:image/svg+xml,x 2x", "vbscript:x 1x", "/a 1q", "/a 1x 2x 3"),
        )
    ),
    "/a.png": "/a.png",
    "/a.png,/b.png 1x,": "/a.png,/b.png 1x,",
    "/a.png 1x, https://pics.example/b.png 2x": "/a.png 1x, https://pics.example/b.png 2x",
    "/a.png 320w,/b.png 1.5x": "/a.png 320w,/b.png 1.5x",
}
_OTHERS: dict[str, dict[str, str | None]] = {
    "target": {
        **dict.fromkeys(
            ("film", "_new", "", " _blank", "_blank x", '_blank" onclick="RUN', "_unfencedTop")
        ),
        **{word: word for word in ("_self", "_blank", "_top", "_parent", "_BLANK")},
    },
    "rel": {
        "noopener nofollow": "noopener nofollow",
        "opener": None,
        "nofollow OPENER ugc": "nofollow ugc",
        "noopener\topener": "noopener",
    },
    "sandbox": dict.fromkeys(
        ("", "allow-top-navigation", "allow-scripts allow-modals allow-forms"),
        "allow-scripts allow-same-origin allow-presentation allow-popups",
    ),
    "allow": {
        "fullscreen; autoplay": "fullscreen; autoplay",
        "camera *; microphone *": None,
        "fullscreen; geolocation": "fullscreen",
        "fullscreen 'src'": None,
    },
    "type of a button": dict.fromkeys(("submit", "reset", "image", "x"), "button"),
    "data": {
        **dict.fromkeys(
            (
                *("javascript:RUN", " java\tscript:RUN", "VBScript:x", "livescript:x"),
                *("data:text/html,x", "javascript:image/**/;RUN", "vbscript:image/x", "DATA:,x"),
            )
        ),
        '{"a":["<script>RUN</script>"]}': '{"a":["<script>RUN</script>"]}',
        '" onclick="RUN': '" onclick="RUN',
        "data:image/png;base64,AA": "data:image/png;base64,AA",
    },
    "title": {
        text: text
        for text in (
            '"><script>RUN</script>',
            "' onclick='RUN",
            "--><img src=x onerror=RUN>",
            "javascript:x",
        )
    },
    "width": {text: text for text in ("100%", "1e9", "-1", '9" onerror="RUN', "NaN", "9" * 400)},
}
KINDS: dict[str, dict[str, str | None]] = {
    "link": LINKS,
    "media": MEDIA,
    "frame": FRAMES,
    "style": _STYLES,
    "srcset": _SRCSETS,
    **_OTHERS,
}


def _values() -> list[Sent]:
    pairs = [(kind, *pair) for kind, of in KINDS.items() for pair in of.items()]
    return [
        Sent(number, kind, armed(value, number), becomes and armed(becomes, number))
        for number, (kind, value, becomes) in enumerate(pairs, FIRST)
    ]


VALUES = _values()
