"""Creates a page from a template, with its address and draft blocks (P12)."""

import functools
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, field, structs
from sqlalchemy import (
    JSON,
    Connection,
    Integer,
    String,
    bindparam,
    column,
    false,
    func,
    insert,
    literal,
    null,
    select,
    true,
)

from landyard import Id, ParamsReader, Prepared
from landyard_content.blocks.blocktypes import BlockType, find_types
from landyard_content.blocks.drafts import safe_content
from landyard_content.blocks.sizes import require_new_page
from landyard_content.files.records import mentioned_files
from landyard_content.pages.templates import PageTemplate, Parameters, TemplateBlock
from landyard_html.policy import POLICY_VERSION
from landyard_landing.languages import read_language
from landyard_landing.rights import Place
from landyard_landing.settings import BlockSettings
from landyard_landing.sites import (
    DESCRIPTIONS,
    TITLES,
    free_code,
    page_code,
)
from landyard_landing.tables import BLOCK, PAGE, SITE

_STEP = 500
_UNCLEANED = 0  # no policy has this version, so the HTML is cleaned

_ADD_PAGE = Prepared(insert(PAGE.id.table).returning(PAGE.id), int)
_UNSHOWN = dict.fromkeys(("active", "published", "deleted", "area"), False)
_OF_PAGE = (
    *("site_id", "folder_id", "code", "title", "description", "locked", "rule", "sitemap"),
    *("xml_id", "additional_fields", "folder_flag", "view_template", "template_code", "language"),
    "template_fields",
)
_SIGNED = ("created_at", "modified_at", "created_by", "modified_by")
_NEW = {name: bindparam(f"new_{name}", type_=PAGE[name].type) for name in (*_OF_PAGE, *_SIGNED)}
_OF_BLOCK = {"code": String, "content": String, "sort": Integer, "anchor": String, "params": JSON}
_OF_EACH = {"public": false(), "draft_id": null(), "policy": literal(POLICY_VERSION, Integer)}
_OF_EACH |= {"active": true(), "deleted": false(), **{name: _NEW[name] for name in _SIGNED}}


def _add_both() -> Prepared[int]:
    """Prepare PostgreSQL's statement that adds a page with its blocks, a parameter of JSON."""
    page = insert(PAGE.id.table).values(_UNSHOWN | _NEW).returning(PAGE.id).cte("page")
    rows = func.json_to_recordset(bindparam("new_blocks", type_=JSON))
    columns: list[Any] = [column(name, kind) for name, kind in _OF_BLOCK.items()]
    made = rows.table_valued(*columns).render_derived("made", with_types=True)
    blocks = insert(BLOCK.id.table).from_select(
        ["page_id", *_OF_BLOCK, *_OF_EACH],
        select(page.c.id, *made.c, *_OF_EACH.values())
        .select_from(page.join(made, true()))
        .order_by(made.c.sort),
        include_defaults=False,
    )
    return Prepared(select(page.c.id).add_cte(blocks.cte("blocks")), int)


_ADD_BOTH = _add_both()
_AT_ONCE = 50  # blocks


@functools.lru_cache(maxsize=_AT_ONCE)
def _adding(count: int) -> Prepared[Any]:
    """Prepare SQLite's statement that adds `count` blocks.

    One statement a block takes half as long again. So does a parameter of JSON, which SQLite reads
    slowly.
    """
    of_all = {"page_id": bindparam("of_page", type_=BLOCK.page_id.type), **_OF_EACH}
    return Prepared(
        insert(BLOCK.id.table).values(
            [
                of_all
                | {name: bindparam(f"{name}_{at}", type_=BLOCK[name].type) for name in _OF_BLOCK}
                for at in range(count)
            ]
        )
    )


_OWN = "/~/"  # the prefix of a template's links within its site
_HOME = Prepared(select(SITE.domain, SITE.code).where(SITE.id == bindparam("site_id")))

_TEXTS = (*TITLES, *DESCRIPTIONS, "METAMAIN_KEYWORDS")


