"""`fullExport` writes a site as one document, and an import makes a site from it."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from conftest import MakeService
from contract.pictures import PNG, files, upload
from contract.worlds import CODE, block, need_refused, page, site, stored, world
from kernel.commands import ConsoleOf

from landyard.testing import Service
from landyard_sitekit.commands.exchange import site as site_words

EXPORT = "landing.site.fullExport"
WORLD = world(
    page(10, block(100, published_id=101, anchor="top"), active=True, published=True),
    page(11, block(110), {"code": "nobody.knows", "content": "<p>x</p>"}, folder=2, rule="a+")
    | {"language": "de", "translation_of": 10},
    page(12, folder=1, code="page-10", additional_fields={"GTM_USE": "Y", "THEME_USE": "N"}),
    page(13, deleted=True),
    sites=[site(8)],
    folders=[
        {"id": 2, "site": 7, "code": "inner", "parent": 1},
        {"id": 1, "site": 7, "code": "outer", "title": "Outer", "active": False},
    ][::-1],
)
WORLD["sites"][0] |= {"main_page": 10, "page_404": 12, "title": "Seven", "description": "D"}
WORLD["sites"][0] |= {"xml_id": "x", "language": "ar", "additional_fields": {"GTM_USE": "Y"}}
_IDS = {
    "id",
    "translation_of",
    "site",
    "parent",
    "folder",
    "main_page",
    "page_404",
    "index_page",
    "published_id",
}
_WHEN = {"created_at", "modified_at", "created_by", "modified_by", "date_public"}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


def _export(service: Service, site_id: int = 7, **params: Any) -> dict[str, Any]:
    found: dict[str, Any] = service.result(EXPORT, {"id": site_id, "params": params})
    return found


def _said(value: Any) -> Any:
    """The parts of a world that stay the same when its rows get other ids."""
    if isinstance(value, dict):
        return {key: _said(each) for key, each in value.items() if key not in _IDS | _WHEN}
    return [_said(each) for each in value] if isinstance(value, list) else value


def _import(service: Service, document: Any, tmp_path: Path, *words: str) -> Any:
    file = tmp_path / "site.json"
    file.write_bytes(msgspec.json.encode(document))
    arguments = ["import", str(file), *words]
    return CliRunner().invoke(site_words, arguments, obj=ConsoleOf(service.kernel))


def test_an_export_contains_the_values_of_a_block_by_selector(service: Service) -> None:
    found = _export(service, edit_mode="Y", code="shop", name="Shop", hooks_disable=["gtm"])

    assert (found["code"], found["name"], found["fields"]["LANDING_ID_INDEX"]) == (
        "shop",
        "Shop",
        "page-10",
    )
    assert list(found["items"]) == ["page-10", "page-11", "page-10_12"]
    assert found["fields"]["ADDITIONAL_FIELDS"] == {}
    assert found["items"]["page-10_12"]["fields"]["ADDITIONAL_FIELDS"] == {"THEME_USE": "N"}
    exported = found["items"]["page-10"]["items"]["#block100"]
    assert (exported["anchor"], exported["access"], exported["code"]) == ("top", "X", CODE)
    assert exported["nodes"][".title"] == ["Old"]
    assert exported["nodes"][".text"] == ["One", "Two", "Three"]
    assert exported["nodes"][".go"] == [{"href": "/go?x=1#f", "target": "_blank", "text": "Go"}]
    assert list(_export(service)["items"]["page-10"]["items"]) == ["#block101"]


def test_C1_an_export_is_refused(service: Service) -> None:
    need_refused(
        service,
        EXPORT,
        [
            (1, {"id": 7, "params": {"code": "a-b"}}, "TYPE_ERROR"),
            (1, {"id": 99}, "ACCESS_DENIED"),
            (1, {"id": 7, "params": {"scope": "KNOWLEDGE"}}, "ACCESS_DENIED"),
            (1, {"id": 7, "params": "x"}, "TYPE_ERROR"),
        ],
    )


def test_a_world_goes_through_an_export_and_comes_back(service: Service, tmp_path: Path) -> None:
    exported = _export(service, edit_mode="Y")

    with Service(world=world(sites=[])) as other:
        other.load({"sites": [{"id": 7, "code": "other"}]})
        done = _import(other, exported, tmp_path)
        assert done.exit_code == 0, done.output
        made = _dumped(other, 8)

    was = _dumped(service, 7)
    for each in was["pages"]:
        each |= {"active": False, "published": False}
        for own in each["blocks"]:
            own.pop("published_id", None)
    was["sites"][0] |= {"active": False}
    assert _said(made) == _said(was)


def test_published_pages_are_published_again(service: Service, tmp_path: Path) -> None:
    done = _import(service, _export(service), tmp_path, "--code", "copy")

    assert done.exit_code == 0, done.output
    assert service.get("/copy/").status_code == 200
    blocks = {
        site_id: [len(each["items"]) for each in _export(service, site_id)["items"].values()]
        for site_id in (7, 9)
    }
    assert blocks[9] == blocks[7] == [1, 0, 0]


def test_an_export_of_another_service_fills_the_types_of_blocks(
    service: Service, tmp_path: Path
) -> None:
    foreign = _export(service, edit_mode="Y")
    del foreign["landyard"]
    for each in foreign["items"].values():
        del each["landyard"]
        for own in each["items"].values():
            del own["landyard"]
    blocks = foreign["items"]["page-10"]["items"]["#block100"]
    blocks["nodes"][".title"] = ["New"]
    blocks["nodes"][".text"] = ["1", "2", "3", "4", {"no": "text"}]

    assert _import(service, foreign, tmp_path, "--code", "copy").exit_code == 0

    made = stored(service, "landing_page", site_id=9)[0]
    (content,) = (row["content"] for row in stored(service, "landing_block", page_id=made["id"]))
    assert '<h2 class="title big">New</h2>' in content
    assert '<div class="text">3</div>' in content


@pytest.mark.parametrize(
    "wrong",
    [[1], {"items": 1}, {"items": {"a": 1}}, {"folders": [{"old_id": 1, "parent_id": 1}]}, {}],
)
def test_a_document_that_is_no_export_makes_nothing(
    service: Service, tmp_path: Path, wrong: Any
) -> None:
    done = _import(service, wrong, tmp_path)

    assert done.exit_code == 1
    assert "Error:" in done.output
    assert len(stored(service, "landing_site")) == 2


def test_the_command_writes_the_answer_of_the_method(service: Service) -> None:
    words = ["export", "7", "--draft"]
    written = CliRunner().invoke(site_words, words, obj=ConsoleOf(service.kernel))

    assert msgspec.json.decode(written.output) == _export(service, edit_mode="Y")
    missing = CliRunner().invoke(site_words, ["export", "99"], obj=ConsoleOf(service.kernel))
    assert missing.exit_code == 1


def _dumped(service: Service, site_id: int) -> dict[str, Any]:
    found = msgspec.json.decode(b"".join(service.kernel.dump()))
    return {
        "sites": [row | {"code": ""} for row in found["sites"] if row["id"] == site_id],
        "folders": [row for row in found["folders"] if row["site"] == site_id],
        "pages": [row for row in found["pages"] if row["site"] == site_id and not row["deleted"]],
    }


def test_pages_that_translate_each_other_still_do_after_an_import(
    service: Service, tmp_path: Path
) -> None:
    _import(service, _export(service, edit_mode="Y"), tmp_path, "--code", "again")

    (made,) = stored(service, "landing_site", code="again")
    pages = {row["id"]: row for row in stored(service, "landing_page", site_id=made["id"])}
    (translation,) = (row for row in pages.values() if row["original_id"])
    assert (made["language"], translation["language"]) == ("ar", "de")
    assert pages[translation["original_id"]]["code"] == "page-10"


LINKS = (
    '<p><a href="{base}/site-7/about/#team">A</a><a href="/site-7">B</a>'
    '<a href="/site-7/?x=1">C</a>'
    '<a href="/site-70/">D</a><a href="https://other.example/site-7/">E</a><a href="#top">F</a></p>'
)
PICTURE = '<p><img src="{src}" alt=""></p>'


def _with_picture(service: Service, html: str = PICTURE) -> str:
    """A site whose page shows a picture; return the picture's path."""
    src = str(upload(service).result["src"])
    shown = block(100, content=html.replace("{src}", src), published_id=101)
    fields = {"METAOG_IMAGE": src}
    service.load(
        {"pages": [page(10, shown, active=True, published=True, additional_fields=fields)]}
    )
    return src


