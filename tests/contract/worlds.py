"""Worlds for tests of the landing groups, and the parts of a service to compare before and
after.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from corpora import read_data
from turbohtml import Element, parse_fragment

from landyard.testing import WEBHOOK, Service

World = dict[str, Any]
Item = dict[str, Any]

SITE, PAGE, DRAFT, PUBLISHED = 7, 10, 100, 200
CODE = "test.all"

HTML = (
    '<section class="landing-block" data-kept="as it is">'
    '<h2 class="title big">Old</h2>'
    '<div class="text">One</div><div class="text">Two</div><div class="text">Three</div>'
    '<img class="pic" src="/a.png" srcset="/a2.png 2x" alt="old">'
    '<div class="bg" style="color: red; background-image: url(\'/bg.png\')"></div>'
    '<a class="go" href="/go?x=1#f" target="_blank">Go</a>'
    '<i class="mark icon fa fa-star"></i>'
    '<iframe class="film" src="https://film.example/1"'
    ' sandbox="allow-scripts allow-same-origin allow-presentation allow-popups"></iframe>'
    '<div class="lazy" data-src="https://film.example/1"></div>'
    '<nav><ul class="menu-list"><li class="menu-item"><a class="menu-link" href="/1">First</a></li>'
    "</ul></nav>"
    "</section>"
)

MANIFEST = read_data(__file__, "MANIFEST", Item) | {"code": CODE, "content": HTML}

NO_INTEGERS: list[Any] = ["x", "12abc", "012", "", True, [12], [], {}, {"a": 12}, 1.5]
NO_TEXTS: list[Any] = [[], {}, ["Y"], {"a": "Y"}]
EVERY_RIGHT = ["view", "edit", "settings", "publish", "delete"]


def block(block_id: int, **more: Any) -> Item:
    return {"id": block_id, "code": CODE, "content": HTML, **more}


def page(page_id: int, *blocks: Item, site: int = SITE, **more: Any) -> Item:
    return {"id": page_id, "site": site, "code": f"page-{page_id}", "blocks": [*blocks], **more}


def site(site_id: int, **more: Any) -> Item:
    return {"id": site_id, "code": f"site-{site_id}", **more}


def user(user_id: int, **more: Any) -> Item:
    return {"id": user_id, "name": f"User {user_id}", **more}


VIEWER, STRANGER, OUTSIDER, EDITOR = 2, 3, 4, 5
"""A viewer, a user with access but no right, a user with every right but no access, and an
editor.
"""

CALLERS = [
    user(VIEWER, sites_access=True, rights={"*": ["view"]}),
    user(STRANGER, sites_access=True),
    user(OUTSIDER, sites_access=False, rights={"*": EVERY_RIGHT}),
    user(EDITOR, sites_access=True, rights={"*": ["edit"]}),
]


def webhook(user_id: int) -> Item:
    return {"user": user_id, "code": webhook_of(user_id), "scopes": ["landing"]}


def webhook_of(user_id: int) -> str:
    return WEBHOOK if user_id == 1 else f"test-webhook-of-user-{user_id}"


def world(
    *pages: Item,
    users: Sequence[Item] = (),
    sites: Sequence[Item] = (),
    manifests: Sequence[Item] = (MANIFEST,),
    **more: Any,
) -> World:
    """A world of these pages in site 7, with an admin (user 1) besides the given users."""
    everyone = [user(1, admin=True), *users]
    return {
        "users": everyone,
        "webhooks": [webhook(each["id"]) for each in everyone],
        "manifests": list(manifests),
        "sites": [site(SITE), *sites],
        "pages": list(pages),
        **more,
    }


def one_page(**more: Any) -> World:
    """A world of one public page with one block: draft 100 and its published copy 200."""
    blocks = block(DRAFT, published_id=PUBLISHED, **more)
    return world(page(PAGE, blocks, active=True, published=True))


def guarded_world(
    make: Callable[..., Item] = block, params: Any = None, manifests: Sequence[Item] = (MANIFEST,)
) -> World:
    """A draft that `CALLERS` may or may not edit, and blocks that nobody can edit.

    These are a deleted block, one without a manifest, a block of a page in the trash, and one of a
    page with a scope.
    """
    drafts = [
        make(DRAFT, published_id=PUBLISHED, params=params or {}),
        make(101, deleted=True),
        make(102, code="nobody.knows", content='<p class="title text card">x</p>' * 2),
    ]
    return world(
        page(PAGE, *drafts, active=True, published=True),
        page(11, make(110)),
        page(12, make(120), deleted=True),
        page(20, make(130), site=8),
        sites=[site(8, type="KNOWLEDGE")],
        manifests=manifests,
        users=CALLERS,
    )


def as_user(user_id: int) -> dict[str, Any]:
    """Keyword arguments that make `Service.call` call as this user."""
    return {"user": user_id, "webhook": webhook_of(user_id)}


def everything(service: Service) -> dict[str, list[str]]:
    """Every row of every table, to prove that a refused call changes nothing.

    Left out are the records about calls themselves: audit, counts of limits, undo journal.
    """
    engine = service.kernel.store.engine
    with engine.connect() as connection:
        if service.kernel.store.sqlite:
            return {
                name: sorted(repr(tuple(row)) for row in connection.execute(sa.text(query)))
                for name, query in _reading(engine).items()
            }
        at_once = " UNION ALL ".join(_reading(engine).values())
        found: dict[str, list[str]] = {name: [] for name in _reading(engine)}
        for name, row in connection.execute(sa.text(at_once)):
            found[name].append(row)
        return {name: sorted(rows) for name, rows in found.items()}


def _reading(engine: sa.Engine) -> dict[str, str]:
    """Queries for the rows of each table. On PostgreSQL a row is read as text, all in one query."""
    whole = "*" if engine.dialect.name == "sqlite" else "'{0}', CAST(t AS text)"
    return {
        name: f"SELECT {whole.format(name)} FROM {name} t"
        for name in _names(str(engine.url), engine)
        if not name.startswith(("audit_", "limits_", "undo_"))
    }


_tables: dict[Any, Any] = {}


def _names(url: str, engine: sa.Engine) -> list[str]:
    """The names of the tables, read once per server because that takes longer than most tests."""
    if url not in _tables:
        _tables[url] = sa.inspect(engine).get_table_names()
    names: list[str] = _tables[url]
    return names


def need_refused(service: Service, method: str, cases: Sequence[tuple[int, Any, str]]) -> None:
    """Assert that each call is refused and none writes. A row gives caller, parameters and code."""
    before = everything(service)

    answers = [(who, sent, service.call(method, sent, **as_user(who))) for who, sent, _ in cases]

    assert [(who, sent, answer.error) for who, sent, answer in answers] == cases
    assert {answer.status for who, _, answer in answers if who == 1} <= {400}
    assert everything(service) == before


def _table(engine: sa.Engine, name: str) -> sa.Table:
    """A table as the database defines it, read once because that takes longer than most tests."""
    key = (engine.dialect.name, name)
    if key not in _tables:
        options: Any = {"autoload_with": engine, "resolve_fks": False}
        _tables[key] = sa.Table(name, sa.MetaData(), **options)
    table: sa.Table = _tables[key]
    return table


def stored(service: Service, table: str, **key: Any) -> list[dict[str, Any]]:
    """The rows of a table with these values, by id."""
    model = _table(service.kernel.store.engine, table)
    query = sa.select(model).order_by(model.c.id)
    with service.kernel.store.session() as session:
        wanted = [model.c[name] == value for name, value in key.items()]
        return [dict(row) for row in session.execute(query.where(*wanted)).mappings()]


def draft_html(service: Service, block_id: int = DRAFT) -> str:
    """The draft's HTML as it is stored."""
    return str(stored(service, "landing_block", id=block_id)[0]["content"])


