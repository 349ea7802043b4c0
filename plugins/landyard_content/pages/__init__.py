"""Creates, publishes, trashes, restores and erases pages, and reads their templates."""

from landyard_content.pages.creation import (
    CreatedPage,
    Overrides,
    create_page,
)
from landyard_content.pages.erasing import (
    erase_pages,
)
from landyard_content.pages.publication import (
    open_folders,
    publish,
    unpublish,
)
from landyard_content.pages.retention import (
    purge,
)
from landyard_content.pages.templates import (
    PageTemplate,
    SiteTemplate,
    TemplateBlock,
    find_site_and_template,
    find_template,
    list_templates,
    stored_templates,
)
from landyard_content.pages.trash import (
    TrashSettings,
    list_trash,
    restore_page,
    trash_page,
)

__all__ = [
    "CreatedPage",
    "Overrides",
    "PageTemplate",
    "SiteTemplate",
    "TemplateBlock",
    "TrashSettings",
    "create_page",
    "erase_pages",
    "find_site_and_template",
    "find_template",
    "list_templates",
    "list_trash",
    "open_folders",
    "publish",
    "purge",
    "restore_page",
    "stored_templates",
    "trash_page",
    "unpublish",
]
