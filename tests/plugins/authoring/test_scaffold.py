"""`landyard plugins new` writes a plugin that installs, passes its tests and answers."""

import textwrap
from pathlib import Path

import pytest
from clean import Environment, make_environment
from click.testing import CliRunner, Result
from corpora import read_data
from kernel.processes import serving

from landyard import Console
from landyard_authoring.new_command import BEGINNING, new
from landyard_authoring.new_package import PIECES, write_package


def made(folder: Path, name: str, *words: str) -> Result:
    return CliRunner().invoke(new, [name, "--into", str(folder), *words], obj=Console())


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make_environment(tmp_path_factory.mktemp("clean"))


@pytest.mark.soak  # the test of the tutorial covers the same path
def test_a_new_plugin_is_generated_installed_tested_and_called(clean: Environment) -> None:
    pieces = ",".join(PIECES)
    clean.run("landyard", "plugins", "new", "harbour_log", "--with", pieces)
    package = clean.work / "landyard-harbour-log"
    clean.run("pip", "install", "--quiet", "--editable", ".", "--group", "dev", cwd=package)
    tested = clean.run("python", "-m", "pytest", "-q", cwd=package)
    checked = clean.run("landyard", "plugins", "check", "harbour_log")
    clean.run("landyard", "user", "add", "Ann", "--admin")
    added = clean.run("landyard", "webhook", "add", "1", "--scope", "harbour_log")
    path = "/rest/" + added.splitlines()[0].partition("/rest/")[2]

    with serving(clean.work, program=[str(clean.bin / "landyard"), "serve"], **ALONE) as server:
        status, _, body = server.ask("POST", f"{path}harbour_log.hello", {"name": "Ann"})

    assert "11 passed" in tested
    assert "harbour_log (landyard-harbour-log 0.1.0) passes" in checked
    assert (status, body[:24]) == (200, b'{"result":"Hello, Ann!",')


# the data directory of the commands above, without this process's import path
ALONE = {"LANDYARD_DATA": "landyard-data", "PYTHONPATH": ""}


def test_the_package_is_complete(tmp_path: Path) -> None:
    done = made(tmp_path, "guest_book", "--with", ", ".join(PIECES))
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}

    assert done.exit_code == 0, done.output
    package = "landyard-guest-book/src/landyard_guest_book"
    assert written >= {
        "landyard-guest-book/pyproject.toml",
        "landyard-guest-book/README.md",
        "landyard-guest-book/.gitignore",
        "landyard-guest-book/.github/workflows/check.yml",
        "landyard-guest-book/tests/test_methods.py",
        f"{package}/__init__.py",
        f"{package}/py.typed",
        f"{package}/migrations/guest_book_0001.py",
        f"{package}/screen.py",
        "landyard-guest-book/tests/test_screen.py",
        f"{package}/panel.js",
        f"{package}/blocks/guest_book.greeting/block.html",
        f"{package}/column.py",
    }
    texts = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert [text for text in texts if "$name" in text or "#+" in text or "#." in text] == []
    assert any("${{ matrix.python }}" in text for text in texts)


def test_all_instructions_for_the_first_steps_agree(tmp_path: Path) -> None:
    done = made(tmp_path, "guests")
    tutorial = Path(__file__).parents[3] / "docs" / "tutorial.md"
    beginning = "\n".join(BEGINNING)

    assert f"  cd {tmp_path}/landyard-guests\n" in done.output
    assert beginning in textwrap.dedent(done.output.partition("begin:")[2])
    assert beginning in (tmp_path / "landyard-guests" / "README.md").read_text()
    assert beginning in tutorial.read_text()


def test_the_command_asks_for_the_pieces_of_the_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard_authoring.new_command._is_interactive", lambda: True)
    words = ["guests", "--into", str(tmp_path)]
    done = CliRunner().invoke(new, words, obj=Console(), input="n\nn\ny\n" + "n\n" * 6)

    assert "With a table? [y/N]" in done.output
    assert "With an event? [y/N]" in done.output
    package = tmp_path / "landyard-guests" / "src" / "landyard_guests"
    assert {path.name for path in package.iterdir()} == {
        *("__init__.py", "jobs.py", "methods.py", "py.typed"),
    }


def test_an_unknown_piece_is_refused(tmp_path: Path) -> None:
    refused = made(tmp_path, "guests", "--with", "table,tabel")

    assert refused.exit_code == 1
    assert "--with tabel: choose of table, page" in refused.stderr


@pytest.mark.parametrize(("pieces", "most"), [((), 25), (("table",), 60)])
def test_the_generated_plugin_is_short(tmp_path: Path, pieces: tuple[str, ...], most: int) -> None:
    package = write_package("guests", tmp_path, (), pieces)
    lines = [line for path in package.rglob("*.py") for line in path.read_text().splitlines()]

    assert len([line for line in lines if line.strip()]) <= most


REFUSED = read_data(__file__, "REFUSED", dict[str, str])


@pytest.mark.parametrize("name", REFUSED)
def test_an_unusable_name_is_refused(tmp_path: Path, name: str) -> None:
    refused = made(tmp_path, name)

    assert refused.exit_code == 1
    assert REFUSED[name] in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_installed_package_is_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "landyard_guests.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)

    assert "landyard_guests is installed" in made(tmp_path, "guests").stderr


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "landyard-guests").mkdir()
    refused = made(tmp_path, "guests")

    assert refused.exit_code == 1
    assert "is there already" in refused.stderr
    assert list((tmp_path / "landyard-guests").iterdir()) == []
