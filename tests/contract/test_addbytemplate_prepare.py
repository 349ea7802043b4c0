"""`landing.landing.addByTemplate`: component parameters for the blocks (contract 4.6; C6)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.templates import BLOCKS, add, blocks_of, templates_world
from contract.worlds import CODE
from corpora import read_data

from landyard.testing import Service

SECTION, FILTER = "bitrix:catalog.section", "bitrix:catalog.filter"
BY_TEMPLATE = [each.get("params", {}) for each in BLOCKS]


def _asked(params: Any, action: Any = "changeComponentParams") -> dict[str, Any]:
    return {"ACTION": action, "PARAMS": params}


def _params(service: Service, **fields: Any) -> list[dict[str, Any]]:
    return [row["params"] for row in blocks_of(service, add(service, fields=fields)["id"])]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=templates_world())


@pytest.mark.rule(
    "landing.landing.addByTemplate fields.PREPARE_BLOCKS",
    "landing.landing.addByTemplate fields.PREPARE_BLOCKS_DATA",
)
def test_4_6_parameters_come_where_the_template_has_an_empty_string(service: Service) -> None:
    sent = {"IBLOCK_ID": 5, "SECTION_ID": "", "COUNT": "1", "FILTER": "f", "UNKNOWN": "u"}

    params = _params(service, PREPARE_BLOCKS=True, PREPARE_BLOCKS_DATA={"test.shop": _asked(sent)})

    assert params == [
        {},
        {
            SECTION: {"IBLOCK_ID": 5, "SECTION_ID": "", "COUNT": "9"},
            FILTER: {"IBLOCK_ID": 5, "FILTER": None},
        },
        {"bitrix:x": {"IBLOCK_ID": ""}},
    ]


@pytest.mark.rule("landing.landing.addByTemplate fields.PREPARE_BLOCKS_DATA")
def test_4_6_every_block_of_the_code_is_prepared(service: Service) -> None:
    data = {CODE: _asked({"IBLOCK_ID": "7"}), "test.shop": _asked({"SECTION_ID": {"a": [1]}})}

    params = _params(service, PREPARE_BLOCKS=True, PREPARE_BLOCKS_DATA={**data, "none": _asked({})})

    assert params[0] == {}
    assert params[1][SECTION]["SECTION_ID"] == {"a": [1]}
    assert params[2] == {"bitrix:x": {"IBLOCK_ID": "7"}}


@pytest.mark.rule("landing.landing.addByTemplate fields.PREPARE_BLOCKS", "C6")
@pytest.mark.parametrize(
    "flag", [False, 1, 1.0, "true", "Y", "1", "yes", "on", [True], {"a": True}, None], ids=repr
)
def test_C6_PREPARE_BLOCKS_acts_for_true_alone(service: Service, flag: Any) -> None:
    data = {"test.shop": _asked({"IBLOCK_ID": "5"})}

    assert _params(service, PREPARE_BLOCKS=flag, PREPARE_BLOCKS_DATA=data) == BY_TEMPLATE


@pytest.mark.rule("landing.landing.addByTemplate fields.PREPARE_BLOCKS_DATA", "C9")
@pytest.mark.parametrize(
    "data",
    read_data(__file__, "C9 what cannot be prepared stays as the template has it", list[Any]),
    ids=repr,
)
def test_C9_what_cannot_be_prepared_stays_as_the_template_has_it(
    service: Service, data: Any
) -> None:
    assert _params(service, PREPARE_BLOCKS=True, PREPARE_BLOCKS_DATA=data) == BY_TEMPLATE


@pytest.mark.rule("landing.landing.addByTemplate fields.PREPARE_BLOCKS_DATA")
def test_4_6_the_template_itself_is_never_changed(service: Service) -> None:
    data = {"test.shop": _asked({"IBLOCK_ID": "5"})}

    _params(service, PREPARE_BLOCKS=True, PREPARE_BLOCKS_DATA=data)

    assert _params(service) == BY_TEMPLATE
