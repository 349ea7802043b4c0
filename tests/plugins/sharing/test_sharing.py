"""A link shows the draft of a page to who has it, until it expires or is taken back."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import EDITOR, as_user, page, user, world

import landyard_blocks
import landyard_landing
import landyard_sharing
from landyard_checks.testing import Service

BASE = "https://base.example"
PLUGINS = [landyard_landing, landyard_blocks, landyard_sharing]
DRAFT = '<section class="landing-block"><h2 class="landing-block-node-title">Not yet</h2></section>'
HIDDEN = DRAFT.replace("Not yet", "Never")


@pytest.fixture
def service(make_service: MakeService) -> Service:
    blocks = [
        {"id": 100, "code": "ly.text", "content": DRAFT},
        {"id": 101, "code": "ly.text", "content": HIDDEN, "active": False},
    ]
    built = world(
        page(10, blocks=blocks),
        users=[user(EDITOR, sites_access=True, rights={"*": ["view"]})],
    )
    return make_service(PLUGINS, world=built, public_base=BASE)


def _share(service: Service, **params: Any) -> tuple[int, str]:
    made = service.result("landyard.draft.share", lid=10, **params)
    assert made["url"].startswith(f"{BASE}/-/draft?key=")
    return made["id"], made["url"].removeprefix(BASE)


def test_a_link_shows_the_draft_as_visitors_would_see_it(service: Service) -> None:
    answer = service.get(_share(service)[1])

    assert answer.status_code == 200
    assert (">Not yet</h2>" in answer.text, "Never" in answer.text) == (True, False)
    assert "data-block" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"


def test_a_link_expires(service: Service) -> None:
    _, path = _share(service, hours=1)
    service.later(hours=1)

    assert service.get(path).status_code == 410


def test_a_link_that_is_taken_back_shows_nothing(service: Service) -> None:
    link, path = _share(service)

    assert service.result("landyard.draft.unshare", lid=10, ids=[link]) == 1
    assert service.get(path).status_code == 410


def test_links_are_listed_without_their_addresses(service: Service) -> None:
    link, path = _share(service)
    listed = service.result("landyard.draft.links", lid=10)

    assert [each["id"] for each in listed] == [link]
    assert path.rpartition("=")[2] not in str(listed)


def test_what_is_no_link_shows_nothing(service: Service) -> None:
    assert service.get("/-/draft?key=none").status_code == 410


def test_who_may_not_edit_shares_nothing(service: Service) -> None:
    answer = service.call("landyard.draft.share", lid=10, **as_user(EDITOR))

    assert answer.error == "ACCESS_DENIED"


def test_a_page_has_fifty_links_at_most(service: Service) -> None:
    for _ in range(50):
        _share(service)

    assert service.call("landyard.draft.share", lid=10).error == "TOO_MANY_LINKS"


def test_expired_links_are_forgotten(service: Service) -> None:
    _share(service, hours=1)
    service.later(hours=2)
    service.run_jobs()

    assert service.result("landyard.draft.links", lid=10) == []


def test_links_to_a_page_that_is_not_there_are_not_taken_back(service: Service) -> None:
    answer = service.call("landyard.draft.unshare", {"lid": 99, "ids": [1]})

    assert answer.error == "LANDING_NOT_EXIST"
