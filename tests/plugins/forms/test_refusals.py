"""A sender who is refused again and again costs the service almost nothing."""

import pytest
from plugins.forms.site import GOOD, NOON, PLACE, SENT, Visitor, kept, serving

from landyard_forms.refusals import Refusals
from landyard_forms.words import words_of

NOW = NOON.timestamp()


def test_a_sender_refused_too_often_gets_one_sentence() -> None:
    with serving(language="de", forms={"refused": 3}) as service:
        guesser, other = Visitor(service), Visitor(service, address="192.0.2.9")
        refused = [guesser.fill({"name": str(number)}) for number in range(3)]
        stopped = guesser.send(GOOD)

        assert [each.status_code for each in refused] == [422] * 3
        assert (stopped.status_code, stopped.headers["retry-after"]) == (429, "3600")
        assert words_of("de").stopped in stopped.text
        assert "form-action 'none'" in stopped.headers["content-security-policy"]
        assert len(stopped.content) < 600
        assert other.fill(GOOD).status_code == 303
        assert len(kept(service)) == 1


def test_a_stopped_sender_causes_no_database_query() -> None:
    with serving(forms={"refused": 1}) as service:
        visitor = Visitor(service)
        visitor.fill({})
        with service.kernel.store.unit(writes=True) as unit:
            unit.connection.exec_driver_sql("DROP TABLE landing_block")

        assert visitor.send(GOOD).status_code == 429


def test_a_page_of_thanks_is_not_rendered_twice() -> None:
    with serving() as service:
        first = [service.get(place).text for place in (PLACE, SENT)]
        service.load({"sites": [{"id": 1, "language": "de"}]})
        second = [service.get(place).text for place in (PLACE, SENT)]
        with service.kernel.store.unit(writes=True) as unit:
            unit.connection.exec_driver_sql("DROP TABLE landing_block")

        assert [service.get(place).text for place in (PLACE, SENT)] == second
        assert ["Danke" in each for each in (*first, *second)] == [False, False, False, True]


def test_requests_for_unknown_forms_count_as_refusals() -> None:
    with serving(forms={"refused": 3}) as service:
        guesser = Visitor(service)
        for form in range(3):
            assert guesser.send(GOOD, place=f"/-/forms?form={form + 1000}").status_code == 404
        assert guesser.send(GOOD).status_code == 429


def test_after_a_while_a_sender_is_accepted_again() -> None:
    with serving(forms={"refused": 2}) as service:
        visitor = Visitor(service)
        assert [visitor.fill({}).status_code for _ in range(3)] == [422, 422, 429]
        service.later(minutes=31)
        assert visitor.fill(GOOD).status_code == 303


def test_an_accepted_submission_is_no_refusal() -> None:
    with serving(forms={"refused": 1}) as service:
        visitor = Visitor(service)
        for number in range(5):
            assert visitor.fill(GOOD | {"name": str(number)}).status_code == 303


def test_an_unknown_address_is_not_counted() -> None:
    refusals = Refusals()

    assert not any(refusals.note("", NOW, 1) for _ in range(100))
    assert refusals.page_for("", NOW, 1) == ""


def test_only_the_latest_addresses_are_remembered() -> None:
    refusals = Refusals()
    for number in range(10_001):
        refusals.note(str(number), NOW, 1)

    assert refusals.page_for("0", NOW, 1) == ""
    assert all(refusals.page_for(str(number), NOW, 1) for number in (1, 10_000))


@pytest.mark.parametrize("most", [1, 2, 60, 1000])
def test_a_sender_is_stopped_after_the_limit_of_refusals(most: int) -> None:
    refusals = Refusals()
    counted = 1
    while not refusals.note("a", NOW, most):
        counted += 1

    assert counted == most
