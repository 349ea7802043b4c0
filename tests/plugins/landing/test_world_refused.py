"""World files that are wrong: the error names the path, and nothing of the file is loaded."""

import json
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import block, everything, page, site, stored, world

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


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"widgets": []}, "widgets"),
    ({"sites": {}}, "sites"),
    ({"sites": ["x"]}, "sites[0]"),
    ({"sites": [{"id": 50, "code": "s", "colour": 1}]}, "sites[0].colour"),
    ({"sites": [{"id": 50}]}, "sites[0].code"),
    ({"sites": [{"id": "50", "code": "s"}]}, "sites[0].id"),
    ({"sites": [{"id": 0, "code": "s"}]}, "sites[0].id"),
    ({"sites": [{"id": 2**31, "code": "s"}]}, "sites[0].id"),
    ({"sites": [{"id": None, "code": "s"}]}, "sites[0].id"),
    ({"sites": [{"id": 50, "code": "a/b"}]}, "sites[0].code"),
    ({"sites": [{"id": 50, "code": ""}]}, "sites[0].code"),
    ({"sites": [{"id": 50, "code": ".."}]}, "sites[0].code"),
    ({"sites": [{"id": 50, "code": 5}]}, "sites[0].code"),
    ({"sites": [{"id": 50, "code": "site-7"}]}, "sites[0].code"),
    ({"sites": [{"id": 50, "code": "s", "type": "page"}]}, "sites[0].type"),
    ({"sites": [{"id": 50, "code": "s", "domain": "https://x.example"}]}, "sites[0].domain"),
    ({"sites": [{"id": 50, "code": "s", "domain": "X.example"}]}, "sites[0].domain"),
    ({"sites": [{"id": 50, "code": "s", "domain": "x.example/"}]}, "sites[0].domain"),
    ({"sites": [{"id": 50, "code": "s", "domain": "shop.example"}]}, "sites[0].domain"),
    ({"sites": [{"code": "s", "domain": "shop.example"}]}, "sites[0].domain"),
    (
        {"sites": [{"code": "s", "domain": "x.y"}, {"code": "t", "domain": "x.y"}]},
        "sites[1].domain",
    ),
    ({"sites": [{"id": 50, "code": "s", "main_page": 99}]}, "sites[0].main_page"),
    ({"sites": [{"id": 8, "main_page": 10}]}, "sites[0].main_page"),
    ({"sites": [{"id": 50, "code": "s", "title": "\0"}]}, "sites[0].title"),
    *(
        ({"sites": [{"id": 50, "code": code}]}, "sites[0].code")
        for code in ("rest", "files", "assets", "healthz", "readyz")
    ),
    ({"folders": [{"id": 50, "code": "f"}]}, "folders[0]"),
    ({"folders": [{"id": 50, "site": 99, "code": "f"}]}, "folders[0].site"),
    ({"folders": [{"id": 50, "site": 7}]}, "folders[0].code"),
    ({"folders": [{"id": 50, "site": 7, "code": "a"}]}, "folders[0].code"),
    ({"folders": [{"id": 50, "site": 7, "parent": 1, "code": "b"}]}, "folders[0].code"),
    ({"folders": [{"id": 50, "site": 7, "parent": 99, "code": "f"}]}, "folders[0].parent"),
    ({"folders": [{"id": 50, "site": 7, "parent": 3, "code": "f"}]}, "folders[0].parent"),
    ({"folders": [{"id": 1, "site": 7, "parent": 1}]}, "folders[0].parent"),
    ({"folders": [{"id": 1, "site": 7, "parent": 2}]}, "folders[0].parent"),
    ({"folders": [{"id": 50, "site": 7, "code": "f", "index_page": 99}]}, "folders[0].index_page"),
    ({"folders": [{"id": 3, "site": 8, "index_page": 10}]}, "folders[0].index_page"),
    ({"folders": [{"id": 2, "site": 7, "parent": None}]}, "folders[0]"),
    # what stands in a folder stays in the folder's site
    ({"folders": [{"id": 1, "site": 8}]}, "folders[0]"),
    ({"pages": [{"id": 11, "site": 8}]}, "pages[0]"),
    (_page(site=99), "pages[0].site"),
    (_page(folder=3), "pages[0].folder"),
    (_page(folder=99), "pages[0].folder"),
    (_page(code=" "), "pages[0].code"),
    ({"pages": [{"id": 50, "site": 7}]}, "pages[0].code"),
    ({"pages": [{"id": 50, "code": "p"}]}, "pages[0]"),
    (_page(active="Y"), "pages[0].active"),
    (_page(date_public="tomorrow"), "pages[0].date_public"),
    (_page(date_public="2027-01-01T00:00:00"), "pages[0].date_public"),
    (_page(created_at=None), "pages[0].created_at"),
    (_page(created_at="0001-01-01T00:00:00+14:00"), "pages[0].created_at"),
    (_page(deleted_at="9999-12-31T23:00:00-14:00"), "pages[0].deleted_at"),
    (_page(view_template=2**31), "pages[0].view_template"),
    (_page(additional_fields=[]), "pages[0].additional_fields"),
    (_blocks({"id": 150, "content": ""}), "pages[0].blocks[0].code"),
    (_blocks({"id": 150, "code": "x", "colour": 1}), "pages[0].blocks[0]"),
    (_blocks({"id": 150, "code": "x", "params": {"a:b": 1}}), "pages[0].blocks[0].params"),
    (
        _blocks({"id": 150, "code": "x", "modified_at": "2027-01-01T00:00:00"}),
        "pages[0].blocks[0].",
    ),
    (_blocks({"id": None, "code": "x"}), "pages[0].blocks[0].published_id"),
    (_blocks({"id": None, "published_id": 250}), "pages[0].blocks[0].code"),
    # one id space, and blocks do not wander
    (_blocks({"id": 110, "code": "x"}), "pages[0].blocks[0].id"),
    (_blocks({"id": 200, "code": "x"}), "pages[0].blocks[0].id"),
    (_blocks({"id": 150, "code": "x", "published_id": 150}), "pages[0].blocks[0].published_id"),
    (_blocks({"id": 150, "code": "x", "published_id": 100}), "pages[0].blocks[0].published_id"),
    (_blocks({"id": None, "code": "x", "published_id": 110}), "pages[0].blocks[0].published_id"),
    (
        _blocks({"id": 100, "published_id": 200}, {"id": 150, "code": "x", "published_id": 200}),
        "pages[0].blocks[1].published_id",
    ),
    ({"manifests": [{"name": "x"}]}, "manifests[0]"),
    ({"manifests": [{"code": "x", "manifest": []}]}, "manifests[0].manifest"),
    ({"manifests": [{"code": "x", "css": "x"}]}, "manifests[0].css"),
    ({"templates": [{"code": ""}]}, "templates[0].code"),
    ({"templates": [{"code": "x", "type": "X"}]}, "templates[0].type"),
    ({"templates": [{"code": "x", "blocks": [{"content": "x"}]}]}, "templates[0].blocks[0]"),
    ({"users": [{"id": 1, "rights": {"*": ["fly"]}}]}, "users[0].rights"),
    ({"users": [{"id": 1, "rights": {"99": ["view"]}}]}, "users[0].rights.99"),
    ({"users": [{"id": 1, "rights": {"9999999999": ["view"]}}]}, "users[0].rights.9999999999"),
    ({"users": [{"id": 1, "rights": {"x": ["view"]}}]}, "users[0].rights.x"),
    ({"users": [{"id": 1, "rights": ["view"]}]}, "users[0].rights"),
    ({"users": [{"id": 1, "sites_access": "Y"}]}, "users[0].sites_access"),
]


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


def test_world_a_folder_may_have_the_code_of_one_elsewhere(make_service: MakeService) -> None:
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


def test_world_a_late_error_takes_everything_back(make_service: MakeService) -> None:
    service = make_service(world=HAVE)
    before = everything(service)

    with pytest.raises(WorldError) as refused:
        service.load({"sites": [site(60, main_page=10)], "pages": [page(60, site=60)]})

    assert str(refused.value).startswith("sites[0].main_page: ")
    assert everything(service) == before
