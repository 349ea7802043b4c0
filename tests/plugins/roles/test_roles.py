"""Roles: the rights they give, their holders, and their effect on the check of rights."""

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    EDITOR,
    OUTSIDER,
    PAGE,
    STRANGER,
    VIEWER,
    as_user,
    block,
    everything,
    page,
    site,
    stored,
    user,
    world,
)

import landyard_content
import landyard_landing
import landyard_public
import landyard_roles
import landyard_sitekit
import landyard_sites
from landyard import Plugin, hookimpl
from landyard.testing import Service
from landyard_landing.errors import FeatureNotAvail

ENABLE, IS_ENABLED = "landing.role.enable", "landing.role.isEnabled"
LIST, RIGHTS = "landing.role.getList", "landing.role.getRights"
SET_RIGHTS, SET_CODES = "landing.role.setRights", "landing.role.setAccessCodes"
CALLS: dict[str, dict[str, Any]] = {
    ENABLE: {"mode": 1},
    IS_ENABLED: {},
    LIST: {},
    RIGHTS: {"id": 2},
    SET_RIGHTS: {"id": 2, "rights": {"0": ["read"]}},
    SET_CODES: {"id": 2, "codes": ["U3"]},
}
WORLD = world(
    page(PAGE, block(100)),
    page(20, site=8),
    page(30, site=9),
    sites=[site(8), site(9, type="KNOWLEDGE")],
    users=[
        user(VIEWER, sites_access=True, rights={"*": ["view"]}),
        user(STRANGER, sites_access=True),
        user(OUTSIDER),
        user(EDITOR, sites_access=True, rights={"7": ["edit"]}),
    ],
)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


def _role(service: Service, rights: Any, *codes: str, role: int = 2, **more: Any) -> None:
    service.result(SET_RIGHTS, {"id": role, "rights": rights, **more})
    service.result(SET_CODES, id=role, codes=[*codes], **more)


def _may(service: Service, who: int, site_id: int = 7, **more: Any) -> Any:
    answer = service.call("landing.site.getRights", id=site_id, **as_user(who), **more)
    return answer.result if answer.error is None else answer.error


def test_roles_count_while_they_are_enabled(service: Service) -> None:
    assert service.result(IS_ENABLED) is False
    _role(service, {"0": ["read"], "8": ["edit", "public"]}, f"U{STRANGER}")
    assert _may(service, STRANGER) == "ACCESS_DENIED"

    assert service.result(ENABLE, mode=1) is True

    assert service.result(IS_ENABLED) is True
    assert (_may(service, STRANGER), _may(service, STRANGER, 8)) == (
        ["read"],
        ["read", "edit", "public"],
    )
    edit = {"lid": 20, "fields": {"CODE": "ly.text"}}
    assert service.call("landing.landing.addblock", edit, **as_user(STRANGER)).error is None
    refused = service.call("landing.landing.addblock", edit | {"lid": PAGE}, **as_user(STRANGER))
    assert refused.error == "ACCESS_DENIED"
    upload = service.call("landing.block.uploadfile", block=100, picture="x", **as_user(STRANGER))
    assert upload.error == "BLOCK_NOT_FOUND"
    listed = service.result("landing.site.getList", **as_user(STRANGER))
    assert [row["ID"] for row in listed] == ["7", "8"]
    service.result(ENABLE, mode=0)
    assert _may(service, STRANGER) == "ACCESS_DENIED"
    assert service.result("landing.site.getList", **as_user(STRANGER)) == []


def test_a_role_adds_to_the_users_own_rights(service: Service) -> None:
    service.result(ENABLE, mode=True)
    _role(service, {"0": ["sett"], "7": ["denied"]}, "AU")

    assert _may(service, EDITOR) == ["read", "edit"]
    assert _may(service, EDITOR, 8) == ["read", "sett"]
    assert _may(service, VIEWER, 8) == ["read", "sett"]
    assert _may(service, OUTSIDER) == "ACCESS_DENIED"


def test_several_roles_add_up(service: Service) -> None:
    service.result(ENABLE, mode="Y")
    _role(service, {"0": ["edit"], "8": ["denied"]}, f"U{STRANGER}", role=1)
    _role(service, {"0": ["public"], "8": ["delete"]}, f"U{STRANGER}", "U999")

    assert _may(service, STRANGER) == ["read", "edit", "public"]
    assert _may(service, STRANGER, 8) == ["read", "delete"]
    service.result(SET_CODES, id=1)
    assert _may(service, STRANGER) == ["read", "public"]


