"""The templates of this plugin: each a folder with what is said of its pages, and their blocks."""

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec
from msgspec import Struct

from landyard import PluginError
from landyard_landing import PageTemplate, SiteTemplate, TemplateBlock

_FOLDERS = files("landyard_catalogue") / "templates"
# In place of blocks that pages have in common, such as the header: the file that they are in.
_SHARED = re.compile(r"^<!-- (\w+\.html) -->\n", re.MULTILINE)
# Before each block of a page: its code, and its anchor where it has one.
_BLOCK = re.compile(r"^<!-- ([\w.]+)(?: #([\w-]+))? -->\n", re.MULTILINE)


class _Page(Struct, frozen=True, forbid_unknown_fields=True):
    """What is said of a page; `path` in the site is "" for the main page.

    `under` is the path of the header's link that leads to it; its own, if none is given.
    """

    title: str
    heading: str
    description: str
    path: str = ""
    under: str = ""


class _Said(Struct, frozen=True, forbid_unknown_fields=True):
    """What `template.json` says: the pages, the main one first, and titles of folders by path."""

    title: str
    description: str
    pages: tuple[_Page, ...]
    folders: dict[str, str] = {}


def site_templates() -> list[SiteTemplate]:
    """Read the templates, in the order of their codes."""
    folders = sorted(_FOLDERS.iterdir(), key=lambda each: each.name)
    return [_site(folder) for folder in folders if folder.is_dir()]


def _site(folder: Traversable) -> SiteTemplate:
    said = msgspec.json.decode((folder / "template.json").read_bytes(), type=_Said)
    return SiteTemplate(
        code=folder.name,
        title=said.title,
        pages=tuple(_page(folder, said, page) for page in said.pages),
        description=said.description,
        folders=said.folders,
    )


def _page(folder: Traversable, said: _Said, page: _Page) -> PageTemplate:
    """Read a page: `title` is what it is called, `heading` what search engines show."""
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
        title=said.title if main else f"{said.title}: {page.title}",
        description=said.description if main else page.description,
        fields=fields,
        blocks=tuple(_blocks(name, _text(folder, name, page.under or page.path))),
    )


def _text(folder: Traversable, name: str, under: str) -> str:
    """Read the blocks of a page, with those that it takes from a file of several pages."""
    text = (folder / f"{name}.html").read_text(encoding="utf-8")
    text = _SHARED.sub(lambda found: (folder / found[1]).read_text(encoding="utf-8"), text)
    link = f'site-nav-link" href="/~/{under}/"'
    return text.replace(link, f'{link} aria-current="page"')


def _blocks(name: str, text: str) -> Iterator[TemplateBlock]:
    """Split a page at the comments that name its blocks."""
    before, *parts = _BLOCK.split(text)
    if before.strip():
        raise PluginError(f"{name}: there is something before the first `<!-- code -->`")
    for code, anchor, html in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield TemplateBlock(code, html.strip(), anchor)
