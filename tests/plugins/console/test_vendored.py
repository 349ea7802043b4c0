"""The console's JavaScript: bundled libraries are the pinned ones, and no script evaluates text."""

import hashlib
import re
from pathlib import Path

import msgspec
import pytest

import landyard_console

pytestmark = pytest.mark.lint

STATIC = Path(landyard_console.__file__).parent / "static"
VENDOR = STATIC / "vendor"
BUNDLES = msgspec.json.decode((VENDOR / "bundles.json").read_bytes())
FORBIDDEN = re.compile(rb"\beval\s*\(|\bFunction\s*\(|\bimport\s*\(\s*['\"`]\s*(?:https?:)?//")
# XML namespaces are names that no browser fetches.
NAMESPACE = re.compile(
    rb"http://www\.w3\.org/(?:2000/svg|1999/xhtml|1999/xlink|1998/Math/MathML)\b"
)


@pytest.mark.parametrize("name", sorted(BUNDLES))
def test_a_bundle_equals_the_pinned_one_and_has_its_licence(name: str) -> None:
    body = (VENDOR / name).read_bytes()

    assert hashlib.sha256(body).hexdigest() == BUNDLES[name]["sha256"]
    licence = (VENDOR / name).with_suffix(".LICENSE").read_text()
    assert all(
        f"{each} {version}" in licence for each, version in BUNDLES[name]["packages"].items()
    )


def test_nothing_else_is_vendored() -> None:
    assert {each.name for each in VENDOR.glob("*.js")} == set(BUNDLES)


@pytest.mark.parametrize(
    "file",
    sorted(each for each in STATIC.rglob("*") if each.suffix in {".css", ".js", ".svg"}),
    ids=lambda each: each.relative_to(STATIC).as_posix(),
)
def test_no_file_evaluates_text_or_names_a_foreign_address(file: Path) -> None:
    body = NAMESPACE.sub(b"", file.read_bytes())

    assert not FORBIDDEN.search(body)
    assert not re.search(rb"https?://(?!127\.0\.0\.1|localhost)[\w.-]", body)
