"""A whole service with a site of two pages; the clock stands until a test moves it."""

from collections.abc import Iterator
from datetime import UTC, datetime

import landyard_blocks
import landyard_content
import landyard_events
import landyard_landing
import landyard_pages
import landyard_public
import landyard_sitekit
import pytest
from landyard.testing import WEBHOOK, Service

import landyard_exporter

WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["landing", "audit"]}],
    "sites": [{"id": 7, "code": "shop", "type": "PAGE", "title": "Shop"}],
    "pages": [{"id": number, "site": 7, "code": f"p{number}"} for number in (10, 11)],
}
PLUGINS = [
    landyard_events,
    landyard_content,
    landyard_landing,
    landyard_public,
    landyard_sitekit,
    landyard_blocks,
    landyard_pages,
    landyard_exporter,
]


@pytest.fixture
def service() -> Iterator[Service]:
    now = datetime(2027, 5, 1, 12, tzinfo=UTC)
    with Service(PLUGINS, world=WORLD, now=now, exporter={"days": 30}) as service:
        yield service
