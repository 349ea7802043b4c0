"""The landing plugin's lists of the world file, in the order in which they are loaded."""

from landyard import WorldList
from landyard_sitekit.world import dump, items, load, pages

LISTS = [
    WorldList(
        name="users",
        item=items.UserRightsItem,
        load=load.load_user_rights,
        dump=dump.dump_user_rights,
    ),
    WorldList(
        name="manifests", item=items.ManifestItem, load=load.load_manifest, dump=dump.dump_manifests
    ),
    WorldList(
        name="templates", item=items.TemplateItem, load=load.load_template, dump=dump.dump_templates
    ),
    WorldList(name="sites", item=items.SiteItem, load=load.load_site, dump=dump.dump_sites),
    WorldList(name="folders", item=items.FolderItem, load=load.load_folder, dump=dump.dump_folders),
    WorldList(
        name="pages",
        item=items.PageItem,
        load=pages.load_page,
        dump=dump.dump_pages,
        rows=pages.page_rows,
    ),
]
