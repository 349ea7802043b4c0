"""Any spelling of a site's domain is stored as the host that browsers send (P11)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import page, site, world
from tables import for_each

from landyard import WorldError
from landyard.testing import Service
from landyard_landing.sites.hosts import stored_host

SHOWN: dict[str, Any] = {"active": True, "published": True}
WORLD = world(
    page(10, title="Seven", code="about", **SHOWN),
    page(20, title="Eight", code="about", site=8, **SHOWN),
    sites=[site(8)],
)
SAME = {
    "müller.example": "xn--mller-kva.example",
    "MÜLLER.Example": "xn--mller-kva.example",
    "mu\u0308ller.example": "xn--mller-kva.example",
    "müller.example.": "xn--mller-kva.example",
    "\u202dmüller.example\u202c": "xn--mller-kva.example",
    "mül\u00adler\u200b.example": "xn--mller-kva.example",
    "XN--MLLER-KVA.example": "xn--mller-kva.example",
    "bäckerei.example:8080": "xn--bckerei-5wa.example:8080",
    "straße.example": "xn--strae-oqa.example",
    "пекарня.рф": "xn--80ajpngj0i.xn--p1ai",
    "مثال.example": "xn--mgbh0fb.example",
    "例え\u3002example": "xn--r8jz45g.example",
    "Shop.Example": "shop.example",
    "shop.example.": "shop.example",
    " shop.example ": "shop.example",
}
WRONG = [
    "a b",
    "http://müller.example/",
    "mül ler.example",
    "müller_x.example",
    "-ü.example",
    "..ü",
]

pytestmark = [
    pytest.mark.rule("P11"),
    pytest.mark.parametrize("database", ["sqlite"], indirect=True),
]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD, public_base="https://pages.example")


def _title(service: Service, host: str, path: str = "/about/") -> bool:
    return "<title>Eight" in service.get(path, host=host).text


@for_each("typed, sent", [*SAME.items()])
def test_a_domain_is_accepted_and_found_in_any_spelling(
    service: Service, typed: str, sent: str
) -> None:
    service.result("landing.site.update", id=8, fields={"DOMAIN_ID": typed})
    params = {"select": ["ID", "DOMAIN_NAME"], "filter": {"DOMAIN_NAME": typed.strip()}}
    rows = service.result("landing.site.getList", {"params": params})
    bare = sent.partition(":")[0]
    again = service.call("landing.site.add", fields={"TITLE": "x", "DOMAIN_ID": typed})

    assert [(row["ID"], row["DOMAIN_NAME"]) for row in rows] == [("8", sent)]
    assert again.error == "DOMAIN_EXIST"
    for host in (sent, sent.upper(), f"{bare}."):
        assert _title(service, host) == (host.lower().rstrip(".") == sent), host
    url = f"https://{typed.strip().partition(':')[0]}/about/"
    named = {"landingUrl": url, "siteId": 8}
    assert service.result("landing.landing.resolveIdByPublicUrl", named) == 20


@for_each("typed", WRONG)
def test_a_text_that_is_no_host_is_refused(service: Service, typed: str) -> None:
    answer = service.call("landing.site.update", id=8, fields={"DOMAIN_ID": typed})

    assert answer.error == "DOMAIN_IS_INCORRECT"


@for_each("typed, sent", [(typed, sent) for typed, sent in SAME.items() if not typed.isascii()])
def test_a_world_file_may_name_the_domain_in_unicode(
    service: Service, typed: str, sent: str
) -> None:
    service.load({"sites": [{"id": 8, "domain": typed}]})

    assert _title(service, sent)
    with pytest.raises(WorldError, match=r"sites\[0\]\.domain"):
        service.load({"sites": [{"id": 7, "domain": typed}]})
    assert stored_host(sent) == sent
