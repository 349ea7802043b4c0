"""Pages: created, published, trashed, restored, erased; and the templates they are made from."""

from landyard_landing.pages.creation import CreatedPage, Overrides, create_page
from landyard_landing.pages.erasing import erase_pages
from landyard_landing.pages.publication import open_folders, publish, unpublish
from landyard_landing.pages.retention import purge
from landyard_landing.pages.site_filling import fill_site
from landyard_landing.pages.templates import (
    PageTemplate,
    SiteTemplate,
    TemplateBlock,
    find_site_and_template,
    find_template,
    forget_template,
    list_templates,
    store_template,
    stored_templates,
)
from landyard_landing.pages.trash import TrashSettings, list_trash, restore_page, trash_page

__all__ = [
    "CreatedPage",
    "Overrides",
    "PageTemplate",
    "SiteTemplate",
    "TemplateBlock",
    "TrashSettings",
    "create_page",
    "erase_pages",
    "fill_site",
    "find_site_and_template",
    "find_template",
    "forget_template",
    "list_templates",
    "list_trash",
    "open_folders",
    "publish",
    "purge",
    "restore_page",
    "store_template",
    "stored_templates",
    "trash_page",
    "unpublish",
]
