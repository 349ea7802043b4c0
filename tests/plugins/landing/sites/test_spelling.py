"""A code is stored in one Unicode form, and visitors find it in any form."""

# ruff: noqa: RUF001 - letters that look alike are what is told apart here

from pathlib import Path
from typing import Any
from unicodedata import normalize
from urllib.parse import quote

import msgspec
import sqlalchemy as sa
from alembic import command
from contract.worlds import page, world
from tables import for_each

from landyard.storage.schema import alembic_config
from landyard.testing import WEBHOOK, Service

SHOWN: dict[str, Any] = {"active": True, "published": True}
CAFE, MENU, HAUS = "café", "мэню-й", "häuser"
BASE = "https://base.example"


def nfd(text: str) -> str:
    return normalize("NFD", text)


def dumped(service: Service) -> Any:
    return msgspec.json.decode(b"".join(service.kernel.dump()))


def status(service: Service, *codes: str) -> list[int]:
    """Request a path as a browser sends a typed address, and return the status."""
    forms = ([normalize(form, each) for each in codes] for form in ("NFC", "NFD"))
    paths = ("".join(f"/{quote(each, safe='')}" for each in form) + "/" for form in forms)
    return [service.get(path, host="base.example").status_code for path in paths]


@for_each("code", [CAFE, MENU, HAUS, "한국", "Ångström", "ガイド"])
def test_a_page_is_found_in_either_form_and_has_no_twin(code: str) -> None:
    with Service(world=world(page(10)), public_base=BASE) as service:
        fields = {"TITLE": "A", "SITE_ID": 7}
        made = service.result("landing.landing.add", fields={**fields, "CODE": nfd(code)})
        twin = service.result("landing.landing.add", fields={**fields, "CODE": code})
        changed = service.result("landing.landing.update", lid=10, fields={"CODE": nfd(code)})
        service.result("landing.landing.publication", lid=made)
        params = {"select": ["CODE"], "order": {"ID": "ASC"}}
        codes = [
            row["CODE"] for row in service.result("landing.landing.getList", {"params": params})
        ]

        assert changed is True
        assert made != twin
        assert code in codes
        assert len({*codes}) == 3
        assert all(each == normalize("NFC", each) for each in codes)
        assert status(service, "site-7", code) == [200, 200]
        for form in (code, nfd(code)):
            found = service.result(
                "landing.landing.getList", {"params": {"select": ["ID"], "filter": {"CODE": form}}}
            )
            assert [int(row["ID"]) for row in found] == [made]
            several = {"select": ["ID"], "filter": {"@CODE": [form, "x"]}}
            assert len(service.result("landing.landing.getList", {"params": several})) == 1
            url = f"{BASE}/site-7/{quote(form)}/"
            named = {"landingUrl": url, "siteId": 7}
            assert service.result("landing.landing.resolveIdByPublicUrl", named) == made


@for_each("title", ["Crème brûlée", "Ёлка", "한국", "Việt Nam", "ガイド"])
@for_each("operator", ["", "=", "@", "!"])
def test_a_title_is_found_in_either_form_whichever_was_sent(title: str, operator: str) -> None:
    built = world(page(10, title="Other"))
    forms = [title, nfd(title)]
    with Service(world=built) as service:
        made = {
            service.result("landing.landing.add", fields={"SITE_ID": 7, "TITLE": form})
            for form in forms
        }
        for form in forms:
            params = {"select": ["ID"], "filter": {f"{operator}TITLE": form}}
            rows = service.result("landing.landing.getList", {"params": params})

            found = {int(row["ID"]) for row in rows}
            assert found == ({10} if operator == "!" else made), (form, operator)


def test_sites_and_folders_are_found_in_either_form() -> None:
    built = world(page(10, **SHOWN, code="x", folder=5))
    built["sites"][0]["code"] = nfd(CAFE)
    built["folders"] = [{"id": 5, "site": 7, "code": nfd(MENU), "index_page": 10}]
    with Service(world=built, public_base=BASE) as service:
        assert status(service, CAFE, MENU) == [200, 200]
        taken = {"siteId": 7, "fields": {"TITLE": "B", "CODE": MENU}}
        assert service.call("landing.site.addFolder", taken).error

        renamed = {"siteId": 7, "folderId": 5, "fields": {"CODE": nfd(HAUS)}}
        service.result("landing.site.updateFolder", renamed)
        service.result("landing.site.update", {"id": 7, "fields": {"CODE": nfd("über")}})

        assert status(service, "über", HAUS) == [200, 200]
        assert dumped(service)["sites"][0]["code"] == "über"


