"""Fills a new site with the folders and pages of a site's template."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, insert

from landyard import Prepared
from landyard_landing.blocks.blocktypes import BlockType
from landyard_landing.blocks.creation import Overrides, create_page
from landyard_landing.blocks.templates import SiteTemplate
from landyard_landing.files.records import hold_files
from landyard_landing.sites.places import Place
from landyard_landing.tables import FOLDER

_ADD_FOLDER = Prepared(insert(FOLDER.id.table).returning(FOLDER.id), int)


class FilledSite(Struct, frozen=True):
    """The ids of what was made, by path in the site: "" is the main page, which is the first."""

    folders: dict[str, int]
    pages: dict[str, int]


def fill_site(
    connection: Connection,
    site_id: int,
    template: SiteTemplate,
    *,
    title: str | None = None,
    brought: Mapping[str, BlockType],
    now: datetime,
    user_id: int,
) -> FilledSite:
    """Make the folders and pages of a template in an empty site, all inactive, signed by a user.

    `title` is what the site is called, None where it is called as the template: the main page gets
    it, and no page shows the template's texts for search engines. Plugins have `brought` block
    types. The caller says which page
    is the site's main page, and announces what was made.
    """
    signed = {"created_at": now, "modified_at": now, "created_by": user_id, "modified_by": user_id}
    folders: dict[str, int] = {}
    for path in sorted(template.folders):  # a folder comes behind the one that it is in
        above, _, code = path.rpartition("/")
        named = {"parent_id": folders.get(above), "code": code, "title": template.folders[path]}
        folder_id = _ADD_FOLDER.first(connection, site_id=site_id, active=False, **named, **signed)
        assert folder_id is not None
        folders[path] = folder_id
    pages: dict[str, int] = {}
    for page in template.pages:
        path = page.code.removeprefix(template.code).removeprefix("/")
        place = Place(site_id, folders.get(path.rpartition("/")[0]))
        overrides = Overrides(title=None if path else title, renames_site=title is not None)
        made = create_page(
            connection, place, page, overrides, brought=brought, now=now, user_id=user_id
        )
        hold_files(connection, made.files)
        pages[path] = made.id
    return FilledSite(folders, pages)