def _contents(service: Service, code: str) -> str:
    (made,) = stored(service, "landing_site", code=code)
    pages = [row["id"] for row in stored(service, "landing_page", site_id=made["id"])]
    return "".join(
        row["content"] for each in pages for row in stored(service, "landing_block", page_id=each)
    )


def test_links_lead_to_the_imported_site(service: Service, tmp_path: Path) -> None:
    base = service.kernel.settings.base
    service.load({"pages": [page(10, block(100, content=LINKS.replace("{base}", base)))]})

    _import(service, _export(service, edit_mode="Y"), tmp_path, "--code", "copy")

    content = _contents(service, "copy")
    assert re.findall('href="([^"]*)"', content)[:6] == [
        *("/copy/about/#team", "/copy/", "/copy/?x=1"),
        *("/site-70/", "https://other.example/site-7/", "#top"),
    ]


def test_links_of_a_site_with_a_domain_lead_to_the_imported_site(
    service: Service, tmp_path: Path
) -> None:
    html = (
        '<p><a href="https://seven.example/page-11/">A</a><a href="/page-11/?x">B</a>'
        '<a href="/">C</a><a href="/outer/inner/">D</a><a href="/elsewhere/">E</a>'
        '<a href="//seven.example">F</a><a href="https://seven.example.org/">G</a></p>'
    )
    service.load({"sites": [{"id": 7, "code": "site-7", "domain": "seven.example"}]})
    service.load({"pages": [page(10, block(100, content=html))]})

    _import(service, _export(service, edit_mode="Y"), tmp_path, "--code", "copy")

    assert re.findall('href="([^"]*)"', _contents(service, "copy"))[:7] == [
        *("/copy/page-11/", "/copy/page-11/?x", "/copy/", "/copy/outer/inner/", "/elsewhere/"),
        *("/copy/", "https://seven.example.org/"),
    ]


