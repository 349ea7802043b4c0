"""Pages that changed their addresses are found at the old ones; callers may add redirects of their
own.
"""

from typing import Any
from urllib.parse import quote

import pytest
from conftest import MakeService
from contract.worlds import EDITOR, as_user, page, site, user, world

import landyard_blocks
import landyard_content
import landyard_landing
import landyard_pages
import landyard_public
import landyard_redirects
import landyard_sitekit
import landyard_sites
from landyard.testing import Service
from landyard_redirects.sweeping import KEPT

BASE = "https://base.example"
SHOWN: dict[str, Any] = {"active": True, "published": True}
HERE = "/site-7/"
PLUGINS = [
    *(
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_blocks,
        landyard_pages,
        landyard_sites,
    ),
    landyard_redirects,
]


def _service(make_service: MakeService, **more: Any) -> Service:
    built = world(
        page(10, **SHOWN, code="home"),
        page(11, **SHOWN, code="about"),
        page(12, **SHOWN, code="boat", folder=1),
        page(13, **SHOWN, code="quay", folder=1),
        page(30, **SHOWN, code="shop", site=8),
        page(31, **SHOWN, code="left", site=8),
        sites=[site(8, domain="shop.example", main_page=30)],
        folders=[
            {"id": 1, "site": 7, "code": "fleet", "index_page": 13},
            {"id": 2, "site": 7, "code": "years"},
        ],
        users=[user(EDITOR, sites_access=True, rights={"*": ["view", "edit"]})],
        **more,
    )
    built["sites"][0] |= {"main_page": 10}
    return make_service(PLUGINS, world=built, public_base=BASE)


def _leads(service: Service, path: str, host: str = "base.example") -> tuple[int, str]:
    answer = service.get(path, host=host)
    return answer.status_code, answer.headers.get("location", "")


def _rename(service: Service, page_id: int, code: str) -> None:
    service.result("landing.landing.update", lid=page_id, fields={"CODE": code})


def _folder(service: Service, folder_id: int, **fields: Any) -> None:
    named = {"siteId": 7, "folderId": folder_id, "fields": fields}
    service.result("landing.site.updateFolder", named)


def test_a_page_is_found_at_each_of_its_old_addresses_with_one_redirect(
    make_service: MakeService,
) -> None:
    service = _service(make_service)
    for code in ("who", "who-we-are", "us"):
        _rename(service, 11, code)

    assert _leads(service, f"{HERE}us/") == (200, "")
    for old in ("about", "who", "who-we-are"):
        assert _leads(service, f"{HERE}{old}/") == (301, f"{HERE}us/")
    assert _leads(service, f"{HERE}about?x=1&y=%2F") == (301, f"{HERE}us/?x=1&y=%2F")
    answer = service.get(f"{HERE}about/", host="base.example")
    assert answer.headers["cache-control"] == "public, max-age=0, must-revalidate"


def test_a_new_page_at_an_old_address_is_shown_there(make_service: MakeService) -> None:
    service = _service(make_service)
    _rename(service, 11, "us")
    _rename(service, 10, "about")

    assert _leads(service, f"{HERE}about/") == (200, "")
    _rename(service, 10, "home")
    assert _leads(service, f"{HERE}about/") == (301, HERE)  # the last page that was there


def test_an_old_address_works_while_visitors_may_see_the_page(make_service: MakeService) -> None:
    service = _service(make_service)
    _rename(service, 11, "us")
    service.result("landing.landing.unpublic", lid=11)
    assert _leads(service, f"{HERE}about/") == (404, "")

    service.result("landing.landing.publication", lid=11)
    assert _leads(service, f"{HERE}about/") == (301, f"{HERE}us/")
    service.result("landing.landing.markDelete", lid=11)
    assert _leads(service, f"{HERE}about/") == (404, "")


