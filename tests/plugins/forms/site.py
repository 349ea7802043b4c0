"""A site with a form, and visitors who fill it in."""

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import httpx

import landyard_blocks
import landyard_content
import landyard_events
import landyard_forms
import landyard_landing
import landyard_outgoing
import landyard_pictures
import landyard_public
import landyard_sitekit
from landyard.testing import WEBHOOK, Service

PLUGINS = [
    landyard_content,
    landyard_landing,
    landyard_public,
    landyard_sitekit,
    landyard_outgoing,
    landyard_pictures,
    landyard_events,
    landyard_blocks,
    landyard_forms,
]
OTHER = "other-webhook-0123456789"
FORM = 90
PLACE = f"/-/forms?form={FORM}"
SENT = f"/-/forms/sent?form={FORM}"
SEEN = "/-/forms/seen.svg"
NOON = datetime(2027, 5, 1, 12, tzinfo=UTC)
GOOD = {
    "name": "Ann Quay",
    "mail": "ann@example.org",
    "message": "May we come and see the boat?",
    "consent": "Y",
}


def world(content: str | None = None, **page: Any) -> dict[str, Any]:
    block: dict[str, Any] = {"id": 100, "code": "forms.form", "published_id": FORM}
    if content is not None:
        block["content"] = content
    return {
        "users": [
            {"id": 1, "name": "Ann", "admin": True},
            {"id": 2, "name": "Ben", "sites_access": True, "rights": {"*": ["view"]}},
        ],
        "webhooks": [
            {"user": 1, "code": WEBHOOK, "scopes": ["landing"]},
            {"user": 2, "code": OTHER, "scopes": ["landing"]},
        ],
        "sites": [{"id": 1, "code": "shop", "type": "PAGE", "main_page": 10}],
        "pages": [
            {
                "id": 10,
                "site": 1,
                "code": "home",
                "title": "Boats",
                "active": True,
                "published": True,
                "blocks": [block],
            }
            | page
        ],
    }


def form_with(*cards: str, consent: str = "", following: str = "") -> str:
    items = "".join(f'<li class="landing-block-card" {card}</li>' for card in cards)
    return (
        '<section class="landing-block"><h2 class="landing-block-node-title">T</h2>'
        f'<div class="landing-block-node-form" data-next="{following}"><ul>{items}</ul>'
        f'<p class="landing-block-node-consent">{consent}</p>'
        '<p><span class="landing-block-node-button">Go</span></p>'
        '<p class="landing-block-node-thanks">Thanks, all of you.</p></div></section>'
    )


def card(kind: str, name: str, *, required: bool = False, options: str = "") -> str:
    must = "Y" if required else "N"
    return (
        f'data-type="{kind}" data-name="{name}" data-required="{must}" data-options="{options}">'
        f'<strong class="landing-block-node-card-title">The {name}</strong>'
        '<span class="landing-block-node-card-text"></span>'
    )


def serving(content: str | None = None, *, language: str | None = None, **options: Any) -> Service:
    options.setdefault("now", NOON)
    return Service(PLUGINS, world=world(content, language=language), **options)


class Visitor:
    """A browser that loads the pictures of a page and sends its cookie."""

    def __init__(self, service: Service, *, address: str = "192.0.2.1") -> None:
        self.service = service
        self.cookie = ""
        self.address = address

    def look(self) -> None:
        header = self.service.get(SEEN).headers.get("set-cookie", "")
        self.cookie = header.partition(";")[0] or self.cookie

    def send(self, fields: Any, *, place: str = PLACE, **headers: str) -> Any:
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        if self.cookie:
            headers["Cookie"] = self.cookie
        body = fields if isinstance(fields, bytes) else urlencode(fields).encode()
        return self._from(place, body, headers)

    def attach(self, fields: dict[str, str], **files: tuple[str, bytes]) -> Any:
        """Send the form with files: by the names of fields, their names and bytes."""
        self.look()
        self.service.later(seconds=8)
        kind, body = multipart(fields, files)
        return self.send(body, **{"Content-Type": kind})

    def fill(self, fields: Any) -> Any:
        """Load the form, take the time that a person takes, and send it."""
        self.look()
        self.service.later(seconds=8)
        return self.send(fields)

    def _from(self, place: str, body: bytes, headers: dict[str, str]) -> Any:
        import asyncio

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.service.web_app, client=(self.address, 5000))
            async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as web:
                return await web.post(place, content=body, headers=headers)

        answer = asyncio.run(send())
        if self.service.crashes:
            raise self.service.crashes.pop()
        return answer


def multipart(fields: dict[str, str], files: dict[str, tuple[str, bytes]]) -> tuple[str, bytes]:
    """Encode a multipart body as a browser does for a form with files; return media type and
    body.
    """
    request = httpx.Request("POST", "http://x", data=fields, files=list(files.items()))
    return request.headers["content-type"], request.read()


def again_of(page: str) -> str:
    found = re.search(r'name="again" value="([^"]+)"', page)
    assert found, page
    return found[1]


def kept(service: Service) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = service.result("landyard.form.submissions", lid=10, form=FORM)
    return listed