class Overrides(Struct, frozen=True):
    """The caller's values that replace those of the template.

    `title` is the page's title and its titles for search engines; `description` is the description
    for search engines alone. `params` are component parameters by block code, for parameters that
    the template leaves "". `renames_site` tells that the site has another name than the template,
    so that the template's texts for search engines do not describe the page.
    """

    title: str | None = None
    description: str | None = None
    params: Mapping[str, Mapping[str, Any]] = {}
    renames_site: bool = False


class CreatedPage(Struct, frozen=True):
    """A new page: inactive, with a draft and nothing published.

    `files` are the keys of the files that it mentions; the caller locks them by `hold_files`.
    """

    id: int
    title: str
    files: frozenset[str] = frozenset()


class _Fields(Struct, frozen=True):
    """A template's `fields` of the page; unusable values count as absent."""

    title: str | None = field(name="TITLE", default=None)
    code: str | None = field(name="CODE", default=None)
    description: str = field(name="DESCRIPTION", default="")
    xml_id: str = field(name="XML_ID", default="")
    rule: str = field(name="RULE", default="")
    sitemap: str = field(name="SITEMAP", default="Y")
    folder_flag: str | None = field(name="FOLDER", default=None)
    view_template: Id | None = field(name="TPL_ID", default=None)
    language: str = field(name="LANG", default="")
    additional: dict[str, Any] = field(name="ADDITIONAL_FIELDS", default_factory=dict)


_read_fields = ParamsReader(_Fields, lenient=True)


def create_page(
    connection: Connection,
    place: Place,
    template: PageTemplate,
    overrides: Overrides,
    *,
    brought: Mapping[str, BlockType],
    now: datetime,
    user_id: int,
    is_locked: bool = False,
    settings: BlockSettings = BlockSettings(),  # noqa: B008 - it is frozen
) -> CreatedPage:
    """Make a page of a template at `place`, signed by a user.

    `brought` are the block types of plugins. A template without a code counts as none. The page's
    code is the template's `CODE` (P1), or is made of the title (P2), with a suffix where another
    page has it (P3). `is_locked` tells that the call has locked the site. Raises `CantBeEmpty`,
    `SlashIsNotAllowed` or `WrongCodeFormat` for the template's `CODE`, and `TooLarge` by the
    `settings`, before anything is written.
    """
    fields = _read_fields(template.fields)
    title = _first(overrides.title, fields.title, template.title)
    code = _code(fields, title)
    additional = _additional(fields, overrides)
    page = {
        "site_id": place.site_id,
        "folder_id": place.folder_id,
        "code": free_code(connection, place.site_id, place.folder_id, code, is_locked=is_locked),
        "title": title,
        "description": fields.description,
        "locked": template.locked,
        "rule": fields.rule,
        "sitemap": _flag(fields.sitemap),
        "xml_id": fields.xml_id,
        "additional_fields": additional,
        "folder_flag": _flag(fields.folder_flag),
        "view_template": fields.view_template or None,
        "template_code": template.code or None,
        "template_fields": _template_fields(template, fields, overrides, additional),
        "language": read_language(fields.language),
        "created_at": now,
        "modified_at": now,
        "created_by": user_id,
        "modified_by": user_id,
    }
    codes = {block.code for block in template.blocks if block.content is None}
    types = find_types(connection, codes, brought) if codes else {}
    blocks: list[dict[str, Any]] = [
        {
            "code": block.code,
            "content": _content(block, types),
            "sort": at * _STEP,
            "anchor": block.anchor,
            "params": _filled(block.params, overrides.params.get(block.code, {})),
        }
        for at, block in enumerate(_linked(connection, place.site_id, template.blocks), 1)
    ]
    lengths = (len(each["content"]) + _length(each["params"]) for each in blocks)
    require_new_page(settings, lengths)
    texts = [f"{block['content']}{block['params']}" for block in blocks]
    files = frozenset(mentioned_files("".join([str(page["additional_fields"]), *texts])))
    return CreatedPage(_add(connection, page, blocks), title, files)


