"""A site gets a theme, values of its own and pictures, and visitors see them at once."""

import re
from typing import Any

import pytest
import sqlalchemy as sa
from plugins.public.themes.site import (
    OTHER,
    OWN,
    PAGE,
    PLUGINS,
    dress,
    links,
    own_sheet,
    refusal,
    serving,
    upload,
    world,
)

from landyard.testing import Service
from landyard_landing.tables import SITE

CATALOGUE = "/assets/landyard.css"


def test_a_page_of_the_built_in_theme_loads_no_further_file() -> None:
    with serving() as service:
        page = service.get(PAGE).text

        assert links(service) == [CATALOGUE]
        assert 'rel="preload"' not in page
        assert 'rel="icon"' not in page


def test_another_theme_is_shown_at_once_and_changes_no_content() -> None:
    with serving() as service:
        before = service.get(PAGE).text

        assert dress(service, theme="folio").result is True

        after = service.get(PAGE).text
        assert links(service) == [CATALOGUE, "/assets/themes/folio/theme.css"]
        assert '<link rel="preload" href="/assets/themes/folio/fraunces-latin.woff2?v=' in after
        assert before.partition("<body>")[2] == after.partition("<body>")[2]


@pytest.mark.parametrize("language", ["ru", "ar", "ja"])
def test_a_page_in_another_script_preloads_no_font(language: str) -> None:
    with serving(theme="folio", language=language) as service:
        assert 'rel="preload"' not in service.get(PAGE).text


def test_every_file_of_a_theme_is_cached_for_good() -> None:
    with serving(theme="studio") as service:
        page = service.get(PAGE).text
        addresses = [part.partition('"')[0] for part in page.split('href="/assets/themes/')[1:]]
        assert len(addresses) == 2
        for address in addresses:
            answer = service.get(f"/assets/themes/{address}")
            assert answer.status_code == 200
            assert "immutable" in answer.headers["cache-control"]
        assert service.get("/assets/themes/studio/outfit.OFL.txt").status_code == 404
        assert service.get("/assets/themes/studio/theme.json").status_code == 404
        assert service.get("/assets/themes/nothing/theme.css").status_code == 404


def test_own_values_are_in_a_style_sheet_of_their_own() -> None:
    with serving() as service:
        dress(service, tokens={"hot": "#7a1fa2", "radius": "12px", "density": 1.25})

        assert links(service) == [CATALOGUE, OWN]
        sheet = own_sheet(service)
        assert ":root { --hot: #7a1fa2; --radius: 12px; --density: 1.25; }" in sheet
        # The theme's own dark colour is kept.
        assert "(prefers-color-scheme: dark) { :root { --hot: #ff9b74; } }" in sheet


def test_own_values_are_merged_and_can_be_reset() -> None:
    with serving() as service:
        dress(service, tokens={"radius": "12px", "density": "0.9"})
        dress(service, tokens={"radius": "", "stroke": "1px"})

        assert service.result("landyard.theme.get", id=1)["tokens"] == {
            "density": "0.9",
            "stroke": "1px",
        }
        dress(service, tokens={"density": "", "stroke": None})
        assert links(service) == [CATALOGUE]


def test_another_theme_starts_without_own_values() -> None:
    with serving() as service:
        dress(service, tokens={"radius": "12px"})
        dress(service, theme="bench")

        assert service.result("landyard.theme.get", id=1) == {
            "theme": "bench",
            "active": True,
            "tokens": {},
            "logo": "",
            "favicon": "",
            "social": "",
        }


def test_an_outdated_style_sheet_is_not_cached() -> None:
    with serving(theme_tokens={"radius": "1rem"}) as service:
        assert (
            service.get(f"{OWN}?v=000000000000")
            .headers["cache-control"]
            .startswith("public, max-age=0")
        )
        for name in ("site-2", "site-3", "site-0", "site-x", "site-99999999999", "site-\u00b2"):
            assert service.get(f"/assets/themes/{name}.css").status_code == 404


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ({"hot": "#ab351"}, "tokens.hot: it must be a colour as #rrggbb"),
        ({"dark.hot": "red"}, "tokens.dark.hot: it must be a colour as #rrggbb"),
        ({"radius": "3rem"}, "tokens.radius: it must be a length from 0rem to 2rem"),
        ({"radius": "-1px"}, "tokens.radius: it must be a length"),
        ({"radius": "1em"}, "tokens.radius: it must be a length"),
        ({"density": "9"}, "tokens.density: it must be a number from 0.5 to 1.5"),
        ({"density": [1]}, "tokens.density: it must be a number"),
        ({"display": "Arial"}, "tokens.display: it must be one of narrow, charter"),
        ({"picture": "blob"}, "tokens.picture: it must be one of leaf, round, square"),
        ({"dark.radius": "1px"}, "tokens.dark.radius: there is no such token"),
        ({"x" * 5000: "1px"}, "there is no such token"),
        ({"hot": "#10282f", "on-hot": "#10282f"}, "on-hot on hot (light) has a contrast of 1.00"),
        ({"dark.soft": "#223344"}, "soft on paper (dark) has a contrast of 1.3"),
        ({"veil": "#dddddd"}, "on-deep on veil over a white picture (light)"),
    ],
)
def test_a_wrong_or_unreadable_value_is_refused(tokens: Any, message: str) -> None:
    with serving() as service:
        error, text = refusal(service, tokens=tokens)

        assert error == "TOKEN_REFUSED"
        assert message in text
        assert len(text) < 2000
        assert service.result("landyard.theme.get", id=1)["tokens"] == {}