def test_a_role_applies_to_sites_of_its_scope(service: Service) -> None:
    service.result(ENABLE, mode=1)
    (role, _) = service.result(LIST, scope="knowledge")
    knowledge = int(role["ID"])
    service.result(SET_CODES, id=knowledge, codes=[f"U{STRANGER}"], scope="KNOWLEDGE")

    assert _may(service, STRANGER) == "ACCESS_DENIED"
    read = {"lid": 30, "scope": "KNOWLEDGE", "params": {"edit_mode": True}}
    assert service.call("landing.block.getlist", read, **as_user(STRANGER)).result == []
    rights = {"9": ["read"], "7": ["read"]}
    service.result(SET_RIGHTS, {"id": knowledge, "rights": rights, "scope": "KNOWLEDGE"})
    found = service.result(RIGHTS, id=knowledge, scope="KNOWLEDGE")
    assert found == {"0": ["denied"], "9": ["read"]}
    for scope in (None, "GROUP", "x"):
        assert service.call(RIGHTS, id=knowledge, scope=scope).error == "ROLE_SCOPE_MISMATCH"
    assert service.result(LIST, scope="no such one") == []
    assert len(service.result(LIST)) == len(service.result(LIST, scope="PAGE")) == 2


def test_the_rights_of_a_role_are_set_and_answered(service: Service) -> None:
    rights = {"0": ["READ", "x"], "8": ["denied"], "7": "edit", "999": ["read"], "y": ["read"]}

    assert service.result(SET_RIGHTS, id=2, rights=rights) is True

    assert service.result(RIGHTS, id=2) == {"0": ["read"], "8": ["denied"]}
    service.result(SET_RIGHTS, id=2, rights=[["edit"]])
    assert service.result(RIGHTS, id=2) == {"0": ["read", "edit"]}
    service.result(SET_RIGHTS, id=2, rights=[])
    assert service.result(RIGHTS, id=2) == {"0": ["denied"]}
    (row,) = stored(service, "audit_row", method=SET_RIGHTS)[-1:]
    assert row["subject"] == "role:2"


def test_a_role_may_let_its_holders_make_sites(service: Service) -> None:
    service.result(ENABLE, mode=1)
    _role(service, {"0": ["read"]}, f"U{STRANGER}", additional=["create", "knowledge_create"])
    add = {"fields": {"TITLE": "New"}}

    made = service.result("landing.site.add", add, **as_user(STRANGER))

    assert _may(service, STRANGER, made) == ["read"]
    other = add | {"scope": "KNOWLEDGE"}
    assert service.call("landing.site.add", other, **as_user(STRANGER)).error == "ACCESS_DENIED"
    service.result(SET_RIGHTS, id=2, rights={"0": ["read"]})  # the additional rights stay
    assert service.result("landing.site.add", add, **as_user(STRANGER))
    service.result(SET_RIGHTS, id=2, rights={"0": ["read"]}, additional=[])
    assert service.call("landing.site.add", add, **as_user(STRANGER)).error == "ACCESS_DENIED"


def test_a_removed_site_takes_its_rights_along(service: Service) -> None:
    service.result(ENABLE, mode=1)
    service.result("landing.landing.delete", lid=20)
    _role(service, {"8": ["edit"]}, f"U{STRANGER}")
    service.result("landing.site.delete", id=8)

    made = service.result("landing.site.add", fields={"TITLE": "Next"})
    service.result(ENABLE, mode=1)

    assert made > 9
    assert stored(service, "landing_role_right") == []


def test_each_method_needs_its_rights_and_valid_parameters(service: Service) -> None:
    before = everything(service)
    for method, params in CALLS.items():
        assert service.call(method, params, **as_user(OUTSIDER)).error == "ACCESS_DENIED"
        assert service.call(method, params, **as_user(EDITOR)).error == "IS_NOT_ADMIN"
        needed = [name for name in params if name != "codes"]
        for name in needed:
            less = {key: value for key, value in params.items() if key != name}
            assert service.call(method, less).error == "MISSING_PARAMS"
        if "id" in params:
            for role in (99, 0, "x", 3):
                assert service.call(method, params | {"id": role}).error == "ROLE_SCOPE_MISMATCH"
    for codes in ("U3", [["U3"]], [3], {"a": "U3"}):
        assert service.call(SET_CODES, id=2, codes=codes).error == "ERROR_ARGUMENT"
    assert service.call(SET_RIGHTS, id=2, rights="x").error == "MISSING_PARAMS"
    assert service.call(ENABLE, mode="perhaps").error == "MISSING_PARAMS"
    assert everything(service) == before


class Refusing:
    """A plugin that says that there are no roles."""

    @hookimpl
    def before_call(self) -> None:
        raise FeatureNotAvail


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    plugins: list[Any] = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_sites,
        landyard_roles,
    ]
    data = tmp_path_factory.mktemp("refusing")
    with Service([*plugins, Plugin("refusing", Refusing())], data=data, world=WORLD) as made:
        yield made


@pytest.mark.parametrize("method", sorted(CALLS))
def test_the_hook_of_a_plugin_may_say_that_there_are_no_roles(
    refusing: Service, method: str
) -> None:
    assert refusing.call(method, CALLS[method]).error == "FEATURE_NOT_AVAIL"