def test_pictures_are_copied_to_another_service(service: Service, tmp_path: Path) -> None:
    src = _with_picture(service)
    exported = CliRunner().invoke(site_words, ["export", "7"], obj=ConsoleOf(service.kernel))

    with Service(world=world(sites=[])) as other:
        done = _import(other, msgspec.json.decode(exported.output), tmp_path, "--code", "copy")
        assert done.exit_code == 0, done.output
        html = other.get("/copy/").text
        paths = {*re.findall("/files/[^\"' ]+", html)}
        assert len(paths) == 1
        assert src not in paths
        assert other.get(paths.pop()).content == PNG
        (row,) = stored(other, "landing_file")
        assert (row["size"], bool(row["temporary"])) == (len(PNG), False)
        assert files(other) != {}


def test_pictures_that_are_not_copied_keep_their_address(service: Service, tmp_path: Path) -> None:
    src = _with_picture(service)
    exported = _export(service)

    assert _import(service, exported, tmp_path, "--code", "copy").exit_code == 0
    assert f'src="{src}"' in _contents(service, "copy")  # the file exists here
    with Service(world=world(sites=[])) as other:
        assert _import(other, exported, tmp_path, "--code", "copy").exit_code == 0
        assert f'src="{service.kernel.settings.base}{src}"' in _contents(other, "copy")


def test_an_import_that_fails_leaves_no_files(service: Service, tmp_path: Path) -> None:
    _with_picture(service)
    before = files(service)

    done = _import(service, _export(service, files="Y"), tmp_path)  # its code is taken

    assert done.exit_code == 1
    assert files(service) == before
    broken = _export(service, files="Y")
    for told in broken["landyard"]["files"].values():
        told["content"] = "no Base64!"
    assert _import(service, broken, tmp_path, "--code", "copy").exit_code == 1
    assert files(service) == before
