"""Commands report a settings section without its plugin, a missing package, and a pending
upgrade.
"""

from pathlib import Path

import pytest
from contract.containment.scene import paths
from faulty.guests import guests
from faulty.kit import Fault, install
from kernel.processes import Finished, landyard, serving
from kernel.supervised import until

REPORT = """
@click.command("report")
@click.pass_obj
def report(console):
    with console.kernel() as kernel, kernel.store.unit(writes=False) as unit:
        click.echo(len(unit.connection.execute(METADATA.tables["{table}"].select()).all()))


@hookimpl
def register_commands():
    return [report]
"""


def run(folder: Path, *words: str) -> Finished:
    return landyard(folder, *words, given=b"", **paths(folder))


EVERYWHERE = [
    ("db", "upgrade"),
    ("db", "check"),
    ("settings",),
    ("settings", "--check"),
    ("methods",),
    ("tasks", "list"),
    ("tasks", "subscribers"),
    ("user", "list"),
    ("page", "list"),
    ("dump",),
    ("plugins", "list"),
    ("plugins", "check", "audit"),
]


@pytest.mark.parametrize("words", EVERYWHERE)
def test_a_section_of_a_removed_plugin_is_no_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "landyard.toml").write_text("[booking]\nrooms = 3\n")
    assert run(tmp_path, "db", "upgrade").status == 0

    done = run(tmp_path, *words)

    assert done.status == 0, done.err


def test_the_section_is_reported_once_and_a_misspelt_one_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "landyard.toml").write_text("[booking]\nrooms = 3\n")
    output = run(tmp_path, "settings", "--check").err
    (tmp_path / "landyard.toml").write_text("[metrisc]\nopen = true\n")
    misspelt = run(tmp_path, "settings", "--check")

    assert output.count("settings_unclaimed") == 1
    assert "booking" in output
    assert misspelt.status == 1
    assert "metrisc" in misspelt.err


def test_a_reloaded_worker_accepts_the_section(tmp_path: Path) -> None:
    with serving(tmp_path, "--demo", **paths(tmp_path)) as server:
        (tmp_path / "landyard.toml").write_text("[booking]\nrooms = 3\n")
        server.process.send_signal(1)
        until(lambda: server.err.count("worker_ready") == 2)

        assert server.ask("POST", f"{server.webhook}methods", {})[0] == 200


def newer(fault: Fault, column: str) -> dict[str, str]:
    """A second migration of a plugin of guests."""
    folder, _, name = next(iter(fault.files)).partition("/")
    branch = name.removesuffix("_0001.py")
    text = f"""
import sqlalchemy as sa
from alembic import op

revision = "{branch}_0002"
down_revision = "{branch}_0001"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("{fault.plugin}_guest", sa.Column("{column}", sa.String))


def downgrade():
    op.drop_column("{fault.plugin}_guest", "{column}")
"""
    return {f"{folder}/{branch}_0002.py": text}


def test_a_plugin_waits_for_the_upgrade_of_its_tables(tmp_path: Path) -> None:
    site = tmp_path / "installed"
    report = REPORT.format(table="faulty_hotel_guest")
    install(site, first := guests("hotel", after=report))
    with serving(tmp_path, "--demo", **paths(tmp_path)) as server:

        def ask() -> int:
            return server.ask("POST", f"{server.webhook}hotel.list", {})[0]

        before = ask(), run(tmp_path, "report").out
        more = "name: str | None = None"
        install(site, second := guests("hotel", after=report, field=more))
        install(site, Fault("hotel", second.body, "", files=newer(first, "name")))
        server.process.send_signal(1)
        until(lambda: server.err.count("worker_ready") == 2)
        until(lambda: ask() == 503)  # the answer of the new worker
        told = run(tmp_path, "report")
        upgraded = run(tmp_path, "db", "upgrade")
        until(lambda: ask() == 200)
        after = run(tmp_path, "report").out

    assert before == (200, "0\n")
    assert told.status == 1
    assert "landyard db upgrade" in told.err
    assert upgraded.status == 0
    assert after == "0\n"


METADATA = """Metadata-Version: 2.1
Name: faulty-needy
Version: 1.0
Provides-Extra: needy
Provides-Extra: other
Requires-Dist: landyard>=0.1
Requires-Dist: {}
"""


@pytest.mark.parametrize(
    ("requirement", "wanted"),
    [
        ("never-installed-here>=2; extra == 'needy'", "faulty-needy[needy]"),
        ("never-installed-here>=2", "never-installed-here>=2"),
        ("click>=999; extra == 'needy'", "faulty-needy[needy]"),
        ("never-installed-here>=2; extra == 'other'", ""),
        ("never-installed-here>=2; python_version < '3'", ""),
        ("click>=1", ""),
    ],
)
def test_a_plugin_is_not_enabled_before_its_packages_are_installed(
    tmp_path: Path, requirement: str, wanted: str
) -> None:
    files = {"/METADATA": METADATA.format(requirement)}
    install(tmp_path / "installed", Fault("needy", "", "", entry="needy", files=files))

    done = run(tmp_path, "plugins", "enable", "needy")

    assert done.status == (1 if wanted else 0)
    assert (f"pip install '{wanted}'" in done.err) == bool(wanted)
