"""The methods of sites have the platform's documented keys, JSON types, codes and parameters.

`documented.json` holds the published documentation of each method. The requests are sent as
printed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from contract.test_documented import shape
from contract.worlds import (
    OUTSIDER,
    STRANGER,
    VIEWER,
    as_user,
    block,
    everything,
    page,
    site,
    user,
    world,
)

import landyard_content
import landyard_landing
import landyard_pages
import landyard_public
import landyard_sitekit
import landyard_sites
from landyard import CallError, Method, Plugin, hookimpl
from landyard.testing import Service
from landyard_sites.group import site_methods

DOCUMENTED: dict[str, Any] = msgspec.json.decode(
    (Path(__file__).parent / "documented.json").read_bytes()
)["methods"]
every_method = pytest.mark.parametrize("name", sorted(DOCUMENTED))

# Where we knowingly differ, by name; everything else is as documented.
METHODS = site_methods.methods
MORE_CODES = {
    # A required parameter that is not sent is missing here, as in every method (C8).
    "landing.site.add": {"MISSING_PARAMS"},
    "landing.site.addFolder": {"MISSING_PARAMS"},
}
EMPTY = {"landing.site.getGroupBindings", "landing.site.getMenuBindings"}
CODES = {"CONTROLLER_ERROR_<ERROR_CODE>": "CONTROLLER_ERROR"}
CODES["PUBLIC_HTML_DISALLOWED[...]"] = "PUBLIC_HTML_DISALLOWED"
# Codes that only the hook of a plugin answers, because their features do not exist here.
FOREIGN = {
    *("ACCESS_DENIED_DELETED", "SITE_IS_LOCK", "FEATURE_NOT_AVAIL", "AI_SITE_EXPORT_NOT_ALLOWED"),
    *("CONTROLLER_ERROR_BADRESPONSE", "CONTROLLER_ERROR_BADLICENSE", "CONTROLLER_ERROR"),
    *("PHONE_NOT_CONFIRMED", "EMAIL_NOT_CONFIRMED", "URLCHECKER_FAIL", "LICENSE_EXPIRED"),
    *("LANDING_PAYMENT_FAILED", "LANDING_PAYMENT_FAILED_BLOCK", "PUBLIC_SITE_REACHED_FREE"),
    "PUBLIC_HTML_DISALLOWED",
}
SITES = (3, 31, 32, 135, 143, 157, 205, 206, 326, 645, 1688, 1817)
ADDITIONAL = DOCUMENTED["landing.site.getadditionalfields"]["result"]
WORLD = world(
    page(987, block(9870), site=206),
    page(988, site=1817, folder=736),
    sites=[site(each, additional_fields=ADDITIONAL if each == 205 else {}) for each in SITES],
    folders=[
        {"id": 736, "site": 1817, "code": "folder"},
        {"id": 737, "site": 1817, "code": "other"},
    ],
    users=[
        user(VIEWER, sites_access=True, rights={"*": ["view"]}),
        user(STRANGER, sites_access=True, rights={}),
        user(OUTSIDER),
    ],
)


PARTS = {
    "landing.site.delete": [("landing.landing.delete", {"lid": 987})],
    "landing.site.getFolders": [("landing.site.publicationFolder", {"folderId": 737})],
}
"""Changes that make an example's request answerable; the examples belong to different services."""


class Refusing:
    """A plugin that refuses calls with the chosen code."""

    def __init__(self) -> None:
        self.saying = ""

    @hookimpl
    def before_call(self, method: Method) -> None:
        for error in method.errors:
            if error.code == self.saying:
                raise error


def _errors(name: str) -> frozenset[type[CallError]]:
    return next(each.errors for each in METHODS if each.name == name)


REFUSING = Refusing()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    plugins: list[Any] = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_sites,
        landyard_pages,
    ]
    data = tmp_path_factory.mktemp("documented")
    with Service([*plugins, Plugin("refusing", REFUSING)], data=data, world=WORLD) as made:
        yield made