def test_a_rule_and_a_redirect_are_found_in_either_form() -> None:
    built = world(page(10, **SHOWN, code="x", rule=f"{nfd(CAFE)}-(\\d+)"), page(11, **SHOWN))
    with Service(world=built, public_base=BASE) as service:
        for form in (MENU, nfd(HAUS)):
            added = {"siteId": 7, "from": f"/alt/{form}.html", "lid": 11}
            service.result("landyard.redirect.add", added)

        assert status(service, "site-7", f"{CAFE}-12") == [200, 200]
        assert status(service, "site-7", "alt", f"{MENU}.html") == [301, 301]
        assert status(service, "site-7", "alt", f"{HAUS}.html") == [301, 301]


@for_each(
    "sent, code",
    [
        ("\u202dsale\u202c", "sale"),
        ("sa\u00adle", "sale"),
        ("\ufeffsale\u200b", "sale"),
        ("sa\u200dle", "sale"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\u00a0sale\u2003", "sale"),
    ],
)
def test_a_code_contains_no_invisible_characters(sent: str, code: str) -> None:
    with Service(world=world(page(10))) as service:
        service.result("landing.landing.update", lid=10, fields={"CODE": sent})

        (row,) = service.result("landing.landing.getList", {"params": {"select": ["CODE"]}})
        assert row["CODE"] == code


def test_a_users_name_has_one_spelling() -> None:
    built = {
        "users": [{"id": 1, "name": nfd("Zoë"), "admin": True}],
        "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["admin"]}],
    }
    with Service(world=built) as service:
        again = service.call("landyard.user.add", name="Zo\u200bë")
        other = service.result("landyard.user.add", name=nfd("José"))
        names = [each["name"] for each in service.result("landyard.user.list")]

        assert again.error == "ACCOUNT_REFUSED"
        assert other == 2
        assert names == ["Zoë", "José"]


def test_names_stored_in_another_form_are_normalised(tmp_path: Path) -> None:
    with Service(world=world(page(10)), data=tmp_path) as service:
        store, schema = service.kernel.store, service.kernel.schema
        (kernel,) = (each for each in schema.branches if each.branch == "landyard")
        with store.rebuilding() as connection:
            command.downgrade(alembic_config(kernel, connection), "landyard_0001")
            change = sa.text("UPDATE landyard_user SET name = :name WHERE id = 1")
            connection.execute(change, {"name": nfd("Zoë")})
        assert schema.behind(store) == ["landyard_0002"]
        schema.upgrade(store)

        assert next(each["name"] for each in dumped(service)["users"] if each["id"] == 1) == "Zoë"


def test_codes_stored_in_another_form_are_found_after_an_upgrade(tmp_path: Path) -> None:
    built = world(
        *(page(number, **SHOWN) for number in (10, 11, 12)),
        folders=[{"id": 5, "site": 7, "code": "five", "index_page": 12}],
    )
    with Service(world=built, data=tmp_path, public_base=BASE) as service:
        store, schema = service.kernel.store, service.kernel.schema
        (landing,) = (each for each in schema.branches if each.branch == "landing")
        with store.rebuilding() as connection:
            command.downgrade(alembic_config(landing, connection), "landing_0008")
            for table, number, code in [
                ("site", 7, nfd("été")),
                ("folder", 5, nfd(HAUS)),
                ("page", 10, nfd(CAFE)),
                ("page", 11, CAFE),
                ("page", 12, nfd(MENU)),
            ]:
                change = sa.text(f"UPDATE landing_{table} SET code = :code WHERE id = :id")
                connection.execute(change, {"code": code, "id": number})
        schema.upgrade(store)

        assert status(service, "été", CAFE) == [200, 200]
        assert status(service, "été", MENU) == [200, 200]
        assert status(service, "été", HAUS) == [200, 200]
        pages = {each["id"]: each["code"] for each in dumped(service)["pages"]}
        assert pages[11] == CAFE
        assert pages[10].startswith(f"{CAFE}_")
