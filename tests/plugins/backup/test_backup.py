"""`landyard db backup` and `restore`: a restored service is complete, and bad backups are refused
early.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from faulty.load import WORLD
from kernel.commands import Run, done, failure
from plugins.backup.places import Go, go

from landyard import Tables
from landyard_backup import backup
from landyard_backup.archive import Manifest
from landyard_backup.databases import copy_database

__all__ = ["go"]
on_sqlite = pytest.mark.parametrize("go", ["sqlite"], indirect=True)
on_postgres = pytest.mark.parametrize(
    "go", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
KEPT = "files/ab/abcd/picture.png"


@pytest.fixture
def here(landyard: Run, go: Go) -> Path:
    """The data directory of a service with a page and a file."""
    data = go("here")
    done(landyard("load", "-", given=msgspec.json.encode(WORLD)))
    write(data / KEPT, b"picture")
    return data


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_restored_service_equals_the_original(
    landyard: Run, go: Go, here: Path, tmp_path: Path
) -> None:
    before = done(landyard("dump"))
    made = landyard("db", "backup", "one.tar.gz")
    there = go("there")
    restored = landyard("db", "restore", "one.tar.gz")

    assert "one.tar.gz" in done(made)
    assert "one.tar.gz" in done(restored)
    assert made.stderr == restored.stderr == ""  # no terminal, so no progress bar
    assert done(landyard("dump")) == before
    assert (there / KEPT).read_bytes() == b"picture"
    assert {path.name for path in there.iterdir()} <= {"files", "landyard.db", "limits.db"}
    private = [tmp_path / "one.tar.gz", there / KEPT, *there.glob("*.db")]
    assert {mode(path) for path in private} == {0o600}
    assert mode(there) == 0o700


@on_sqlite
def test_files_added_or_deleted_during_a_backup_are_in_it(
    landyard: Run, go: Go, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database row in the backup may name the file."""

    def meanwhile(store: Any, to: Path, copy: Callable[..., None] = copy_database) -> None:
        copy(store, to)
        (here / KEPT).unlink()
        write(here / "files/late", b"late")
        write(here / "files/growing", b"all of it")

    write(here / "files/growing", b"all")
    monkeypatch.setattr(backup, "copy_database", meanwhile)
    done(landyard("db", "backup", "one.tar.gz"))
    there = go("there")
    done(landyard("db", "restore", "one.tar.gz"))

    kept = [(there / name).read_bytes() for name in (KEPT, "files/late", "files/growing")]
    assert kept == [b"picture", b"late", b"all of it"]


@on_sqlite
def test_backup_and_restore_overwrite_nothing(landyard: Run, go: Go, here: Path) -> None:
    done(landyard("db", "backup", "one.tar.gz"))
    before = Path("one.tar.gz").read_bytes()

    assert "is there already" in failure(landyard("db", "backup", "one.tar.gz"))
    assert "in the data directory" in failure(landyard("db", "backup", str(here / "two.tar.gz")))
    assert "empty data directory" in failure(landyard("db", "restore", "one.tar.gz"))
    go("there")
    assert "no service" in failure(landyard("db", "backup", "two.tar.gz"))
    assert Path("one.tar.gz").read_bytes() == before
    assert not Path("two.tar.gz").exists()


@on_postgres
def test_a_restore_overwrites_no_database_in_use(landyard: Run, go: Go, here: Path) -> None:
    done(landyard("db", "backup", "one.tar.gz"))
    here.rename("elsewhere")

    assert "the database holds something" in failure(landyard("db", "restore", "one.tar.gz"))


@on_postgres
@pytest.mark.parametrize(("word", "program"), [("backup", "pg_dump"), ("restore", "pg_restore")])
def test_a_program_that_is_missing_is_named(
    landyard: Run, go: Go, here: Path, word: str, program: str
) -> None:
    done(landyard("db", "backup", "restore"))
    if word == "restore":
        go("there")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        assert f"there is no {program} here" in failure(landyard("db", word, word))
    assert not Path("backup").exists()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def damage(path: Path) -> None:
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + b"something else" + content[middle + 14 :])


@on_sqlite
@pytest.mark.parametrize("spoil", [cut, damage, lambda path: path.write_text("a letter")])
def test_an_incomplete_backup_is_refused_and_changes_nothing(
    landyard: Run, go: Go, here: Path, spoil: Callable[[Path], None]
) -> None:
    done(landyard("db", "backup", "one.tar.gz"))
    spoil(Path("one.tar.gz"))
    there = go("there")

    assert "one.tar.gz is " in failure(landyard("db", "restore", "one.tar.gz"))
    assert not there.exists()


@on_sqlite
def test_a_backup_of_a_newer_version_is_refused_and_changes_nothing(
    landyard: Run, go: Go, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "heads", lambda _store: {"alembic_landing": "landing_0099"})
    done(landyard("db", "backup", "one.tar.gz"))
    there = go("there")

    assert "landing_0099" in failure(landyard("db", "restore", "one.tar.gz"))
    assert not there.exists()


@on_sqlite
def test_a_backup_of_an_older_version_is_restored_and_needs_an_upgrade(
    landyard: Run, go: Go, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(landyard("db", "backup", "one.tar.gz"))
    go("there")
    there = Tables.revisions

    def now(tables: Tables) -> list[str]:
        newer = ["landing_0999"] if tables.branch == "landing" else []
        return [*there(tables), *newer]

    monkeypatch.setattr(Tables, "revisions", now)

    output = done(landyard("db", "restore", "one.tar.gz"))

    assert "lacks landing_0999; run `landyard db upgrade`" in output


@on_sqlite
def test_a_backup_of_another_kind_of_database_is_refused(
    landyard: Run, go: Go, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(landyard("db", "backup", "one.tar.gz"))
    there = go("there")
    monkeypatch.setattr(
        backup, "unpack", lambda *_: Manifest(landyard="1", database="postgresql", heads={})
    )

    assert "a backup of postgresql" in failure(landyard("db", "restore", "one.tar.gz"))
    assert not there.exists()


def test_a_backup_says_that_files_in_a_bucket_are_not_in_it(
    landyard: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("obstore")
    before = done(landyard("db", "backup", "one.tar.gz"))
    monkeypatch.setenv("LANDYARD_FILES__URL", "s3://pictures/landyard")

    after = done(landyard("db", "backup", "two.tar.gz"))

    assert "bucket" not in before
    assert "without the uploaded files" in after
