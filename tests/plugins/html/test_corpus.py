"""The policy makes hostile texts inert and leaves rich ones unchanged (H1, H2)."""

from __future__ import annotations

import pytest
from plugins.html.corpus import HOSTILE, RICH, dangers
from tables import for_each

from landyard_html.policy import clean_block, clean_text


@pytest.mark.rule("H1")
@for_each("html", HOSTILE)
def test_H1_a_hostile_block_becomes_inert(html: str) -> None:
    assert dangers(clean_block(html)) == []


@pytest.mark.rule("H1")
@for_each("html", HOSTILE)
def test_H1_a_hostile_text_becomes_inert(html: str) -> None:
    assert dangers(clean_text(html)) == []


@pytest.mark.rule("H1")
@for_each("html", HOSTILE)
def test_H1_a_hostile_text_inside_a_block_becomes_inert(html: str) -> None:
    cleaned = clean_block(f'<section class="a"><p>{html}</p></section><p>after</p>')

    assert dangers(cleaned) == []


@pytest.mark.rule("H2")
@for_each("html", HOSTILE)
def test_H2_cleaning_twice_equals_cleaning_once(html: str) -> None:
    assert clean_block(clean_block(html)) == clean_block(html)
    assert clean_text(clean_text(html)) == clean_text(html)


@pytest.mark.rule("H1")
@for_each("html", RICH)
def test_H1_a_rich_text_survives_byte_for_byte(html: str) -> None:
    assert clean_text(html) == html


@pytest.mark.rule("H1")
@for_each("html", RICH)
def test_H1_a_rich_block_survives_byte_for_byte(html: str) -> None:
    block = f'<section class="landing-block"><div class="container">{html}</div></section>'

    assert clean_block(block) == block


def test_the_detector_finds_the_dangers_of_the_hostile_texts() -> None:
    harmless_as_they_are = [html for html in HOSTILE if not dangers(html)]

    assert len(harmless_as_they_are) < len(HOSTILE) // 4
