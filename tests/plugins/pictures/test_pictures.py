"""Visitors get uploaded pictures in the size and format that loads fastest."""

import io
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from conftest import MakeService
from contract.pictures import drawn, encoded, files, moving, on_folder, upload
from contract.worlds import DRAFT, PAGE, PUBLISHED, find, page, world
from PIL import Image

import landyard_blocks
import landyard_content
import landyard_events
import landyard_landing
import landyard_outgoing
import landyard_pages
import landyard_pictures
import landyard_public
import landyard_sitekit
from landyard.storage.schema import alembic_config
from landyard.testing import Service
from landyard_events import deliver_due
from landyard_pictures.picture_html import PictureFacts, with_variants
from landyard_pictures.tables import PICTURE

PLUGINS = [
    *(
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_blocks,
        landyard_events,
        landyard_outgoing,
    ),
    *(landyard_pages, landyard_pictures),
]
PATH = "/site-7/page-10/"
WIDTHS = {"pictures": {"widths": [100, 200, 400]}}
IMG = '<p><img class="landing-block-node-img" src="{src}" alt="A boat"{more}></p>'
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def _service(make_service: MakeService, **more: Any) -> Service:
    first = {"id": 99, "code": "ly.text", "content": "<p>First</p>", "published_id": 199, "sort": 1}
    block = {"id": DRAFT, "code": "ly.product", "published_id": PUBLISHED}
    shown = page(PAGE, first, block, active=True, published=True)
    return make_service(PLUGINS, world=world(shown), **{**WIDTHS, **more})


def _shown(service: Service, content: bytes, name: str = "boat.png", more: str = "") -> str:
    """Upload a picture, place it, publish the page, and run the background work."""
    src = str(upload(service, content, name).result["src"])
    html = IMG.format(src=src, more=more)
    block = {"id": DRAFT, "code": "ly.text", "content": html, "published_id": PUBLISHED}
    service.load({"pages": [page(PAGE, block, active=True, published=True)]})
    service.result("landing.landing.publication", lid=PAGE)
    deliver_due(service.kernel)
    return src


def _rows(service: Service) -> list[Any]:
    with service.kernel.store.session() as session:
        return list(session.execute(sa.select(*PICTURE)))


def _sources(html: str) -> dict[str, dict[int, str]]:
    found = {}
    for each in find(html, "picture > source"):
        candidates = [pair.split(" ") for pair in str(each.attr("srcset")).split(", ")]
        found[str(each.attr("type"))] = {int(width[:-1]): src for src, width in candidates}
    return found


