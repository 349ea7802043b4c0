"""A plugin's block types work like those of a world file while the plugin is on, and vanish with
it.
"""

import re
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from kernel.switching import turn
from plugins.content.blocks.reviews import reviews

import landyard_blocks
import landyard_content
import landyard_landing
import landyard_pages
import landyard_public
import landyard_sitekit
from landyard import Console, Plugin, hookimpl
from landyard.testing import Service
from landyard_content.blocks import NodeType
from landyard_sitekit.commands.catalogue import blocks

__all__ = ["reviews"]

CODE = "reviews.quote"
FRAME = '<iframe src="https://film.example/0"></iframe>'
OWN = "127.0.0.1:8000"
HTML = '<p class="review-stars">Ours</p>'
DRAFT = {"lid": 10, "params": {"edit_mode": True, "get_content": True}}
STARS = {"lid": 10, "block": 100, "data": {".review-stars": 2}}
TEXT = {"lid": 10, "block": 100, "data": {".review-text": "Fine"}}


def switched(service: Service, *, is_on: bool) -> None:
    turn(service.kernel, "reviews", is_on=is_on)
    service.kernel.lifecycle.refresh()


def addresses(page: str) -> list[str]:
    """The addresses of the block type's style sheets that a page loads."""
    return re.findall(rf'href="(/assets/{re.escape(CODE)}/[^"]+)"', page)


def test_the_example_of_the_documentation_runs(reviews: Any) -> None:
    tests = [test for name, test in vars(reviews).items() if name.startswith("test_")]
    for test in tests:
        test()

    assert len(tests) == 3


def test_a_plugins_block_type_is_listed_and_added_like_any_other(reviews: Any) -> None:
    template = {"code": "praise", "type": "PAGE", "title": "Praise", "blocks": [{"code": CODE}]}
    plugins = [*reviews.PLUGINS, landyard_pages]
    with Service(plugins, world={**reviews.WORLD, "templates": [template]}) as service:
        made = {"siteId": 1, "code": "praise"}
        page = service.result("landing.landing.addByTemplate", made)
        block = service.result("landing.block.getlist", {**DRAFT, "lid": page})[0]

        assert (block["code"], block["name"], block["js"]) == (CODE, "Review with stars", [])
        assert 'data-stars="5"' in block["content"]
        assert [each.partition("?v=")[0] for each in block["css"]] == [f"/assets/{CODE}/review.css"]


def test_its_files_are_cached_for_good_under_the_address_of_their_version(reviews: Any) -> None:
    with Service(reviews.PLUGINS, world=reviews.WORLD) as service:
        address = addresses(service.get("/shop/").text)[0]
        style, plain = service.get(address), service.get(address.partition("?")[0])

        assert style.headers["content-type"] == "text/css; charset=utf-8"
        assert style.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert plain.headers["cache-control"] == "public, max-age=0, must-revalidate"
        assert "default-src 'none'" in style.headers["content-security-policy"]
        assert service.get(f"/assets/{CODE}/preview.svg").status_code == 200
        for hidden in ("block.html", "block.json", "../../stars.py", ""):
            assert service.get(f"/assets/{CODE}/{hidden}").status_code == 404


def test_after_switching_off_the_type_is_gone_and_stored_blocks_are_shown(reviews: Any) -> None:
    with Service(reviews.PLUGINS, world=reviews.WORLD) as service:
        address = addresses(service.get("/shop/").text)[0]
        switched(service, is_on=False)
        page, style = service.get("/shop/").text, service.get(address)
        refused = [service.call("landing.block.updatenodes", edit).error for edit in (STARS, TEXT)]
        card = service.call("landing.block.removecard", lid=10, block=100, selector=".x@0")
        answer = service.result("landing.block.getlist", DRAFT)[0]
        switched(service, is_on=True)

        assert ("★★★★★" in page, addresses(page), style.status_code) == (True, [], 404)
        assert (*refused, card.error) == ("NODES_NOT_FOUND", "NODES_NOT_FOUND", "CARD_NOT_FOUND")
        assert (answer["name"], answer["css"]) == (CODE, [])
        assert addresses(service.get("/shop/").text) == [address]
        assert service.get(address).status_code == 200
        assert service.result("landing.block.updatenodes", STARS) is True


def test_a_manifest_of_the_world_file_wins_and_may_use_the_plugins_types_of_nodes(
    reviews: Any,
) -> None:
    manifest = {"nodes": {".review-stars": {"type": "stars"}}}
    own = {"code": CODE, "name": "Ours", "manifest": manifest, "content": HTML}
    with Service(reviews.PLUGINS, world={**reviews.WORLD, "manifests": [own]}) as service:
        service.result("landing.block.updatenodes", STARS)
        refused = service.call("landing.block.updatenodes", TEXT)
        answer = service.result("landing.block.getlist", DRAFT)[0]

        assert refused.error == "NODES_NOT_FOUND"
        assert answer["name"] == "Ours"
        assert "★★☆☆☆</p>" in answer["content"]


def test_the_command_line_names_the_plugin_of_a_block_type(reviews: Any) -> None:
    with Service(reviews.PLUGINS, world=reviews.WORLD) as service:
        console = Console()
        vars(console)["host"] = lambda: nullcontext(service.kernel)
        listed, shown = (
            CliRunner().invoke(blocks, words, obj=console).stdout
            for words in (["list", "--json"], ["show", CODE])
        )

    sources = {row["code"]: row["source"] for row in msgspec.json.decode(listed)}
    assert (sources[CODE], sources["ly.cover"]) == ("plugin reviews", "built-in")
    assert f"/assets/{CODE}/preview.svg?v=" in shown


@pytest.mark.rule("H3")
def test_H3_a_plugin_cannot_show_a_frame_of_this_server(reviews: Any) -> None:
    frame = NodeType(
        "frame",
        "an address",
        read=lambda element: element.attribute("src"),
        clean=lambda value: value,
        write=lambda element, value: element.set_attribute("src", value),
    )
    films = SimpleNamespace(requires=("landing",), register_records=hookimpl(lambda: [frame]))
    own = {"code": CODE, "manifest": {"nodes": {"iframe": {"type": "frame"}}}, "content": FRAME}
    plugins: list[Any] = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_blocks,
        Plugin("films", films),
    ]
    with Service(plugins, world={**reviews.WORLD, "manifests": [own]}) as service:
        edits = [
            service.call("landing.block.updatenodes", lid=10, block=100, data={"iframe": address})
            for address in ("https://film.example/1", f"https://{OWN}/rest/")
        ]

        assert [edit.error for edit in edits] == [None, "TYPE_ERROR"]
