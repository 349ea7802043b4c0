"""The example answers of `getcontent` and `getmanifest`: a quotation block of the demo."""

from typing import Any

MANIFEST: dict[str, Any] = {
    "block": {
        "name": "Quotation",
        "section": ["feedback"],
        "type": ["page", "store", "smn", "knowledge", "group", "mainpage"],
        "dynamic": False,
    },
    "nodes": {
        ".landing-block-node-quote": {
            "name": "Words",
            "type": "text",
            "code": ".landing-block-node-quote",
        },
        ".landing-block-node-author": {
            "name": "Who said it",
            "type": "text",
            "code": ".landing-block-node-author",
        },
    },
    "cards": {},
    "attrs": {
        ".landing-block-node-source": [{"name": "Source", "type": "url", "attribute": "cite"}]
    },
    "style": {
        "block": {
            "type": ["block-default"],
            "additional": {
                "attrs": [
                    {
                        "name": "Tone",
                        "type": "list",
                        "attribute": "data-tone",
                        "items": [
                            {"name": "Plain", "value": "plain"},
                            {"name": "Tinted", "value": "tint"},
                            {"name": "Deep", "value": "deep"},
                        ],
                        "value": "tint",
                    },
                    {
                        "name": "Layout",
                        "type": "list",
                        "attribute": "data-layout",
                        "items": [
                            {"name": "Beside a line", "value": "line"},
                            {"name": "In the middle", "value": "centre"},
                            {"name": "Who said it first", "value": "beside"},
                        ],
                        "value": "line",
                    },
                ]
            },
        }
    },
    "menu": {},
    "callbacks": {},
    "assets": {"css": [], "js": [], "ext": [], "class": [], "callbacks": []},
    "timestamp": 0,
    "namespace": "",
    "code": "ly.quote",
    "preview": "",
}
BLOCK: dict[str, Any] = {
    "id": 113,
    "sections": "feedback",
    "active": True,
    "access": "X",
    "anchor": "b113",
    "php": False,
    "designed": False,
    "repoId": None,
    "content": (
        '<section class="landing-block ly-quote" data-tone="tint">\n'
        '  <figure class="ly-wrap ly-quote-figure">\n'
        '    <blockquote class="landing-block-node-source ly-quote-words">\n'
        '      <p class="landing-block-node-quote">She has been out in every month of '
        "the year and has never once frightened the children. Me, twice.</p>\n"
        "    </blockquote>\n"
        '    <figcaption class="landing-block-node-author ly-caption">Owner of a '
        "Plover, eleven seasons</figcaption>\n"
        "  </figure>\n"
        "</section>"
    ),
    "content_ext": "",
    "css": [],
    "js": [],
    "assetStrings": [],
    "lang": [],
    "manifest": MANIFEST,
    "dynamicParams": [],
}
