"""A block with a node of every type, its manifest, and helpers to edit it."""

from __future__ import annotations

from collections.abc import Mapping

from corpora import read_data
from turbohtml import Element, parse_fragment

from landyard_html.allowed import SANDBOX
from landyard_html.manifests import parse_manifest
from landyard_html.nodes import Edited, update_nodes
from landyard_html.values import Rules

BLOCK = (
    '<section class="landing-block">'
    '<h2 class="title">Old</h2><p class="text">One</p><div class="text">Two</div>'
    '<img class="img" src="/old.png" srcset="/old2.png 2x" alt="old" data-fileid="3">'
    '<div class="bg" style="color: red; background-image: url(/old.jpg); margin: 0">x</div>'
    '<a class="link" href="/old?a=b#c" target="_blank" data-url="/u">Go</a>'
    f'<iframe class="frame" src="https://old.example/v" sandbox="{SANDBOX}"></iframe>'
    '<div class="lazy" data-src="//old.example/v" data-preview="/p.jpg"></div>'
    '<i class="icon fa fa-heart g-mb-5 added"></i><div class="map" data-map="{}"></div>'
    '<ul class="menu"><li class="li"><a class="a" href="/1">1</a></li></ul></section>'
)
STRUCTURE = '<section class="landing-block"><i class="icon g-mb-5 fa fa-star"></i></section>'
MANIFEST = parse_manifest(read_data(__file__, "MANIFEST", dict[str, object]))
RULES = Rules(own_hosts=frozenset({"example.org"}))


def update(
    data: Mapping[str, object],
    *,
    content: str = BLOCK,
    rules: Rules = RULES,
    append_menu: bool = False,
    params: Mapping[str, Mapping[str, object]] | None = None,
) -> Edited:
    return update_nodes(
        content,
        params or {},
        data,
        MANIFEST,
        structure=STRUCTURE,
        rules=rules,
        append_menu=append_menu,
    )


def edited(data: Mapping[str, object], selector: str, *, rules: Rules = RULES) -> Element:
    (element, *_) = parse_fragment(update(data, rules=rules).content).select(selector)
    return element
