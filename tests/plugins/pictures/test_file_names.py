"""Names of stored files (U6): hostile ones are made safe, the others stay."""

import re
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import PNG, is_stored, served, upload
from contract.worlds import one_page
from hypothesis import given
from hypothesis import strategies as st
from plugins.pictures.names import NAMES
from tables import for_each

from landyard_pictures.names import LONGEST, extension_of, stored_name

SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


@pytest.mark.rule("U6")
@for_each("given_name", NAMES)
def test_U6_each_name_is_stored_safely(given_name: str) -> None:
    assert stored_name(given_name, "png") == NAMES[given_name]


@pytest.mark.rule("U6")
@given(st.text() | st.from_regex(r"[./\\ ()%\x00-\x1f]*\.?[a-z]{0,6}"))
def test_U6_any_name_is_stored_safely(name: str) -> None:
    stored = stored_name(name, "webp")

    assert SAFE.fullmatch(stored)
    assert stored.endswith(".webp")
    assert len(stored) <= LONGEST
    assert not stored.lower().startswith(("con.", "nul.", "aux.", "prn."))


@pytest.mark.rule("U6", "U7")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_U6_the_stored_name_is_the_last_segment_of_src(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    hostile = [name for name in NAMES if "\0" not in name and "\ud800" not in name]

    answers: dict[str, Any] = {name: upload(service, PNG, name) for name in hostile}

    assert len(hostile) >= 100
    for name, answer in answers.items():
        src = answer.result["src"]
        assert src.rpartition("/")[2] == NAMES[name]
        assert is_stored(service, src)
        assert served(service, answer) == PNG


@pytest.mark.parametrize(
    ("name", "extension"),
    [("a.PNG", "png"), ("a.jpeg ", "jpeg"), ("a", ""), ("a.", ""), ("a.toolong", ""), (".x", "x")],
)
def test_each_name_has_its_extension(name: str, extension: str) -> None:
    assert extension_of(name) == extension