def test_old_addresses_of_pages_in_a_renamed_folder_work(make_service: MakeService) -> None:
    service = _service(make_service)
    _folder(service, 1, CODE="boats")
    _rename(service, 12, "dinghy")
    _folder(service, 1, CODE="b&b", PARENT_ID=2)

    now = f"{HERE}years/{quote('b&b')}/"
    for old in ("fleet/boat", "boats/boat", "boats/dinghy", "years/b%26b/boat"):
        assert _leads(service, f"{HERE}{old}/") == (301, f"{now}dinghy/"), old
    for old in ("fleet", "boats", "fleet/quay"):
        assert _leads(service, f"{HERE}{old}/") == (301, now), old
    assert _leads(service, f"{HERE}fleet/none/") == (404, "")


def test_a_page_moved_to_another_site_is_found_there(make_service: MakeService) -> None:
    service = _service(make_service)
    service.result("landing.landing.move", lid=12, toSiteId=8)

    assert _leads(service, f"{HERE}fleet/boat/") == (301, "https://shop.example/boat/")
    service.result("landing.landing.move", lid=31, toSiteId=7)
    assert _leads(service, "/left/", host="shop.example:8080") == (301, f"{BASE}{HERE}left/")


def test_a_site_is_found_by_its_old_code_and_domain(make_service: MakeService) -> None:
    service = _service(make_service)
    service.result("landing.site.update", id=7, fields={"CODE": "quay"})
    assert _leads(service, "/site-7/about/") == (301, "/quay/about/")
    assert _leads(service, "/site-7/") == (301, "/quay/")

    service.result("landing.site.update", id=7, fields={"DOMAIN_ID": "quay.example"})
    assert _leads(service, "/site-7/about/") == (301, "https://quay.example/about/")
    assert _leads(service, "/quay/") == (301, "https://quay.example/")

    service.result("landing.site.update", id=8, fields={"DOMAIN_ID": "new.example"})
    assert _leads(service, "/left/", host="shop.example") == (301, "https://new.example/left/")
    assert _leads(service, "/", host="shop.example:81") == (301, "https://new.example/")
    service.result("landing.site.update", id=8, fields={"DOMAIN_ID": ""})
    assert _leads(service, "/left/", host="shop.example") == (301, f"{BASE}/site-8/left/")
    assert _leads(service, "/left/", host="other.example") == (404, "")


def test_a_draft_that_was_never_public_leaves_no_redirect(make_service: MakeService) -> None:
    service = _service(make_service)
    service.load({"pages": [page(14, code="draft")]})
    _rename(service, 14, "renamed")

    assert service.result("landyard.redirect.list", siteId=7) == []


@pytest.mark.parametrize(
    "link", [f"{HERE}draft/", f"{HERE}draft", f"{BASE}{HERE}draft/?x=1#top", "draft/"]
)
def test_a_linked_draft_is_found_at_its_old_address(make_service: MakeService, link: str) -> None:
    service = _service(make_service)
    linking = {"id": 150, "code": "ly.text", "content": f'<p><a href="{link}">Here</a></p>'}
    service.load({"pages": [page(14, code="draft"), page(15, linking, code="menu")]})
    _rename(service, 14, "renamed")
    _rename(service, 14, "again")
    service.result("landing.landing.publication", lid=14)

    assert _leads(service, f"{HERE}draft/") == (301, f"{HERE}again/")
    assert _leads(service, f"{HERE}renamed/") == (404, "")  # nothing linked to this address


def test_a_refused_change_leaves_no_redirect(make_service: MakeService) -> None:
    service = _service(make_service)
    params = {"lid": 11, "fields": {"CODE": "us", "FOLDER_ID": 99}}

    assert service.call("landing.landing.update", params).error
    assert service.result("landyard.redirect.list", siteId=7) == []


