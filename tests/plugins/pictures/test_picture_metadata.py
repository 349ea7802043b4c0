"""The metadata of a picture: its alternative text, and the point to keep in view."""

from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import drawn, encoded, upload
from contract.worlds import (
    DRAFT,
    OUTSIDER,
    PAGE,
    PUBLISHED,
    VIEWER,
    as_user,
    find,
    page,
    user,
    world,
)
from plugins.pictures.test_pictures import PATH, PLUGINS, WIDTHS

from landyard.testing import Answer, Service
from landyard_events import deliver_due
from landyard_pictures.picture_html import PictureFacts, with_variants

on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
HOSTILE = '" onerror="x" <script>ran(1)</script> \' >'


class Shown:
    """A service with a page that shows an uploaded picture."""

    def __init__(self, make_service: MakeService, html: str) -> None:
        block = {"id": DRAFT, "code": "ly.text", "published_id": PUBLISHED}
        viewer = user(VIEWER, sites_access=True, rights={"*": ["view"]})
        pages = [
            page(PAGE, block, active=True, published=True),
            page(11, {"id": 111, "code": "ly.text"}),
        ]
        users = [viewer, user(OUTSIDER, sites_access=False)]
        self.service: Service = make_service(PLUGINS, world=world(*pages, users=users), **WIDTHS)
        made = upload(self.service, encoded(drawn(300, 200), "BMP"), "boat.bmp").result
        self.id, self.src = made["id"], str(made["src"])
        edited = {**block, "content": html.replace("{src}", self.src)}
        self.service.load({"pages": [page(PAGE, edited, active=True, published=True)]})
        self.service.result("landing.landing.publication", lid=PAGE)
        deliver_due(self.service.kernel)

    def set_metadata(self, **more: Any) -> Answer:
        params = {"lid": PAGE, "id": self.id, **more}
        return self.service.call("landyard.picture.update", params)

    def image(self) -> dict[str, str | None]:
        (found,) = find(self.service.get(PATH).text, "main img")
        return {name: found.attr(name) for name in ("alt", "style", "onerror")}


def test_the_metadata_of_a_picture_is_shown_and_listed(make_service: MakeService) -> None:
    shown = Shown(make_service, '<p><img src="{src}" style="border-width: 1px"></p>')
    assert shown.image()["alt"] is None

    assert shown.set_metadata(alt=HOSTILE, focus=[30, 60]).result is True
    image = shown.image()
    assert image["alt"] == HOSTILE.strip()
    assert str(image["style"]).replace(" ", "") == "border-width:1px;object-position:30%60%"
    assert image["onerror"] is None
    assert shown.service.result("landyard.picture.list", lid=PAGE) == [
        {
            "id": shown.id,
            "lid": PAGE,
            "src": shown.src,
            "width": 300,
            "height": 200,
            "widths": [100, 200, 300],
            "alt": HOSTILE.strip(),
            "focus": [30, 60],
        }
    ]
    assert shown.set_metadata(focus=[]).result is True
    assert shown.image()["alt"] == HOSTILE.strip()
    assert "object-position" not in str(shown.image()["style"])


