"""Reads this plugin's site templates, folders of a `template.json` and HTML files."""

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec
from msgspec import Struct

from landyard import PluginError
from landyard_content.pages import PageTemplate, SiteTemplate, TemplateBlock

_FOLDERS = files("landyard_catalogue") / "templates"
# A comment that is replaced by a file of blocks that pages share, such as the header.
_SHARED = re.compile(r"^<!-- (\w+\.html) -->\n", re.MULTILINE)
# The comment before each block: the block's code, and its anchor if it has one.
_BLOCK = re.compile(r"^<!-- ([\w.]+)(?: #([\w-]+))? -->\n", re.MULTILINE)


class _Page(Struct, frozen=True, forbid_unknown_fields=True):
    """The description of a page in `template.json`; `path` is "" for the main page.

    `under` is the path of the header link to mark as current; by default the page's own path.
    """

    title: str
    heading: str
    description: str
    path: str = ""
    under: str = ""


class _Description(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `template.json`: pages, the main one first, and titles of folders by path."""

    title: str
    description: str
    pages: tuple[_Page, ...]
    folders: dict[str, str] = {}


def site_templates() -> list[SiteTemplate]:
    """Return the site templates, sorted by code."""
    folders = sorted(_FOLDERS.iterdir(), key=lambda each: each.name)
    return [_site(folder) for folder in folders if folder.is_dir()]


def _site(folder: Traversable) -> SiteTemplate:
    description = msgspec.json.decode((folder / "template.json").read_bytes(), type=_Description)
    return SiteTemplate(
        code=folder.name,
        title=description.title,
        pages=tuple(_page(folder, description, page) for page in description.pages),
        description=description.description,
        folders=description.folders,
    )


def _page(folder: Traversable, description: _Description, page: _Page) -> PageTemplate:
    """Return a page template; a page's `heading` is its title for search engines."""
    name = page.path.replace("/", ".") or "main"
    found = {"TITLE": page.heading, "DESCRIPTION": page.description}
    additional = {f"META{of}_{name}": text for of in ("OG", "MAIN") for name, text in found.items()}
    fields = {
        "TITLE": page.title,
        "CODE": page.path.rpartition("/")[2] or folder.name,
        "ADDITIONAL_FIELDS": additional,
    }
    main = not page.path
    return PageTemplate(
        code=folder.name if main else f"{folder.name}/{page.path}",
        title=description.title if main else f"{description.title}: {page.title}",
        description=description.description if main else page.description,
        fields=fields,
        blocks=tuple(_blocks(name, _text(folder, name, page.under or page.path))),
    )


def _text(folder: Traversable, name: str, under: str) -> str:
    """Return the HTML of a page's blocks, with shared blocks inserted and the menu link marked."""
    text = (folder / f"{name}.html").read_text(encoding="utf-8")
    text = _SHARED.sub(lambda found: (folder / found[1]).read_text(encoding="utf-8"), text)
    link = f'site-nav-link" href="/~/{under}/"'
    return text.replace(link, f'{link} aria-current="page"')


def _blocks(name: str, text: str) -> Iterator[TemplateBlock]:
    """Split a page into blocks at the comments that name them."""
    before, *parts = _BLOCK.split(text)
    if before.strip():
        raise PluginError(f"{name}: there is something before the first `<!-- code -->`")
    for code, anchor, html in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield TemplateBlock(code, html.strip(), anchor)
