"""`methods` lists the methods by scope (contract 4.12, decisions section 7)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.rules import CODES

import landyard_blocks
import landyard_content
import landyard_events
import landyard_general
import landyard_landing
import landyard_outgoing
import landyard_pages
import landyard_pictures
import landyard_public
import landyard_sitekit

WEBHOOK = "legacy-webhook-0123456789"
PLUGINS = [
    landyard_content,
    landyard_landing,
    landyard_public,
    landyard_sitekit,
    landyard_blocks,
    landyard_pages,
    landyard_events,
    landyard_outgoing,
    landyard_pictures,
]
PLUGINS += [landyard_general]


@pytest.mark.rule("methods", "methods full", "methods scope", "methods result")
@pytest.mark.parametrize(
    ("scopes", "params", "listed"),
    [
        (["landing"], {}, {"landing", ""}),
        ([], {}, {""}),
        ([], {"full": True}, {"landing", "admin", "user", ""}),
        ([], {"scope": "landing"}, {"landing"}),
        (["landing"], {"scope": ""}, {""}),
        (["landing"], {"scope": "crm"}, set()),
        (["landing"], {"full": None, "scope": None}, {"landing", ""}),
        ([], {"full": "perhaps"}, {""}),
    ],
)
def test_7_lists_by_scope(
    make_service: MakeService, scopes: list[str], params: dict[str, Any], listed: set[str]
) -> None:
    service = make_service(
        PLUGINS,
        world={
            "users": [{"id": 1, "name": "Ann"}],
            "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": scopes}],
        },
    )

    names = service.result("methods", params, webhook=WEBHOOK)

    assert names == sorted(each.name for each in service.kernel.methods if each.scope in listed)
    assert ("methods" in names) == ("" in listed)
    assert (CODES.keys() - {"methods"} <= {*names}) == ("landing" in listed)


@pytest.mark.rule("C12")
def test_C12_operating_reset_at_is_absent(make_service: MakeService) -> None:
    answer = make_service().call("methods")

    assert set(answer.body) == {"result", "time"}
    assert "operating_reset_at" not in answer.body["time"]