@on_sqlite
def test_a_sites_pictures_are_listed_with_the_pages_that_use_them(
    make_service: MakeService,
) -> None:
    shown = Shown(make_service, '<p><img src="{src}"></p>')
    other = {"id": 20, "site": 8, "code": "other", "title": "Other"}
    own = {"id": 2000, "code": "ly.text", "content": f'<p><img src="{shown.src}"></p>'}
    shown.service.load(
        {
            "sites": [{"id": 8, "code": "other", "title": "Other"}],
            "pages": [{**other, "blocks": [own]}],
        }
    )

    def listed(page_id: int, **more: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = shown.service.result(
            "landyard.picture.list", lid=page_id, **more
        )
        return found

    (found,) = listed(11, whole_site=True)
    assert (found["id"], found["lid"], found["pages"]) == (shown.id, PAGE, [PAGE])
    assert "pages" not in listed(PAGE)[0]
    assert listed(11) == listed(20, whole_site=True) == []
    assert [len(listed(11, whole_site=True, find=part)) for part in ("OAT", "_", "%")] == [1, 0, 0]


def test_only_pictures_of_visible_sites_are_listed(
    make_service: MakeService,
) -> None:
    shown = Shown(make_service, "<p></p>")
    content = f'<p><img src="{shown.src}"></p>'
    shown.service.load(
        {
            "users": [user(VIEWER, sites_access=True, rights={"7": ["view"]})],
            "sites": [{"id": each, "code": f"site{each}", "title": "Other"} for each in (8, 9)],
            "pages": [
                {
                    "id": each * 10,
                    "site": each,
                    "code": "other",
                    "title": "Other",
                    "blocks": [{"id": each * 100, "code": "ly.text", "content": content}],
                }
                for each in (8, 9)
            ],
        }
    )
    other = upload(shown.service, encoded(drawn()), "secret.png", block=900).result

    def listed(user_id: int, **more: Any) -> list[tuple[int, list[int]]]:
        sent = {"lid": PAGE, "every_site": True, **more}
        answer = shown.service.call("landyard.picture.list", sent, **as_user(user_id))
        return [(each["id"], each["pages"]) for each in answer.result]

    assert listed(1) == [(other["id"], []), (shown.id, [80, 90])]
    assert listed(VIEWER) == [(shown.id, [])]
    assert listed(VIEWER, find="secret") == []
    shown.service.load({"users": [user(VIEWER, rights={"7": ["view"], "9": ["view"]})]})
    assert listed(VIEWER) == [(other["id"], []), (shown.id, [90])]


@on_sqlite
def test_the_blocks_own_text_wins(make_service: MakeService) -> None:
    html = '<p><img src="{src}" alt="Mine" style="object-position: top"></p>'
    shown = Shown(make_service, html)
    shown.set_metadata(alt="Theirs", focus=[1, 2])

    image = shown.image()
    assert (image["alt"], "1%" in str(image["style"])) == ("Mine", False)


KEY = "0123456789abcdef0123456789abcdef"
KNOWN = {KEY: PictureFacts(0, 0, {}, "", "30% 60%")}
URL = f"background-image:url('/files/{KEY}/boat.png')"
BACKGROUNDS: dict[str, str] = {
    f'<div class="a" style="{URL}">': (
        f'<div class="a" style="{URL};background-position:30% 60%">'
    ),
    f'<div data-focus="middle" style="{URL};">': (
        f'<div data-focus="middle" style="{URL};background-position:30% 60%">'
    ),
    f'<div data-focus="left" style="{URL}">': f'<div data-focus="left" style="{URL}">',
    f'<div style="{URL};background-position:top">': f'<div style="{URL};background-position:top">',
    '<div style="background-image:url(/a.png)">': '<div style="background-image:url(/a.png)">',
}


@pytest.mark.parametrize("html", BACKGROUNDS)
def test_a_background_is_positioned_by_the_point_of_its_picture(html: str) -> None:
    assert with_variants(html, KNOWN, lazy=False) == BACKGROUNDS[html]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"focus": [1]}, "TYPE_ERROR"),
    ({"focus": [1, 2, 3]}, "TYPE_ERROR"),
    ({"focus": [101, 0]}, "TYPE_ERROR"),
    ({"focus": "left"}, "TYPE_ERROR"),
    ({"alt": ["x"]}, "TYPE_ERROR"),
    ({"alt": "x" * 1001}, "TYPE_ERROR"),
    ({"id": 999}, "PICTURE_NOT_FOUND"),
    ({"lid": 11}, "PICTURE_NOT_FOUND"),
    ({"lid": 99}, "LANDING_NOT_EXIST"),
]


@on_sqlite
def test_wrong_metadata_is_refused(make_service: MakeService) -> None:
    shown = Shown(make_service, '<p><img src="{src}"></p>')

    assert [shown.set_metadata(**more).error for more, _ in WRONG] == [code for _, code in WRONG]
    sent = {"lid": PAGE, "id": shown.id, "alt": "x"}
    refused = shown.service.call("landyard.picture.update", sent, **as_user(VIEWER))
    assert refused.error == "ACCESS_DENIED"
    listing = "landyard.picture.list", {"lid": PAGE}
    listed = shown.service.call(*listing, **as_user(VIEWER))
    assert [each["alt"] for each in listed.result] == [""]
    assert shown.service.call(*listing, **as_user(OUTSIDER)).error == "ACCESS_DENIED"
