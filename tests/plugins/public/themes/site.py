"""A site with a page, and its theme."""

import re
from typing import Any

import landyard_blocks
import landyard_content
import landyard_events
import landyard_landing
import landyard_outgoing
import landyard_pictures
import landyard_public
import landyard_sitekit
import landyard_sites
from landyard.testing import WEBHOOK, Service

PLUGINS = [
    *(
        landyard_content,
        landyard_landing,
        landyard_sitekit,
        landyard_blocks,
        landyard_sites,
        landyard_public,
    ),
    *(landyard_events, landyard_outgoing, landyard_pictures),
]
OTHER = "other-webhook-0123456789"
PAGE, OWN = "/shop/", "/assets/themes/site-1.css"
GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def world(**site: Any) -> dict[str, Any]:
    public = {"active": True, "published": True}
    menu = {"id": 100, "code": "ly.menu", "published_id": 90}
    return {
        "users": [
            {"id": 1, "name": "Ann", "admin": True},
            {"id": 2, "name": "Ben", "sites_access": True, "rights": {"*": ["view"]}},
        ],
        "webhooks": [
            {"user": 1, "code": WEBHOOK, "scopes": ["landing"]},
            {"user": 2, "code": OTHER, "scopes": ["landing"]},
        ],
        "sites": [
            {"id": 1, "code": "shop", "type": "PAGE", "main_page": 10, **site},
            {"id": 2, "code": "other", "type": "PAGE", "main_page": 20},
        ],
        "pages": [
            {"id": 10, "site": 1, "code": "home", "title": "Boats", **public, "blocks": [menu]},
            {"id": 20, "site": 2, "code": "home", "blocks": [{"id": 200, "code": "ly.menu"}]},
        ],
    }


def serving(*, plugins: Any = PLUGINS, **site: Any) -> Service:
    return Service(plugins, world=world(**site))


def dress(service: Service, **given: Any) -> Any:
    return service.call("landyard.theme.set", {"id": 1, **given})


def refusal(service: Service, **given: Any) -> tuple[str | None, str]:
    """The error code of a refused call, and its text."""
    answer = dress(service, **given)
    return answer.error, answer.body.get("error_description", "")


def upload(service: Service, block: int = 100, name: str = "a.gif") -> dict[str, Any]:
    """Upload a picture to a block; return its `id` and its path, `src`."""
    kept: dict[str, Any] = service.result(
        "landing.block.uploadfile", block=block, picture=[name, GIF]
    )
    return kept | {"src": "/files/" + kept["src"].partition("/files/")[2]}


def links(service: Service) -> list[str]:
    """The addresses of the public page's style sheets, without their versions."""
    found = re.findall(r'<link rel="stylesheet" href="([^"?]+)\?v=[^"]+">', service.get(PAGE).text)
    return [str(each) for each in found]


def own_sheet(service: Service) -> str:
    """The style sheet of the site's own values, as the page names it."""
    address = re.search(rf'href="({re.escape(OWN)}\?v=[^"]+)"', service.get(PAGE).text)
    return service.get(address[1]).text if address else ""
