"""The import checks between kernel and plugins: which imports they allow, and how they refuse
others.
"""

import pytest
from boundaries import refusal

REQUIRES = {
    "landyard_poll": {"landyard_events"},
    "landyard_events": set(),
    "landyard_other": set(),
    "landyard_html": set(),
    "landyard_undo": set(),
}
OWNERS = {"litestar": "*.web", "PIL": "landyard_events"}


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("landyard_poll.votes", "landyard"),
        ("landyard_poll.votes", "landyard_events"),
        ("landyard_poll.votes", "landyard_poll.tables"),
        ("landyard_poll.votes", "landyard_undo.rules"),
        ("landyard_poll.votes", "landyard_html.nodes"),
        ("landyard_poll.votes", "sqlalchemy"),
        ("landyard_poll.web", "litestar"),
        ("landyard_poll.public.web.pages", "litestar"),
        ("landyard.web.application", "litestar"),
        ("landyard_events.decode", "PIL"),
    ],
)
def test_an_import_within_the_boundaries_is_allowed(importer: str, imported: str) -> None:
    assert refusal(importer, imported, REQUIRES, OWNERS) == ""


@pytest.mark.parametrize(
    ("importer", "imported", "message"),
    [
        ("landyard.kernel", "landyard_poll", "knows no plugin"),
        ("landyard_poll.votes", "landyard.kernel", "import from landyard"),
        (
            "landyard_poll.votes",
            "landyard_events.queues.rows",
            "import from landyard_events.queues",
        ),
        ("landyard_poll.votes", "landyard_events._rows", "import from landyard_events"),
        ("landyard.kernel", "landyard_undo.rules", "knows no plugin"),
        ("landyard_poll.votes", "landyard_other", "does not require"),
        ("landyard_poll.webs", "litestar", "only *.web"),
        ("landyard_poll", "PIL", "only landyard_events"),
        ("landyard_html.nodes", "landyard", "imports nothing of Landyard"),
        ("landyard_html.nodes", "landyard_undo.rules", "imports nothing of Landyard"),
    ],
)
def test_an_import_across_a_boundary_is_refused(importer: str, imported: str, message: str) -> None:
    assert message in refusal(importer, imported, REQUIRES, OWNERS)
