"""The stored result of a value depends on the kind of attribute it is set for (H1, H3, B10)."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import pytest
from corpora import read_data
from plugins.html.corpus import dangers
from plugins.html.hostile_values import KINDS, VALUES, Sent
from turbohtml import parse_fragment

from landyard_html.addresses import embed_address, link_address, media_address
from landyard_html.allowed import attribute_value
from landyard_html.policy import clean_block
from landyard_html.styles import safe_style

OWN = frozenset({"own.example", "127.0.0.1:8000"})
# An element and its attribute for each kind.
PLACES = read_data(__file__, "PLACES", dict[str, tuple[str, str]])
READ: dict[str, Callable[[str], str | None]] = {
    "link": link_address,
    "media": media_address,
    "frame": lambda value: embed_address(value, OWN),
    "style": lambda value: safe_style(value, pictures=True),
}


def test_H1_there_are_a_hundred_values_of_every_kind() -> None:
    assert len({(sent.kind, sent.value) for sent in VALUES}) >= 100
    assert PLACES.keys() == KINDS.keys()


@pytest.mark.rule("H1", "H3")
def test_H1_a_value_is_stored_by_the_rule_of_its_kind() -> None:
    assert [(sent, made) for sent in VALUES if (made := _made_of(sent)) != sent.becomes] == []


@pytest.mark.rule("H1")
def test_H1_a_stored_value_set_again_is_unchanged() -> None:
    kept = {sent: sent.becomes for sent in VALUES if sent.becomes is not None}

    assert {
        sent: attribute_value(*PLACES[sent.kind], value) for sent, value in kept.items()
    } == kept


@pytest.mark.rule("H1", "H3")
def test_H1_a_value_in_a_block_is_inert() -> None:
    assert [sent for sent in VALUES if not _is_inert_in_a_block(sent)] == []


def _made_of(sent: Sent) -> str | None:
    if sent.kind in READ:
        return READ[sent.kind](sent.value)
    return attribute_value(*PLACES[sent.kind], sent.value)


def _is_inert_in_a_block(sent: Sent) -> bool:
    tag, name = PLACES[sent.kind]

    cleaned = clean_block(f'<{tag} {name}="{escape(sent.value)}"></{tag}>')

    (element,) = parse_fragment(cleaned).select("*")
    # Rules about a service's own hosts apply in the call that writes the block.
    own = sent.kind == "frame" and embed_address(sent.value) is not None
    gone = name not in element.attrs or sent.becomes is not None or own
    return gone and not dangers(cleaned)
