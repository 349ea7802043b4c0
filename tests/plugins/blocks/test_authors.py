"""`landyard.page.authors` names the users who changed or published a page, for those who may edit
it.
"""

from conftest import MakeService
from contract.worlds import EDITOR, PAGE, STRANGER, VIEWER, as_user, user
from plugins.blocks.drafts import OTHER, TWO, do, two_pages

from landyard.testing import Service

EDITS = {"sites_access": True, "rights": {"*": ["edit"]}}


def names(service: Service, page_id: int = PAGE) -> list[tuple[int, str]]:
    """The names that an editor without administrator rights is answered."""
    answer = service.call("landyard.page.authors", {"lid": page_id}, **as_user(EDITOR))
    assert isinstance(answer.result, list), answer
    assert all(sorted(each) == ["id", "name"] for each in answer.result)
    return [(each["id"], each["name"]) for each in answer.result]


def test_only_users_who_changed_a_page_are_named(make_service: MakeService) -> None:
    users = [user(VIEWER, **EDITS), user(STRANGER, **EDITS), user(EDITOR, **EDITS)]
    service = make_service(world=two_pages(users=users))
    hide = {"lid": PAGE, "block": TWO}
    service.call("landing.landing.hideblock", hide, **as_user(VIEWER))
    do(service, "hideblock", TWO)  # it is hidden already, so this is no edit and names no author
    service.call("landing.landing.hideblock", {"lid": OTHER, "block": 110}, **as_user(STRANGER))

    assert names(service) == [(VIEWER, "User 2")]
    assert names(service, OTHER) == [(STRANGER, "User 3")]


def test_the_last_user_who_renamed_a_page_is_named(make_service: MakeService) -> None:
    service = make_service(world=two_pages(users=[user(EDITOR, **EDITS)]))
    service.result("landing.landing.update", {"lid": PAGE, "fields": {"TITLE": "Anew"}})

    assert names(service) == [(1, "User 1")]


def test_a_user_who_only_published_a_page_is_named(make_service: MakeService) -> None:
    """Even if another user has changed the page since."""
    publisher = user(VIEWER, sites_access=True, rights={"*": ["publish"]})
    service = make_service(world=two_pages(users=[publisher, user(EDITOR, **EDITS)]))
    answer = service.call("landing.landing.publication", {"lid": OTHER}, **as_user(VIEWER))
    assert answer.result is True

    assert names(service, OTHER) == [(VIEWER, "User 2")]
    service.call("landing.landing.hideblock", {"lid": OTHER, "block": 110}, **as_user(EDITOR))
    service.result("landing.landing.update", {"lid": OTHER, "fields": {"TITLE": "Anew"}})
    assert names(service, OTHER) == [(1, "User 1"), (VIEWER, "User 2"), (EDITOR, "User 5")]
    assert names(service) == []
