"""The answers for inactive and trashed sites and folders, and for the pages inside (P11)."""

from collections.abc import Iterator
from typing import Any

import pytest
from contract.worlds import block, page, site, world

from landyard.testing import Service
from landyard_content.pages.publication import publish

pytestmark = pytest.mark.rule("P11")

PATHS = {
    "site": "/site-7/page-10/",
    "folder": "/site-7/outer/page-11/",
    "inner folder": "/site-7/outer/inner/page-12/",
}
LOST = "No such thing here"


def _shown(page_id: int, **more: Any) -> dict[str, Any]:
    content = f"<section>{LOST}</section>" if page_id == 13 else "<section>Shown</section>"
    own = {"id": page_id * 10, "code": "test.all", "content": content}
    return page(page_id, own | {"published_id": page_id * 10 + 1}, **SHOWN, **more)


SHOWN = {"active": True, "published": True}
WORLD = world(
    _shown(10),
    _shown(11, folder=1),
    _shown(12, folder=2),
    _shown(13, code="lost"),
    page(20, block(200), site=8, folder=3),
    sites=[site(8, active=False)],
    folders=[
        {"id": 1, "site": 7, "code": "outer"},
        {"id": 2, "site": 7, "code": "inner", "parent": 1},
        {"id": 3, "site": 8, "code": "closed", "active": False},
    ],
)
WORLD["sites"][0] |= {"page_404": 13}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service(world=WORLD) as service:
        yield service


def _seen(service: Service) -> dict[str, int]:
    return {what: service.get(path).status_code for what, path in PATHS.items()}


def _listed(service: Service) -> list[str]:
    site_map = service.get("/sitemap.xml").text
    return [what for what, path in PATHS.items() if f"{path}</loc>" in site_map]


@pytest.mark.parametrize("state", [{"active": False}, {"deleted": True}], ids=["hidden", "trashed"])
@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ({"sites": [{"id": 7}]}, []),
        ({"folders": [{"id": 1, "site": 7}]}, ["site"]),
        ({"folders": [{"id": 2, "site": 7, "parent": 1}]}, ["site", "folder"]),
    ],
    ids=["site", "folder", "inner folder"],
)
def test_P11_pages_inside_are_hidden_too(
    service: Service, state: dict[str, Any], rows: dict[str, Any], left: list[str]
) -> None:
    back = {"active": True, "deleted": False}
    for change in (back, state):
        service.load({name: [row | change for row in each] for name, each in rows.items()})
    assert [what for what, status in _seen(service).items() if status == 200] == left
    assert _listed(service) == left

    service.load({name: [row | back for row in each] for name, each in rows.items()})
    assert _listed(service) == list(PATHS)


def test_P11_a_site_shows_its_own_404_page(service: Service) -> None:
    answers = [service.get(path) for path in ("/site-7/no", "/site-7/no", "/site-8/no", "/no")]

    assert [(each.status_code, LOST in each.text) for each in answers] == [
        (404, True),
        (404, True),
        (404, False),
        (404, False),
    ]
    assert answers[0].headers["cache-control"] == "no-store"
    assert "/lost/" not in service.get("/sitemap.xml").text
    service.load({"pages": [{"id": 13, "site": 7, "active": False}]})
    assert LOST not in service.get("/site-7/no").text


def test_P11_publishing_a_page_activates_its_folders_and_its_site(service: Service) -> None:
    path = "/site-8/closed/page-20/"
    assert service.get(path).status_code == 404

    service.kernel.store.run(
        lambda unit: publish(unit.connection, 20, service.kernel.now()), writes=True
    )

    assert service.get(path).status_code == 200
