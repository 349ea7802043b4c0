"""Page and site templates, stored in the database, brought by plugins, or built in."""

import functools
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard import Call, PluginError, Prepared, Record
from landyard_landing.rights import Right
from landyard_landing.sites import SiteQuery, ViewedSite, transliterated
from landyard_landing.tables import SITE, TEMPLATE

Parameters = dict[str, dict[str, Any]]
"""Parameters of components, by the components' names."""


class TemplateBlock(Struct, frozen=True):
    """One block of a template; a `content` of None stands for the block type's own HTML."""

    code: str
    content: str | None = None
    anchor: str | None = None
    params: Parameters = {}


class PageTemplate(Struct, frozen=True):
    """A page template, as a world file writes it: a page's fields, and its blocks in order.

    `fields` may hold anything: a world file's fields are not checked.
    """

    code: str
    type: str = "PAGE"
    title: str = ""
    description: str = ""
    fields: dict[str, Any] = {}
    locked: bool = False
    blocks: tuple[TemplateBlock, ...] = ()


class SiteTemplate(Record, frozen=True):
    """A plugin's site template: the templates of its pages, the main page first.

    The main page's code is the site template's code; the code of another page is that code, a slash
    and the page's path in the site: `inn/rooms`, `inn/rooms/attic`. `folders` are titles by path. A
    template of a single page is a page template only. A link to `/~/rooms/` leads to the page or
    folder at `rooms` in the same site.
    """

    code: str
    title: str
    pages: tuple[PageTemplate, ...]
    description: str = ""
    folders: Mapping[str, str] = {}

    @property
    def key(self) -> str:
        return self.code

    @property
    def site_type(self) -> str:
        """The type of the sites that can be made of it."""
        return self.pages[0].type

    @property
    def is_site(self) -> bool:
        """Whether a whole site can be made of it."""
        return len(self.pages) > 1

    def check(self, records: Mapping[type, Mapping[str, Any]]) -> None:  # noqa: ARG002 - see Record
        codes = [page.code for page in self.pages]
        own = [code == self.code or code.startswith(f"{self.code}/") for code in codes]
        if codes[:1] != [self.code] or not all(own) or len({*codes}) < len(codes):
            raise PluginError(
                f"site template '{self.code}': the code of its first page must be '{self.code}',"
                f" and the code of any other page '{self.code}/' and the page's path"
            )
        for page in self.pages[1:]:
            folder, _, last = page.code.removeprefix(f"{self.code}/").rpartition("/")
            if folder and folder not in self.folders:
                raise PluginError(f"site template '{self.code}': 'folders' must have '{folder}'")
            # Links lead to paths, and a page's `CODE` is the last part of its path.
            if page.fields.get("CODE") != last or transliterated(last) != last:
                raise PluginError(
                    f"site template '{self.code}': the fields of '{page.code}' must have"
                    f' "CODE": "{last}", in lower-case letters, digits and hyphens'
                )
        if self.code in builtin_templates():
            raise PluginError(f"site template '{self.code}': a built-in template has this code")


_TEMPLATES = select(*(TEMPLATE[name] for name in PageTemplate.__struct_fields__))
_THIS = TEMPLATE.code == bindparam("code")
_FIND = Prepared(_TEMPLATES.where(_THIS))
_ALL = Prepared(_TEMPLATES.order_by(TEMPLATE.code))
_NOW = SITE.id.table.alias().c
# No key of the row is changed, so the insert of a row that refers to the site does not wait.
_LOCK_SITE = select(_NOW.id).where(_NOW.id == SITE.id).with_for_update(key_share=True)


_FIND_BOTH = SiteQuery(
    *_TEMPLATES.selected_columns,
    joined=lambda site: site.join(TEMPLATE.code.table, _THIS, isouter=True),
    held=_LOCK_SITE,
)


@functools.cache
def builtin_templates() -> Mapping[str, PageTemplate]:
    """Read the built-in templates, by code."""
    folder = files("landyard_content") / "catalogue" / "templates"
    found = (
        msgspec.json.decode(file.read_bytes(), type=PageTemplate)
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
    )
    return {template.code: template for template in found}


def find_template(
    connection: Connection, code: str, plugin_templates: Mapping[str, SiteTemplate]
) -> PageTemplate | None:
    """Find a page template: a stored one, else a built-in one, else a plugin's."""
    row = _FIND.first(connection, code=code)
    return _unstored(code, plugin_templates) if row is None else _read(row)


def find_site_and_template(
    call: Call, site_id: int, scope: str | None, code: str
) -> tuple[ViewedSite, bool, PageTemplate | None] | None:
    """Find a site as `find_site` does, and a template as `find_template` does, by one query.

    The site is locked until the call ends, if it still exists and the caller may edit there; the
    second value tells whether it is. On SQLite it always is, as there is one writer at a time.
    """
    found = _FIND_BOTH.find(call, site_id, scope, code=code, hold_for=Right.EDIT)
    if found is None:
        return None
    site, row = found
    of_template = row[: len(PageTemplate.__struct_fields__)]
    is_locked = None not in row[len(of_template) :]
    stored = None if of_template[0] is None else _read(of_template)
    return site, is_locked, stored or _unstored(code, call.records(SiteTemplate))


def stored_templates(connection: Connection) -> Mapping[str, PageTemplate]:
    """Read the templates stored in the database, by code."""
    return {row[0]: _read(row) for row in _ALL.all(connection)}


def list_templates(
    connection: Connection, plugin_templates: Mapping[str, SiteTemplate]
) -> Sequence[PageTemplate]:
    """List every template that `find_template` finds, by code."""
    found = {**_pages(plugin_templates), **builtin_templates(), **stored_templates(connection)}
    return [template for _, template in sorted(found.items())]


def _unstored(code: str, plugin_templates: Mapping[str, SiteTemplate]) -> PageTemplate | None:
    return builtin_templates().get(code) or _pages(plugin_templates).get(code)


def _pages(plugin_templates: Mapping[str, SiteTemplate]) -> Mapping[str, PageTemplate]:
    return {page.code: page for site in plugin_templates.values() for page in site.pages}


def _read(row: Sequence[Any]) -> PageTemplate:
    return msgspec.convert(
        dict(zip(PageTemplate.__struct_fields__, row, strict=True)), PageTemplate
    )
