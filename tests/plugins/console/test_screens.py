"""Screens of sites, files and forms show names in place of numbers, and only to permitted users."""

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

import pytest
import sqlalchemy as sa
from plugins.console.test_signing_in import BASE, Browser

from landyard.testing import Service
from landyard_console.sessions import CONSOLE

HOSTILE = '"><script>ran(1)</script>{{7*7}}'
EDITOR, VIEWER = 2, 3
CARD = '<li class="landing-block-card" data-type="text" data-name="a"></li>'


def form(title: str, label: str = "") -> str:
    return (
        f'<section><h2 class="landing-block-node-title">{escape(title)}</h2>'
        f'<div class="landing-block-node-form" aria-label="{escape(label)}">{CARD}</div></section>'
    )


FORMS = [form("Write to us"), form("Write to us"), form("", HOSTILE), form("")]
WORLD = {
    "users": [
        {"id": 1, "name": "Ann", "admin": True},
        {"id": EDITOR, "name": "Ben", "sites_access": True, "rights": {"1": ["edit"]}},
        {"id": VIEWER, "name": "Cem", "sites_access": True, "rights": {"1": ["view"]}},
    ],
    "sites": [
        {"id": 1, "code": "shop", "title": HOSTILE},
        {"id": 2, "code": "secret", "title": "Secret"},
    ],
    "pages": [
        {
            "id": 10,
            "site": 1,
            "code": "home",
            "title": "Home <page>",
            "active": True,
            "published": True,
            "blocks": [
                {"id": n, "code": "forms.form", "content": content, "published_id": 90 + n}
                for n, content in enumerate(FORMS, 1)
            ],
        },
        {"id": 20, "site": 2, "code": "home", "title": "Hidden", "blocks": [{"code": "ly.text"}]},
    ],
}
USED = f"/files/{0:032x}/own.png"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service(world=WORLD, public_base=BASE) as service:
        with service.kernel.store.session(writes=True) as session:
            for number, (page, name) in enumerate([(10, "own.png"), (20, "secret.png")]):
                _file(session, number, page, name)
            for form_id in (91, 94, 800, 801):
                _sent(session, form_id)
            fields = json.dumps({"METAOG_IMAGE": USED})
            session.execute(
                sa.text("update landing_site set additional_fields = :fields"), {"fields": fields}
            )
        yield service


def _file(session: Any, number: int, page: int, name: str) -> None:
    session.execute(
        sa.text(
            "insert into landing_file (key, name, type, size, page_id, block_id, temporary,"
            " created_at, created_by) values (:key, :name, 'image/png', 9, :page, 0, 0,"
            " '2026-01-01 00:00:00.000000', 1)"
        ),
        {"key": f"{number:032x}", "name": name, "page": page},
    )


def _sent(session: Any, form_id: int) -> None:
    session.execute(
        sa.text(
            "insert into forms_submission (form_id, page_id, sent_at, answers, consent, sender,"
            " digest, likeness, size) values (:form, 10, '2026-01-01 00:00:00.000000',"
            " '[]', '', '', '', '', 0)"
        ),
        {"form": form_id},
    )


def opened(service: Service, path: str, user: int = 1) -> str:
    browser = Browser(service)
    browser.follow(user)
    return browser.open(f"{CONSOLE}/{path}").text


def test_forms_are_called_by_their_names(service: Service) -> None:
    page = opened(service, "submissions/10")

    chips = re.findall(r"form=\d+\"[^>]*><bdi>(.*?)</bdi> \((\d)\)", page)
    assert chips == [
        ("Write to us", "1"),
        ("Write to us, 2", "0"),
        (escape(HOSTILE).replace("&quot;", "&#34;"), "0"),
        ("Home &lt;page&gt;", "1"),
        ("A form that is gone", "1"),
        ("A form that is gone, 2", "1"),
    ]
    assert "<small>Form: <bdi>Write to us</bdi></small>" in page
    assert "Form: <bdi>" not in opened(service, "submissions/10?form=91")


def test_an_editors_library_lists_files_the_editor_may_view(service: Service) -> None:
    every, own = opened(service, "library"), opened(service, "library", EDITOR)

    assert ("own.png" in own, "secret" in own.lower()) == (True, False)
    assert ("secret.png" in every, '<a href="/-/console/pages/2">Secret</a>' in every) == (
        True,
    ) * 2
    assert '<a href="/-/console/pages/1">&#34;&gt;&lt;script&gt;' in own


def test_the_library_offers_no_action_that_is_not_permitted(service: Service) -> None:
    def offered(user: int) -> list[bool]:
        page = opened(service, "library", user)
        calls = ("landyard.picture.update", "library/replace/", "library/upload")
        return [each in page for each in calls]

    assert [offered(user) for user in (1, EDITOR, VIEWER)] == [
        [True, True, True],
        [True, False, True],
        [False, False, True],
    ]
    assert 'data-state="lost"' in opened(service, "library/replace/1?page=10", EDITOR)
    dialogs = [opened(service, "library/upload", user) for user in (EDITOR, VIEWER)]
    assert [each.count("<option") for each in dialogs] == [1, 0]
    assert "There is none that you may edit." in dialogs[1]


def test_the_editor_knows_whether_its_user_may_list_all_users(service: Service) -> None:
    pages = [opened(service, "editor/10", user) for user in (1, EDITOR)]

    assert ['data-users="Y"' in each for each in pages] == [True, False]


def test_the_trash_hides_sites_that_the_user_may_not_view(service: Service) -> None:
    browser = Browser(service)
    browser.follow()
    browser.call("landing.site.markDelete", {"id": 2})

    shown = [opened(service, "pages/2", user) for user in (1, EDITOR)]
    trees = [opened(service, "pages", user) for user in (1, EDITOR)]
    dialogs = [opened(service, f"pages/{each}/2") for each in ("site", "site-trash")]
    browser.call("landing.site.markUnDelete", {"id": 2})

    assert ["“Secret” is in the trash" in each for each in shown] == [True, False]
    assert ['data-state="lost"' in each for each in (*shown, *dialogs)] == [False, *[True] * 3]
    assert ["Sites in the trash" in each for each in trees] == [True, False]


@pytest.mark.parametrize("path", ["audit/export", "submissions/10/export"])
def test_spreadsheets_read_exported_tables_as_utf_8(service: Service, path: str) -> None:
    browser = Browser(service)
    browser.follow()

    file = browser.open(f"{CONSOLE}/{path}")

    assert file.content.startswith(b'\xef\xbb\xbf"')
    assert file.headers["content-type"] == "text/csv; charset=utf-8"
