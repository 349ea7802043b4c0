"""A model of the tree: sites, folders, pages and the order of their blocks.

It holds no texts and no rights. The service decides whether a call succeeds; `tree_changes` then
applies the call's effect to the model. `read` reads the tree of a database to compare.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from landyard.testing import Service
from landyard_landing.tables import BLOCK, FOLDER, PAGE, SITE

RETENTION = timedelta(days=30)


@dataclass
class SiteItem:
    active: bool = False
    main: int | None = None
    trashed: datetime | None = None


@dataclass
class FolderItem:
    site: int
    parent: int | None = None
    active: bool = False
    index: int | None = None
    trashed: datetime | None = None


@dataclass
class BlockItem:
    active: bool = True
    deleted: bool = False


@dataclass
class PageItem:
    """A page; `drafts` are in order, `copies` are the drafts that its published blocks copy.

    A copy outlives its draft until the page is published again.
    """

    site: int
    folder: int | None = None
    active: bool = False
    trashed: datetime | None = None
    drafts: dict[int, BlockItem] = field(default_factory=dict)
    copies: list[int] = field(default_factory=list)

    def put(self, block: int, item: BlockItem, index: int) -> None:
        """Put a block at a place of the order without it."""
        self.drafts.pop(block, None)
        order = list(self.drafts.items())
        order.insert(index, (block, item))
        self.drafts = dict(order)

    def behind(self, block: int, moved: int = 0) -> int | None:
        """Return the place after a block, in the order without the block that moves."""
        order = [each for each in self.drafts if each != moved]
        return order.index(block) + 1 if block in order else None


@dataclass
class Tree:
    sites: dict[int, SiteItem] = field(default_factory=dict)
    folders: dict[int, FolderItem] = field(default_factory=dict)
    pages: dict[int, PageItem] = field(default_factory=dict)

    # -------------------------------------------------------------- what is shown

    def live(self) -> list[int]:
        """The pages outside the trash whose site is outside the trash too."""
        return [
            number
            for number, page in self.pages.items()
            if page.trashed is None and self.sites[page.site].trashed is None
        ]

    def shown(self) -> list[int]:
        """The pages that visitors can open."""
        return [
            number
            for number, page in self.pages.items()
            if page.active and self._open(self.sites[page.site]) and all(self._around(page.folder))
        ]

    def _around(self, folder: int | None) -> Iterable[bool]:
        while folder is not None:
            yield self._open(self.folders[folder])
            folder = self.folders[folder].parent

    @staticmethod
    def _open(item: SiteItem | FolderItem) -> bool:
        return item.active and item.trashed is None

    # --------------------------------------------------------- the effects of calls

    def publish(self, page: int) -> None:
        item = self.pages[page]
        item.copies = sorted(key for key, block in item.drafts.items() if not block.deleted)
        item.active = True
        self.sites[item.site].active = True
        self.open_folders(item.folder)

    def open_folders(self, folder: int | None) -> None:
        while folder is not None:
            self.folders[folder].active = self.folders[folder].trashed is None
            folder = self.folders[folder].parent

    def inside(self, folder: int) -> list[int]:
        found = [folder]
        for each in found:
            found += [number for number, item in self.folders.items() if item.parent == each]
        return found

    def put_page(self, page: int, site: int, folder: int | None) -> None:
        """A page that leaves its site or folder is no longer shown at their addresses."""
        item = self.pages[page]
        if site != item.site and self.sites[item.site].main == page:
            self.sites[item.site].main = None
        for number, each in self.folders.items():
            left = each.site == item.site and site != item.site
            left = left or (number == item.folder and number != folder)
            if left and each.index == page:
                each.index = None
        item.site, item.folder = site, folder

    def mark_page(self, page: int, now: datetime, *, mark: bool) -> None:
        item = self.pages[page]
        if (item.trashed is not None) != mark:
            item.trashed, item.active = now if mark else None, False

    def mark_site(self, site: int, now: datetime, *, mark: bool) -> None:
        item = self.sites[site]
        if (item.trashed is not None) != mark:
            item.trashed, item.active = now if mark else None, False

    def mark_folder(self, folder: int, now: datetime, *, mark: bool) -> None:
        """Rows that were trashed together are restored together."""
        since = self.folders[folder].trashed
        if (since is not None) == mark:
            return
        inside = self.inside(folder)
        items: list[FolderItem | PageItem] = [self.folders[number] for number in inside]
        items += [item for item in self.pages.values() if item.folder in inside]
        for item in items:
            if item.trashed == since:
                item.trashed, item.active = now if mark else None, False

    def erase_pages(self, pages: Iterable[int]) -> None:
        for page in pages:
            del self.pages[page]
            for site in self.sites.values():
                site.main = None if site.main == page else site.main
            for folder in self.folders.values():
                folder.index = None if folder.index == page else folder.index

    def erase_site(self, site: int) -> None:
        del self.sites[site]
        self.folders = {key: item for key, item in self.folders.items() if item.site != site}

    def purge(self, now: datetime) -> None:
        """Remove rows whose time in the trash is over; a folder with content stays."""

        def due(item: SiteItem | FolderItem | PageItem) -> bool:
            return item.trashed is not None and item.trashed <= now - RETENTION

        sites = [number for number, item in self.sites.items() if due(item)]
        self.erase_pages(
            [key for key, item in self.pages.items() if due(item) or item.site in sites]
        )
        for site in sites:
            self.erase_site(site)
        while True:
            used = {item.folder for item in self.pages.values()}
            used |= {item.parent for item in self.folders.values()}
            gone = [key for key, item in self.folders.items() if due(item) and key not in used]
            if not gone:
                return
            for folder in gone:
                del self.folders[folder]


def read(service: Service) -> Tree:
    """Read the tree from the database."""
    with service.kernel.store.session() as session:

        def rows(*columns: Any, order: Any = ()) -> Any:
            return session.execute(sa.select(*columns).order_by(*order or columns[:1])).all()

        tree = Tree(
            {key: SiteItem(*more) for key, *more in rows(*_columns(SITE, _SITE))},
            {key: FolderItem(*more) for key, *more in rows(*_columns(FOLDER, _FOLDER))},
            {key: PageItem(*more) for key, *more in rows(*_columns(PAGE, _PAGE))},
        )
        columns = (BLOCK.page_id, BLOCK.id, BLOCK.public, BLOCK.draft_id)
        order = (BLOCK.page_id, BLOCK.sort, BLOCK.id)
        for page, block, public, draft, *flags in rows(
            *columns, BLOCK.active, BLOCK.deleted, order=order
        ):
            item = tree.pages[page]
            if not public:
                item.drafts[block] = BlockItem(*flags)
            else:
                item.copies = sorted([*item.copies, draft])
    return tree


_SITE = "id active main_page_id deleted_at"
_FOLDER = "id site_id parent_id active index_page_id deleted_at"
_PAGE = "id site_id folder_id active deleted_at"


def _columns(table: Any, names: str) -> list[Any]:
    return [table[name] for name in names.split()]


def differences(model: Tree, there: Tree) -> list[Any]:
    """List the differences between model and database: kind, id, model's value, database's
    value.
    """
    found: list[Any] = []
    for kind in ("sites", "folders", "pages"):
        one, other = getattr(model, kind), getattr(there, kind)
        for key in sorted(one.keys() | other.keys()):
            if repr(one.get(key)) != repr(other.get(key)):
                found.append((kind, key, one.get(key), other.get(key)))
    return found
