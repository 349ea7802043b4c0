"""Fills a new site with the folders and pages of a site template."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, insert

from landyard import Prepared
from landyard_content.blocks import BlockType
from landyard_content.files import hold_files
from landyard_content.pages import Overrides, SiteTemplate, create_page
from landyard_landing.rights import Place
from landyard_landing.tables import FOLDER

_ADD_FOLDER = Prepared(insert(FOLDER.id.table).returning(FOLDER.id), int)


class FilledSite(Struct, frozen=True):
    """The ids of new folders and pages, by path in the site; the main page, the first, has ""."""

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

    `title` is the site's name, None where the site is named like the template. With a `title` the
    main page gets it, and no page shows the template's texts for search engines. `brought` are the
    block types of plugins. The caller sets the site's main page, and announces the new folders and
    pages.
    """
    signed = {"created_at": now, "modified_at": now, "created_by": user_id, "modified_by": user_id}
    folders: dict[str, int] = {}
    for path in sorted(template.folders):  # a folder comes after its parent
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
