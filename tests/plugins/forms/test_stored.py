"""What is sent is kept in the same way by both databases."""

from conftest import MakeService
from plugins.forms.site import GOOD, NOON, PLUGINS, Visitor, kept, world


def test_it_is_kept_listed_exported_removed_and_swept(make_service: MakeService) -> None:
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
