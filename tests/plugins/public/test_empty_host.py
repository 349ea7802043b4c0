"""A request with an empty `Host` is answered as any other: HTTP/1.1 allows one (RFC 9112, 3.2)."""

import pytest
from conftest import MakeService

KEY = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("path", ["/assets/none.css", f"/files/{KEY}/none.png", "/none/"])
def test_what_is_not_there_is_not_found(make_service: MakeService, path: str) -> None:
    assert make_service().get(path, host="").status_code == 404
