"""`load` and `dump`: beside a failed plugin, from a pipe, and with worlds of many batches."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from kernel.commands import Run, done, failure
from kernel.installing import install, place

from landyard.storage import world

__all__ = ["place"]

PAGES: dict[str, Any] = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "sites": [{"id": 7, "code": "shop", "title": "Shop «ü»"}],
    "pages": [
        {
            "id": number,
            "site": 7,
            "code": f"page-{number}",
            "title": 'A "quoted" \\ title, [ } «ü» \u2028',
            "blocks": [
                {"id": number * 10, "code": "x", "content": f"<p>{number}</p>"},
                {"code": "y", "content": "<p>unnamed</p>"},
            ],
        }
        for number in range(1, 30)
    ],
}


@pytest.fixture
def failed(place: Path) -> str:
    install(place, "gifts", "gift = gift_horse", "raise KeyError('no hay')")
    return "gift"


def test_load_works_without_a_failed_plugin(landyard: Run, failed: str) -> None:
    """Otherwise every restore would stop because of it."""
    result = landyard("load", "-", given=msgspec.json.encode(PAGES))

    assert "created" in done(result)
    assert f"plugin '{failed}' has failed" in result.stderr
    assert "no hay" in result.stderr


def test_a_list_that_may_belong_to_a_failed_plugin_is_refused_with_its_name(
    landyard: Run, failed: str
) -> None:
    result = landyard("load", "-", given=msgspec.json.encode(PAGES | {"gifts": [{"id": 1}]}))

    assert result.exit_code == 1
    assert result.stdout == ""
    assert "gifts: unknown key" in result.stderr
    assert f"plugin '{failed}' has failed" in result.stderr.splitlines()[-1]


def test_a_dump_is_refused_where_a_plugins_part_would_be_missing(
    landyard: Run, failed: str
) -> None:
    assert f"plugin '{failed}'" in failure(landyard("dump"))


@pytest.mark.parametrize("text", [b"", b'{"users": [{"id": 3}', b'{"users": [1,]}'])
def test_a_file_that_is_no_world_is_refused(landyard: Run, tmp_path: Path, text: bytes) -> None:
    world = tmp_path / "world.json"
    world.write_bytes(text)

    assert "world file: is no JSON object" in failure(landyard("load", str(world)))


def test_worlds_are_the_same_in_batches_of_any_size(
    landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in (1, 1 << 13, 1 << 21):
        monkeypatch.setattr(world, "_TOGETHER", size)
        text = msgspec.json.format(msgspec.json.encode(PAGES), indent=size % 5)
        done(landyard("load", "-", given=text))
    dumped = landyard("dump").stdout_bytes

    decoded = msgspec.json.decode(dumped)
    assert [len(each["blocks"]) for each in decoded["pages"]] == [2] * 29
    assert decoded["pages"][0]["title"] == PAGES["pages"][0]["title"]
    assert dumped == msgspec.json.format(msgspec.json.encode(decoded), indent=2) + b"\n"
    assert done(landyard("load", "-", given=dumped)).startswith("0 created, 0 updated")
