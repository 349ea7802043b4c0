"""What a plugin, or the clock of another host, must not do to the start and to switching."""

import threading
import types
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from kernel.switching import entry, states
from litestar import get

from landyard import Console, Kernel, Plugin, SettingsError, Tables, hookimpl
from landyard.states import switch
from landyard.testing import Service

PATIENCE = 30.0
REVISION = """
revision = "broken_0001"
down_revision = None
branch_labels = ("broken",)
depends_on = None


class Left(BaseException):
    pass


def upgrade():
    raise Left
"""


@pytest.fixture
def broken(tmp_path: Path) -> Plugin:
    """A plugin whose tables cannot be made."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "broken_0001.py").write_text(REVISION)
    return Plugin("broken", module(register_tables=lambda: Tables("broken", folder)))


def module(**hooks: Any) -> Any:
    """An object with hooks, of a kind that has no hash."""
    return types.SimpleNamespace(**{name: hookimpl(hook) for name, hook in hooks.items()})


def test_a_migration_that_raises_what_is_no_exception_fails_its_plugin(broken: Plugin) -> None:
    with Service([broken], strict=False) as service:
        assert states(service.kernel) == {"broken": "failed"}


def test_a_switch_dated_ahead_is_a_reason_to_try_once(broken: Plugin) -> None:
    with Service([broken], strict=False) as service:
        kernel = service.kernel
        row = entry("broken", is_on=True)
        ahead = msgspec.structs.replace(row, at=datetime.now(UTC) + timedelta(hours=1))
        switch(kernel.store, "broken", is_on=True, entry=ahead)

        # In a thread: where it is tried again and again, this never ends.
        refreshing = threading.Thread(target=kernel.refresh, daemon=True)
        refreshing.start()
        refreshing.join(PATIENCE)

        assert not refreshing.is_alive()
        assert states(kernel) == {"broken": "failed"}


def test_a_plugin_without_a_hash_has_its_pages() -> None:
    @get("/page", sync_to_thread=False)
    def page() -> str:
        return "here"

    def register_routes(kernel: Kernel) -> list[Any]:
        return [page]

    with Service([Plugin("odd", module(register_routes=register_routes))]) as service:
        assert service.get("/page").text == "here"


def test_a_command_without_a_kernel_is_no_dead_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "landyard.toml").write_text("[plugins]\nfaults = 0\n")

    with pytest.raises(SettingsError), Console().kernel():
        pass

    assert not list((tmp_path / "landyard-data").glob("workers/*"))