def test_a_published_picture_has_variants_and_its_size(make_service: MakeService) -> None:
    service = _service(make_service)
    src = _shown(service, encoded(drawn(600, 300), "BMP"), "boat.bmp")

    html = service.get(PATH).text
    sources = _sources(html)
    assert sources.keys() == {"image/avif", "image/webp"}
    (image,) = find(html, "picture > img")
    assert {name: image.attr(name) for name in ("src", "width", "height", "loading", "alt")} == {
        "src": src,
        "width": "600",
        "height": "300",
        "loading": "lazy",
        "alt": "A boat",
    }
    for kind, variants in sources.items():
        assert list(variants) == [100, 200, 400], kind
        for width, address in variants.items():
            answer = service.get(address)
            assert answer.headers["content-type"] == kind
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            with Image.open(io.BytesIO(answer.content)) as picture:
                assert picture.size == (width, width // 2)


def test_a_cached_page_gets_the_variants_once_they_exist(make_service: MakeService) -> None:
    service = _service(make_service)
    src = str(upload(service, encoded(drawn(300, 200), "BMP"), "boat.bmp").result["src"])
    block = {"id": DRAFT, "code": "ly.text", "content": IMG.format(src=src, more="")}
    shown = page(PAGE, block | {"published_id": PUBLISHED}, active=True, published=True)
    service.load({"pages": [shown]})
    before = [service.get(PATH).text for _ in range(2)]
    service.run_jobs()
    service.later(seconds=1)

    assert ["<picture" in each for each in before] == [False, False]
    assert _sources(service.get(PATH).text)["image/webp"].keys() == {100, 200, 300}
    assert len(_rows(service)) == 1
    service.run_jobs()
    assert len(_rows(service)) == 1


def test_a_page_without_files_queues_no_background_work(
    make_service: MakeService,
) -> None:
    service = _service(make_service)
    src = str(upload(service, encoded(drawn(300, 200), "BMP"), "boat.bmp").result["src"])
    service.result("landing.landing.publication", lid=PAGE)
    assert deliver_due(service.kernel) == 0

    data = {"content": IMG.format(src=src, more="")}
    service.result("landing.block.updatecontent", {"lid": PAGE, "block": DRAFT, **data})
    assert deliver_due(service.kernel) == 0
    service.result("landing.landing.publication", lid=PAGE)

    assert deliver_due(service.kernel) == 1
    assert len(_rows(service)) == 1


def test_a_draft_stays_unchanged_with_variants(make_service: MakeService) -> None:
    service = _service(make_service)
    src = _shown(service, encoded(drawn(600, 300), "BMP"), "boat.bmp")

    params = {"edit_mode": True, "get_content": True}
    drafts = service.result("landing.block.getlist", {"lid": PAGE, "params": params})
    assert IMG.format(src=src, more="") in "".join(each["content"] for each in drafts)


def test_variants_are_deleted_with_the_file(make_service: MakeService) -> None:
    service = _service(make_service)
    _shown(service, encoded(drawn(600, 300), "BMP"), "boat.bmp")
    assert len(files(service)) == 7
    service.result("landing.landing.markDelete", lid=PAGE)
    service.result("landing.landing.delete", lid=PAGE)

    assert files(service) == {}
    assert _rows(service) == []


@on_folder
@on_sqlite
def test_a_missing_variant_is_not_named(make_service: MakeService) -> None:
    service = _service(make_service)
    _shown(service, encoded(drawn(600, 300), "BMP"), "boat.bmp")
    root = service.kernel.settings.data / "files"
    for each in [*root.rglob("*.avif"), *root.rglob("_w200.webp")]:
        each.unlink()
    service.load({"pages": [{"id": 11, "site": 7, "code": "x", "active": True}]})

    assert {kind: list(each) for kind, each in _sources(service.get(PATH).text).items()} == {
        "image/webp": [100, 400]
    }


@on_sqlite
@pytest.mark.parametrize(
    ("mode", "opacity", "kinds"),
    [
        ("RGBA", 255, {"image/avif", "image/webp"}),
        ("RGBA", 36, {"image/webp"}),
        ("RGBA", 0, {"image/webp"}),
        ("LA", 36, {"image/webp"}),
        ("LA", 255, {"image/avif", "image/webp"}),
    ],
)
def test_a_transparent_picture_has_no_avif_variant(
    make_service: MakeService, mode: str, opacity: int, kinds: set[str]
) -> None:
    service = _service(make_service)
    image = drawn(600, 300, mode)
    clear = Image.new("L", image.size, 255)
    clear.paste(opacity, (0, 0, 300, 300))
    image.putalpha(clear)
    _shown(service, encoded(image, "TIFF"), "boat.tif")

    assert _sources(service.get(PATH).text).keys() == kinds


@on_folder
@on_sqlite
def test_variants_of_an_older_version_are_made_again(make_service: MakeService) -> None:
    service = _service(make_service)
    _shown(service, encoded(drawn(600, 300), "BMP"), "boat.bmp")
    variants = [*(service.kernel.settings.data / "files").rglob("_w*")]
    made = [each.read_bytes() for each in variants]
    for each in variants:
        each.write_bytes(b"in the wrong colours")
    store, schema = service.kernel.store, service.kernel.schema
    (pictures,) = (each for each in schema.branches if each.branch == "pictures")
    with store.rebuilding() as connection:
        command.downgrade(alembic_config(pictures, connection), "pictures_0001")
    assert schema.behind(store) == ["pictures_0002"]
    schema.upgrade(store)
    between = service.get(PATH).text
    service.run_jobs()
    service.later(seconds=1)

    assert "<picture" not in between
    assert len(made) == 6
    assert [each.read_bytes() for each in variants] == made
    assert _sources(service.get(PATH).text)["image/webp"].keys() == {100, 200, 400}


def test_a_variants_address_differs_from_that_before_the_colours_were_corrected(
    make_service: MakeService,
) -> None:
    service = _service(make_service)
    src = _shown(service, encoded(drawn(600, 300), "BMP"), "boat.bmp")

    folder = src.rpartition("/")[0]
    before = f"{folder}/_w200.webp"
    address = _sources(service.get(PATH).text)["image/webp"][200]
    assert address != before
    assert service.get(address).content == service.get(before).content


@on_sqlite
def test_a_rotated_picture_is_shown_upright(make_service: MakeService) -> None:
    service = _service(make_service, pictures={"widths": [100], "avif": False})
    image = drawn(400, 200)
    exif = Image.Exif()
    exif[0x0112] = 6
    _shown(service, encoded(image, "JPEG", exif=exif, quality=100), "boat.jpg")

    html = service.get(PATH).text
    (shown,) = find(html, "picture > img")
    assert (shown.attr("width"), shown.attr("height")) == ("200", "400")
    address = _sources(html)["image/webp"][100]
    with Image.open(io.BytesIO(service.get(address).content)) as picture:
        assert picture.size == (100, 200)
        assert not picture.getexif()


UNVARIED: dict[str, bytes] = {
    "film.gif": moving("GIF"),
    "film.webp": moving("WEBP"),
    "dot.png": encoded(drawn(1, 1)),
}


@on_sqlite
@pytest.mark.parametrize("name", UNVARIED)
def test_a_variant_that_would_not_be_smaller_is_not_made(
    make_service: MakeService, name: str
) -> None:
    service = _service(make_service)
    _shown(service, UNVARIED[name], name)

    html = service.get(PATH).text
    assert "<picture" not in html
    assert find(html, "img[width][height]")


@on_folder
@on_sqlite
def test_a_picture_that_cannot_be_decoded_is_tried_once(make_service: MakeService) -> None:
    service = _service(make_service)
    src = str(upload(service).result["src"])
    path = next((service.kernel.settings.data / "files").rglob("*.picture.png"))
    path.write_bytes(b"\x89PNG\r\n\x1a\n broken")
    service.run_jobs()

    (row,) = _rows(service)
    assert (row.width, row.variants, row.key in src) == (0, [], True)


KEY = "0123456789abcdef0123456789abcdef"
SRC = f"/files/{KEY}/boat.png"
KNOWN = {KEY: PictureFacts(600, 300, {"WEBP": [(100, f"/files/{KEY}/_w100.webp")]})}
WEBP = f'<source type="image/webp" srcset="/files/{KEY}/_w100.webp 100w" sizes="'
SIZE = ' width="600" height="300"'
SHAPED: dict[str, str] = {
    f'<img src="{SRC}">': (
        f'<picture style="display:contents">{WEBP}100vw"><img src="{SRC}"{SIZE}></picture>'
    ),
    f'<img src="{SRC}" height="9" sizes="50vw">': (
        f'<picture style="display:contents">{WEBP}50vw">'
        f'<img src="{SRC}" height="9" sizes="50vw"></picture>'
    ),
    f'<img src="{SRC}" srcset="/a.png 2x">': f'<img src="{SRC}" srcset="/a.png 2x"{SIZE}>',
    f'<picture><source srcset="/a.webp"><img src="{SRC}"></picture>': (
        f'<picture><source srcset="/a.webp"><img src="{SRC}"{SIZE}></picture>'
    ),
}
AVIF = [(width, f"/files/{KEY}/_w{width}.avif") for width in (480, 1600, 2400)]
BEHIND = {KEY: PictureFacts(0, 0, {"AVIF": AVIF, **KNOWN[KEY].variants}, focus="1% 2%")}
GROUND = (
    f";background-image:image-set(url('/files/{KEY}/_w1600.avif') type('image/avif'),"
    f"url('/files/{KEY}/_w100.webp') type('image/webp'),url('{SRC}'))"
)
HELD = ";background-position:1% 2%"
GROUNDS = [
    (f"background-image:url('{SRC}')", HELD + GROUND),
    (f"color:red; background-image: url(&quot;{SRC}&quot;) ;", HELD + GROUND),
    (f"background-position:top;background-image:url({SRC})", GROUND),
    (f"background-image:linear-gradient(red,blue),url('{SRC}')", HELD),
    (f"background-image:url('{SRC}'),url('/a.png')", HELD),
    (f"background-image:url('{SRC}');background-image:image-set(url('{SRC}') 1x)", HELD),
    (f"background:url('{SRC}')", HELD),
    (f"background-image:url('https://cdn.example{SRC}')", HELD),
]
OTHERS = [
    '<img src="/assets/a.png" alt>',
    f'<img src="https://cdn.example{SRC}">',
    f'<img alt="&lt;img src=&quot;{SRC}&quot;&gt;">',
    f'<p title="{SRC}">&lt;img src="{SRC}"&gt;</p>',
]


@pytest.mark.parametrize("html", SHAPED)
def test_pictures_get_their_missing_attributes(html: str) -> None:
    assert with_variants(html, KNOWN, lazy=False) == SHAPED[html]


@pytest.mark.parametrize(("style", "more"), GROUNDS)
def test_a_background_of_one_picture_has_variants(style: str, more: str) -> None:
    shown = with_variants(f'<div class="a" style="{style}">', BEHIND, lazy=False)

    assert shown == f'<div class="a" style="{style.rstrip("; ")}{more}">'


@pytest.mark.parametrize("html", OTHERS)
def test_other_pictures_are_unchanged(html: str) -> None:
    assert with_variants(html, KNOWN, lazy=False) == html


def test_pictures_below_the_first_block_are_loaded_lazily() -> None:
    late = with_variants('<img src="/a.png"><img src="/b.png" loading="eager">', {}, lazy=True)

    assert late == '<img src="/a.png" loading="lazy"><img src="/b.png" loading="eager">'