def find(html: str, selector: str) -> list[Element]:
    return parse_fragment(html).select(selector)


def attributes(element: Element) -> Mapping[str, str | None]:
    return {name: element.attr(name) for name in element.attrs}


def tree(*more_pages: Item, users: Sequence[Item] = ()) -> World:
    """A world of sites 7 (main page 10), 8, 9 (KNOWLEDGE) and 6 (with a domain), with folders.

    Every page but 18 is published; block 100 of page 10 has its published copy at 101, and so on.
    """

    def shown(page_id: int, **more: Any) -> Item:
        own = block(page_id * 10, published_id=page_id * 10 + 1)
        return page(page_id, own, **{"active": True, "published": True, **more})

    built = world(
        shown(10, title="Home"),
        shown(11, folder=1, title="Index of the catalog"),
        shown(12, folder=1),
        shown(13, active=False, deleted=True, deleted_at="2026-01-01T00:00:00Z"),
        shown(14, locked=True),
        shown(15, area=True),
        shown(16, rule="item-[0-9]+"),
        shown(17, active=False),
        page(18),
        shown(20, site=8),
        shown(30, site=9),
        shown(40, site=6),
        *more_pages,
        users=users,
        sites=[
            site(8, main_page=20),
            site(9, type="KNOWLEDGE"),
            site(6, domain="shop.example"),
        ],
        folders=[
            {"id": 1, "site": 7, "code": "catalog", "index_page": 11},
            {"id": 2, "site": 7, "parent": 1, "code": "inner"},
            {"id": 3, "site": 8, "code": "far"},
        ],
    )
    built["sites"][0]["main_page"] = 10
    return built


def row(service: Service, page_id: int) -> dict[str, Any]:
    """A page's row as it is stored."""
    return stored(service, "landing_page", id=page_id)[0]
