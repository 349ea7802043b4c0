"""The addresses of the documents, as browsers and client generators ask for them."""

from collections.abc import Iterator

import pytest

import landyard_describe
from landyard.testing import Service
from landyard_describe.explorer import PAGE, assets


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service([landyard_describe]) as service:
        yield service


@pytest.mark.parametrize("path", ["/openapi.json", "/openrpc.json"])
def test_any_origin_may_read_a_document(service: Service, path: str) -> None:
    answer = service.get(path)

    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Content-Type"].startswith("application/json")
    assert answer.json()["info"]["title"] == "Landyard"
    assert service.request("HEAD", path).content == b""


@pytest.mark.parametrize("path", ["/openapi.json", *(PAGE + name for name in sorted(assets()))])
@pytest.mark.parametrize("accepted", ["gzip, br", "identity"])
def test_a_document_is_compressed_for_clients_that_accept_it(
    service: Service, path: str, accepted: str
) -> None:
    answer = service.get(path, **{"Accept-Encoding": accepted})
    plain = service.get(path, **{"Accept-Encoding": "identity"})

    assert answer.status_code == 200
    assert ("Content-Encoding" in answer.headers) is accepted.startswith("gzip")
    assert answer.content == plain.content


@pytest.mark.parametrize(
    "path", ["/explorer.js", "/0123456789abcdef/explorer.js", "/../methods.py", "/page.html"]
)
def test_other_addresses_are_not_served(service: Service, path: str) -> None:
    assert service.get(PAGE + path).status_code == 404
