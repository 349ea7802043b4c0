"""`methods` lists the methods by scope (contract 4.12, decisions section 7)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.rules import CODES

import landyard_blocks
import landyard_general
import landyard_landing
import landyard_outgoing
import landyard_pages
import landyard_pictures

WEBHOOK = "legacy-webhook-0123456789"
GENERAL = ["methods"]
ADMINS = [
    f"landyard.{name}"
    for name in (
        *("file.remove", "file.replace"),
        *("page.history", "right.list", "right.set"),
    )
]
LANDING = [*sorted(CODES.keys() - GENERAL), "landyard.file.list"]
TWELVE = [landyard_landing, landyard_blocks, landyard_pages, landyard_outgoing, landyard_pictures]
TWELVE += [landyard_general]


@pytest.mark.rule("methods", "methods full", "methods scope", "methods result")
@pytest.mark.parametrize(
    ("scopes", "params", "listed"),
    [
        (["landing"], {}, [*LANDING, *GENERAL]),
        ([], {}, GENERAL),
        ([], {"full": True}, [*LANDING, *ADMINS, *GENERAL]),
        ([], {"scope": "landing"}, LANDING),
        (["landing"], {"scope": ""}, GENERAL),
        (["landing"], {"scope": "crm"}, []),
        (["landing"], {"full": None, "scope": None}, [*LANDING, *GENERAL]),
        ([], {"full": "perhaps"}, GENERAL),
    ],
)
def test_7_lists_by_scope(
    make_service: MakeService, scopes: list[str], params: dict[str, Any], listed: list[str]
) -> None:
    service = make_service(
        TWELVE,
        world={
            "users": [{"id": 1, "name": "Ann"}],
            "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": scopes}],
        },
    )

    assert service.result("methods", params, webhook=WEBHOOK) == listed


@pytest.mark.rule("C12")
def test_C12_operating_reset_at_is_absent(make_service: MakeService) -> None:
    answer = make_service().call("methods")

    assert set(answer.body) == {"result", "time"}
    assert "operating_reset_at" not in answer.body["time"]
