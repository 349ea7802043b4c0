"""Templates to make pages from, and short helpers that do so."""

from typing import Any

from contract.worlds import (
    CODE,
    PAGE,
    SITE,
    Item,
    World,
    block,
    page,
    site,
    stored,
    user,
    world,
)

from landyard.testing import Answer, Service

METHOD = "landing.landing.addByTemplate"
OTHER = 8
FOLDER, DEEP, OTHERS_FOLDER = 50, 51, 60
ACTIVE, INSIDE, TRASHED, FOREIGN = 11, 12, 13, 14
MENU, FOREIGN_MENU, TRASHED_MENU = 100, 140, 130
SEO = {
    "METAOG_TITLE": "Og",
    "METAMAIN_TITLE": "Main",
    "METAOG_DESCRIPTION": "Og told",
    "METAMAIN_DESCRIPTION": "Main told",
}
BLOCKS: list[Item] = [
    {"code": CODE, "content": None, "anchor": "top"},
    {
        "code": "test.shop",
        "content": "<p>Shop</p><script>x</script>",
        "params": {
            "bitrix:catalog.section": {"IBLOCK_ID": "", "SECTION_ID": "", "COUNT": "9"},
            "bitrix:catalog.filter": {"IBLOCK_ID": "", "FILTER": None},
        },
    },
    {"code": CODE, "content": "<p>Last</p>", "params": {"bitrix:x": {"IBLOCK_ID": ""}}},
]


def template(code: str = "promo", **more: Any) -> Item:
    """A template; `fields` override its usual fields, and None removes one."""
    usual = {"TITLE": "Promo", "CODE": code, "RULE": "", "ADDITIONAL_FIELDS": SEO}
    fields: dict[str, Any] = {**usual, **more.pop("fields", {})}
    kept = {name: value for name, value in fields.items() if value is not None}
    return {
        "code": code,
        "type": "PAGE",
        "title": "Promo template",
        "description": "Told in a gallery",
        "blocks": BLOCKS,
        **more,
        "fields": kept,
    }


def templates_world(*templates: Item, **more: Any) -> World:
    """Sites 7 and 8 with the same pages, folders and menus, and the templates."""
    pages = [
        page(PAGE, block(MENU)),
        page(ACTIVE, active=True, published=True),
        page(INSIDE, folder=DEEP),
        page(TRASHED, block(TRASHED_MENU), deleted=True),
        page(FOREIGN, block(FOREIGN_MENU), site=OTHER),
        *more.pop("pages", []),
    ]
    folders = [
        {"id": FOLDER, "site": SITE, "code": "catalog"},
        {"id": DEEP, "site": SITE, "parent": FOLDER, "code": "deep"},
        {"id": OTHERS_FOLDER, "site": OTHER, "code": "catalog"},
    ]
    made = world(
        *pages,
        sites=[site(OTHER, main_page=FOREIGN), *more.pop("sites", [])],
        folders=[*folders, *more.pop("folders", [])],
        templates=list(templates) or [template()],
        **more,
    )
    made["sites"][0]["main_page"] = PAGE
    return made


def may(user_id: int, *rights: str, **more: Any) -> Item:
    """A user with these rights on every site."""
    return user(user_id, **{"sites_access": True, "rights": {"*": list(rights)}, **more})


def ask(service: Service, code: Any = "promo", *, fields: Any = None, **more: Any) -> Answer:
    """Make a page from a template in site 7; `more` may name another site or another caller."""
    sent = {"siteId": more.pop("siteId", SITE), "code": code}
    if fields is not None:
        sent["fields"] = fields
    return service.call(METHOD, sent, **more)


def add(service: Service, code: Any = "promo", **more: Any) -> dict[str, Any]:
    """Make a page from a template and return its row."""
    (row,) = stored(service, "landing_page", id=ask(service, code, **more).result)
    return row


def blocks_of(service: Service, page_id: int) -> list[dict[str, Any]]:
    return stored(service, "landing_block", page_id=page_id)