def test_addresses_are_added_listed_and_removed(make_service: MakeService) -> None:
    service = _service(make_service)
    added = {
        path: service.result("landyard.redirect.add", {"siteId": 7, "from": path, "lid": 12})
        for path in ("/old/page.html", "caf%C3%A9?x=1#y", "/a/ä/")
    }

    for path in ("old/page.html", "old/page.html/", "caf%C3%A9/", "caf%c3%a9", "a/%C3%A4"):
        assert _leads(service, HERE + path) == (301, f"{HERE}fleet/boat/"), path
    assert _leads(service, f"{HERE}old/") == (404, "")
    listed = service.result("landyard.redirect.list", siteId=7)
    assert [each["from"] for each in listed] == ["a/%C3%A4", "caf%C3%A9", "old/page.html"]
    assert listed[0] == {
        "id": added["/a/ä/"],
        "kind": "path",
        "from": "a/%C3%A4",
        "parent": 0,
        "target": 12,
    }
    renewed = {"siteId": 7, "from": "old/page.html", "lid": 11}
    service.result("landyard.redirect.add", renewed)
    assert _leads(service, f"{HERE}old/page.html") == (301, f"{HERE}about/")
    ids = [each["id"] for each in service.result("landyard.redirect.list", siteId=7)]
    assert service.result("landyard.redirect.remove", siteId=8, ids=ids) == 0
    assert service.result("landyard.redirect.remove", siteId=7, ids=ids) == 3
    assert _leads(service, f"{HERE}old/page.html") == (404, "")


WRONG = ["", "/", "//", "/a//b", "/a/%00", "http://[", "x/" * 21, "x" * 2001]


@pytest.mark.parametrize("path", WRONG)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_text_that_is_no_path_is_refused(make_service: MakeService, path: str) -> None:
    answer = _service(make_service).call(
        "landyard.redirect.add", {"siteId": 7, "from": path, "lid": 11}
    )

    assert answer.error in {"TYPE_ERROR", "MISSING_PARAMS"}


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list", {}),
    ("add", {"from": "/x", "lid": 11}),
    ("remove", {"ids": [1]}),
]


@pytest.mark.parametrize(("name", "more"), CALLS)
def test_a_caller_who_may_not_change_settings_is_refused(
    make_service: MakeService, name: str, more: dict[str, Any]
) -> None:
    service = _service(make_service)
    method = f"landyard.redirect.{name}"

    assert service.call(method, {"siteId": 7, **more}, **as_user(EDITOR)).error == "ACCESS_DENIED"
    assert service.call(method, {"siteId": 99, **more}).error == "SITE_NOT_FOUND"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_redirect_leads_to_no_page_that_its_author_may_not_see(
    make_service: MakeService,
) -> None:
    params = {"siteId": 7, "from": "/x", "lid": 99}

    assert _service(make_service).call("landyard.redirect.add", params).error == "LANDING_NOT_EXIST"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_number_of_a_sites_own_redirects_is_limited(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard_redirects.methods._MOST", 2)
    service = _service(make_service)
    sent = [{"siteId": 7, "from": path, "lid": 10} for path in ("/x", "/y", "/x", "/z")]
    answers = [service.call("landyard.redirect.add", each).error for each in sent]

    # the second redirect from /x replaces the first
    assert answers == [None, None, None, "TOO_MANY_REDIRECTS"]
    assert _leads(service, "/z") == (404, "")


def test_outdated_and_surplus_redirects_are_deleted(make_service: MakeService) -> None:
    service = _service(make_service)
    for number in range(KEPT + 3):
        _rename(service, 11, f"about-{number}")
    _rename(service, 12, "dinghy")
    service.result("landing.landing.markDelete", lid=12)
    service.result("landing.landing.delete", lid=12)
    service.run_jobs()

    assert _leads(service, f"{HERE}about/") == (404, "")
    assert _leads(service, f"{HERE}about-5/") == (301, f"{HERE}about-{KEPT + 2}/")
    listed = service.result("landyard.redirect.list", siteId=7)
    assert {each["target"] for each in listed} == {11}


HOSTILE = [
    *("/%", "/%00", "/site-7/%2F", "/site-7/" + "a/" * 200, "/site-7/" + "x" * 5000),
    *("/site-7/'; DROP TABLE x", "/site-7/%ff%fe", "/..%2f..", "//evil.example/x"),
]


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_addresses_are_redirected_nowhere(make_service: MakeService, path: str) -> None:
    assert _leads(_service(make_service), path) == (404, "")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_code_cannot_redirect_to_another_host(make_service: MakeService) -> None:
    service = _service(make_service)
    service.load({"pages": [page(11, **SHOWN, code="\\evil.example\r\nX: y")]})

    status, location = _leads(service, f"{HERE}about/")
    assert (status, location.startswith(HERE), "\n" in location) == (301, True, False)
