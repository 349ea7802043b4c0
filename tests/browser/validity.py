"""The validity of HTML, checked by the standard's own checker (Nu)."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from msgspec import Struct

JAR = Path(__file__).parent / "examination/node_modules/vnu-jar/build/dist/vnu.jar"
JAVA = shutil.which("java")
PATIENCE = 120.0
# The standard allows this with a warning. A film's player needs both permissions, and its frame
# belongs to another site, so it cannot break out into ours.
_PLAYER = "Setting both “allow-scripts” and “allow-same-origin” is not recommended"
# All browsers have supported this value since 2023, but this checker does not.
_IMAGE_SET = "“background-image”: “image-set("
_ALLOWED = (_PLAYER, _IMAGE_SET)


class _Message(Struct, frozen=True, rename="camel"):
    type: str
    message: str = ""
    url: str = ""
    last_line: int = 0
    extract: str = ""


class _Report(Struct, frozen=True):
    messages: list[_Message]


def errors_of(documents: Mapping[str, str]) -> list[str]:
    """Return the mistakes in documents by name; a line for each, with the HTML around it.

    Java is started once for all of them. The test is skipped where Java or the checker is not
    installed.
    """
    if JAVA is None:
        pytest.skip("no java here: the checker of HTML needs it")
    if not JAR.is_file():
        pytest.skip(
            "no checker of HTML here: `npm ci --ignore-scripts` in tests/browser/examination"
        )
    with TemporaryDirectory() as folder:
        names = dict[str, str]()
        for number, (name, html) in enumerate(documents.items()):
            file = Path(folder) / f"{number}.html"
            file.write_text(html, encoding="utf-8")
            names[file.name] = name
        # Hints about style are no errors; a report is complete without them.
        words = [JAVA, "-jar", str(JAR), "--errors-only", "--format", "json", "--stdout"]
        run = subprocess.run(
            [*words, "--exit-zero-always", folder],
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
    found = msgspec.json.decode(run.stdout, type=_Report).messages
    return [
        f"{names.get(each.url.rpartition('/')[2], each.url)}:{each.last_line}: {each.message}"
        f" {' '.join(each.extract.split())}"
        for each in found
        if not any(allowed in each.message for allowed in _ALLOWED)
    ]
