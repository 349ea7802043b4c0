"""`landyard_html` works in a process without Landyard."""

import subprocess
import sys

SCRIPT = """
import sys

sys.modules["landyard"] = None  # `import landyard` raises ImportError

from landyard_html.cards import add_card, arrange_cards
from landyard_html.manifests import parse_manifest
from landyard_html.nodes import update_nodes
from landyard_html.sizes import TooLong
from landyard_html.values import Rules

block = '<ul><li class="card"><b class="title">One</b></li></ul>'
manifest = parse_manifest({"nodes": {".title": {"type": "text"}}, "cards": {".card": {}}})

content = add_card(block, ".card@0", "", manifest)
edited = update_nodes(
    content, {}, {".title@1": "Two"}, manifest, structure=block, rules=Rules(frozenset())
)
print(edited.content)
source = [{"value": 1}, {"value": 0}]
print(arrange_cards(edited.content, {".card": {"source": source}}, manifest)[0])
try:
    add_card(block, ".card@0", "<li>" + "x" * 100, manifest, most=50)
except TooLong as error:
    print(error)
"""


def test_a_manifest_is_parsed_and_a_block_edited_without_landyard() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
    )

    card = '<li class="card"><b class="title">{}</b></li>'
    one, two = card.format("One"), card.format("Two")
    assert done.stdout.splitlines() == [
        f"<ul>{one}{two}</ul>",
        f"<ul>{two}{one}</ul>",
        "The block's HTML would have more than 50 characters.",
    ], done.stderr
