"""The field `LANG` of sites."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import everything, world

from landyard.testing import Service

ADD, UPDATE = "landing.site.add", "landing.site.update"


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=world())


@pytest.mark.parametrize(("sent", "stored_as"), [("PT-br", "pt-BR"), ("ar", "ar"), ("", "en")])
def test_a_sites_language_is_stored_in_the_standard_spelling(
    service: Service, sent: str, stored_as: str
) -> None:
    made = service.result(ADD, fields={"TITLE": "New", "LANG": sent})
    service.result(UPDATE, id=7, fields={"LANG": sent})

    rows = service.result("landing.site.getList", {"params": {"select": ["ID", "LANG"]}})
    listed = {row["ID"]: row["LANG"] for row in rows}
    assert (listed["7"], listed[str(made)]) == (stored_as, stored_as)


@pytest.mark.parametrize("tag", ["english", "en_GB", 'de"><script>', 5])
def test_a_text_that_is_no_language_is_refused(service: Service, tag: Any) -> None:
    before = everything(service)

    answers = (
        service.call(ADD, fields={"TITLE": "New", "LANG": tag}),
        service.call(UPDATE, id=7, fields={"TITLE": "New", "LANG": tag}),
    )

    assert [answer.error for answer in answers] == ["ACCESS_DENIED", "ACCESS_DENIED"]
    assert everything(service) == before
