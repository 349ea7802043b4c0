"""`landyard init` sets up a new service with a site, a user and a webhook, or refuses."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from kernel.commands import Run, done, failure, listing

from landyard.testing import Service

FLAGS = ("--name", "Ann", "--title", "Tide & Co", "--template", "event")


def paths(text: str) -> list[str]:
    """The paths of the site and of the webhook."""
    return [urlsplit(word).path for word in text.split() if word.startswith("http://")]


def test_a_site_is_served_and_its_webhook_works(landyard: Run, tmp_path: Path) -> None:
    site, webhook = paths(done(landyard("init", *FLAGS, "--language", "he")))

    with Service(data=tmp_path / "data", world={}) as service:
        page = service.get(site)
        moved = service.request("POST", f"{webhook}landing.landing.getpublicurl?lid=1")
    assert (site, page.status_code, moved.status_code) == ("/tide-co/", 200, 200)
    assert moved.json()["result"].endswith(site)
    assert "<title>Tide &amp; Co</title>" in page.text
    assert '<html lang="he" dir="rtl">' in page.text
    assert listing(landyard("user", "list", "--json"))[0]["admin"]
    assert listing(landyard("webhook", "list", "--json"))[0]["scopes"] == ["landing"]


def test_the_address_of_the_editor_is_printed_where_the_console_is_on(landyard: Run) -> None:
    output = done(landyard("init", *FLAGS))

    (way,) = re.findall(r"^ +(?:\S+=\S+ )*\S+ console$", output, re.MULTILINE)
    assert "/-/console/sign-in?key=" in done(landyard(way.split()[-1]))


def test_without_the_console_no_address_of_it_is_printed(landyard: Run) -> None:
    done(landyard("plugins", "disable", "console"))

    assert " console" not in done(landyard("init", *FLAGS))


def test_missing_values_are_asked_for(landyard: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("landyard_sitekit.commands.init._require_terminal", lambda _: None)

    output = done(landyard("init", "--name", "Ann", given="Tide\nnone such\nproduct\n"))

    assert paths(output)[0] == "/tide/"


@pytest.mark.parametrize(
    ("variables", "flags", "language"),
    [
        ({"LC_ALL": "", "LANG": "fr_FR.UTF-8"}, (), "fr"),
        ({"LC_ALL": "C", "LANG": "fr_FR.UTF-8"}, (), "en"),
        ({"LC_ALL": "de_AT@euro"}, (), "de"),
        ({"LC_ALL": "POSIX"}, (), "en"),
        ({"LC_ALL": "fr_FR.UTF-8"}, ("--language", "pt-BR"), "pt-BR"),
    ],
)
def test_the_site_is_in_the_language_of_the_terminal_unless_another_is_set(  # noqa: PLR0917 - a row
    landyard: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    variables: dict[str, str],
    flags: tuple[str, ...],
    language: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    site, _ = paths(done(landyard("init", *FLAGS, *flags)))

    with Service(data=tmp_path / "data", world={}) as service:
        assert f'<html lang="{language}"' in service.get(site).text


@pytest.mark.parametrize(
    ("more", "path", "explained"),
    [((), r"/[a-z0-9]{12}/", True), (("--code", "tide"), "/tide/", False)],
)
def test_an_address_not_made_from_the_title_is_explained(
    landyard: Run, more: tuple[str, ...], path: str, *, explained: bool
) -> None:
    output = done(landyard("init", *FLAGS, "--title", "!!!", *more))

    assert re.fullmatch(path, paths(output)[0])
    assert ("no letter or digit" in output) is explained


def test_without_a_terminal_the_missing_flags_are_named(landyard: Run) -> None:
    result = landyard("init", "--name", "Ann")

    assert result.exit_code == 2
    assert "give --title, --template" in result.stderr


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (("--template", "none such"), "landyard templates list"),
        (("--title", "Files"), "'files'"),
        (("--name", " "), "needs a name"),
    ],
)
def test_a_refused_call_leaves_nothing(landyard: Run, wrong: tuple[str, ...], named: str) -> None:
    output = failure(landyard("init", *FLAGS, *wrong))

    assert named in output
    assert [listing(landyard(noun, "list", "--json")) for noun in ("user", "page")] == [[], []]


def test_a_service_with_a_site_is_refused(landyard: Run) -> None:
    done(landyard("init", *FLAGS))

    assert "has a site" in failure(landyard("init", "--name", "Ben", *FLAGS[2:]))


def test_the_printed_serve_command_contains_the_current_settings(
    landyard: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANDYARD_DATA", "mine")
    monkeypatch.setenv("LANDYARD_PORT", "8307")
    monkeypatch.setenv("LANDYARD_METRICS__TOKEN", "hush-hush-hush-hush")

    output = done(landyard("init", *FLAGS))

    assert f"Data     {tmp_path}/mine\n" in output
    assert re.search(rf"LANDYARD_DATA={tmp_path}/mine .*LANDYARD_PORT=8307 .* serve\n", output)
    assert "hush" not in output
    assert "with LANDYARD_METRICS__TOKEN as it is set here" in output
