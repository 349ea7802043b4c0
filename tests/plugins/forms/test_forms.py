"""A form is shown, filled in and checked, and submissions are stored for its owners only."""

from typing import Any

import pytest
from msgspec import structs
from plugins.forms.site import (
    FORM,
    GOOD,
    OTHER,
    PLACE,
    SENT,
    Visitor,
    card,
    form_with,
    kept,
    serving,
)

import landyard_forms


def test_a_page_with_a_form_may_send_it_only_to_this_service() -> None:
    with serving() as service:
        page = service.get("/shop/")

        assert f'<form class="forms-form" method="post" action="{PLACE}">' in page.text
        assert 'type="email" id="f90-mail" name="mail" required' in page.text
        assert "form-action 'self'" in page.headers["content-security-policy"]
        assert '<link rel="stylesheet" href="/assets/forms.form/form.css?v=' in page.text


def test_a_page_without_a_form_may_send_nothing() -> None:
    with serving() as service:
        lost = service.get("/shop/nothing/")

        assert "form-action 'none'" in lost.headers["content-security-policy"]


def test_a_submission_is_stored_and_thanked_for() -> None:
    with serving() as service:
        sent = Visitor(service).fill(GOOD)

        assert (sent.status_code, sent.headers["location"]) == (303, f"{SENT}#b90")
        thanks = service.get(SENT)
        assert "It has arrived" in thanks.text
        assert "<form " not in thanks.text
        (submission,) = kept(service)
        assert [each["value"] for each in submission["answers"]] == list(GOOD.values())[:3]
        assert submission["consent"].startswith("I agree")


def test_the_visitor_is_sent_to_the_page_that_the_form_names() -> None:
    with serving(form_with(card("text", "a"), following="/shop/thanks/")) as service:
        assert Visitor(service).fill({"a": "x"}).headers["location"] == "/shop/thanks/"


@pytest.mark.parametrize("following", ["//evil.example/", "https://evil.example/", "/\\evil", "x"])
def test_the_visitor_is_sent_to_no_other_site(following: str) -> None:
    with serving(form_with(card("text", "a"), following=following)) as service:
        assert Visitor(service).fill({"a": "x"}).headers["location"] == f"{SENT}#b90"


@pytest.mark.parametrize(
    ("kind", "wrong", "right"),
    [
        ("mail", "ann", "jürgen.o'hara+x@sub.exämple.org"),
        ("mail", "a@b.c\nBcc: x@example.org", "a@example.org"),
        ("phone", "call me", "(030) 12 34-5"),
        ("phone", "12", "+44 1632 960100"),
        ("date", "2027-02-30", "2028-02-29"),
        ("date", "tomorrow", "2027-05-01"),
        ("choice", "Three", "Two & <b>"),
        ("text", "x" * 201, "x" * 200),
        ("long", "x" * 5001, "two\r\nlines"),
        ("text", " \x00 ", "x"),
    ],
)
def test_each_field_is_checked(kind: str, wrong: str, right: str) -> None:
    content = form_with(card(kind, "it", required=True, options="One; Two &amp; &lt;b&gt;"))
    with serving(content) as service:
        visitor = Visitor(service)
        refused = visitor.fill({"it": wrong})
        assert refused.status_code == 422
        assert 'aria-invalid="true"' in refused.text
        assert visitor.send({"it": right}).status_code == 303
        expected = right.replace("\r\n", "\n")
        assert kept(service)[0]["answers"][0] == {
            "name": "it", "label": "The it", "value": expected
        }  # fmt: skip


def test_after_a_mistake_the_texts_are_shown_again_escaped_and_only_to_their_sender() -> None:
    hostile = '"><script>alert(1)</script>'
    with serving() as service:
        before = service.get("/shop/").text
        refused = Visitor(service).fill(
            GOOD | {"name": hostile, "mail": "x", "message": "</textarea>"}
        )

        assert refused.status_code == 422
        assert "&quot;&gt;&lt;script&gt;" in refused.text
        assert "<script" not in refused.text
        assert "&lt;/textarea&gt;</textarea>" in refused.text
        assert refused.headers["cache-control"] == "no-store"
        assert "form-action 'self'" in refused.headers["content-security-policy"]
        assert service.get("/shop/").text == before
        assert service.get(PLACE).text == before


def test_values_of_unknown_fields_are_refused() -> None:
    with serving() as service:
        assert Visitor(service).fill(GOOD | {"admin": "1"}).status_code == 422
        assert kept(service) == []


def test_without_consent_nothing_is_stored() -> None:
    with serving() as service:
        refused = Visitor(service).fill({**GOOD, "consent": ""})

        assert "Please agree" in refused.text
        assert kept(service) == []


def test_an_empty_form_is_not_stored() -> None:
    with serving(form_with(card("text", "a"))) as service:
        assert Visitor(service).fill({"a": ""}).status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe%%%=&&&=",
        b"&".join(b"a=1" for _ in range(1000)),
        b"--x\r\nContent-Disposition: form-data; name=name\r\n\r\nx",
        b"name=" + b"%ED%A0%80" * 100,
        b'{"name": "x"}',
    ],
)
def test_whatever_is_sent_is_answered(body: bytes) -> None:
    with serving() as service:
        assert Visitor(service).fill(body).status_code == 422
        assert kept(service) == []


def test_an_oversized_form_is_not_read() -> None:
    with serving() as service:
        assert Visitor(service).fill(b"name=" + b"x" * 300_000).status_code == 413


@pytest.mark.parametrize("form", [91, 100, 0, -1, 2**70])
def test_only_a_published_form_can_be_sent(form: int) -> None:
    with serving() as service:
        assert service.request("POST", f"/-/forms?form={form}", data=GOOD).status_code == 404
        assert service.get(f"/-/forms/sent?form={form}").status_code == 404


