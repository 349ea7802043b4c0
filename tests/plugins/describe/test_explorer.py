"""The files of the API explorer are complete and pinned."""

import re
from pathlib import Path

from landyard_describe import explorer
from landyard_describe.explorer import PAGE, assets

NAMED = re.compile(r'(?:src|href)="([^"]+)"')
FILES = assets()


def _body(path: str) -> bytes:
    return FILES[path].body


def _named(name: str) -> str:
    """The path of a file that the page names."""
    named: list[str] = NAMED.findall(_body("").decode())
    return next(path.removeprefix(PAGE) for path in named if path.endswith(f"/{name}"))


def test_every_file_that_the_page_names_exists() -> None:
    named = NAMED.findall(_body("").decode())

    files = [name for name in named if name.startswith(f"{PAGE}/")]
    assert len(files) == 4
    assert all(len(_body(name.removeprefix(PAGE))) > 1000 for name in files)
    assert {*named} - {*files} == {"data:,", "/openapi.json", "/openrpc.json"}


def test_a_script_finds_the_script_it_imports() -> None:
    script = _named("explorer.js")

    imported = re.findall(r"from '\./([^']+)'", _body(script).decode())

    assert imported == ["parts.js"]
    assert f"{script.rpartition('/')[0]}/{imported[0]}" in FILES


def test_other_paths_are_not_served() -> None:
    digest = _named("explorer.js").split("/")[1]
    files = ("explorer.css", "explorer.js", "parts.js", "swagger-ui.css", "swagger-ui.js")

    assert set(FILES) == {"", *(f"/{digest}/{name}" for name in files)}


def test_the_page_itself_is_revalidated() -> None:
    assert (b"cache-control", b"no-cache") in FILES[""].headers
    assert any(b"immutable" in value for _, value in FILES[_named("swagger-ui.js")].headers)


def test_the_recorded_version_is_the_bundled_one() -> None:
    noted = Path(explorer.__file__).with_name("swagger-ui") / "VERSION"

    assert f'"{noted.read_text().strip()}"' in _body(_named("swagger-ui.js")).decode()
