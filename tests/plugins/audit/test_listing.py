"""`landyard.audit.list` finds the same rows as the command line."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from corpora import read_data

import landyard_audit
from landyard.testing import WEBHOOK, Service
from landyard_audit.rows import AUDIT_ROW

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["admin"]}],
}
COMMAND = str(Path(__file__).parent / "test_command.py")
ROW: dict[str, Any] = read_data(COMMAND, "ROW", dict[str, Any])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    service = make_service([landyard_audit], world=WORLD, now=NOW)
    with service.kernel.store.session(writes=True) as session:
        for days, outcome in ((9, "ok"), (3, "BLOCK_NOT_FOUND"), (0, "ok")):
            row = {**ROW, "at": NOW - timedelta(days=days), "outcome": outcome, "user_id": days}
            more = {"subject": f"page:{days}", "request_id": f"request-{days}"}
            session.execute(AUDIT_ROW.insert().values(**row, **more))
    return service


@pytest.mark.parametrize(
    ("sent", "days"),
    [
        ({}, [0, 3, 9]),
        ({"user_id": 3}, [3]),
        ({"user_id": 2**70}, []),
        ({"credential": ROW["credential"]}, [0, 3, 9]),
        ({"address": "203.0.113.99"}, []),
        ({"method": ROW["method"].upper()}, [0, 3, 9]),
        ({"about": "page:9"}, [9]),
        ({"outcome": "BLOCK_NOT_FOUND"}, [3]),
        ({"failed": True}, [3]),
        ({"request_id": "request-0"}, [0]),
        ({"since": "4d"}, [0, 3]),
        ({"since": "2026-01-31"}, [0]),
        ({"start": 2}, [9]),
    ],
)
def test_rows_are_listed_latest_first(service: Service, sent: Any, days: list[int]) -> None:
    assert [row["user_id"] for row in service.result("landyard.audit.list", sent)] == days


@pytest.mark.parametrize("sent", [{"since": "soon"}, {"failed": "x"}, {"user_id": []}])
def test_wrong_parameters_are_refused(service: Service, sent: Any) -> None:
    assert service.call("landyard.audit.list", sent).error == "TYPE_ERROR"
