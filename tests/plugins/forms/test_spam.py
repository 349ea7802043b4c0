"""Spam is refused and people are not; a doubtful sender is asked once more."""

from urllib.parse import quote

import pytest
from plugins.forms.site import (
    GOOD,
    SEEN,
    Visitor,
    again_of,
    card,
    form_with,
    kept,
    serving,
)

BOUNDLESS = {"hourly": 100_000, "form_hourly": 100_000}
FIRST = ["Ann", "Ben", "Chloé", "Дарья", "Émile", "فاطمة", "Gus", "花子", "Ída", "José"]
ASKS = [
    "Is the skiff still for sale?",
    "Wir kommen am Samstag, zu dritt.",
    "My boat is at https://boats.example/7 and here https://boats.example/8, can you mend it?",
    "Можно посмотреть лодку?",
    "Please call me back.\n\nThank you!",
    "x",
    "How much is a mooring for a boat of 7 m, from May to September?",
    "I found a typo on your page: 'Tendre'.",
    "<3 your boats & your prices",
    "متى تفتحون؟",
]
WHY = [
    "My grandfather built one just like it.",
    "It need not be before summer.",
    "",
    "Ich bin über Freunde auf Sie gekommen!",
    "We are three, and a dog; does that matter to you?",
    "k thx",
    "Greetings from the other side of the water, where the ferry is late again.",
    "До свидания, и хорошего ветра.",
    "(Your telephone was busy.)",
    "I shall be in town on Monday, on Tuesday and again on the day after that.",
]


def address(number: int) -> str:
    return f"198.51.{number // 250}.{number % 250}"


def test_at_most_ten_of_a_thousand_spam_messages_come_through() -> None:
    with serving(forms=BOUNDLESS) as service:
        refused = 0
        for number in range(334):  # programs that fill in every field and load the pictures
            bot = Visitor(service, address=address(number))
            fields = GOOD | {"homepage": "http://pills.example", "name": f"Bot {number}"}
            refused += bot.fill(fields).status_code == 422
        for number in range(333):  # programs that send at once what they read long ago
            bot = Visitor(service, address=address(number))
            refused += bot.send(GOOD | {"message": f"Buy {number} now"}).status_code == 422
        # programs as patient as people, which send one text again, or links
        for number in range(333):
            bot = Visitor(service, address=address(number))
            links = " ".join(f"https://pills.example/{number}/{each}" for each in range(number % 9))
            text = f"The best of pills, for you alone. {links}"
            refused += bot.fill(GOOD | {"message": text}).status_code == 422

        assert refused >= 990
        assert (
            sum(form["submissions"] for form in service.result("landyard.form.list", lid=10)) <= 10
        )


def test_none_of_a_hundred_people_is_refused() -> None:
    with serving() as service:
        refused = 0
        for number in range(100):
            person = Visitor(service, address=address(number % 40))  # some people share an address
            name = f"{FIRST[number % 10]} {FIRST[number // 10]}"
            message = f"{ASKS[number % 10]} {WHY[number // 10]}"
            answer = person.fill(GOOD | {"name": name, "message": message})
            refused += answer.status_code != 303

        assert refused == 0
        (form,) = service.result("landyard.form.list", lid=10)
        assert form["submissions"] == 100


def test_a_sender_without_cookies_is_asked_once_more() -> None:
    with serving() as service:
        person = Visitor(service)
        answer = person.send(GOOD)
        assert answer.status_code == 422
        assert 'value="Ann Quay"' in answer.text
        assert " checked" in answer.text
        assert kept(service) == []

        service.later(seconds=4)
        assert person.send(GOOD | {"again": again_of(answer.text)}).status_code == 303
        assert len(kept(service)) == 1


def test_a_browser_that_fills_in_the_hidden_field_is_asked_once_more() -> None:
    with serving() as service:
        person = Visitor(service)
        answer = person.fill(GOOD | {"homepage": "https://ann.example"})

        assert 'name="homepage"' not in answer.text
        service.later(seconds=4)
        assert person.send(GOOD | {"again": again_of(answer.text)}).status_code == 303


@pytest.mark.parametrize("seconds", [0, 2.9])
def test_a_form_sent_too_fast_is_doubted(seconds: float) -> None:
    with serving() as service:
        person = Visitor(service)
        person.look()
        service.later(seconds=seconds)

        assert person.send(GOOD).status_code == 422


def test_a_page_that_was_open_for_a_day_is_asked_once_more() -> None:
    with serving() as service:
        person = Visitor(service)
        person.look()
        service.later(hours=24.1)

        assert person.send(GOOD).status_code == 422


def test_a_page_that_is_loaded_again_keeps_its_time() -> None:
    with serving() as service:
        person = Visitor(service)
        person.look()
        first = person.cookie
        answer = service.get(SEEN, Cookie=first)

        assert "set-cookie" not in answer.headers
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("forged", ["", "x", "1.2", "1e9.abc", "nan." + "0" * 40, "é.é"])
def test_forged_times_are_refused(forged: str) -> None:
    with serving() as service:
        person = Visitor(service)
        person.cookie = f"landyard_form={quote(forged)}"
        assert person.send(GOOD).status_code == 422
        assert person.send(GOOD | {"again": forged}).status_code == 422
        assert kept(service) == []


