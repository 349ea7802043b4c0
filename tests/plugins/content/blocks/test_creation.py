"""A page made from a template: its fields, address and blocks, and its cost (P1 to P3, P12)."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.templates import (
    ACTIVE,
    DEEP,
    FOLDER,
    OTHER,
    SEO,
    add,
    ask,
    blocks_of,
    template,
    templates_world,
)
from contract.worlds import CODE, MANIFEST, PAGE, page, stored
from corpora import read_cases, read_data

from landyard.testing import Service
from landyard_html.policy import POLICY_VERSION

PAGES_AT_ONCE = 12


@contextmanager
def _statements(service: Service) -> Iterator[list[str]]:
    """Collect the statements that run inside the `with` block."""
    messages: list[str] = []

    def note(*given: Any) -> None:
        messages.append(given[2])

    engine = service.kernel.store.engine
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield messages
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


@pytest.mark.rule("P12")
def test_P12_the_page_has_the_templates_fields(make_service: MakeService) -> None:
    fields = read_data(__file__, "fields of a template", dict[str, Any])
    service = make_service(world=templates_world(template(fields=fields, locked=True)))

    row = add(service)

    names = ("title", "description", "xml_id", "rule", "sitemap", "folder_flag", "view_template")
    told = ("Told", "About", "77", "(.+)", "N", "Y", 3)
    assert tuple(row[name] for name in names) == told
    assert (row["locked"], row["additional_fields"]) == (True, SEO)


@pytest.mark.rule("P12")
@pytest.mark.parametrize(
    ("fields", "name", "value"),
    read_data(
        __file__,
        "P12 what a template says unusably is as good as not said",
        list[tuple[dict[str, Any], str, Any]],
    ),
    ids=str,
)
def test_P12_unusable_values_of_a_template_count_as_absent(
    make_service: MakeService, fields: dict[str, Any], name: str, value: Any
) -> None:
    service = make_service(world=templates_world(template(fields=fields)))

    assert add(service)[name] == value


@pytest.mark.rule("P12")
def test_P12_a_bare_template_makes_an_empty_page(make_service: MakeService) -> None:
    service = make_service(world=templates_world({"code": "bare"}))

    row = add(service, "bare")

    assert (row["title"], row["additional_fields"], row["locked"]) == ("", {}, False)
    assert re.fullmatch("[a-z0-9]{12}", row["code"])
    assert blocks_of(service, row["id"]) == []


@pytest.mark.rule("P2", "P12")
@pytest.mark.parametrize(
    ("fields", "title", "code"),
    read_cases(
        __file__,
        "P2 without a code the address is made of the title",
        tuple[dict[str, Any], str | None, str],
    ),
    ids=str,
)
def test_P2_without_a_code_the_address_is_made_from_the_title(
    make_service: MakeService, fields: dict[str, Any], title: str | None, code: str
) -> None:
    service = make_service(world=templates_world(template(fields=fields)))

    assert add(service, fields={"TITLE": title})["code"] == code


@pytest.mark.rule("P1", "landing.landing.addByTemplate WRONG_CODE_FORMAT")
@pytest.mark.parametrize(
    ("code", "error"),
    read_data(__file__, "P1 the templates address is checked", list[tuple[str, str | None]]),
)
def test_P1_the_templates_address_is_checked(
    make_service: MakeService, code: str, error: str | None
) -> None:
    service = make_service(world=templates_world(template(fields={"CODE": code})))

    assert ask(service).error == error


@pytest.mark.rule("P3")
def test_P3_a_taken_address_gets_four_letters(make_service: MakeService) -> None:
    service = make_service(world=templates_world())

    codes = [add(service, fields={"FOLDER_ID": DEEP})["code"] for _ in range(3)]

    assert codes[0] == "promo"
    assert all(re.fullmatch("promo_[a-z]{4}", code) for code in codes[1:])
    assert len(set(codes)) == 3


@pytest.mark.rule("P3")
def test_P3_pages_elsewhere_and_in_the_trash_reserve_no_address(
    make_service: MakeService,
) -> None:
    pages = [
        page(30, folder=FOLDER) | {"code": "promo"},
        page(31, site=OTHER) | {"code": "promo"},
        page(32, deleted=True) | {"code": "promo"},
    ]
    service = make_service(world=templates_world(pages=pages))

    assert add(service)["code"] == "promo"


@pytest.mark.rule("P3", "P12")
def test_P3_pages_made_at_once_get_different_addresses(make_service: MakeService) -> None:
    service = make_service(world=templates_world())
    fields = {"BLOCK_ID": 100, "MENU_CODE": ".menu-list"}

    with ThreadPoolExecutor(PAGES_AT_ONCE) as callers:
        futures = [callers.submit(ask, service, fields=fields) for _ in range(PAGES_AT_ONCE)]
        page_ids = {each.result().result for each in futures}

    rows = [row for row in stored(service, "landing_page") if row["id"] in page_ids]
    (menu,) = stored(service, "landing_block", id=100)
    assert len({row["code"] for row in rows}) == PAGES_AT_ONCE
    assert [menu["content"].count(f"/{row['code']}/") for row in rows] == [1] * PAGES_AT_ONCE
    assert all(len(blocks_of(service, row["id"])) == 3 for row in rows)


@pytest.mark.rule("P12", "H1", "H2")
def test_H2_the_html_of_a_template_is_made_inert(make_service: MakeService) -> None:
    hostile = '<a href="javascript:x()" onclick="x()">A</a><script>x()</script>'
    own = MANIFEST | {"code": "test.own", "content": hostile}
    blocks = [
        {"code": "test.own"},
        {"code": "test.own", "content": hostile},
        {"code": "test.own", "content": ""},
        {"code": "nobody.knows"},
    ]
    world = templates_world(template(blocks=blocks), manifests=[MANIFEST, own])
    service = make_service(world=world)

    rows = blocks_of(service, add(service)["id"])

    assert [row["content"] for row in rows] == ["<a>A</a>", "<a>A</a>", "", ""]
    assert {row["policy"] for row in rows} == {POLICY_VERSION}


@pytest.mark.rule("H2")
def test_H2_the_html_of_a_template_written_past_the_loader_is_made_inert(
    make_service: MakeService,
) -> None:
    service = make_service(world=templates_world())
    stolen = [{"code": CODE, "content": "<p>x</p><script>x()</script>"}]
    table = sa.Table("landing_template", sa.MetaData(), autoload_with=service.kernel.store.engine)
    with service.kernel.store.session(writes=True) as session:
        session.execute(sa.update(table).values(blocks=stolen))

    (row,) = blocks_of(service, add(service)["id"])

    assert row["content"] == "<p>x</p>"


@pytest.mark.rule("P12")
def test_P12_a_templates_own_version_wins_over_the_builtin_one(make_service: MakeService) -> None:
    service = make_service(world=templates_world(template("empty")))

    assert add(service, "empty")["title"] == "Promo"


@pytest.mark.parametrize("beside", [PAGE, ACTIVE], ids=["made", "made and published"])
def test_a_long_template_takes_no_more_statements_than_a_short_one(
    make_service: MakeService, beside: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # otherwise the credential is looked up again
    monkeypatch.setattr("landyard.auth.cache.REMEMBERED_FOR", 3600.0)
    own = [{"code": CODE}, {"code": CODE, "content": "<p>x</p>"}]
    templates = [
        template(code, blocks=own * times, fields={"CODE": None})
        for code, times in (("one", 1), ("ten", 10))
    ]
    service = make_service(world=templates_world(*templates))
    messages: list[int] = []
    for code in ("one", "one", "ten"):  # the first call reads the block types
        with _statements(service) as statements:
            ask(service, code, fields={"ID": beside, "TITLE": f"{len(messages)}"})
        messages.append(len(statements))

    assert messages[1] == messages[2]
