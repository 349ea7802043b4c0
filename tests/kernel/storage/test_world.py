"""The kernel's lists of the world file: users, webhooks, tokens."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from conftest import MakeService
from corpora import read_data

from landyard import Tally, WorldError
from landyard.testing import Service

CODE = "webhook-code-0123456789"
TOKEN = "token-code-0123456789ab"
WORLD: dict[str, Any] = {
    "users": [
        {"id": 3, "name": "Ann", "admin": True},
        {"id": 5, "name": "Ben", "active": False},
        {"name": "Cleo"},
    ],
    "webhooks": [
        {"user": 3, "code": CODE, "scopes": ["landing", "crm"], "title": "demo"},
        {"user": 5, "code": CODE + "b", "active": False},
    ],
    "tokens": [
        {"user": 3, "token": TOKEN, "scopes": ["landing"], "expires_at": "2027-01-01T00:00:00Z"},
        {"user": 3, "token": TOKEN + "b", "expires_at": None},
    ],
}
EMPTY: dict[str, Any] = {}
USER = {"users": [{"id": 3}]}


def rows(service: Service) -> dict[str, list[Any]]:
    """Every stored row."""
    with service.kernel.store.session() as session:
        names = ("user", "webhook", "token")
        query = "SELECT * FROM landyard_{} ORDER BY id"
        return {
            name: [tuple(row) for row in session.execute(sa.text(query.format(name)))]
            for name in names
        }


def load(service: Service, world: Any) -> Tally:
    text = world if isinstance(world, bytes) else msgspec.json.encode(world)
    return service.kernel.load(text)


def test_a_world_is_loaded_and_a_second_load_changes_nothing(make_service: MakeService) -> None:
    service = make_service([], world=EMPTY)

    assert load(service, WORLD) == Tally(created=7)
    before = rows(service)
    assert load(service, WORLD) == Tally(unchanged=7)
    assert rows(service) == before


def test_listed_fields_win_and_unlisted_rows_and_fields_stay(make_service: MakeService) -> None:
    service = make_service([], world=WORLD)

    changed = load(
        service,
        {
            "users": [{"id": 3, "name": "Anna"}],
            "webhooks": [{"user": 3, "code": CODE, "title": "x"}],
        },
    )

    assert changed == Tally(updated=2)
    stored = rows(service)
    assert {row[1]: bool(row[2]) for row in stored["user"]} == {
        "Anna": True,  # still an admin
        "Ben": False,
        "Cleo": False,
    }
    assert "landing crm" in stored["webhook"][0]


def test_ids_left_out_are_assigned_past_those_given(make_service: MakeService) -> None:
    service = make_service([], world={"users": [{"id": 40, "name": "Ann"}]})
    load(service, {"users": [{"name": "Ben"}, {"name": "Cleo"}]})

    assert [row[0] for row in rows(service)["user"]] == [40, 41, 42]


def test_given_and_assigned_ids_may_be_in_one_file(make_service: MakeService) -> None:
    service = make_service([], world=EMPTY)
    world = {"users": [{"name": "Ben"}, {"id": 1, "name": "Ann"}, {"id": 2}, {"name": "Di"}]}

    assert load(service, world) == Tally(created=4)
    stored = rows(service)["user"]
    assert {row[1]: row[0] for row in stored if row[1] in ("Ann", "")} == {"Ann": 1, "": 2}
    assert {row[1] for row in stored} == {"Ann", "Ben", "", "Di"}


def test_dump_has_the_users_and_no_secrets(make_service: MakeService) -> None:
    service = make_service([], world=WORLD)

    dumped = b"".join(service.kernel.dump())

    assert set(msgspec.json.decode(dumped)) == {"users"}
    assert not [secret for secret in (CODE, TOKEN) if secret.encode() in dumped]
    assert load(service, dumped) == Tally(unchanged=3)


def test_a_dump_makes_the_same_users_elsewhere() -> None:
    with Service([], world=WORLD) as one, Service([], world=EMPTY) as other:
        load(other, b"".join(one.kernel.dump()))

        assert rows(other)["user"] == rows(one)["user"]


def webhooks(**item: Any) -> dict[str, Any]:
    return {**USER, "webhooks": [{"user": 3, "code": CODE, **item}]}


WRONG = read_data(__file__, "WRONG", list[tuple[Any, str]])
NO_WORLDS = [b"", b"{", b"[]", b"null", b'{"users": [{"name": "\xff"}]}', b"[" * 100_000]
NO_WORLDS += [b'{"users": [{"id": NaN}]}']


@pytest.fixture(scope="module")
def filled() -> Iterator[Service]:
    with Service([], world={"users": [{"id": 1, "name": "before"}]}) as service:
        yield service


@pytest.mark.parametrize(("world", "path"), [*WRONG, *((each, "world file") for each in NO_WORLDS)])
def test_an_error_names_its_path_and_nothing_is_loaded(
    filled: Service, world: Any, path: str
) -> None:
    before = rows(filled)

    with pytest.raises(WorldError) as caught:
        load(filled, world)

    assert str(caught.value).partition(": ")[0] == path
    assert rows(filled) == before


def test_an_error_in_a_later_list_rolls_the_earlier_ones_back(make_service: MakeService) -> None:
    service = make_service([], world=EMPTY)
    with pytest.raises(WorldError):
        load(service, {**WORLD, "tokens": [{"user": 99, "token": TOKEN}]})

    assert rows(service) == {"user": [], "webhook": [], "token": []}


def test_an_error_does_not_repeat_a_secret() -> None:
    with Service([], world=EMPTY) as service, pytest.raises(WorldError) as caught:
        load(service, webhooks(code="short-secret"))

    assert "short-secret" not in str(caught.value)


@pytest.mark.parametrize("code", ["x" * 16, "x" * 256, "AZaz09._~-AZaz09"])
def test_a_chosen_secret_is_stored_unchanged(code: str) -> None:
    with Service(world={"users": [{"id": 3}], "webhooks": [{"user": 3, "code": code}]}) as service:
        assert service.call("methods", user=3, webhook=code).status == 200


def test_a_row_listed_twice_is_refused(make_service: MakeService) -> None:
    service = make_service([], world=EMPTY)

    with pytest.raises(WorldError, match=r"users\[1\]"):
        load(service, {"users": [{"id": 1, "name": "Ann"}, {"name": "Ann", "admin": True}]})
