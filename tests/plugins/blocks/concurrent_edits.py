"""Writers who edit one block at once: their edits, and the checks of the merged result."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from contract.worlds import DRAFT, PAGE, World, block, page, world
from msgspec import Struct
from turbohtml import parse_fragment

from landyard.testing import Service

CODE = "test.merged"
MANIFEST = {
    "code": CODE,
    "name": "Merged",
    "content": "<section></section>",
    "manifest": {
        "nodes": {
            ".title": {"type": "text"},
            ".go": {"type": "link"},
            ".pic": {"type": "img"},
            ".name": {"type": "text"},
        },
        "cards": {".card": {"name": "Card"}},
        "attrs": {".card": {"attribute": "data-x"}, ".title": {"attribute": "data-x"}},
        "style": {"nodes": {".title": {"type": "typo"}}},
    },
}


def merged_world() -> World:
    return world(page(PAGE, block(DRAFT, code=CODE, content=html_of("abc"))), manifests=[MANIFEST])


def html_of(cards: Iterable[str]) -> str:
    """A block with a card for each letter; the same letter makes the same card."""
    written = "".join(
        f'    <li class="card" data-id="{each}"><b class="name">{each}</b></li>\n' for each in cards
    )
    return (
        '<section class="all">\n  <h2 class="title">Title</h2>\n  <a class="go" href="/go">Go</a>'
        f'<img class="pic" src="/a.png" alt="pic">\n  <ul>\n{written}  </ul>\n</section>'
    )


class Edit(Struct, frozen=True):
    """An edit: the place and value that must result, and the call that makes it."""

    place: str
    value: str
    method: str
    params: dict[str, Any]


def nodes(place: str, value: str, selector: str, sent: Any) -> Edit:
    return Edit(place, value, "landing.block.updatenodes", {"data": {selector: sent}})


def any_edit(chance: random.Random, cards: str, number: int) -> Edit:
    """A random edit; five out of six write a value that no other edit writes."""
    word = f"w{number if chance.random() < 5 / 6 else 0}"
    at = chance.randrange(len(cards))
    key = f".card@{at}"
    name = nodes(f"name {at}", word, f".name@{at}", word)
    turned = [*range(len(cards))]
    chance.shuffle(turned)
    order = [{"type": "card", "value": each} for each in turned]
    attrs = {"data": {key: {"data-x": word}}}
    style = {"data": {".title": {"style": {"color": "red", "margin-top": f"{number}px"}}}}
    return chance.choice(
        [
            nodes("title", word, ".title", word),
            nodes("go", word, ".go", {"text": word, "href": "/go"}),
            nodes("href", f"/{word}", ".go", {"text": "Go", "href": f"/{word}"}),
            nodes("src", f"/{word}.png", ".pic", {"src": f"/{word}.png", "alt": "pic"}),
            nodes("alt", word, ".pic", {"src": "/a.png", "alt": word}),
            name,
            name,
            Edit(f"x {at}", word, "landing.block.updateattrs", attrs),
            Edit("tag", "h3", "landing.block.changeNodeName", {"data": {".title": "h3"}}),
            Edit("style", f"{number}px", "landing.block.updateStyles", style),
            Edit("removed", f"{at}", "landing.block.removecard", {"selector": key}),
            Edit("removed", f"{at}", "landing.block.removecard", {"selector": key}),
            Edit("cloned", f"{at}", "landing.block.clonecard", {"selector": key}),
            Edit("cloned", f"{at}", "landing.block.clonecard", {"selector": key}),
            Edit(
                "order",
                "".join(cards[each] for each in turned),
                "landing.block.updateCards",
                {"data": {".card": {"source": order}}},
            ),
            Edit("anchor", word, "landing.block.changeAnchor", {"data": word}),
        ]
    )


def read(service: Service) -> tuple[str, str, str]:
    """The block's HTML, its revision, and its anchor."""
    sent = {"edit_mode": True, "get_content": True, "get_revision": True}
    [item] = service.result("landing.block.getlist", {"lid": PAGE, "params": sent})
    params = {"lid": PAGE, "block": DRAFT, "editMode": True}
    return (
        item["content"].partition(">")[2].removesuffix("</div>"),
        item["revision"],
        service.result("landing.block.getcontent", params)["anchor"],
    )


def begin(service: Service, cards: str) -> str:
    """Restore the block; return its revision."""
    of = {"lid": PAGE, "block": DRAFT}
    service.result("landing.block.changeAnchor", of | {"data": ""})
    service.result("landing.block.updatecontent", of | {"content": html_of(cards)})
    return read(service)[1]


def write(service: Service, edit: Edit, revision: str) -> bool:
    """Make an edit with the revision that was read; return whether it was accepted."""
    sent = {"lid": PAGE, "block": DRAFT, "revision": revision, **edit.params}
    answer = service.call(edit.method, sent)
    assert answer.error in (None, "REVISION_CONFLICT"), answer.body
    return answer.error is None


def lost(service: Service, cards: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits of one revision whose effect is missing from the block."""
    html, _, anchor = read(service)
    root = parse_fragment(html)
    [title, go, pic] = (root.select(each)[0] for each in (".title", ".go", ".pic"))
    found = [each.attr("data-id") or "" for each in root.select(".card")]
    places = {(each.place, each.value) for each in edits}
    left = Counter(cards)
    left.update(cards[int(value)] for place, value in places if place == "cloned")
    left.subtract(cards[int(value)] for place, value in places if place == "removed")
    texts = {
        "title": title.inner_html,
        "go": go.inner_html,
        "href": go.attr("href"),
        "src": pic.attr("src"),
        "alt": pic.attr("alt"),
        "tag": title.tag,
        "style": (title.attr("style") or "").partition("margin-top: ")[2].rstrip(";"),
        "anchor": anchor,
    }

    def is_there(edit: Edit) -> bool:
        kind, _, at = edit.place.partition(" ")
        if kind in ("removed", "cloned"):
            return Counter(found) == +left
        if kind == "order":
            # An edit that changes nothing cannot be lost, and identical cards cannot be told apart.
            gone = {cards[int(value)] for place, value in places if place == "removed"}
            wanted = [each for each in edit.value if each not in gone]
            told_apart = edit.value != cards and len({*cards}) == len(cards)
            return (
                not told_apart
                or [*dict.fromkeys(each for each in found if each in wanted)] == wanted
            )
        if not at:
            return bool(texts[kind] == edit.value)
        mine = [each for each in root.select(".card") if each.attr("data-id") == cards[int(at)]]
        if kind == "x":
            return edit.value in [each.attr("data-x") for each in mine]
        return edit.value in [each.select(".name")[0].inner_html for each in mine]

    return [edit for edit in edits if not is_there(edit)]
