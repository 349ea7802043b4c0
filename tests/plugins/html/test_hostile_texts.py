"""The policy makes texts of every known attack inert and leaves rich ones unchanged (H1, H2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plugins.html.corpus import dangers
from plugins.html.hostile_texts import HUGE, TEXTS
from plugins.html.rich_texts import RICH_TEXTS
from turbohtml import parse_fragment

from landyard_html.policy import clean_block, clean_phrase, clean_text

each_huge = pytest.mark.parametrize("html", HUGE.values(), ids=HUGE.keys())


def _failing(is_fine: Callable[[str], bool]) -> list[str]:
    """The names of the texts that fail the check."""
    return [text.name for text in TEXTS if not is_fine(text.html)]


def test_H1_there_are_a_hundred_texts_and_forty_rich_ones() -> None:
    assert len({text.html for text in TEXTS}) >= 100
    assert len(set(RICH_TEXTS.values())) >= 40


def test_the_detector_finds_the_dangers_of_the_texts() -> None:
    harmless = [text.name for text in TEXTS if not dangers(text.html)]

    # texts that only load, or act only together with the text after them
    assert len(harmless) < len(TEXTS) // 20


@pytest.mark.rule("H1")
@pytest.mark.parametrize("clean", [clean_text, clean_phrase, clean_block])
def test_H1_a_text_becomes_inert(clean: Callable[[str], str]) -> None:
    assert _failing(lambda html: not dangers(clean(html))) == []


@pytest.mark.rule("H1")
def test_H1_a_text_loads_nothing_from_the_attacker() -> None:
    assert _failing(lambda html: "evil.example" not in clean_text(html)) == []


@pytest.mark.rule("H1")
def test_H1_a_text_inside_a_block_becomes_inert() -> None:
    around = '<section class="landing-block"><p>{}</p></section><p>after</p>'

    assert _failing(lambda html: not dangers(clean_block(around.format(html)))) == []


@pytest.mark.rule("H2")
@pytest.mark.parametrize("clean", [clean_block, clean_text, clean_phrase])
def test_H2_cleaning_twice_equals_cleaning_once(clean: Callable[[str], str]) -> None:
    assert _failing(lambda html: clean(clean(html)) == clean(html)) == []


@pytest.mark.rule("H1")
@each_huge
def test_H1_a_huge_text_becomes_inert(html: str) -> None:
    for clean in (clean_block, clean_text):
        assert parse_fragment(clean(html)).select("[onerror], [onclick], script, svg") == []


@pytest.mark.rule("H1")
def test_H1_a_rich_text_survives_byte_for_byte() -> None:
    blocks = {
        name: f'<section class="landing-block"><div class="container">{html}</div></section>'
        for name, html in RICH_TEXTS.items()
    }

    assert {name: clean_text(html) for name, html in RICH_TEXTS.items()} == RICH_TEXTS
    assert {name: clean_block(block) for name, block in blocks.items()} == blocks
