"""How pages and files are served over HTTP (H4), and which blocks a page contains (B5)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import find, one_page, page, world

from landyard_public.assets import assets

PATH = "/site-7/page-10/"

# Headers do not depend on the database.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

COMMON = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
}


def _policy(header: str) -> dict[str, set[str]]:
    parts = [part.split() for part in header.split(";")]
    return {part[0]: set(part[1:]) for part in parts if part}


@pytest.mark.rule("H4")
def test_H4_pages_carry_headers(make_service: MakeService) -> None:
    answer = make_service(world=one_page()).get(PATH)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["etag"].startswith('"')
    assert "cache-control" in answer.headers
    assert COMMON.items() <= dict(answer.headers).items()


@pytest.mark.rule("H4")
def test_H4_the_pages_policy_allows_no_script(make_service: MakeService) -> None:
    policy = _policy(make_service(world=one_page()).get(PATH).headers["content-security-policy"])

    assert policy["default-src"] == {"'none'"}
    assert policy.get("script-src", {"'none'"}) == {"'none'"}
    assert policy.get("object-src", {"'none'"}) == {"'none'"}
    assert policy["base-uri"] == {"'none'"}
    assert policy["form-action"] == {"'none'"}
    assert policy["frame-ancestors"] == {"'none'"}


@pytest.mark.rule("H4")
@pytest.mark.parametrize("etags", ["{tag}", "W/{tag}", '"x", {tag}', "*"])
def test_H4_an_unchanged_page_is_not_sent_again(make_service: MakeService, etags: str) -> None:
    service = make_service(world=one_page())
    first = service.get(PATH)

    answer = service.get(PATH, **{"if-none-match": etags.format(tag=first.headers["etag"])})

    assert (answer.status_code, answer.content) == (304, b"")
    for name in ("etag", "cache-control", "content-security-policy"):
        assert answer.headers[name] == first.headers[name]


@pytest.mark.rule("H4")
def test_H4_a_new_version_has_a_new_tag(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    first = service.get(PATH).headers["etag"]

    service.load({"pages": [{"id": 10, "site": 7, "title": "Another"}]})

    answer = service.get(PATH, **{"if-none-match": first})
    assert (answer.status_code, answer.headers["etag"] == first) == (200, False)


@pytest.mark.rule("H4")
@pytest.mark.parametrize("path", [PATH, "/assets/landyard.css", "/nowhere/", "/assets/nowhere"])
def test_H4_HEAD_is_GET_without_the_body(make_service: MakeService, path: str) -> None:
    service = make_service(world=one_page())
    got = service.get(path)

    head = service.request("HEAD", path)

    assert (head.status_code, head.content) == (got.status_code, b"")
    ours = {"x-request-id"}
    assert {**head.headers} | dict.fromkeys(ours) == {**got.headers} | dict.fromkeys(ours)


@pytest.mark.parametrize("verb", ["POST", "PUT", "DELETE", "PATCH", "TRACE"])
def test_P11_pages_answer_only_GET_and_HEAD(make_service: MakeService, verb: str) -> None:
    answer = make_service(world=one_page()).request(verb, PATH)

    assert 400 <= answer.status_code < 500


@pytest.mark.rule("H4", "P11")
def test_P11_the_404_page(make_service: MakeService) -> None:
    answer = make_service(world=one_page()).get("/no<script>where/")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers
    assert COMMON.items() <= dict(answer.headers).items()
    assert "content-security-policy" in answer.headers
    assert find(answer.text, "script") == []


@pytest.mark.parametrize("path", ["/", "/nowhere/", "/site-7/nowhere/", "/files/no/such.png"])
def test_the_404_page_has_the_look_of_the_sites_and_a_way_on(
    make_service: MakeService, path: str
) -> None:
    shop = {**one_page(), "sites": [{"id": 7, "code": "site-7", "main_page": 10, "title": "A & B"}]}
    service = make_service(world=shop)
    lost, failed = service.get(path), service.request("POST", path)

    assert lost.status_code == 404
    assert "landyard.css" in lost.text
    assert ('<a href="/site-7/">A &amp; B</a>' in lost.text) is not path.startswith("/files")
    assert (failed.status_code, "svg+xml" in failed.text) == (405, True)


@pytest.mark.rule("H4")
def test_H4_every_asset_is_served_with_its_type(make_service: MakeService) -> None:
    service = make_service(world=one_page())

    for name, asset in assets().items():
        answer = service.get(f"/assets/{name}")

        assert (answer.status_code, answer.content) == (200, asset.content)
        kind = {"css": "text/css", "svg": "image/svg+xml"}.get(name.rpartition(".")[2], "")
        assert answer.headers["content-type"].startswith(kind)
        assert COMMON.items() <= dict(answer.headers).items()
        policy = _policy(answer.headers["content-security-policy"])
        assert policy["default-src"] == {"'none'"}
        assert "script-src" not in policy


@pytest.mark.parametrize(
    "path",
    ["nowhere", "", "../demo.json", "%2e%2e/demo.json", "..%2f..%2fweb.py", "%00", "pictures"],
)
def test_H4_only_assets_are_served_as_assets(make_service: MakeService, path: str) -> None:
    assert make_service(world=one_page()).get(f"/assets/{path}").status_code == 404


@pytest.mark.rule("H4")
def test_H4_an_unchanged_asset_is_not_sent_again(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    tag = service.get("/assets/landyard.css").headers["etag"]

    answer = service.get("/assets/landyard.css", **{"if-none-match": tag})

    assert (answer.status_code, answer.content) == (304, b"")


@pytest.mark.rule("B5")
def test_B5_a_page_contains_its_active_published_blocks_in_order(make_service: MakeService) -> None:
    def block(number: int, **more: Any) -> dict[str, Any]:
        content = f"<p>{number}</p>"
        return {
            "id": number,
            "code": "x.y",
            "content": content,
            "published_id": number + 1000,
            **more,
        }

    shown = page(
        10,
        block(1),
        block(2, published_sort=1),
        block(3, published_active=False),
        block(4, published_anchor="about"),
        block(5, deleted=True, active=False, published_active=True),
        {"id": 6, "code": "x.y", "content": "<p>6</p>"},
        active=True,
        published=True,
        title='<T> & "t"',
        description='<D> "d"',
    )
    html = make_service(world=world(shown)).get(PATH).text

    wrappers = find(html, ".block-wrapper")
    assert [(each.attr("id"), each.attr("class")) for each in wrappers] == [
        ("b1002", "block-wrapper block-x-y"),
        ("b1001", "block-wrapper block-x-y"),
        ("about", "block-wrapper block-x-y"),
        ("b1005", "block-wrapper block-x-y"),
    ]
    assert [each.text for each in find(html, "title")] == ['<T> & "t"']
    (description,) = find(html, "meta[name=description]")
    assert description.attr("content") == '<D> "d"'


def test_P12_additional_fields_win_over_title_and_description(make_service: MakeService) -> None:
    fields = {"METAOG_TITLE": "Og", "METAMAIN_DESCRIPTION": "Main", "METAOG_DESCRIPTION": "Og"}
    shown = page(10, active=True, published=True, title="T", additional_fields=fields)

    html = make_service(world=world(shown)).get(PATH).text

    assert [each.text for each in find(html, "title")] == ["Og"]
    assert find(html, "meta[name=description]")[0].attr("content") == "Main"