@every_method
def test_the_answer_has_the_documented_keys_and_types(service: Service, name: str) -> None:
    service.load(WORLD)
    request = dict(DOCUMENTED[name]["request"])
    if name == "landing.site.updateFolder":
        request["fields"] = request["fields"] | {"INDEX_ID": 988}
    if name == "landing.site.getFolders":
        request["filter"] = {"PARENT_ID": 0}
    for method, sent in PARTS.get(name, ()):
        service.result(method, sent)

    found = service.result(name, request)

    if name not in EMPTY:
        assert shape(_plain(found)) == shape(_plain(DOCUMENTED[name]["result"]))


def _plain(result: Any) -> Any:
    """Remove values that depend on the world: replace page ids by codes, drop empty references."""
    if isinstance(result, dict) and "items" in result:
        ours = {key: each for key, each in result.items() if key not in {"items", "landyard"}}
        fields = ours["fields"] | {"ADDITIONAL_FIELDS": {}}
        return ours | {"fields": fields}
    if isinstance(result, list) and result and isinstance(result[0], dict):
        return [{key: each or "" for key, each in result[0].items()}]
    if isinstance(result, dict) and "135" in result:
        return sorted(result.items())
    return result


@every_method
def test_the_codes_are_the_documented_ones(name: str) -> None:
    documented = {CODES.get(code, code) for code in DOCUMENTED[name]["codes"]}

    assert {error.code for error in _errors(name)} == documented | MORE_CODES.get(name, set())


@every_method
def test_the_parameters_are_the_documented_ones(name: str) -> None:
    method = next(each for each in METHODS if each.name == name)
    fields = msgspec.structs.fields(method.params)

    assert {each.encode_name: each.required for each in fields} == DOCUMENTED[name]["params"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (name, error.code)
        for name in sorted(DOCUMENTED)
        for error in sorted(_errors(name), key=lambda each: each.code)
        if error.code in FOREIGN
    ],
)
def test_a_code_of_a_missing_feature_comes_from_the_hook_of_a_plugin(
    service: Service, name: str, code: str
) -> None:
    REFUSING.saying = code

    assert service.call(name, DOCUMENTED[name]["request"]).error == code
    REFUSING.saying = ""


NO_ID = {"landing.site.getGroupBindings", "landing.site.getMenuBindings", "landing.site.getList"}


@every_method
def test_R1_callers_without_access_and_missing_rows_are_refused(
    service: Service, name: str
) -> None:
    service.load(WORLD)
    request = DOCUMENTED[name]["request"]
    answers = [service.call(name, request, **as_user(who)).error for who in (OUTSIDER, STRANGER)]
    if name == "landing.site.setRights":
        assert answers == ["IS_NOT_ADMIN"] * 2
    elif name in NO_ID or name == "landing.site.getPublicUrl":
        assert answers == ["ACCESS_DENIED", None]
    else:
        assert answers == ["ACCESS_DENIED"] * 2

    required = {key for key, needed in DOCUMENTED[name]["params"].items() if needed}
    nothing = {key: 999 for key in required if key in {"id", "siteId", "folderId"}}
    if nothing and name != "landing.site.getPublicUrl":
        assert service.call(name, request | nothing).error == "ACCESS_DENIED"
    if required:
        missing = service.call(name)
        assert missing.error == "MISSING_PARAMS"
        assert all(key in missing.body["error_description"] for key in required)


@every_method
def test_R3_a_viewer_changes_nothing(service: Service, name: str) -> None:
    method = next(each for each in METHODS if each.name == name)
    if not method.writes:
        return
    before = everything(service)

    answer = service.call(name, DOCUMENTED[name]["request"], **as_user(VIEWER))

    assert answer.error in {"ACCESS_DENIED", "IS_NOT_ADMIN"}
    assert everything(service) == before


@every_method
def test_C9_a_wrong_type_is_refused_where_the_documentation_lists_it(
    service: Service, name: str
) -> None:
    request = DOCUMENTED[name]["request"]
    key = next((each for each in ("id", "siteId", "folderId") if each in request), None)
    if key is None:
        return
    knows = "TYPE_ERROR" in DOCUMENTED[name]["codes"]

    answer = service.call(name, request | {key: {"a": 1}})

    assert answer.error == ("TYPE_ERROR" if knows else "ACCESS_DENIED")
