"""A value that one call answers is accepted by every other call that takes such a value."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import block, everything, page, site, world

from landyard.testing import Service

LANDING, SITE = "landing.landing", "landing.site"
WORLD = world(
    page(10, block(100), code="home", title="Home", date_public="2026-03-04T05:06:07.5Z"),
    page(11, folder=1, title="0", sitemap="N", folder_flag="Y", view_template=2, language="de"),
    page(12, deleted=True),
    page(13, block(130), translation_of=10, xml_id="x", description="d"),
    sites=[
        site(8, domain="shop.example", title="Shop", active=False, view_template=1),
        site(9, deleted=True),
    ],
    folders=[
        {"id": 1, "site": 7, "code": "one", "title": "One", "active": True},
        {"id": 2, "site": 7, "parent": 1, "code": "two", "title": "Two"},
    ],
)
SIGNED = ("MODIFIED_BY_ID", "DATE_MODIFY")


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD, time_zone="Asia/Kathmandu")


def rows(service: Service, method: str, **sent: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = service.result(method, sent)
    return found


def _unsigned(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: each for key, each in row.items() if key not in SIGNED} for row in found]


BOTH: dict[str, Any] = {"params": {"filter": {"DELETED": ["Y", "N"]}}}


def test_an_answered_row_of_a_page_sent_back_changes_nothing(service: Service) -> None:
    before = rows(service, f"{LANDING}.getList")

    for row in before:
        assert service.result(f"{LANDING}.update", lid=row["ID"], fields=_fields(row)) is True

    assert _unsigned(rows(service, f"{LANDING}.getList")) == _unsigned(before)


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    # `DELETED` makes a page inactive, whatever its value (P4).
    return {name: value for name, value in row.items() if name != "DELETED"}


def test_an_answered_row_of_a_site_sent_back_changes_nothing(service: Service) -> None:
    before = rows(service, f"{SITE}.getList", **BOTH)

    for row in before:
        assert service.result(f"{SITE}.update", id=row["ID"], fields=row) is True

    assert _unsigned(rows(service, f"{SITE}.getList", **BOTH)) == _unsigned(before)


def test_an_answered_row_of_a_folder_sent_back_changes_nothing(service: Service) -> None:
    before = rows(service, f"{SITE}.getFolders", siteId="7")

    for row in before:
        sent = {"siteId": row["SITE_ID"], "folderId": row["ID"], "fields": row}
        assert service.result(f"{SITE}.updateFolder", sent) is True

    assert _unsigned(rows(service, f"{SITE}.getFolders", siteId="7")) == _unsigned(before)


def test_each_answered_id_is_accepted(service: Service) -> None:
    before = everything(service)
    for row in rows(service, f"{LANDING}.getList"):
        lid = row["ID"]
        for method in ("getadditionalfields", "getpreview"):
            service.result(f"{LANDING}.{method}", lid=lid)
        url = service.result(f"{LANDING}.getpublicurl", lid=lid)
        found = service.result(
            f"{LANDING}.resolveIdByPublicUrl", landingUrl=url, siteId=row["SITE_ID"]
        )
        assert found in {int(lid), None}
        for each in service.result(
            "landing.block.getlist", {"lid": lid, "params": {"edit_mode": 1}}
        ):
            named = {"lid": each["lid"], "block": each["id"], "editMode": True}
            service.result("landing.block.getbyid", {**named, "params": {"edit_mode": 1}})
            service.result("landing.block.getcontent", named)
            service.result("landing.block.getmanifest", {**named, "params": {"edit_mode": 1}})
            service.result("landing.block.getmanifestfile", code=each["code"])
    for row in rows(service, f"{SITE}.getList"):
        for method in ("getadditionalfields", "getPreview", "getPublicUrl", "getRights"):
            service.result(f"{SITE}.{method}", id=row["ID"])
        service.result(f"{SITE}.getFolders", siteId=row["ID"])
        service.result("landing.syspage.get", id=row["ID"])
        service.result("landing.template.getSiteRef", id=row["ID"])
    for row in service.result("landing.role.getList"):
        service.result("landing.role.getRights", id=row["ID"])
    assert everything(service) == before


def test_answered_codes_and_ids_can_be_used_to_make_pages(service: Service) -> None:
    made = []
    for frame in rows(service, "landing.template.getlist"):
        fields = {"TITLE": frame["TITLE"], "SITE_ID": "7", "TPL_ID": frame["ID"]}
        made.append(service.result(f"{LANDING}.add", fields=fields))
    for code, template in service.result("landing.demos.getPageList", type="page").items():
        sent = {"siteId": "7", "code": code, "fields": {"SITE_TYPE": template["TYPE"][0]}}
        made.append(service.result(f"{LANDING}.addByTemplate", sent))
        again = service.result("landing.demos.getPageList", type=template["TYPE"][0])
        assert code in again
    for row in rows(service, f"{LANDING}.getList", params={"filter": {"ID": made}}):
        service.result("landing.syspage.set", id=row["SITE_ID"], type="cart", lid=row["ID"])
        answer = service.result("landing.syspage.get", id=row["SITE_ID"])["cart"]
        assert answer["LANDING_ID"] == row["ID"]
        service.result("landing.syspage.set", id=row["SITE_ID"], type=answer["TYPE"], lid=None)
        service.result(f"{LANDING}.delete", lid=answer["LANDING_ID"])
    assert made


def test_a_registered_block_is_added_by_its_answered_id(service: Service) -> None:
    fields = {"NAME": "x", "CONTENT": "<section>x</section>", "SECTIONS": "text"}
    fields["PREVIEW"] = "https://x.example/p.png"
    service.result("landing.repo.register", code="ours", fields=fields)
    (row,) = rows(service, "landing.repo.getList")

    added = service.result(f"{LANDING}.addblock", lid="10", fields={"CODE": f"repo_{row['ID']}"})

    assert added
    again = {name: row[name] for name in row if name != "MANIFEST"}
    params = {"code": row["XML_ID"], "fields": again, "manifest": row["MANIFEST"]}
    assert str(service.result("landing.repo.register", params)) == row["ID"]
