"""A value outside a documented list is refused, or the caller is warned about it (C4, C9)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import page, site, stored, user, world

from landyard.testing import WEBHOOK

WORLD = world(page(10), sites=[site(8), site(9, type="STORE")], users=[user(2, sites_access=True)])
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("landing.syspage.set", {"id": 7, "type": "nope", "lid": 10}, "MISSING_PARAMS"),
    ("landing.syspage.set", {"id": 7, "type": "Cart", "lid": 10}, "MISSING_PARAMS"),
    ("landing.syspage.getSpecialPage", {"siteId": 7, "type": "nope"}, "ERROR_ARGUMENT"),
    (
        "landing.demos.register",
        {"data": {"code": "x", "name": "x", "type": "nope", "items": {}}},
        "REGISTER_ERROR_DATA",
    ),
    (
        "landing.landing.addByTemplate",
        {"siteId": 7, "code": "empty", "fields": {"SITE_TYPE": "nope"}},
        "WRONG_DATA",
    ),
    ("landing.landing.addByTemplate", {"siteId": 7, "code": "nope"}, "WRONG_DATA"),
    ("landing.landing.getList", {"params": {"order": {"ID": "nope"}}}, "TYPE_ERROR"),
]
TOLD: list[tuple[str, dict[str, Any]]] = [
    ("landing.site.setRights", {"id": 7, "rights": {"U2": ["nope"]}}),
    ("landing.site.setRights", {"id": 7, "rights": {"U2": ["read", "nope", 5]}}),
    ("landing.site.setRights", {"id": 7, "rights": {"nope": ["read"]}}),
    ("landing.role.setRights", {"id": 2, "rights": {"0": ["edit", "nope"]}}),
    ("landing.role.setRights", {"id": 2, "rights": {"0": []}, "additional": ["nope"]}),
    ("landing.role.setAccessCodes", {"id": 2, "codes": ["nope"]}),
    ("landing.site.add", {"fields": {"TITLE": "x", "CODE": "x", "TYPE": "nope"}}),
    ("landing.site.update", {"id": 7, "fields": {"TYPE": "nope"}}),
]
TAKEN: list[tuple[str, dict[str, Any]]] = [
    ("landing.site.setRights", {"id": 7, "rights": {"U2": ["denied"]}}),
    (
        "landing.site.setRights",
        {"id": 7, "rights": {"U2": ["read", "edit", "sett", "public", "delete"]}},
    ),
    ("landing.role.setRights", {"id": 2, "rights": {"0": ["denied"]}, "additional": ["create"]}),
    ("landing.site.add", {"fields": {"TITLE": "x", "CODE": "y", "TYPE": "store"}}),
    ("landing.syspage.set", {"id": 7, "type": "feedback", "lid": 10}),
    ("landing.landing.addByTemplate", {"siteId": 7, "code": "search-result"}),
    ("landing.landing.addByTemplate", {"siteId": 7, "code": "news-detail"}),
]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_value_outside_a_list_is_refused_or_warned_about(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    assert [(name, sent, service.call(name, sent).error) for name, sent, _ in REFUSED] == REFUSED
    for calls, told in ((TOLD, True), (TAKEN, False)):
        for name, sent in calls:
            answer = service.request("POST", f"/rest/1/{WEBHOOK}/{name}", json=sent)
            assert answer.status_code == 200, (sent, answer.text)
            warning = answer.headers.get("Landyard-Warning", "")
            assert ("nope" in warning) is told, (sent, warning)
    assert stored(service, "landing_site", id=7)[0]["type"] == "PAGE"
