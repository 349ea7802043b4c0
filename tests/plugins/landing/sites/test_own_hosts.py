"""No site gets a host of the service's own; such a host serves the sites without a domain (P11)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import everything, page, site, world
from tables import for_each

from landyard import WorldError
from landyard.testing import Service
from landyard_landing.sites.hosts import plain_host

SHOWN: dict[str, Any] = {"active": True, "published": True}
WORLD = world(
    page(10, title="Seven", code="about", **SHOWN),
    page(20, title="Eight", code="about", site=8, **SHOWN),
    sites=[site(8, domain="shop.example")],
)
SET: dict[str, Any] = {
    "public_base": "https://Pages.example:8443",
    "host": "10.1.2.3",
    "console": {"host": "Müller.example"},
}
OWN = [
    *("pages.example", "PAGES.example", "pages.example:8443", "pages.example:80"),
    *("pages.example.", "pages.example.:8443", "\uff50ages.example", "pages\u3002example"),
    *("10.1.2.3", "10.1.2.3:9", "10.66051", "0x0a010203", "::ffff:10.1.2.3"),
    *("müller.example", "xn--mller-kva.example", "MÜLLER.example:443", "mu\u0308ller.example"),
    *("localhost", "LocalHost:8000", "localhost.", "127.0.0.1", "127.0.0.1:8000", "127.0.0.1."),
    *("127.1", "127.8.8.8", "2130706433", "0x7f.0.0.1", "0.0.0.0", "0.0.0.0:80"),
    *(
        "[::1]",
        "[::1]:8000",
        "::1",
        "[0:0::1]",
        "[::]",
        "\uff11\uff12\uff17.0.0.1",
        "\uff11\uff12\uff17.0.0.1:80",
    ),
]
OTHERS = ["pages.example.org", "x.pages.example", "10.1.2.4", "localhost.example", "aa.localhost"]

pytestmark = [
    pytest.mark.rule("P11"),
    pytest.mark.parametrize("database", ["sqlite"], indirect=True),
]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD, **SET)


@for_each("host", OWN)
def test_no_call_gives_a_site_a_host_of_the_services_own(service: Service, host: str) -> None:
    before = everything(service)

    answers = [
        service.call("landing.site.update", id=8, fields={"DOMAIN_ID": host}),
        service.call("landing.site.add", fields={"TITLE": "x", "DOMAIN_ID": host}),
    ]

    assert [answer.error for answer in answers] == ["DOMAIN_DISABLE"] * 2
    assert everything(service) == before


@for_each("host", OTHERS)
def test_another_host_may_be_a_sites_domain(service: Service, host: str) -> None:
    assert service.result("landing.site.update", id=8, fields={"DOMAIN_ID": host})
    assert "<title>Eight" in service.get("/about/", host=f"{host}:8443").text


@for_each("host", [host.lower() for host in OWN if host.isascii() and "[" not in host])
def test_no_world_file_gives_a_site_a_host_of_the_services_own(service: Service, host: str) -> None:
    before = everything(service)

    with pytest.raises(WorldError, match=r"sites\[0\]\.domain"):
        service.load({"sites": [{"id": 8, "domain": host}]})
    assert everything(service) == before


def test_a_service_that_listens_everywhere_owns_each_of_its_addresses(
    make_service: MakeService,
) -> None:
    for here in ("0.0.0.0", "::"):
        service = make_service(world=WORLD, host=here, public_base="https://pages.example")

        for host in ("192.0.2.7", "192.0.2.7:80", "[2001:db8::1]"):
            answer = service.call("landing.site.update", id=8, fields={"DOMAIN_ID": host})
            assert answer.error == "DOMAIN_DISABLE"
        assert service.result("landing.site.update", id=8, fields={"DOMAIN_ID": "shop.example"})


@for_each("host", [host for host in OWN if host.isascii()])
def test_an_own_host_leads_to_no_site_that_has_it_as_its_domain(
    make_service: MakeService, host: str
) -> None:
    """The domain was stored before it became the service's own host."""
    before = make_service(world=WORLD, public_base="https://other.example")
    for domain in {plain_host(host), host.lower()} - {"localhost"}:
        try:
            before.load({"sites": [{"id": 8, "domain": domain}]})
        except WorldError:
            continue
        service = make_service(**SET)

        assert "<title>Seven" in service.get("/site-7/about/", host=host).text
        assert service.get("/about/", host=host).status_code == 404


def test_a_former_domain_that_is_the_services_own_redirects_no_visitor(
    make_service: MakeService,
) -> None:
    before = make_service(world=WORLD, public_base="https://other.example")
    for domain in ("pages.example", "shop.example"):
        before.load({"sites": [{"id": 8, "domain": domain}]})
    assert before.get("/about/", host="pages.example").status_code == 301

    assert make_service(**SET).get("/about/", host="pages.example").status_code == 404


def test_a_visitors_host_may_have_a_port_and_a_final_dot(service: Service) -> None:
    for host in ("shop.example:81", "Shop.example.", "shop.example.:8443"):
        assert "<title>Eight" in service.get("/about/", host=host).text
