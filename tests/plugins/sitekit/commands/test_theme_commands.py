"""The commands `theme` and `site theme`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from contract.worlds import PAGE, page, stored, world
from kernel.commands import ConsoleOf, Run, done, failure, listing

import landyard_content
import landyard_landing
import landyard_public
import landyard_sitekit
from landyard import Plugin, Subscriber, hookimpl
from landyard.testing import Service
from landyard_landing.events import SiteChanged
from landyard_sitekit.commands.themes import site as site_words

OWN = {"theme": "studio", "theme_tokens": {"radius": "0.5rem"}}


class Listener:
    """A plugin that records the events of sites."""

    def __init__(self) -> None:
        self.heard: list[SiteChanged] = []

    @hookimpl
    def register_subscribers(self) -> Iterable[Subscriber]:
        return [Subscriber(SiteChanged, lambda _, event: self.heard.append(event))]


LISTENER = Listener()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    shown = page(PAGE, active=True, published=True)
    plugins: list[Plugin | ModuleType] = [
        landyard_content,
        landyard_landing,
        landyard_sitekit,
        landyard_public,
        Plugin("listener", LISTENER),
    ]
    with Service(plugins, data=tmp_path / "data", world=world(shown)) as service:
        service.load({"sites": [{"id": 7, **OWN}]})
        yield service


@pytest.mark.usefixtures("service")
def test_themes_are_listed_with_the_number_of_their_sites(landyard: Run) -> None:
    listed = listing(landyard("theme", "list", "--json"))

    assert [each["code"] for each in listed] == ["harbour", "bench", "folio", "studio"]
    assert [each["sites"] for each in listed][-1] == 1


def test_a_site_gets_a_theme_at_once_and_keeps_it(service: Service, landyard: Run) -> None:
    outputs = [done(landyard("site", "theme", "7", *code)) for code in ((), ("folio",), ("folio",))]
    (kept,) = stored(service, "landing_site", id=7)

    assert outputs == ["studio\n", "folio\n", "folio\n"]
    assert "/assets/themes/folio/theme.css" in service.get("/site-7/page-10/").text
    assert (kept["theme"], kept["theme_tokens"]) == ("folio", {})


def test_a_change_of_theme_publishes_an_event(service: Service) -> None:
    for code in ("studio", "bench"):  # the first is the theme that the site already has
        CliRunner().invoke(site_words, ("theme", "7", code), obj=ConsoleOf(service.kernel))

    assert LISTENER.heard == [SiteChanged(7, 0)]


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize(
    ("words", "message"),
    [(["99"], "there is no site 99"), (["7", "sepia"], "there is no theme 'sepia'")],
)
def test_an_unknown_name_is_reported(landyard: Run, words: list[str], message: str) -> None:
    assert message in failure(landyard("site", "theme", *words))
