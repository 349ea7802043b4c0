"""The files of the API explorer, before anybody serves them."""

import gzip
import re
import subprocess
import sys

import pytest

from landyard.explorer import PAGE, asset

NAMED = re.compile(r'(?:src|href)="([^"]+)"')
LOAD = "import sys; from landyard.explorer import asset; asset(''); print('offapi' in sys.modules)"


def _body(path: str) -> bytes:
    found = asset(path)
    assert found is not None
    return found.body


def test_every_file_that_the_page_names_is_there() -> None:
    named = NAMED.findall(_body("").decode())

    files = [name for name in named if name.startswith(f"{PAGE}/")]
    assert len(files) == 4
    assert all(len(_body(name.removeprefix(PAGE))) > 1000 for name in files)
    assert {*named} - {*files} == {"data:,", "/openapi.json", "/openrpc.json"}


def test_a_script_finds_the_script_it_imports() -> None:
    script = next(name for name in NAMED.findall(_body("").decode()) if "explorer.js" in name)

    imported = re.findall(r"from '\./([^']+)'", _body(script.removeprefix(PAGE)).decode())

    folder = script.removeprefix(PAGE).rpartition("/")[0]
    assert imported == ["parts.js"]
    assert asset(f"{folder}/{imported[0]}") is not None


@pytest.mark.parametrize(
    "path",
    ["/", "/explorer.js", "/0123456789abcdef/explorer.js", "/../methods.py", "//", "/page.html"],
)
def test_nothing_else_is_there(path: str) -> None:
    assert asset(path) is None


@pytest.mark.parametrize("name", ["page.html", "__init__.py", "../methods.py", "", "redoc.js"])
def test_nothing_else_is_in_the_folder(name: str) -> None:
    folder = next(name for name in NAMED.findall(_body("").decode()) if "explorer.js" in name)

    assert asset(f"{folder.removeprefix(PAGE).rpartition('/')[0]}/{name}") is None


def test_a_packed_file_is_the_same_and_smaller() -> None:
    script = next(name for name in NAMED.findall(_body("").decode()) if "swagger-ui.js" in name)
    plain, packed = (asset(script.removeprefix(PAGE), packed=each) for each in (False, True))

    assert plain is not None
    assert packed is not None
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) * 2 < len(plain.body)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "immutable" in packed.headers["Cache-Control"]


def test_the_page_itself_is_asked_for_again() -> None:
    found = asset("")

    assert found is not None
    assert found.headers["Cache-Control"] == "no-cache"


def test_the_package_is_not_imported_for_its_files() -> None:
    """It reads nine megabytes into memory when it is."""
    ran = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, check=True, text=True)

    assert ran.stdout == "False\n"