def test_an_answer_for_one_form_does_not_count_for_another() -> None:
    with serving() as service:
        person = Visitor(service)
        again = again_of(person.send(GOOD).text)
        block = {"id": 100, "code": "forms.form", "published_id": 91}
        there = {"code": "there", "active": True, "published": True}
        service.load({"pages": [{"id": 11, "site": 1, **there, "blocks": [block | {"id": 101}]}]})
        service.later(seconds=8)

        other = service.request("POST", "/-/forms?form=91", data=GOOD | {"again": again})
        assert other.status_code == 422


def test_the_second_sending_may_be_neither_too_early_nor_too_late() -> None:
    with serving() as service:
        person = Visitor(service)
        again = again_of(person.send(GOOD).text)
        assert person.send(GOOD | {"again": again}).status_code == 422  # no person is so fast
        service.later(hours=2)
        assert person.send(GOOD | {"again": again}).status_code == 422


def test_equal_answers_of_several_senders_are_all_stored() -> None:
    with serving(form_with(card("choice", "come", options="Yes;No"))) as service:
        for number in range(3):
            assert (
                Visitor(service, address=address(number)).fill({"come": "Yes"}).status_code == 303
            )
        assert len(kept(service)) == 3


def test_one_address_may_send_a_limited_number() -> None:
    with serving(forms={"hourly": 2}) as service:
        one, other = Visitor(service), Visitor(service, address="192.0.2.9")
        for number in range(2):
            assert one.fill(GOOD | {"name": str(number)}).status_code == 303
        answer = one.fill(GOOD)
        assert (answer.status_code, "Ann Quay" in answer.text) == (429, True)
        assert other.fill(GOOD | {"message": "Another one, of somebody else"}).status_code == 303
        service.later(hours=1)
        assert one.fill(GOOD | {"name": "9"}).status_code == 303


def test_submissions_with_a_future_time_do_not_count_for_the_last_hour() -> None:
    with serving(forms={"hourly": 1, "form_hourly": 1}) as service:
        service.later(days=2)
        assert Visitor(service).fill(GOOD).status_code == 303
        service.later(days=-2)

        assert Visitor(service).fill(GOOD).status_code == 303
        assert len(kept(service)) == 2


def test_an_ipv6_network_counts_as_one_sender() -> None:
    with serving(forms={"hourly": 1}) as service:
        assert Visitor(service, address="2001:db8::1").fill(GOOD).status_code == 303
        assert Visitor(service, address="2001:db8::2").fill(GOOD | {"name": "B"}).status_code != 303

    with serving(forms={"hourly": 1}) as service:  # an IPv4 address as a dual-stack socket shows it
        for number in (1, 2):
            own = Visitor(service, address=f"::ffff:192.0.2.{number}")
            assert own.fill(GOOD | {"name": f"C{number}"}).status_code == 303


def test_a_form_accepts_a_limited_number_per_hour() -> None:
    with serving(forms={"form_hourly": 1}) as service:
        assert Visitor(service).fill(GOOD).status_code == 303
        other = Visitor(service, address="192.0.2.9")
        assert other.fill(GOOD | {"message": "x"}).status_code == 429


def test_a_form_stores_a_limited_number() -> None:
    with serving(forms={"kept": 1}) as service:
        assert Visitor(service).fill(GOOD).status_code == 303
        assert Visitor(service).fill(GOOD | {"message": "x"}).status_code == 503
        assert len(kept(service)) == 1


def test_a_form_stores_a_limited_number_of_bytes() -> None:
    with serving(forms={"megabytes": 1}) as service:
        with service.kernel.store.unit(writes=True) as unit:
            unit.connection.exec_driver_sql(
                "INSERT INTO forms_submission"
                " (form_id, page_id, sent_at, answers, consent, sender, digest, likeness, size)"
                " VALUES (90, 10, '2027-05-01 12:00:00', '[]', '', '', '', '', 1000000)"
            )
        assert Visitor(service).fill(GOOD).status_code == 503


def test_submissions_are_kept_for_the_set_number_of_days() -> None:
    with serving(forms={"days": 7}) as service:
        Visitor(service).fill(GOOD)
        service.later(days=6)
        Visitor(service).fill(GOOD | {"message": "x"})
        service.run_jobs()
        assert len(kept(service)) == 2
        service.later(days=2)
        service.run_jobs()
        assert [each["answers"][2]["value"] for each in kept(service)] == ["x"]


def test_senders_are_forgotten_after_a_day() -> None:
    with serving() as service:
        Visitor(service).fill(GOOD)
        service.later(hours=25)
        service.run_jobs()
        with service.kernel.store.unit(writes=False) as unit:
            rows = unit.connection.exec_driver_sql("SELECT sender FROM forms_submission").all()
        assert rows == [("",)]


def test_submissions_of_a_page_are_deleted_with_it() -> None:
    with serving() as service:
        Visitor(service).fill(GOOD)
        with service.kernel.store.unit(writes=True) as unit:
            unit.connection.exec_driver_sql("DELETE FROM landing_page")
        service.run_jobs()
        with service.kernel.store.unit(writes=False) as unit:
            rows = unit.connection.exec_driver_sql("SELECT id FROM forms_submission").all()
        assert rows == []
