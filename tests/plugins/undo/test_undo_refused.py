"""Credentials and secret addresses cannot be undone, and the journal stores nothing of them (part
11).
"""

import importlib
from typing import Any

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from conftest import MakeService
from contract.test_undo import UNDO
from contract.worlds import block, page, user, world

from landyard.testing import WEBHOOK, Answer, Service
from landyard_console.sessions import begin, make_link

OTHER = 12
REFUSED = "UNDO_NOT_POSSIBLE"
PASSWORD = {"user_id": OTHER, "password": "a boat on the hard"}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = world(page(10, block(100)))
    made["users"].append(user(OTHER, sites_access=True, rights={"*": ["edit"]}))
    made["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "console", "landing"]}]
    return make_service(world=made)


def done(service: Service, method: str, params: Any) -> Answer:
    answer = service.call(method, params)
    assert answer.status == 200, answer.body
    return answer


def query(service: Service, text: str) -> list[Any]:
    with service.kernel.store.unit(writes=False) as unit:
        return [tuple(row) for row in unit.connection.exec_driver_sql(text)]


def test_a_password_is_not_restored(service: Service) -> None:
    done(service, "landyard.password.set", PASSWORD)
    changed = done(service, "landyard.password.set", {**PASSWORD, "password": "another boat"})
    kept = query(service, "SELECT hashed FROM console_password")

    assert service.call(UNDO, {"id": changed.request_id}).error == REFUSED

    assert query(service, "SELECT hashed FROM console_password") == kept
    assert "argon2" not in str(query(service, "SELECT before, after FROM undo_entry"))


def test_a_session_is_not_restored(service: Service) -> None:
    begin(service.kernel, 1, "", "")
    ended = done(service, "landyard.session.revoke", {"id": 1})

    assert service.call(UNDO, {"id": ended.request_id}).error == REFUSED

    assert not query(service, "SELECT id FROM console_session")
    kept = "SELECT before, after FROM undo_entry WHERE of_table = 'console_session'"
    assert "digest" not in str(query(service, kept))


def test_a_link_to_a_draft_is_neither_restored_nor_removed_by_an_undo(service: Service) -> None:
    shared = done(service, "landyard.draft.share", {"lid": 10})
    assert service.call(UNDO, {"id": shared.request_id}).error == REFUSED
    output = done(service, "landyard.draft.unshare", {"lid": 10, "ids": [shared.result["id"]]})
    assert service.call(UNDO, {"id": output.request_id}).error == REFUSED

    assert service.get(shared.result["url"]).status_code == 410
    kept = "SELECT before, after FROM undo_entry WHERE of_table = 'sharing_link'"
    assert "digest" not in str(query(service, kept))


def test_earlier_records_of_credentials_are_deleted(service: Service) -> None:
    make_link(service.kernel, 1)
    done(service, "landyard.password.set", PASSWORD)
    old = importlib.import_module("landyard_undo.migrations.undo_0002")

    with service.kernel.store.engine.begin() as connection:
        kept = "UPDATE undo_entry SET before = 'old', after = 'old' WHERE kind IS NOT NULL"
        connection.exec_driver_sql(kept)
        with Operations.context(MigrationContext.configure(connection)):
            old.upgrade()

    found = query(service, "SELECT of_table, before, after FROM undo_entry WHERE kind IS NOT NULL")
    assert {(before, after) for name, before, after in found if "console" in name} == {("{}", "{}")}
