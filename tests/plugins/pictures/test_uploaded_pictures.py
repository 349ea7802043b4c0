"""Files that callers send as pictures are recognised by their content, or refused."""

import io
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import KINDS, METHOD, encoded, files, moving, served, shown, upload
from contract.rules import rows
from contract.worlds import one_page
from PIL import Image, ImageCms
from plugins.pictures.decode.corpus import MARK, cases, marked, polyglots

from landyard.testing import Service
from landyard_pictures.decode.box import Box
from landyard_pictures.decode.exchange import Task
from landyard_pictures.decoders import Decoders
from landyard_pictures.upload_errors import FileError

BOX = {"width": 20, "height": 20, "resize_type": 0}


@pytest.fixture
def database(sqlite_database: dict[str, Any]) -> dict[str, Any]:
    """One kind of database, because pictures do not depend on it."""
    return sqlite_database


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=one_page())


def kind(answer: Any) -> str | None:
    """The kind that an upload was recognised as; None where it was refused."""
    if answer.error is not None:
        assert answer.error == "FILE_ERROR"
        return None
    extension = answer.result["src"].rpartition(".")[2]
    return next(kind for kind, (usual, _) in KINDS.items() if usual == extension)


def resized(pool: Decoders, content: bytes) -> tuple[str | None, tuple[int, int]]:
    """The kind and the size of a picture that was resized to fit a box."""
    try:
        made = pool.made(Task(content, Box(8, 8, 0), False, 50, len(content) + 10**6))
    except FileError:
        return None, (0, 0)
    picture = Image.open(io.BytesIO(content if made.content is None else made.content))
    assert picture.format == made.kind
    return made.kind, picture.size


@pytest.mark.rule("U1", "U2", "U4", *rows(METHOD, "FILE_ERROR"))
def test_U1_a_file_is_recognised_by_its_content(service: Service) -> None:
    corpus = cases()
    answers = {name: upload(service, case.content, case.name) for name, case in corpus.items()}

    assert len(corpus) >= 250
    assert {name: kind(answer) for name, answer in answers.items()} == {
        name: case.kind for name, case in corpus.items()
    }
    taken = sorted(case.content for case in corpus.values() if case.kind is not None)
    assert sorted(files(service).values()) == taken


@pytest.mark.rule("U3", "U4")
def test_U3_a_picture_is_resized_in_its_own_kind() -> None:
    corpus = cases()
    wanted = {name: case.kind for name, case in corpus.items()}
    pool = Decoders(1, 10.0, 768)

    found = {name: resized(pool, case.content) for name, case in corpus.items()}
    pool.close()

    assert {name: kind for name, (kind, _) in found.items()} == wanted
    assert max(max(size) for _, size in found.values()) == 8


@pytest.mark.rule("U1", "U2", "H4")
@pytest.mark.parametrize("name", [name for name, case in polyglots().items() if case.kind])
def test_H4_a_polyglot_is_served_as_the_picture_it_is(service: Service, name: str) -> None:
    case = polyglots()[name]
    assert case.kind is not None

    got = service.get(upload(service, case.content, "page.html").result["src"])

    assert got.content == case.content
    assert got.headers["content-type"] == KINDS[case.kind][1]
    assert got.headers["x-content-type-options"] == "nosniff"
    policy = got.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy


@pytest.mark.rule("U3")
@pytest.mark.parametrize("name", marked())
def test_U3_a_resized_picture_contains_no_planted_metadata(service: Service, name: str) -> None:
    case = marked()[name]
    assert MARK in case.content

    small = upload(service, case.content, params=BOX)

    content = served(service, small)
    assert MARK not in content
    picture = Image.open(io.BytesIO(content))
    assert dict(picture.getexif()).keys() <= set(range(254, 347))  # the tags that a TIFF needs
    assert {"comment", "xmp", "exif", "photoshop"}.isdisjoint(picture.info)


@pytest.mark.rule("U3")
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF", "TIFF"])
def test_U3_a_colour_profile_is_kept_unless_it_is_huge(service: Service, kind: str) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    huge = profile + bytes(1024 * 1024 - len(profile) + 1)
    image = Image.effect_noise((60, 60), 50).convert("RGB")

    kept = upload(service, encoded(image, kind, icc_profile=profile), params=BOX)

    assert shown(service, kept).info["icc_profile"] == profile
    if kind != "PNG":  # a PNG with a profile of this size is refused
        dropped = upload(service, encoded(image, kind, icc_profile=huge), params=BOX)
        assert "icc_profile" not in shown(service, dropped).info


@pytest.mark.rule("U3", *rows(METHOD, "FILE_ERROR"))
def test_a_truncated_animation_is_refused_even_at_the_right_size(
    service: Service,
) -> None:
    broken = moving("GIF", 4)[:-60]

    assert upload(service, broken, params={"width": 500, "height": 500}).error == "FILE_ERROR"


@pytest.mark.rule("U3")
def test_U3_a_long_picture_is_shown_whole(service: Service) -> None:
    image = Image.new("RGB", (300, 2), "red")
    image.paste((0, 0, 255), (150, 0, 300, 2))

    small = shown(service, upload(service, encoded(image), params={"width": 30, "height": 30}))

    assert small.size == (30, 1)
    assert [small.getpixel((x, 0)) for x in (2, 27)] == [(255, 0, 0), (0, 0, 255)]
