"""The other documented methods: each is called with its documented example, and refused as
documented.

They belong to frames, special pages, roles, registered blocks, widgets and registered templates.
`documented_more.json` holds the published documentation; `test_documented.py` and the tests of the
plugin `sites` cover the rest. docs/compatibility.md lists the differences.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from compatibility import documented_methods, noted_differences
from conftest import MakeService
from contract.test_documented import DOCUMENTED as PAGES_AND_BLOCKS
from contract.test_documented import documented_parameters, shape
from contract.worlds import OUTSIDER, STRANGER, VIEWER, as_user, page, site, user, world

from landyard import Kernel, Settings
from landyard.testing import Service

HERE = Path(__file__).parent
DOCUMENTED: dict[str, Any] = msgspec.json.decode((HERE / "documented_more.json").read_bytes())[
    "methods"
]
OF_SITES: dict[str, Any] = msgspec.json.decode(
    (HERE.parent / "plugins" / "sites" / "documented.json").read_bytes()
)["methods"]
every_method = pytest.mark.parametrize("name", sorted(DOCUMENTED))
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

WORLD = world(
    page(8593, site=1390, title="Personal", active=True, published=True),
    page(557, site=157),
    *(page(each, site=157) for each in (614, 615, 616)),
    sites=[site(157, view_template=3), site(1390), site(66), site(71), site(5)],
    users=[
        user(VIEWER, sites_access=True, rights={"*": ["view"]}),
        user(STRANGER, sites_access=True),
        user(OUTSIDER),
        user(45, sites_access=True),
    ],
)
WIDGET = {
    "NAME": "My widget",
    "CONTENT": '<div class="w-container">{{desc}}</div>',
    "SECTIONS": "widgets_company_life",
    "PREVIEW": "https://my-app.com/main_preview.jpg",
    "WIDGET_PARAMS": {
        "rootNode": ".w-container",
        "handler": "https://my-app.com/vibe.php",
        "demoData": {"desc": "x"},
        "style": "https://my-app.com/vibe.css",
        "lang": {"en": {"W_TITLE": "x"}, "de": {"W_TITLE": "x"}},
    },
}
# Parameters that the example requests omit, or whose ids do not exist here.
NAMED: dict[str, dict[str, Any]] = {
    "landing.repo.unbind": {"code": "LANDING_SETTINGS"},
    "landing.repowidget.debug": {"enable": False},
    "landing.repowidget.getlist": {"params": {}},
    "landing.repowidget.register": {"code": "my_widget", "fields": WIDGET},
    "landing.repowidget.unregister": {"code": "my_widget"},
    "landing.role.setAccessCodes": {"id": 2},
    "landing.role.setRights": {"id": 2},
}
REGISTER, WIDGETS = "landing.repo.register", "landing.repowidget.register"
# Methods whose documented examples are called first.
EARLIER = {
    "landing.demos.getList": ["landing.demos.register"],
    "landing.demos.unregister": ["landing.demos.register"],
    "landing.repo.getList": [REGISTER],
    "landing.repo.unregister": [REGISTER],
    "landing.repowidget.getlist": [WIDGETS],
    "landing.repowidget.unregister": [WIDGETS],
    "landing.role.getRights": ["landing.role.setRights"],
    "landing.syspage.get": ["landing.syspage.set"],
    "landing.syspage.getSpecialPage": ["landing.syspage.set"],
    "landing.template.getLandingRef": ["landing.template.setLandingRef"],
    "landing.template.getSiteRef": ["landing.template.setSiteRef"],
}
# Documented answers that do not belong to the printed request, or describe another service's
# entities.
ANSWERED: dict[str, Any] = {
    # We answer four columns; the example selects three and groups by one.
    "landing.repo.getList": ["ID", "NAME", "DATE_MODIFY", "ACTIVE"],
    "landing.repo.unbind": None,  # there are no placements here
}
# Keys whose values describe the platform's own templates, blocks and rights.
OWN = {"DATA", "MANIFEST", "APP_CODE", "type", "TYPE", "SECTION", "DESCRIPTION"}
# A wrong request beside the documented one: the caller, the change, and the code answered.
WRONG: dict[str, tuple[int, dict[str, Any], str]] = {
    "landing.demos.getList": (1, {"params": "x"}, "ERROR_ARGUMENT"),
    "landing.demos.getPageList": (1, {"filter": "x"}, "ERROR_ARGUMENT"),
    "landing.demos.getSiteList": (1, {"filter": "x"}, "ERROR_ARGUMENT"),
    "landing.demos.register": (1, {"data": "x"}, "ERROR_ARGUMENT"),
    "landing.demos.unregister": (OUTSIDER, {}, "ACCESS_DENIED"),
    "landing.repo.checkContent": (1, {"content": ["x"]}, "ERROR_ARGUMENT"),
    "landing.repo.getList": (1, {"params": "x"}, "ERROR_ARGUMENT"),
    "landing.repo.register": (1, {"code": ["x"]}, "ERROR_ARGUMENT"),
    "landing.repo.unbind": (1, {"code": None}, "MISSING_PARAMS"),
    "landing.repo.unregister": (1, {"code": ["x"]}, "ERROR_ARGUMENT"),
    "landing.repowidget.debug": (1, {"enable": True}, "APP_NOT_FOUND"),
    "landing.repowidget.getlist": (1, {"params": None}, "MISSING_PARAMS"),
    "landing.repowidget.register": (
        1,
        {"fields": WIDGET | {"CONTENT": ""}},
        "REQUIRED_FIELD_NO_EXISTS",
    ),
    "landing.repowidget.unregister": (1, {"code": None}, "MISSING_PARAMS"),
    "landing.role.enable": (1, {"mode": None}, "MISSING_PARAMS"),
    "landing.role.getList": (VIEWER, {}, "IS_NOT_ADMIN"),
    "landing.role.getRights": (1, {"id": None}, "MISSING_PARAMS"),
    "landing.role.isEnabled": (VIEWER, {}, "IS_NOT_ADMIN"),
    "landing.role.setAccessCodes": (1, {"id": None}, "MISSING_PARAMS"),
    "landing.role.setRights": (1, {"rights": None}, "MISSING_PARAMS"),
    "landing.syspage.deleteForLanding": (1, {"id": None}, "MISSING_PARAMS"),
    "landing.syspage.deleteForSite": (1, {"id": None}, "MISSING_PARAMS"),
    "landing.syspage.get": (1, {"id": None}, "MISSING_PARAMS"),
    "landing.syspage.getSpecialPage": (1, {"type": None}, "MISSING_PARAMS"),
    "landing.syspage.set": (1, {"id": None}, "MISSING_PARAMS"),
    "landing.template.getLandingRef": (1, {"id": 999}, "ENTITY_NOT_FOUND"),
    "landing.template.getSiteRef": (1, {"id": 999}, "ENTITY_NOT_FOUND"),
    "landing.template.getlist": (OUTSIDER, {}, "ACCESS_DENIED"),
    "landing.template.setLandingRef": (1, {"id": 999}, "ENTITY_NOT_FOUND"),
    "landing.template.setSiteRef": (1, {"id": 999}, "ENTITY_NOT_FOUND"),
}
# Documented texts in place of codes, and a code that any method may answer here.
NO_CODES = {"Empty value", "Error deleting block", "insufficient_scope"}


def request_of(name: str) -> dict[str, Any]:
    sent: dict[str, Any] = (DOCUMENTED[name]["request"] or {}) | NAMED.get(name, {})
    return sent


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


@every_method
@on_sqlite
def test_the_answer_has_the_documented_keys_and_types(service: Service, name: str) -> None:
    for earlier in EARLIER.get(name, ()):
        service.result(earlier, request_of(earlier))

    answer = service.call(name, request_of(name))

    assert answer.status == 200, answer.body
    published = DOCUMENTED[name]["answer"]
    assert answer.body.keys() == published.keys()
    expected = published["result"]
    if name in ANSWERED:
        expected = ANSWERED[name]
        if isinstance(expected, list):
            expected = [{key: published["result"][0][key] for key in expected}]
    found = answer.result
    if name.endswith("List") and isinstance(expected, dict):  # keyed by the codes of templates
        expected = {code: each for code, each in expected.items() if code == "empty"}
        found = {code: each for code, each in found.items() if code in expected}
        expected = expected if found else {}
    if name.endswith(
        ("getLandingRef", "getSiteRef", "getRights", "syspage.get")
    ):  # keyed by areas, sites and types
        found, expected = [*found.values()][:1], [*expected.values()][:1]
    assert found == expected == {} or shape(found, OWN) == shape(expected, OWN)


@every_method
@on_sqlite
def test_the_failure_has_the_documented_code_and_keys(service: Service, name: str) -> None:
    who, different, code = WRONG[name]

    answer = service.call(name, request_of(name) | different, **as_user(who))

    assert (answer.status, answer.error) == (400, code)
    more = {"argument"} if code == "ERROR_ARGUMENT" else set()
    assert answer.body.keys() == {"error", "error_description"} | more
    published = DOCUMENTED[name]["failure"]
    assert not published or published["error"] != code or published.keys() == answer.body.keys()


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Any:
    kernel = Kernel(Settings(data=tmp_path_factory.mktemp("documented")))
    yield kernel
    kernel.close()


@every_method
def test_the_parameters_are_the_documented_ones(kernel: Kernel, name: str) -> None:
    method = kernel.methods.find(name)
    assert method is not None
    ours = {field.encode_name: field.required for field in msgspec.structs.fields(method.params)}

    assert ours == documented_parameters(DOCUMENTED[name])


@every_method
def test_every_documented_code_is_declared_but_for_listed_exceptions(
    kernel: Kernel, name: str
) -> None:
    method = kernel.methods.find(name)
    assert method is not None

    codes = {*DOCUMENTED[name]["codes"]} - NO_CODES
    missing = codes - {error.code for error in method.errors}

    text = " ".join(noted_differences(kernel).get(name, ()))
    assert [code for code in sorted(missing) if code not in text] == []


def test_each_of_the_documented_methods_is_called_by_its_example() -> None:
    called = DOCUMENTED.keys() | PAGES_AND_BLOCKS.keys() | OF_SITES.keys()

    assert called == documented_methods().keys()
    assert len(called) == 103
