"""The tables that the landing plugin's lists of the world file read and write."""

from landyard_landing.tables import (
    ACCESS,
    BLOCK,
    FOLDER,
    MANIFEST,
    PAGE,
    RIGHT,
    SITE,
    TEMPLATE,
)

BLOCKS = BLOCK.id.table
FOLDERS = FOLDER.id.table
MANIFESTS = MANIFEST.code.table
PAGES = PAGE.id.table
RIGHTS = RIGHT.user_id.table
SITES = SITE.id.table
TEMPLATES = TEMPLATE.id.table
USER_ACCESS = ACCESS.id.table
