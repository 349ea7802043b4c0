"""Two pages to edit, their drafts, and helpers that call methods on them."""

from typing import Any

from contract.worlds import CODE, PAGE, Item, World, block, page, stored, user, world

from landyard.testing import Service

ONE, TWO, THREE, FAR = 100, 101, 102, 110
OTHER = 11
ADD, COPY = "landing.landing.addblock", "landing.landing.copyblock"


def two_pages(**more: Any) -> World:
    """A page of three drafts, the second of which is published, and another page of one draft."""
    published: Item = {"active": True, "published": True}
    blocks = (block(ONE), block(TWO, published_id=201, anchor="here"), block(THREE))
    return world(page(PAGE, *blocks, **published), page(OTHER, block(FAR)), **more)


def order(service: Service, page_id: int = PAGE) -> list[tuple[int, int]]:
    """The drafts of a page in order, each with its sort and id."""
    rows = stored(service, "landing_block", page_id=page_id, public=False)
    return sorted((row["sort"], row["id"]) for row in rows)


def ids(service: Service, page_id: int = PAGE) -> list[int]:
    return [block_id for _, block_id in order(service, page_id)]


def draft(service: Service, block_id: int) -> dict[str, Any]:
    return stored(service, "landing_block", id=block_id)[0]


def drafts(service: Service) -> dict[int, list[dict[str, Any]]]:
    """The drafts of both pages in order, without the times and authors of changes."""
    aside = {"sort", "created_at", "modified_at", "created_by", "modified_by"}
    found: dict[int, list[dict[str, Any]]] = {}
    for page_id in (PAGE, OTHER):
        rows = {row["id"]: row for row in stored(service, "landing_block", page_id=page_id)}
        found[page_id] = [
            {name: value for name, value in rows[each].items() if name not in aside}
            for each in ids(service, page_id)
        ]
    return found


def add(service: Service, **fields: Any) -> int:
    added = service.result(ADD, {"lid": PAGE, "fields": {"CODE": CODE, **fields}})
    assert isinstance(added, int)
    return added


def do(service: Service, name: str, block_id: int, page_id: int = PAGE, **more: Any) -> Any:
    """Call a method of a page's block by the last part of its name."""
    family = "block" if name in IN_BLOCK else "landing"
    sent = {"lid": page_id, "block": block_id, **more}
    return service.call(f"landing.{family}.{name}", sent)


IN_BLOCK = {"updatecontent", "addcard", "clonecard", "updateCards", "updateStyles"}
IN_BLOCK |= {"changeAnchor", "changeNodeName", "removecard", "updateattrs", "updatenodes"}
EDITOR = user(5, sites_access=True, rights={"*": ["edit"]})
