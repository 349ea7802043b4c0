"""A renamed page from a template shows its own title, whichever method made it."""

import json
from typing import Any

import pytest
from alembic import command
from conftest import MakeService
from contract.templates import SEO, template, templates_world
from contract.worlds import SITE, find, page, stored, world

from landyard.storage.schema import alembic_config
from landyard.testing import Service
from landyard_authoring.database import drift

pytestmark = pytest.mark.rule("P11", "P12")
UPDATE = "landing.landing.update"
OWN = ("Croissants", "Croissants", None, None)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=templates_world())


def made(service: Service, code: str = "promo", **fields: Any) -> int:
    sent = {"siteId": SITE, "code": code, "fields": fields}
    found = service.result("landing.landing.addByTemplate", sent)
    assert isinstance(found, int)
    return found


def change(service: Service, page_id: int, **fields: Any) -> None:
    assert service.result(UPDATE, {"lid": page_id, "fields": fields}) is True


def shown(service: Service, page_id: int) -> tuple[str | None, ...]:
    """Publish a page; return its title, shared title, description, and shared description."""
    service.result("landing.landing.publication", {"lid": page_id})
    url = service.result("landing.landing.getPublicUrl", {"lid": page_id})
    html = service.get("/" + url.partition("//")[2].partition("/")[2]).text
    metas = {
        str(each.attr("name") or each.attr("property")): each.attr("content")
        for each in find(html, "meta")
    }
    names = ("og:title", "description", "og:description")
    return find(html, "title")[0].text, *(metas.get(name) for name in names)


def search_texts(service: Service, page_id: int) -> list[str | None]:
    """The texts for search engines as a list of pages answers them."""
    params = {"filter": {"ID": page_id}, "select": ["TITLE"], "get_metadata": True}
    (row,) = service.result("landing.landing.getList", {"params": params})
    names = ("METAMAIN_TITLE", "METAOG_TITLE", "METAMAIN_DESCRIPTION", "METAOG_DESCRIPTION")
    return [row[name] for name in names]


def test_a_page_that_was_not_renamed_has_the_texts_of_its_template(service: Service) -> None:
    page_id = made(service)

    assert shown(service, page_id) == ("Main", "Og", "Main told", "Og told")
    assert search_texts(service, page_id) == ["Main", "Og", "Main told", "Og told"]


def test_a_renamed_page_shows_its_own_title(service: Service) -> None:
    page_id = made(service)

    change(service, page_id, TITLE="Croissants")

    assert shown(service, page_id) == OWN
    assert search_texts(service, page_id) == ["", "", "", ""]
    (row,) = stored(service, "landing_page", id=page_id)
    assert row["additional_fields"] == SEO  # the stored fields stay as the contract defines them


def test_a_page_named_at_its_creation_has_no_description_of_the_template(
    service: Service,
) -> None:
    assert shown(service, made(service, TITLE="Croissants")) == OWN


def test_a_page_named_at_its_creation_can_be_renamed(service: Service) -> None:
    page_id = made(service, TITLE="Rolls")

    change(service, page_id, TITLE="Croissants")

    assert shown(service, page_id) == OWN


def test_a_description_sent_at_the_creation_is_the_pages_own(service: Service) -> None:
    page_id = made(service, TITLE="Rolls", DESCRIPTION="Fresh")

    change(service, page_id, TITLE="Croissants")

    assert shown(service, page_id) == ("Croissants", "Croissants", "Fresh", "Fresh")


def test_a_title_set_by_a_caller_stays_when_the_page_is_renamed(service: Service) -> None:
    page_id = made(service)
    change(service, page_id, ADDITIONAL_FIELDS={"METAMAIN_TITLE": "Crisp"})
    assert shown(service, page_id) == ("Crisp", "Crisp", None, None)

    change(service, page_id, TITLE="Croissants")
    change(service, page_id, ADDITIONAL_FIELDS={"METAOG_DESCRIPTION": "Buttery"})

    assert shown(service, page_id) == ("Crisp", "Crisp", "Buttery", "Buttery")
    assert search_texts(service, page_id) == ["Crisp", "", "", "Buttery"]


