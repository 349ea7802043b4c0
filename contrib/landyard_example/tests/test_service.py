"""Tests of the job, the world file and the public page."""

from datetime import UTC, datetime

from landyard import Plugin
from landyard.testing import WEBHOOK, Service

import landyard_example

GUESTBOOK = Plugin("guestbook", landyard_example)
NOON = datetime(2027, 5, 1, 12, tzinfo=UTC)
WORLD = {
    "users": [{"id": 1, "name": "Ann"}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["guestbook"]}],
    "guestbook": [
        {"id": 7, "name": "Ann", "text": "Ahoy", "added_at": "2027-05-01T00:00:00Z"},
        {"id": 8, "name": "<b>", "text": "<script>1</script>", "added_at": "2027-05-02T00:00:00Z"},
    ],
}


def names(service: Service) -> list[str]:
    return [entry["name"] for entry in service.result("guestbook.list")]


def test_old_entries_are_forgotten() -> None:
    with Service([GUESTBOOK], world=WORLD, now=NOON, guestbook={"keep_days": 30}) as service:
        service.later(days=30)

        assert "guestbook.forget" in service.run_jobs()
        assert names(service) == ["<b>"]


def test_all_is_kept_where_the_setting_says_so() -> None:
    with Service([GUESTBOOK], world=WORLD, now=NOON, guestbook={"keep_days": 0}) as service:
        service.later(days=3000)
        service.run_jobs()

        assert len(names(service)) == 2


def test_the_world_file_brings_entries_and_tells_of_them() -> None:
    with Service([GUESTBOOK], world=WORLD) as service:
        dumped = service.dump()

    assert dumped["guestbook"] == WORLD["guestbook"]


def test_the_page_shows_the_entries_as_text() -> None:
    with Service([GUESTBOOK], world=WORLD) as service:
        page = service.get("/guestbook")

    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "<p>Ahoy<br>Ann, <time>2027-05-01</time></p>" in page.text
    assert "&lt;script&gt;1&lt;/script&gt;" in page.text
    assert "<br>&lt;b&gt;, " in page.text
    assert "<script" not in page.text


def test_the_page_of_an_empty_book() -> None:
    with Service([GUESTBOOK]) as service:
        assert "Nobody has written yet" in service.get("/guestbook").text
