"""`landing.landing.update`: the code, the last segment of a page's address (P1 to P3)."""

import re
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import as_user, everything, page, row, tree, user
from corpora import read_data

from landyard.testing import Answer, Service

UPDATE = "landing.landing.update"


def _update(service: Service, page_id: int = 12, **fields: Any) -> Answer:
    return service.call(UPDATE, {"lid": page_id, "fields": fields})


def _code(service: Service, page_id: int = 12) -> str:
    return str(row(service, page_id)["code"])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree())


@pytest.mark.rule("P1", "landing.landing.update fields.CODE")
@pytest.mark.rule(
    *(f"{UPDATE} {code}" for code in ("SLASH_IS_NOT_ALLOWED", "CANT_BE_EMPTY", "WRONG_CODE_FORMAT"))
)
def test_P1_a_code_with_a_forbidden_character_is_refused(service: Service) -> None:
    before = everything(service)
    refused = read_data(__file__, "P1 refused", list[tuple[Any, str]])
    refused += [("x" * length, "WRONG_CODE_FORMAT") for length in (256, 1_000_000)]

    for code, error in refused:
        assert _update(service, TITLE="New", CODE=code).error == error, code
    assert everything(service) == before


@pytest.mark.rule("P1", "landing.landing.update fields.CODE")
def test_P1_any_other_code_is_stored_as_it_is(service: Service) -> None:
    codes = [
        *("a", "A-b.c~d", "a_1", "_1_2", "a_1_b", "a-b_1_2", "a_1_2_b", "a b_1_2", "-1-2-3", "..."),
        *("50%", "%2F", "a\\b", "a?b#c", "ключ", "日本", "😀", "a&b=c;d", "x" * 255, "é" * 255),
    ]

    for code in codes:
        assert _update(service, CODE=f" {code}\n").result is True
        assert _code(service) == code


@pytest.mark.rule("P5", "landing.landing.update fields.CODE")
def test_P5_a_number_is_a_code(service: Service) -> None:
    _update(service, CODE=2026)

    assert _code(service) == "2026"


@pytest.mark.rule("P1", "P2", "P4", "landing.landing.update fields.FOLDER")
def test_P2_a_code_is_made_from_the_title(service: Service) -> None:
    made = read_data(__file__, "P2 made", list[tuple[dict[str, Any], str | None]])
    made.append(({"CODE": "", "FOLDER": "N", "TITLE": "long " * 1000}, None))

    for fields, code in made:
        _update(service, TITLE="The old title", CODE="old")
        assert _update(service, **fields).result is True
        got = _code(service)
        if code is None:
            assert re.fullmatch("[a-z0-9_-]{1,100}", got)
            assert not re.fullmatch(r"\w+_\d+_\d+", got)
        else:
            assert got == code


@pytest.mark.rule("P2")
def test_P2_a_title_without_usable_letters_gives_12_random_characters(service: Service) -> None:
    made = set()
    for _ in range(3):
        _update(service, CODE="", FOLDER="N", TITLE="???")
        made.add(_code(service))

    assert len(made) == 3
    assert all(re.fullmatch("[a-z0-9]{12}", each) for each in made)


@pytest.mark.rule("P1", "C7")
def test_C7_a_folder_flag_that_is_null_is_no_folder_flag(service: Service) -> None:
    before = everything(service)

    assert _update(service, CODE="", FOLDER=None).error == "CANT_BE_EMPTY"
    assert _update(service, CODE="", FOLDER_ID=0).error == "CANT_BE_EMPTY"
    assert everything(service) == before


@pytest.mark.rule("landing.landing.update fields.FOLDER")
def test_2_3_without_a_code_the_flag_changes_no_code(service: Service) -> None:
    _update(service, FOLDER="Y", TITLE="New")

    assert _code(service) == "page-12"


# Pages 12 and 11 are in folder 1, the others of site 7 at its root; 13 is in the trash.
@pytest.mark.rule("P3")
def test_P3_a_taken_code_gets_four_letters(service: Service) -> None:
    codes: list[tuple[int, str, bool]] = [
        (14, "page-10", True),
        (14, "page-17", True),  # an inactive page still holds its code
        (14, "page-15", True),
        (12, "page-11", True),
        (14, "page-14", False),  # its own code
        (14, "page-13", False),  # pages in the trash hold no codes
        (14, "page-12", False),  # the code of a page in another folder
        (12, "page-10", False),
        (14, "page-20", False),  # the code of a page of another site
        (14, "PAGE-10", False),
        (13, "page-10", True),
        (14, "rest", False),  # below the site's code nothing is reserved
        (40, "rest", True),  # reserved at the root of a domain
        (40, "files", True),
        (40, "robots.txt", True),
    ]

    for page_id, code, taken in codes:
        assert _update(service, page_id, CODE=code).result is True
        got = _code(service, page_id)
        assert re.fullmatch(re.escape(code) + ("_[a-z]{4}" if taken else ""), got)
        _update(service, page_id, CODE=f"page-{page_id}")


@pytest.mark.rule("P3", "P2")
def test_P3_a_made_code_is_checked_too(service: Service) -> None:
    _update(service, 14, CODE="", FOLDER="N", TITLE="Page 10")

    assert re.fullmatch("page-10_[a-z]{4}", _code(service, 14))


@pytest.mark.rule("P3")
def test_P3_a_code_of_full_length_is_shortened_for_the_suffix(service: Service) -> None:
    code = "x" * 255
    _update(service, 10, CODE=code)

    _update(service, 14, CODE=code)

    assert re.fullmatch("x{250}_[a-z]{4}", _code(service, 14))


@pytest.mark.rule("P3")
def test_P3_a_page_keeps_its_code_when_it_is_set_again(service: Service) -> None:
    for _ in range(3):
        _update(service, 14, CODE="page-10", TITLE="New")
        _update(service, 14, CODE=_code(service, 14))

    assert re.fullmatch("page-10_[a-z]{4}", _code(service, 14))


@pytest.mark.rule("P3")
def test_P3_a_code_is_unique_at_one_place(make_service: MakeService) -> None:
    """The code is checked at the page's new place, not at its old one."""
    service = make_service(world=tree(page(19, folder=1, code="same"), page(21, code="same")))

    _update(service, 14, CODE="same", FOLDER_ID=2)
    _update(service, 15, CODE="same", FOLDER_ID=1)
    _update(service, 12, FOLDER_ID=0, CODE="free")
    _update(service, 19, FOLDER_ID=0)

    assert _code(service, 14) == "same"
    assert re.fullmatch("same_[a-z]{4}", _code(service, 15))
    assert _code(service, 12) == "free"
    assert re.fullmatch("same_[a-z]{4}", _code(service, 19))


@pytest.mark.rule("C1")
def test_C1_the_code_is_judged_after_the_right(make_service: MakeService) -> None:
    service = make_service(
        world=tree(users=[user(2, sites_access=True, rights={"*": ["view", "edit"]})])
    )

    sent = {"lid": 12, "fields": {"CODE": "a/b", "TITLE": [], "SITE_ID": 99, "FOLDER_ID": 99}}

    assert service.call(UPDATE, sent, **as_user(2)).error == "ACCESS_DENIED"
