"""A plugin that is switched on in a running service is imported then, with its tables and pages."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from kernel.installing import install
from kernel.switching import reason, states, turn

from landyard.plugin_host.switches import State
from landyard.testing import Service


def turn_on(service: Service) -> State:
    """Switch the plugin on in a running service; return its state."""
    turn(service.kernel, "gift", is_on=True)
    service.kernel.lifecycle.refresh()
    return states(service.kernel)["gift"]


class Installed:
    """A contrib plugin with tables, a page and a method, whose code a test writes."""

    BODY = """
from pathlib import Path
from litestar import get
from msgspec import Struct
from landyard import Call, MethodGroup, Tables, hookimpl

group = MethodGroup(scope="gift")

class Nothing(Struct, frozen=True):
    pass

@group.method("gift.say")
def say(call: Call, params: Nothing) -> str:
    \"\"\"Say it.\"\"\"
    return "gift"

@hookimpl
def register_methods():
    return group

@hookimpl
def register_tables():
    return Tables("gift", Path(__file__).parent / "gift_migrations")

@hookimpl
def register_routes(host):
    @get("/gift")
    def page() -> str:
        return "a gift"
    return [page]
"""
    MIGRATION = """
import sqlalchemy as sa
from alembic import op
revision = "gift_0001"
down_revision = None

def upgrade():
    op.create_table("gift_row", sa.Column("id", sa.Integer, primary_key=True))
"""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        install(folder, "gifts", "gift = gift_horse", self.BODY, group="landyard.contrib")
        (folder / "gift_migrations").mkdir()
        self.migrates(self.MIGRATION)

    def is_now(self, body: str) -> None:
        (self.folder / "gift_horse.py").write_text(body)

    def migrates(self, text: str) -> None:
        (self.folder / "gift_migrations" / "gift_0001.py").write_text(text)


@pytest.fixture
def gift(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    # two versions written within a second would share their bytecode
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield Installed(folder)
    sys.modules.pop("gift_horse", None)


def test_a_contrib_plugin_is_imported_when_it_is_switched_on(gift: Installed) -> None:
    with Service() as service:
        before = service.get("/gift").status_code, "gift_horse" in sys.modules
        state = turn_on(service)
        tables = sa.inspect(service.kernel.store.engine).get_table_names()

        assert (before, state) == ((404, False), "enabled")
        assert service.get("/gift").text == "a gift"
        assert service.kernel.methods.find("gift.say") is not None
        assert "gift_row" in tables


@pytest.mark.parametrize("breaks", [False, True])
def test_the_supervisor_learns_when_a_migration_starts_and_ends(
    gift: Installed, monkeypatch: pytest.MonkeyPatch, *, breaks: bool
) -> None:
    if breaks:
        gift.migrates(Installed.MIGRATION.replace("def upgrade():", "def upgrade():\n    1 / 0"))
    messages: list[tuple[object, ...]] = []
    with Service() as service:
        monkeypatch.setattr(
            service.kernel.lifecycle, "_loading", lambda *words: messages.append(words)
        )
        turn_on(service)

    at = messages.index(("gift", True))
    assert messages[at + 1] == ("",)
    assert messages.count(("gift", True)) == 1


BREAKING = {
    "import": (Installed.BODY + "\nraise SystemExit(3)", "SystemExit"),
    "hook": (
        Installed.BODY.replace("def register_tables():", "def register_tables():\n    1 / 0"),
        "ZeroDivisionError",
    ),
    "routes": (
        Installed.BODY.replace("(host):\n", "(host):\n    1 / 0\n"),
        "register_routes failed",
    ),
    "collision": (Installed.BODY.replace('"/gift"', '"/healthz"'), "routes cannot be used"),
}


@pytest.mark.parametrize("name", BREAKING)
def test_a_plugin_that_breaks_when_it_is_switched_on_fails_alone(
    gift: Installed, name: str
) -> None:
    body, why = BREAKING[name]
    gift.is_now(body)
    with Service() as service:
        service.get("/healthz")
        assert turn_on(service) == "failed"
        assert why in reason(service.kernel, "gift")
        failed = [name for name, state in states(service.kernel).items() if state == "failed"]
        assert failed == ["gift"]
        assert service.get("/healthz").status_code == 200
        assert service.call("methods").error is None


def test_a_failed_migration_is_tried_again_by_enable(gift: Installed) -> None:
    gift.migrates(Installed.MIGRATION.replace("def upgrade():", "def upgrade():\n    1 / 0"))
    with Service() as service:
        turn_on(service)
        failed = reason(service.kernel, "gift")
        gift.migrates(Installed.MIGRATION)
        service.kernel.lifecycle.refresh()
        still = states(service.kernel)["gift"]

        assert "ZeroDivisionError" in failed
        assert still == "failed"
        assert turn_on(service) == "enabled"
        assert service.kernel.methods.find("gift.say") is not None


def test_a_failed_import_is_tried_again_by_enable(gift: Installed) -> None:
    gift.is_now("raise OSError")
    with Service() as service:
        assert turn_on(service) == "failed"
        gift.is_now(Installed.BODY)
        assert turn_on(service) == "enabled"
        assert service.kernel.methods.find("gift.say") is not None


def test_a_wrong_setting_fails_its_plugin_in_a_running_service(gift: Installed) -> None:
    section = "\n\nclass Walls(Struct):\n    height: int = 2\n"
    hook = "\n@hookimpl\ndef register_settings():\n    return Walls\n"
    gift.is_now(Installed.BODY + section + hook)
    with Service(gift={"height": "tall"}) as service:
        assert turn_on(service) == "failed"
        assert "gift.height: must be a whole number" in reason(service.kernel, "gift")
