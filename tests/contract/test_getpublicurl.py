"""`landing.landing.getpublicurl` answers the address of a page for visitors (contract 4.11;
P11).
"""

from typing import Any
from urllib.parse import urlsplit

import pytest
from conftest import MakeService
from contract.worlds import everything, page, tree
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from landyard.testing import Answer, Service
from landyard_public.page_lookup import page_at

URL = "landing.landing.getpublicurl"
BASE = "https://pages.example.org/base"
COMMON = "https://pages.example.org"


def _ask(service: Service, page_id: Any, **more: Any) -> Answer:
    return service.call(URL, {"lid": page_id, **more})


@pytest.mark.rule("P11", f"{URL} result", f"{URL} lid")
def test_P11_the_url_of_each_kind_of_page(make_service: MakeService) -> None:
    more = (page(21, folder=2), page(22, folder=2, rule="x"))
    service = make_service(world=tree(*more), public_base=f"{COMMON}/")
    before = everything(service)
    urls = [
        (10, f"{COMMON}/site-7/"),  # the main page
        (11, f"{COMMON}/site-7/catalog/"),  # a folder's index page
        (12, f"{COMMON}/site-7/catalog/page-12/"),
        (14, f"{COMMON}/site-7/page-14/"),
        (16, f"{COMMON}/site-7/"),  # with a RULE
        (17, f"{COMMON}/site-7/page-17/"),  # inactive
        (18, f"{COMMON}/site-7/page-18/"),  # never published
        (20, f"{COMMON}/site-8/"),
        (21, f"{COMMON}/site-7/catalog/inner/page-21/"),
        (22, f"{COMMON}/site-7/catalog/inner/"),  # a RULE inside of a folder
        (40, "https://shop.example/page-40/"),
    ]

    assert [(page_id, _ask(service, page_id).result) for page_id, _ in urls] == urls
    assert everything(service) == before


@pytest.mark.rule("P11")
def test_P11_a_main_page_inside_of_a_folder_has_its_sites_address(
    make_service: MakeService,
) -> None:
    service = make_service(world=tree(), public_base=BASE)
    service.result("landing.landing.move", {"lid": 10, "toFolderId": 2})

    assert _ask(service, 10).result == f"{BASE}/site-7/"


@pytest.mark.rule("P11")
def test_P11_the_url_leads_to_the_page(make_service: MakeService) -> None:
    service = make_service(world=tree())

    def status_of(page_id: int) -> int:
        return service.get(urls[page_id].path, host=urls[page_id].netloc).status_code

    urls = {
        page_id: urlsplit(_ask(service, page_id).result) for page_id in [10, 11, 12, 14, 20, 40]
    }
    answers = {page_id: [status_of(page_id)] for page_id in urls}
    for page_id in set(urls) - {10}:
        service.result("landing.landing.markDelete", lid=page_id)
        answers[page_id].append(status_of(page_id))

    assert answers == {page_id: [200] if page_id == 10 else [200, 404] for page_id in urls}


NASTY = [
    *("50%", "%2F", "%2e%2e", "%", "a b", "a?b", "a#b", "a\\b", "a;b=c", "a&b", "a+b", "..."),
    *("<script>", '"quoted"', "a\tb", "a\r\nb", "ключ", "日本", "é", "e\u0301", "😀", "a\u200bb"),
    *("rest", "REST", ":80", "@", "~", "a:b", "http:", "\x7f", "\x01", "a\u2028b", "xn--", "[::1]"),
]


@pytest.mark.rule("P11", "landing.landing.update fields.CODE")
@pytest.mark.parametrize("page_id", [12, 14, 40])
def test_P11_a_visitor_finds_the_page_whatever_its_code(
    make_service: MakeService, page_id: int
) -> None:
    service = make_service(world=tree())
    lost = []

    for code in NASTY:
        service.result("landing.landing.update", {"lid": page_id, "fields": {"CODE": code}})
        url = urlsplit(_ask(service, page_id).result)
        if service.get(url.path, host=url.netloc).status_code != 200:
            lost.append(code)

    assert lost == []


@pytest.fixture(scope="module")
def service(sqlite_file: Any) -> Any:
    with Service(world=tree()) as service:
        yield service


# All characters of a JSON call: no NUL (C3) and no half of a surrogate pair.
CODES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1)


@pytest.mark.rule("P11")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=120)
@given(code=CODES, page_id=st.sampled_from([12, 14, 40]))
@example(code="%25", page_id=14)
def test_P11_the_page_is_found_again_by_its_url(service: Service, code: str, page_id: int) -> None:
    """For any code that `update` accepts, `page_at` finds the page by the URL answered."""
    sent = {"lid": page_id, "fields": {"CODE": code}}
    if service.call("landing.landing.update", sent).error is not None:
        return  # empty, or one of the refused forms
    url = urlsplit(_ask(service, page_id).result)

    with service.kernel.store.session() as session:
        found = page_at(session.connection(), url.netloc, url.path)

    assert url.path.isascii()
    assert found == page_id
