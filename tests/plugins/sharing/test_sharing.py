"""A link shows the draft of a page to its holder, until it expires or is revoked."""

import re
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import EDITOR, as_user, page, user, world

import landyard_blocks
import landyard_content
import landyard_landing
import landyard_public
import landyard_sharing
import landyard_sitekit
from landyard.testing import Service

BASE = "https://base.example"
PLUGINS = [
    landyard_content,
    landyard_landing,
    landyard_public,
    landyard_sitekit,
    landyard_blocks,
    landyard_sharing,
]
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


def _open(service: Service, path: str) -> Any:
    """Follow a link as a browser does."""
    sent = service.get(path)
    if sent.status_code != 303:
        return sent
    kept = sent.headers["set-cookie"].partition(";")[0]
    return service.get(sent.headers["location"], cookie=kept)


def test_a_link_shows_the_draft_as_visitors_would_see_it(service: Service) -> None:
    answer = _open(service, _share(service)[1])

    assert answer.status_code == 200
    assert (">Not yet</h2>" in answer.text, "Never" in answer.text) == (True, False)
    assert "data-block" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"


def test_a_link_expires(service: Service) -> None:
    _, path = _share(service, hours=1)
    sent = service.get(path)
    kept = sent.headers["set-cookie"].partition(";")[0]
    service.later(hours=1)

    assert service.get(path).status_code == 410
    assert service.get(sent.headers["location"], cookie=kept).status_code == 410


def test_the_key_leaves_the_address_at_once_and_is_nowhere_in_the_page(service: Service) -> None:
    _, path = _share(service, hours=2)
    key = path.rpartition("=")[2]

    sent = service.get(path)
    header = {name: sent.headers[name] for name in ("referrer-policy", "cache-control")}
    cookie = sent.headers["set-cookie"]
    assert (sent.status_code, header) == (
        303,
        {"referrer-policy": "no-referrer", "cache-control": "no-store"},
    )
    assert key not in sent.headers["location"]
    assert re.search(
        r"; Path=/-/draft/\d+; Max-Age=7\d\d\d; HttpOnly; SameSite=Lax; Secure$", cookie
    )
    assert key not in _open(service, path).text


def test_a_draft_needs_its_own_key(service: Service) -> None:
    (link, path), (_, other) = _share(service), _share(service)
    key = other.rpartition("=")[2]

    for sent in ({}, {"cookie": f"landyard_draft={key}"}, {"cookie": "landyard_draft=none"}):
        assert service.get(f"/-/draft/{link}", **sent).status_code == 410
    for odd in ("/-/draft/abc", "/-/draft/0", f"/-/draft/{10**30}", "/-/draft/-1", "/-/draft/1/2"):
        assert service.get(odd, cookie=f"landyard_draft={key}").status_code in (404, 410)
    assert _open(service, path).status_code == 200


@pytest.mark.parametrize(
    "lost",
    [
        {"rights": {"*": ["view"]}},
        {"rights": {"*": ["edit"], "7": ["view"]}},
        {"sites_access": False},
        {"active": False},
    ],
)
def test_a_link_ends_with_its_makers_rights(service: Service, lost: dict[str, Any]) -> None:
    maker = user(EDITOR, sites_access=True, rights={"*": ["edit"], "7": ["view", "edit"]})
    service.load({"users": [maker]})
    path = service.result("landyard.draft.share", lid=10, **as_user(EDITOR))["url"][len(BASE) :]
    sent = service.get(path)
    kept = sent.headers["set-cookie"].partition(";")[0]
    assert service.get(sent.headers["location"], cookie=kept).status_code == 200

    service.load({"users": [maker | lost]})

    assert service.get(path).status_code == 410
    assert service.get(sent.headers["location"], cookie=kept).status_code == 410
    assert service.result("landyard.draft.links", lid=10) == []


@pytest.mark.parametrize("policy", ["unsafe-url", "no-referrer-when-downgrade", "UNSAFE-URL", ""])
def test_H3b_a_shared_draft_sends_its_address_to_no_other_server(
    service: Service, policy: str
) -> None:
    text = f'referrerpolicy="{policy}"'
    shown = f'<img src="https://a.example/x.png" {text}><iframe src="https://a.example/" {text}>'
    service.load(
        {
            "pages": [
                {
                    "id": 10,
                    "site": 7,
                    "blocks": [
                        {
                            "id": 100,
                            "code": "ly.text",
                            "content": f"<section>{shown}</iframe></section>",
                        }
                    ],
                }
            ]
        }
    )

    page = _open(service, _share(service)[1])

    assert "https://a.example/x.png" in page.text
    assert "referrerpolicy" not in page.text


def test_a_revoked_link_shows_nothing(service: Service) -> None:
    link, path = _share(service)

    assert service.result("landyard.draft.unshare", lid=10, ids=[link]) == 1
    assert _open(service, path).status_code == 410


def test_links_are_listed_without_their_addresses(service: Service) -> None:
    link, path = _share(service)
    listed = service.result("landyard.draft.links", lid=10)

    assert [each["id"] for each in listed] == [link]
    assert path.rpartition("=")[2] not in str(listed)


def test_an_invalid_link_shows_nothing(service: Service) -> None:
    assert service.get("/-/draft?key=none").status_code == 410


def test_a_user_who_may_not_edit_cannot_share(service: Service) -> None:
    answer = service.call("landyard.draft.share", lid=10, **as_user(EDITOR))

    assert answer.error == "ACCESS_DENIED"


def test_a_page_has_fifty_links_at_most(service: Service) -> None:
    for _ in range(50):
        _share(service)

    assert service.call("landyard.draft.share", lid=10).error == "TOO_MANY_LINKS"


def test_expired_links_are_deleted(service: Service) -> None:
    _share(service, hours=1)
    service.later(hours=2)
    service.run_jobs()

    assert service.result("landyard.draft.links", lid=10) == []


def test_links_to_a_missing_page_cannot_be_revoked(service: Service) -> None:
    answer = service.call("landyard.draft.unshare", {"lid": 99, "ids": [1]})

    assert answer.error == "LANDING_NOT_EXIST"