def test_a_description_from_the_template_is_replaced_too(
    make_service: MakeService,
) -> None:
    fields = {"DESCRIPTION": "The template's", "ADDITIONAL_FIELDS": None}
    service = make_service(world=templates_world(template(fields=fields)))
    page_id, other = made(service), made(service)

    change(service, page_id, TITLE="Croissants")
    change(service, other, DESCRIPTION="Mine")

    assert shown(service, page_id) == OWN
    assert shown(service, other) == ("Promo", "Promo", "Mine", "Mine")


def test_an_empty_page_has_its_own_texts(service: Service) -> None:
    own = {"METAMAIN_TITLE": "Crisp"}
    fields = {"TITLE": "Rolls", "SITE_ID": SITE, "ADDITIONAL_FIELDS": own}
    page_id = service.result("landing.landing.add", {"fields": fields})

    change(service, page_id, TITLE="Croissants")

    assert shown(service, page_id) == ("Crisp", "Crisp", None, None)


def test_a_copy_of_a_page_can_be_renamed(service: Service) -> None:
    copy = service.result("landing.landing.copy", {"lid": made(service), "toSiteId": SITE})

    change(service, copy, TITLE="Croissants")

    assert shown(service, copy) == OWN


def test_undoing_a_renaming_restores_the_shown_title(service: Service) -> None:
    page_id = made(service)
    renamed = service.call(UPDATE, {"lid": page_id, "fields": {"TITLE": "Croissants"}})

    service.result("landyard.call.undo", {"id": renamed.request_id})

    assert shown(service, page_id)[0] == "Main"


@pytest.mark.parametrize("code", ["agency", "restaurant"])
def test_a_site_with_a_name_of_its_own_has_no_titles_of_its_template(
    service: Service, code: str
) -> None:
    params = {"template": code, "title": "Boulangerie Martin", "code": "martin", "lang": "fr"}
    found = service.result("landyard.site.fromtemplate", params)

    titles = {each["id"]: shown(service, each["id"]) for each in found["pages"]}

    listed = service.result("landing.landing.getList", {"params": {"filter": {"ID": [*titles]}}})
    assert titles == {int(row["ID"]): (row["TITLE"], row["TITLE"], None, None) for row in listed}
    assert titles[found["pages"][0]["id"]][0] == "Boulangerie Martin"


def test_a_site_named_like_its_template_has_the_templates_titles(service: Service) -> None:
    found = service.result("landyard.site.fromtemplate", {"template": "agency", "code": "a"})

    title, _, description, _ = shown(service, found["pages"][0]["id"])

    (row,) = stored(service, "landing_page", id=found["pages"][0]["id"])
    assert (title, description) == (
        row["additional_fields"]["METAMAIN_TITLE"],
        row["additional_fields"]["METAMAIN_DESCRIPTION"],
    )


def test_a_world_file_keeps_which_texts_come_from_the_template(
    service: Service, make_service: MakeService
) -> None:
    page_id = made(service)
    change(service, page_id, TITLE="Croissants")
    dumped = json.loads(b"".join(service.kernel.dump()))

    copy = make_service(world=dumped | {"webhooks": templates_world()["webhooks"]})

    assert shown(copy, page_id) == OWN


def test_a_page_of_the_previous_version_shows_the_same_as_before(make_service: MakeService) -> None:
    row = page(10, title="T", additional_fields=SEO, template_code="promo")
    service = make_service(world=world(row))
    store, schema = service.kernel.store, service.kernel.schema
    (landing,) = (each for each in schema.branches if each.branch == "landing")
    with store.rebuilding() as connection:
        command.downgrade(alembic_config(landing, connection), "-1")
    assert "landing_0011" in schema.behind(store)

    schema.upgrade(store)

    assert drift(service.kernel) == []
    assert shown(service, 10) == ("Main", "Og", "Main told", "Og told")
