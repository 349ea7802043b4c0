"""Rules of the call itself that belong to no method: paths, and how empty maps are written."""

from typing import Any

import pytest
from kernel.sample import CALL, sample_plugin

from landyard.testing import WEBHOOK, Service

TOKEN = "token-of-rows-0123456789"
WORLD = {
    "users": [{"id": 1}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["sample", "landing"]}],
    "tokens": [{"user": 1, "token": TOKEN, "scopes": ["landing"]}],
}


@pytest.mark.rule("call: path of methods", "call: path of a webhook", "call: path of a token")
@pytest.mark.parametrize(
    ("path", "body"), [(f"/rest/1/{WEBHOOK}/methods", {}), ("/rest/methods", {"auth": TOKEN})]
)
def test_4_12_methods_answers_at_both_paths_without_a_suffix(
    path: str, body: dict[str, Any]
) -> None:
    with Service(world=WORLD) as service:
        answer = service.request("POST", path, json=body)

    assert answer.status_code == 200
    assert "landing.block.getlist" in answer.json()["result"]


@pytest.mark.rule("call: path of a webhook", "call: path of a token", "call: result and time")
@pytest.mark.parametrize(
    ("path", "body"), [(f"/rest/1/{WEBHOOK}/", {}), ("/rest/", {"auth": TOKEN})]
)
def test_4_0_a_method_answers_at_both_paths_with_the_suffix(
    path: str, body: dict[str, Any]
) -> None:
    page = {"sites": [{"id": 7, "code": "s"}], "pages": [{"id": 10, "site": 7, "code": "p"}]}
    admin = {"users": [{"id": 1, "admin": True}]}
    with Service(world=WORLD | page | admin) as service:
        answer = service.request(
            "POST", f"{path}landing.block.getlist.json", json=body | {"lid": 10}
        )

    assert (answer.status_code, set(answer.json())) == (200, {"result", "time"})
    assert answer.json()["result"] == []


@pytest.mark.rule("C16")
def test_C16_an_empty_map_is_written_as_a_map() -> None:
    sent = b'{"map": {}, "inside": {"map": {}}, "list": []}'
    with Service([sample_plugin()], world=WORLD) as service:
        answer = service.request("POST", f"/rest{CALL}sample.given", content=sent)

    assert b'"result":{"map":{},"inside":{"map":{}},"list":[]}' in answer.content