@pytest.mark.parametrize("query", ["", "?form=", "?form=x", "?form=1.5", "?form=1&form=2"])
def test_a_value_that_names_no_form_is_refused(query: str) -> None:
    with serving() as service:
        assert service.request("POST", f"/-/forms{query}", data=GOOD).status_code in (400, 404)
        assert service.get(f"/-/forms/sent{query}").status_code in (400, 404)


def test_a_form_is_gone_with_its_page() -> None:
    with serving() as service:
        service.result("landing.block.getlist", lid=10)
        service.load({"pages": [{"id": 10, "site": 1, "code": "home", "active": False}]})

        assert service.request("POST", PLACE, data=GOOD).status_code == 404


def test_two_fields_of_one_name_are_told_apart() -> None:
    twice = form_with(card("text", "a"), card("text", "a"), card("text", "Homepage"))
    with serving(twice) as service:
        sent = Visitor(service).fill({"a": "1", "field-2": "2", "field-3": "3"})

        assert sent.status_code == 303
        assert [each["value"] for each in kept(service)[0]["answers"]] == ["1", "2", "3"]


def test_a_submission_sent_twice_is_stored_once() -> None:
    with serving() as service:
        visitor = Visitor(service)
        assert visitor.fill(GOOD).status_code == 303
        assert visitor.send(GOOD).status_code == 303
        assert len(kept(service)) == 1


def test_fields_are_edited_as_cards() -> None:
    with serving() as service:
        block = {"lid": 10, "block": 100}
        attrs = {"data-type": "choice", "data-name": "boat", "data-options": "Punt;Skiff"}
        data = {".landing-block-card@0": attrs}
        assert service.result("landing.block.updateattrs", block | {"data": data}) is True
        edit = {".landing-block-node-card-title@0": "Which boat"}
        assert service.result("landing.block.updatenodes", block | {"data": edit}) is True
        content = service.result(
            "landing.block.getlist", {"lid": 10, "params": {"edit_mode": 1, "get_content": 1}}
        )[0]["content"]

        assert 'data-options="Punt;Skiff"' in content
        assert "Which boat" in content
        assert "<form" not in content


def test_forms_are_listed_with_their_fields() -> None:
    with serving() as service:
        Visitor(service).fill(GOOD)
        (form,) = service.result("landyard.form.list", lid=10)

        assert (form["id"], form["name"], form["submissions"]) == (FORM, "Write to us", 1)
        assert [each["name"] for each in form["fields"]] == ["name", "mail", "message"]


def test_submissions_of_a_removed_form_are_still_listed() -> None:
    with serving() as service:
        Visitor(service).fill(GOOD)
        with service.kernel.store.unit(writes=True) as unit:
            unit.connection.exec_driver_sql("DELETE FROM landing_block")
        (form,) = service.result("landyard.form.list", lid=10)

        assert (form["id"], form["fields"], form["submissions"]) == (FORM, [], 1)
        assert form["name"] == ""
        assert len(kept(service)) == 1


def test_a_removed_submission_is_gone() -> None:
    with serving() as service:
        Visitor(service).fill(GOOD)
        (submission,) = kept(service)

        assert service.result("landyard.form.remove", lid=10, ids=[submission["id"], 99]) == 1
        assert kept(service) == []
        assert service.call("landyard.form.remove", lid=10, ids=[]).error == "TYPE_ERROR"
        assert service.call("landyard.form.remove", lid=10).error == "MISSING_PARAMS"
        assert service.call("landyard.form.remove", lid=99, ids=[1]).error == "LANDING_NOT_EXIST"


METHODS: dict[str, dict[str, Any]] = {
    "landyard.form.list": {"lid": 10},
    "landyard.form.submissions": {"lid": 10, "form": FORM},
    "landyard.form.export": {"lid": 10, "form": FORM},
    "landyard.form.remove": {"lid": 10, "ids": [1]},
    "landyard.form.file": {"lid": 10, "id": 1, "name": "photo"},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_user_who_may_not_edit_may_not_read(method: str) -> None:
    with serving() as service:
        params = METHODS[method]

        assert service.call(method, params, user=2, webhook=OTHER).error == "ACCESS_DENIED"
        assert service.call(method, params | {"lid": 11}).error == "LANDING_NOT_EXIST"
        assert service.call(method, params | {"lid": {}}).error == "TYPE_ERROR"
        assert service.call(method, {}).error == "MISSING_PARAMS"


@pytest.mark.parametrize("form", [100, 2**70, -1])
def test_a_block_that_is_no_form_has_no_submissions(form: int) -> None:
    with serving() as service:
        Visitor(service).fill(GOOD)

        assert service.result("landyard.form.submissions", lid=10, form=form) == []
        assert len(service.result("landyard.form.submissions", lid=10)) == 1


def test_no_cell_of_an_export_is_a_formula() -> None:
    with serving() as service:
        visitor = Visitor(service)
        visitor.fill(GOOD | {"name": "=HYPERLINK(1)", "message": '+1, "two"\nthree'})
        visitor.fill(GOOD | {"name": "@SUM(A1)"})
        table = service.result("landyard.form.export", lid=10, form=FORM)

        first, second, *_ = table.split("\r\n")
        assert first.startswith('"id","sent","Your name"')
        assert '"\'=HYPERLINK(1)","ann@example.org","\'+1, ""two""\nthree"' in second
        assert '"\'@SUM(A1)"' in table


def test_the_block_type_passes_the_check() -> None:
    """The check does not run at the start of a service."""
    (form,) = landyard_forms.register_records()

    structs.replace(form, checked=False).check({})
