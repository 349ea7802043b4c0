"""Codes of pages are checked, generated, and made unique (P1 to P3)."""

import contextlib
import re
from unicodedata import normalize

import pytest
from conftest import MakeService
from contract.worlds import page, tree
from hypothesis import example, given
from hypothesis import strategies as st

from landyard import spelt
from landyard_landing.errors import CantBeEmpty, SlashIsNotAllowed, WrongCodeFormat
from landyard_landing.sites.codes import LONGEST, free_code, generate_code, require_code

TEXTS = st.text() | st.from_regex(r"\A\w+_\d+_\d+\Z")


@pytest.mark.rule("P2", "P1")
@given(title=TEXTS)
@example(title="a_1_2")
@example(title="Item_1_2 ")
@example(title="x" * 99 + "-y")
@example(title="a_" * 48 + "1_2345678")  # cut, it would be of the refused form
@example(title="ﬁ_１_２")  # noqa: RUF001 - other digits and letters
@example(title="")
def test_P2_any_title_gives_a_usable_code(title: str) -> None:
    code = generate_code(title)

    assert re.fullmatch("[a-z0-9_-]{1,100}", code)
    assert require_code(code) == code


@pytest.mark.rule("P1")
@given(code=TEXTS)
@example(code="cafe\u0301")
@example(code="\u0301")
@example(code="a\u200d\u0301\xa0b")
def test_P1_a_code_is_refused_or_taken_without_the_spaces_around_it(code: str) -> None:
    with contextlib.suppress(SlashIsNotAllowed, CantBeEmpty, WrongCodeFormat):
        taken = require_code(code)
        assert taken == spelt(code).strip()
        assert taken == normalize("NFC", taken) == require_code(taken)
        assert taken
        assert "/" not in taken
        assert not re.fullmatch(r"\w+_\d+_\d+", taken)


@pytest.mark.rule("P3")
def test_P3_a_code_differs_from_that_of_every_other_page(make_service: MakeService) -> None:
    """The page's own code does not count; suffixes are tried until a free code is found."""
    service = make_service(world=tree(page(21, code="x" * LONGEST)))

    with service.kernel.store.session(writes=True) as session:
        connection = session.connection()
        own = free_code(connection, 7, None, "page-14", 14)
        freed = {free_code(connection, 7, None, "page-14") for _ in range(20)}
        elsewhere = free_code(connection, 7, 1, "page-14")
        longest = free_code(connection, 7, None, "x" * LONGEST)

    assert own == elsewhere == "page-14"
    assert all(re.fullmatch("page-14_[a-z]{4}", each) for each in freed)
    assert len(freed) > 1
    assert re.fullmatch("x{250}_[a-z]{4}", longest)


@pytest.mark.rule("P3")
def test_P3_a_suffix_may_be_taken_too(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service(world=tree(page(21, code="page-14_aaaa")))
    letters = iter("aaaabbbb")
    monkeypatch.setattr("landyard_landing.sites.codes.secrets.choice", lambda _: next(letters))

    with service.kernel.store.session(writes=True) as session:
        assert free_code(session.connection(), 7, None, "page-14") == "page-14_bbbb"