def test_pictures_of_the_site_are_its_logo_icon_and_share_image() -> None:
    with serving() as service:
        kept = upload(service)

        dress(service, logo=str(kept["id"]), favicon=kept["src"], social=kept["src"])

        page = service.get(PAGE).text
        assert f'<link rel="icon" href="{kept["src"]}">' in page
        assert re.search(
            f'<meta property="og:image" content="http[^"/]*//[^"/]+{kept["src"]}">', page
        )
        assert f'background: url("{kept["src"]}")' in own_sheet(service)
        service.later(days=8)
        service.run_jobs()
        assert service.get(kept["src"]).status_code == 200

        dress(service, logo="", favicon="", social="")
        assert links(service) == [CATALOGUE]
        assert "og:image" not in service.get(PAGE).text


def test_a_pages_own_picture_wins() -> None:
    shared = {"additional_fields": {"METAOG_IMAGE": "https://example.org/site.png"}}
    with Service(PLUGINS, world=world(**shared)) as service:
        assert 'content="https://example.org/site.png"' in service.get(PAGE).text
        page = {"METAOG_IMAGE": "https://example.org/page.png"}
        service.load({"pages": [{"id": 10, "site": 1, "additional_fields": page}]})
        assert 'content="https://example.org/page.png"' in service.get(PAGE).text


@pytest.mark.parametrize("named", ["7", "0", "-1", "9" * 30, "https://example.org/a.png", "x"])
def test_a_file_that_is_not_the_sites_picture_is_refused(named: str) -> None:
    with serving() as service:
        upload(service)

        assert refusal(service, logo=named)[0] == "SITE_PICTURE_NOT_FOUND"


def test_a_picture_of_another_site_is_refused() -> None:
    with serving() as service:
        foreign = upload(service, block=200)

        for named in (str(foreign["id"]), foreign["src"], foreign["src"] + "?x"):
            assert refusal(service, favicon=named) == (
                "SITE_PICTURE_NOT_FOUND",
                "favicon: no such file was uploaded to a page of this site.",
            )


def test_an_unknown_theme_is_refused() -> None:
    with serving() as service:
        assert refusal(service, theme="nothing")[0] == "THEME_NOT_FOUND"
        assert refusal(service, theme="<script>")[0] == "THEME_NOT_FOUND"


def test_a_user_who_may_not_change_settings_changes_no_theme() -> None:
    with serving() as service:
        sent = {"id": 1, "theme": "folio"}
        assert (
            service.call("landyard.theme.set", sent, user=2, webhook=OTHER).error == "ACCESS_DENIED"
        )
        assert (
            service.call("landyard.theme.get", {"id": 1}, user=2, webhook=OTHER).result["theme"]
            == "harbour"
        )
        assert service.call("landyard.theme.get", {"id": 9}).error == "ACCESS_DENIED"


def test_the_list_gives_the_allowed_values_of_each_token() -> None:
    with serving() as service:
        listed = [theme["code"] for theme in service.result("landyard.theme.list")]
        answer = service.result("landyard.theme.tokens", theme="folio")

        assert listed == ["harbour", "bench", "folio", "studio"]
        tokens = {token["name"]: token for token in answer}
        assert tokens["display"]["value"] == "fraunces"
        assert "newsreader" in tokens["display"]["wanted"]
        assert tokens["dark.hot"]["kind"] == "colour"
        assert service.call("landyard.theme.tokens", theme="x").error == "THEME_NOT_FOUND"


def test_the_404_page_has_the_theme_of_the_site() -> None:
    with serving(theme="bench", theme_tokens={"radius": "1rem"}) as service:
        lost = service.get("/shop/nothing/").text

        assert "/assets/themes/bench/theme.css?v=" in lost
        assert f"{OWN}?v=" in lost
        assert "/assets/themes/" not in service.get("/nowhere/").text


def test_without_its_plugin_a_theme_is_the_built_in_one() -> None:
    with serving(theme="folio", theme_tokens={"radius": "1rem"}) as service:
        with service.kernel.store.unit(writes=True) as unit:
            unit.connection.execute(sa.update(SITE.id.table).values(theme="gone"))

        assert links(service) == [CATALOGUE]


def test_a_list_of_sites_answers_their_themes() -> None:
    with serving(theme="bench") as service:
        params = {"params": {"select": ["ID", "THEME"], "order": {"ID": "ASC"}}}
        assert service.result("landing.site.getList", params) == [
            {"ID": "1", "THEME": "bench"},
            {"ID": "2", "THEME": "harbour"},
        ]
