"""Both databases store submissions in the same way."""

from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import urlencode

from conftest import MakeService
from plugins.forms.site import (
    FORM,
    GOOD,
    NOON,
    PLUGINS,
    Visitor,
    card,
    form_with,
    kept,
    world,
)

from landyard_forms.submitting import FormHandler, Incoming


def test_a_submission_is_stored_listed_exported_removed_and_swept(
    make_service: MakeService,
) -> None:
    service = make_service(PLUGINS, world=world(), now=NOON, forms={"days": 7})
    assert Visitor(service).fill(GOOD).status_code == 303
    assert Visitor(service).fill(GOOD | {"message": "two"}).status_code == 303

    (form,) = service.result("landyard.form.list", lid=10)
    assert form["submissions"] == 2
    assert "two" in service.result("landyard.form.export", lid=10)
    assert service.result("landyard.form.remove", lid=10, ids=[kept(service)[0]["id"]]) == 1
    service.later(days=8)
    service.run_jobs()
    assert kept(service) == []


def test_pages_with_submissions_are_listed_for_users_who_may_edit_them(
    make_service: MakeService,
) -> None:
    service = make_service(PLUGINS, world=world(), now=NOON)
    assert service.result("landyard.form.pages") == []
    assert Visitor(service).fill(GOOD).status_code == 303

    (sent,) = service.result("landyard.form.pages")

    assert (sent["page"], sent["submissions"]) == (10, 1)
    assert service.result("landyard.form.pages", start=1) == []
    other = "another-webhook-0123456789"
    service.load(
        {
            "users": [
                {"id": 9, "name": "Viewer", "sites_access": True, "rights": {"*": ["view"]}},
                {"id": 8, "name": "Nobody", "sites_access": False},
            ],
            "webhooks": [
                {"user": 9, "code": other, "scopes": ["landing"]},
                {"user": 8, "code": f"{other}-8", "scopes": ["landing"]},
            ],
        }
    )
    assert service.result("landyard.form.pages", user=9, webhook=other) == []
    refused = service.call("landyard.form.pages", user=8, webhook=f"{other}-8")
    assert refused.error == "ACCESS_DENIED"


def test_a_file_is_stored_answered_and_removed(make_service: MakeService) -> None:
    content = form_with(card("file", "plan"))
    service = make_service(PLUGINS, world=world(content), now=NOON)
    plan = bytes(range(256)).join([b"%PDF-1.7", b"%%EOF"])
    assert Visitor(service).attach({}, plan=("plan.pdf", plan)).status_code == 303

    (submission,) = kept(service)
    named = {"lid": 10, "id": submission["id"], "name": "plan"}
    assert b64decode(service.result("landyard.form.file", named)["content"]) == plan
    assert service.result("landyard.form.remove", lid=10, ids=[submission["id"]]) == 1
    assert service.result("landyard.form.file", named) is None


def test_equal_submissions_sent_at_once_are_stored_once(make_service: MakeService) -> None:
    """The button is pressed eight times, beside eight other senders: each submission is stored
    once.
    """
    service = make_service(PLUGINS, world=world(), now=NOON)
    visitor = Visitor(service)
    visitor.look()
    service.later(seconds=8)
    receiving = FormHandler(service.kernel)
    cookie = visitor.cookie.partition("=")[2]
    bodies = [urlencode(GOOD | {"name": f"Ann {number // 8}"}) for number in range(16)]
    asks = [Incoming(body.encode(), cookie, "192.0.2.1") for body in bodies]

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(partial(receiving.receive, FORM), asks))

    assert {outcome.status for outcome in outcomes if outcome} == {303}
    assert len(kept(service)) == 2
