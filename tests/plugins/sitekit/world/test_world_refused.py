"""Wrong world files are refused with the path of the mistake, and nothing of the file is loaded."""

import json
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import block, everything, page, site, stored, world
from corpora import read_cases

from landyard import WorldError

HAVE = world(
    page(10, block(100, published_id=200)),
    page(11, block(110), folder=1),
    sites=[site(8, domain="shop.example")],
    folders=[
        {"id": 1, "site": 7, "code": "a"},
        {"id": 2, "site": 7, "parent": 1, "code": "b"},
        {"id": 3, "site": 8, "code": "c"},
        {"id": 4, "site": 7, "code": "b"},
    ],
)


def _blocks(*items: Any) -> dict[str, Any]:
    return {"pages": [{"id": 10, "site": 7, "blocks": [*items]}]}


def _page(**more: Any) -> dict[str, Any]:
    return {"pages": [{"id": 50, "site": 7, "code": "p", **more}]}


WRONG = read_cases(__file__, "WRONG", tuple[dict[str, Any], str])


@pytest.mark.rule("P11")
def test_world_every_error_names_its_path(make_service: MakeService) -> None:
    service = make_service(world=HAVE)

    unlike = []
    for document, path in WRONG:
        try:
            service.kernel.load(json.dumps(document).encode())
        except WorldError as error:
            where = str(error).partition(": ")[0]
            if not where.startswith(path):
                unlike.append((path, where))
        except Exception as error:
            unlike.append((path, repr(error)))
        else:
            unlike.append((path, f"loaded {document}"))

    assert unlike == []


def test_world_folders_in_different_places_may_share_a_code(make_service: MakeService) -> None:
    service = make_service(world=HAVE)

    service.load({"folders": [{"id": 2, "site": 7, "code": "b", "title": "new"}]})

    assert [row["title"] for row in stored(service, "landing_folder")] == ["", "new", "", ""]


def test_world_nothing_is_loaded_when_anything_is_wrong(make_service: MakeService) -> None:
    service = make_service(world=HAVE)
    before = everything(service)
    good = world(
        page(10, block(100, content="changed"), block(160, published_id=260), title="changed"),
        page(60, block(161)),
        sites=[site(60)],
        users=[{"id": 60, "name": "x", "rights": {"7": ["edit"]}}],
        templates=[{"code": "x"}],
    )
    wrong = {"id": 61, "site": 7, "code": "x", "blocks": [{"id": 162, "code": "x"}, {"id": 110}]}

    with pytest.raises(WorldError) as refused:
        service.load(good | {"pages": [*good["pages"], wrong]})

    assert str(refused.value).startswith("pages[2].blocks[1].id: ")
    assert everything(service) == before


def test_world_a_late_error_rolls_everything_back(make_service: MakeService) -> None:
    service = make_service(world=HAVE)
    before = everything(service)

    with pytest.raises(WorldError) as refused:
        service.load({"sites": [site(60, main_page=10)], "pages": [page(60, site=60)]})

    assert str(refused.value).startswith("sites[0].main_page: ")
    assert everything(service) == before
