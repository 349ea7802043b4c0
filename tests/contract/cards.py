"""A block of cards: beside each other, in a row, and one inside another."""

from typing import Any

from contract.worlds import PAGE, Item, World, block, page, world
from corpora import read_data

CODE = "test.cards"
DRAFT, PUBLISHED = 100, 200

HTML = (
    '<section class="landing-block">\n'
    '  <div class="card big" data-kept="&quot;">A <b>a</b></div>\n'
    '  <div class="other">O</div>\n'
    '  <div class="card">B</div>\n'
    '  <div class="card">C</div>\n'
    '  <p class="text"><span class="inline">1</span> <span class="inline">2</span></p>\n'
    '  <div class="outer">x<div class="outer">y</div></div>\n'
    "</section>"
)
MANIFEST = read_data(__file__, "MANIFEST", Item)

A = '  <div class="card big" data-kept="&quot;">A <b>a</b></div>\n'
B = '  <div class="card">B</div>\n'
C = '  <div class="card">C</div>\n'


def card_block(number: int, **more: Any) -> Item:
    return block(number, **{"code": CODE, "content": HTML, **more})


def many_cards(count: int) -> World:
    cards = "".join(f'<i class="card">{number}</i>' for number in range(count))
    blocks = card_block(DRAFT, content=f"<div>{cards}</div>")
    return world(page(PAGE, blocks), manifests=[MANIFEST])
