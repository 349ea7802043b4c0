"""`ERROR_ARGUMENT` names the wrong argument in a key of its own, which clients already read."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import page, world

from landyard import Kernel, Settings

SITE = {"siteId": 7, "type": "cart"}
FIELDS = {"NAME": "x", "CONTENT": "<b>x</b>", "SECTIONS": "x", "PREVIEW": "https://x.example/"}
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("landing.demos.getList", {"params": "x"}, "params"),
    ("landing.demos.getList", {"params": {"limit": "ten"}}, "params"),
    ("landing.demos.getList", {"params": {"select": "ID"}}, "params"),
    ("landing.demos.getPageList", {"type": ["page"]}, "type"),
    ("landing.demos.getPageList", {"type": "page", "filter": "x"}, "filter"),
    ("landing.demos.getSiteList", {"type": "page", "filter": 5}, "filter"),
    ("landing.demos.register", {"data": "x"}, "data"),
    ("landing.demos.register", {"data": {"code": "x"}, "params": "x"}, "params"),
    ("landing.repo.checkContent", {"content": ["x"]}, "content"),
    ("landing.repo.checkContent", {"content": "x", "splitter": {"a": 1}}, "splitter"),
    ("landing.repo.getList", {"params": "x"}, "params"),
    ("landing.repo.getList", {"params": {"filter": {"NOTHING": 1}}}, "params"),
    ("landing.repo.getList", {"params": {"filter": {"ACTIVE": "maybe"}}}, "params"),
    ("landing.repo.register", {"code": ["x"], "fields": FIELDS}, "code"),
    ("landing.repo.register", {"code": "", "fields": FIELDS}, "code"),
    ("landing.repo.register", {"code": "x", "fields": "x"}, "fields"),
    ("landing.repo.register", {"code": "x", "fields": FIELDS, "manifest": "x"}, "manifest"),
    ("landing.repo.register", {"code": "x", "fields": FIELDS | {"ACTIVE": "maybe"}}, "fields"),
    ("landing.repo.unregister", {"code": {"a": 1}}, "code"),
    ("landing.repowidget.register", {"code": "x", "fields": "x"}, "fields"),
    ("landing.repowidget.unregister", {"code": ["x"]}, "code"),
    ("landing.role.setAccessCodes", {"id": 1, "codes": "U1"}, "codes"),
    ("landing.role.setAccessCodes", {"id": 1, "codes": [1]}, "codes"),
    ("landing.syspage.getSpecialPage", SITE | {"type": ["cart"]}, "type"),
    ("landing.syspage.getSpecialPage", SITE | {"additional": "x"}, "additional"),
    ("landing.syspage.getSpecialPage", SITE | {"additional": {"a": {}}}, "additional"),
]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_answer_names_the_wrong_argument(make_service: MakeService) -> None:
    service = make_service(world=world(page(10)))

    answers = [(name, sent, service.call(name, sent).body) for name, sent, _ in WRONG]

    assert [(name, sent, body.get("argument")) for name, sent, body in answers] == WRONG
    assert {tuple(body) for *_, body in answers} == {("error", "error_description", "argument")}
    assert {body["error"] for *_, body in answers} == {"ERROR_ARGUMENT"}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_batch_names_the_wrong_argument(make_service: MakeService) -> None:
    cmd = {"one": "landing.repo.checkContent?content[]=x", "two": "landing.landing.delete?lid=x"}

    refused = make_service(world=world()).result("batch", halt=0, cmd=cmd)["result_error"]

    assert refused["one"]["argument"] == "content"
    assert refused["two"].keys() == {"error", "error_description"}


def test_every_method_with_the_code_has_a_case(tmp_path: Any) -> None:
    kernel = Kernel(Settings(data=tmp_path))
    found = {
        method.name
        for method in kernel.methods
        if any(error.code == "ERROR_ARGUMENT" for error in method.errors)
    }
    kernel.close()

    documented = {name for name in found if name.startswith("landing.")}
    assert documented == {name for name, *_ in WRONG}
