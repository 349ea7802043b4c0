"""A text search in lists ignores case and accents, on either database."""

# ruff: noqa: RUF001 - letters that look alike are what is told apart here

from typing import Any

from conftest import MakeService

from landyard.testing import WEBHOOK

TITLES = {
    1: "Бронь лодок",
    2: "Crème brûlée",
    3: "Straße nach Łódź",
    4: "Йога",
    5: "50\uff05 off",
    6: "500 off",
    7: "Plain boats",
    8: "Cafe\u0301",
}
WORLD: dict[str, Any] = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["landing"]}],
    "sites": [{"id": 1, "code": "shop", "title": "Лодки"}, {"id": 2, "code": "été", "title": "B"}],
    "folders": [{"id": 1, "site": 1, "code": "каталог", "title": "Каталог Ёлок"}],
    "pages": [
        {"id": number, "site": 1, "code": f"p{number}", "title": title, "blocks": []}
        for number, title in TITLES.items()
    ],
}
SEARCHES: list[tuple[str, list[int]]] = [
    ("бронь", [1]),
    ("ЛОДОК", [1]),
    ("creme BRULEE", [2]),
    ("ÇRÈME", [2]),
    ("strasse", [3]),
    ("lodz", [3]),
    ("йога", [4]),
    ("иога", []),
    ("50%", [5]),
    ("0_", []),
    ("BOATS", [7]),
    ("CAFÉ", [8]),
    ("cafe", [8]),
    ("bo\u00adats", [7]),
]


def test_a_search_ignores_case_and_accents(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    def ids(method: str, sent: dict[str, Any]) -> list[int]:
        params = {"select": ["ID"], "filter": sent}
        return [int(row["ID"]) for row in service.result(method, {"params": params})]

    pages = "landing.landing.getList"
    found = {said: ids(pages, {"%TITLE": said}) for said, _ in SEARCHES}
    assert found == dict(SEARCHES)
    assert ids(pages, {"=%TITLE": "%БРОНЬ%"}) == [1]
    assert ids(pages, {"=%TITLE": "_о_а"}) == [4]
    assert ids(pages, {"!%TITLE": "О"}) == [2, 3, 5, 6, 7, 8]
    assert ids(pages, {"TITLE": "йога"}) == []  # an exact filter ignores nothing
    assert ids("landing.site.getList", {"%TITLE": "ЛОДКИ"}) == [1]
    assert ids("landing.site.getList", {"%CODE": "ETE"}) == [2]