def _length(params: Parameters) -> int:
    """Count the characters of parameters; a text that several parameters share counts each time."""
    values = [value for of in params.values() for value in of.values()]
    return sum(len(value) if isinstance(value, str) else len(str(value)) for value in values)


def _add(
    connection: Connection, page: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]]
) -> int:
    if connection.dialect.name != "sqlite":
        columns = {f"new_{name}": value for name, value in page.items()}
        page_id = _ADD_BOTH.first(connection, **columns, new_blocks=blocks)
        assert page_id is not None
        return page_id
    page_id = _ADD_PAGE.first(connection, **page)
    assert page_id is not None
    of_all = {"of_page": page_id, **{f"new_{name}": page[name] for name in _SIGNED}}
    for first in range(0, len(blocks), _AT_ONCE):
        some = blocks[first : first + _AT_ONCE]
        each = {f"{name}_{at}": value for at, row in enumerate(some) for name, value in row.items()}
        _adding(len(some)).run(connection, **of_all, **each)
    return page_id


def _linked(
    connection: Connection, site_id: int, blocks: Sequence[TemplateBlock]
) -> Sequence[TemplateBlock]:
    """Make the template's links within its site lead to this site, by path: the host may change."""
    if not any(block.content and _OWN in block.content for block in blocks):
        return blocks
    ((domain, code),) = _HOME.all(connection, site_id=site_id)
    home = "/" if domain else f"/{code}/"
    return [
        structs.replace(block, content=block.content.replace(f'href="{_OWN}', f'href="{home}'))
        if block.content
        else block
        for block in blocks
    ]


def _first(*texts: str | None) -> str:
    return next((text for text in texts if text is not None), "")


def _code(fields: _Fields, title: str) -> str:
    """Find the page's code; an empty `CODE` beside the key `FOLDER` counts as absent (P1)."""
    may_be_empty = fields.code is None or fields.folder_flag is not None
    return page_code(fields.code or "", title, may_be_empty=may_be_empty)


def _flag(value: str | None) -> str:
    return "Y" if value == "Y" else "N"


def _additional(fields: _Fields, overrides: Overrides) -> dict[str, Any]:
    additional = dict(fields.additional)
    if overrides.title is not None:
        additional |= dict.fromkeys(TITLES, overrides.title)
    if overrides.description is not None:
        additional |= dict.fromkeys(DESCRIPTIONS, overrides.description)
    return additional


def _template_fields(
    template: PageTemplate, fields: _Fields, overrides: Overrides, additional: Mapping[str, Any]
) -> dict[str, Any]:
    """List the fields that the page takes from its template, not those that the caller sent."""
    if not template.code:
        return {}
    title = None if overrides.renames_site else _first(fields.title, template.title)
    sent = () if overrides.description is None else DESCRIPTIONS
    from_template = {name: value for name, value in additional.items() if name not in sent}
    return _of_template(title, fields.description, from_template)


def _of_template(
    title: str | None, description: str, additional: Mapping[str, Any]
) -> dict[str, Any]:
    """Collect the texts that a new page has from its template, to be stored as `template_fields`.

    `title` is the template's; None where the page must show none of the template's texts.
    """
    own = {"TITLE": title, **({"DESCRIPTION": description} if description else {})}
    return own | {name: additional[name] for name in _TEXTS if name in additional}


def _content(block: TemplateBlock, types: Mapping[str, BlockType]) -> str:
    own = types[block.code].content if block.content is None else block.content
    return safe_content(own, _UNCLEANED)


def _filled(params: Parameters, values: Mapping[str, Any]) -> Parameters:
    """Put the values where the template has an empty string, in every component."""
    if not values:
        return params
    return {
        component: {
            name: values[name] if value == "" and name in values else value
            for name, value in of.items()
        }
        for component, of in params.items()
    }
