"""The effect of each method on the tree of sites, folders, pages and blocks (`tree_model`)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from contract.tree_model import BlockItem, FolderItem, PageItem, SiteItem, Tree

from landyard.testing import Service
from landyard_landing.change_tables import HISTORY


@dataclass
class Done:
    """A call that succeeded: what was sent and answered, its time, and the tree so far."""

    params: dict[str, Any]
    result: Any
    now: datetime
    there: Tree
    service: Service

    def get(self, name: str, default: Any = None) -> Any:
        """A parameter, or a member of `fields`."""
        return self.params.get(name, self.params.get("fields", {}).get(name, default))

    @property
    def page(self) -> int:
        found: int = self.params["lid"]
        return found

    @property
    def block(self) -> int:
        found: int = self.params["block"]
        return found

    @property
    def answered(self) -> int:
        """The answered id, or the id in the answered content."""
        found: Any = self.result
        while isinstance(found, dict):
            found = found.get("content", found) if "id" not in found else found["id"]
        assert isinstance(found, int)
        return found


Change = Callable[[Tree, Done], None]
CHANGES: dict[str, Change] = {}


def apply(tree: Tree, method: str, done: Done) -> None:
    """Apply the effect of the call to the tree."""
    if change := CHANGES.get(method):
        change(tree, done)


def _of(*methods: str) -> Callable[[Change], Change]:
    def register(change: Change) -> Change:
        CHANGES.update(dict.fromkeys((f"landing.{method}" for method in methods), change))
        return change

    return register


_YES = (True, "Y")
"""The spellings of an active folder in the calls that are made."""


@_of("site.add")
def _site_add(tree: Tree, done: Done) -> None:
    assert done.result not in tree.sites
    tree.sites[done.result] = SiteItem()


def _site_from_template(tree: Tree, done: Done) -> None:
    """The content of the template is read from the database. All rows are new and hidden."""
    site, folders = done.result["id"], done.result["folders"].values()
    pages = [each["id"] for each in done.result["pages"]]
    assert site not in tree.sites
    assert not {*tree.folders} & {*folders}
    assert not {*tree.pages} & {*pages}
    assert not any(done.there.pages[each].active for each in pages)
    tree.sites[site] = done.there.sites[site]
    tree.folders |= {each: done.there.folders[each] for each in folders}
    tree.pages |= {each: done.there.pages[each] for each in pages}


CHANGES["landyard.site.fromtemplate"] = _site_from_template


@_of("site.update")
def _site_update(tree: Tree, done: Done) -> None:
    if (main := done.get("LANDING_ID_INDEX")) is not None:
        tree.sites[done.params["id"]].main = main or None


@_of("site.markDelete")
def _site_mark(tree: Tree, done: Done) -> None:
    tree.mark_site(done.params["id"], done.now, mark=done.get("mark", True))


@_of("site.markUnDelete")
def _site_unmark(tree: Tree, done: Done) -> None:
    tree.mark_site(done.params["id"], done.now, mark=False)


@_of("site.delete")
def _site_delete(tree: Tree, done: Done) -> None:
    assert not [page for page in tree.pages.values() if page.site == done.params["id"]]
    tree.erase_site(done.params["id"])


@_of("site.publication")
def _site_publication(tree: Tree, done: Done) -> None:
    tree.sites[done.params["id"]].active = True
    for number, page in tree.pages.items():
        if page.site == done.params["id"] and page.trashed is None:
            tree.publish(number)


@_of("site.unpublic")
def _site_unpublic(tree: Tree, done: Done) -> None:
    tree.sites[done.params["id"]].active = False
    for page in tree.pages.values():
        if page.site == done.params["id"]:
            page.active = False


@_of("site.addFolder")
def _folder_add(tree: Tree, done: Done) -> None:
    assert done.result not in tree.folders
    parent, active = done.get("PARENT_ID") or None, done.get("ACTIVE") in _YES
    tree.folders[done.result] = FolderItem(done.get("siteId"), parent, active)


@_of("site.updateFolder")
def _folder_update(tree: Tree, done: Done) -> None:
    folder = tree.folders[done.get("folderId")]
    folder.parent = done.get("PARENT_ID") or None
    if (active := done.get("ACTIVE")) is not None:
        folder.active = active in _YES
    if (index := done.get("INDEX_ID")) is not None:
        folder.index = index or None


@_of("site.markFolderDelete")
def _folder_mark(tree: Tree, done: Done) -> None:
    tree.mark_folder(done.params["id"], done.now, mark=done.get("mark", True))


@_of("site.markFolderUnDelete")
def _folder_unmark(tree: Tree, done: Done) -> None:
    tree.mark_folder(done.params["id"], done.now, mark=False)


@_of("site.publicationFolder")
def _folder_publication(tree: Tree, done: Done) -> None:
    if done.get("mark", True):
        tree.open_folders(done.get("folderId"))
    else:
        _folder_unpublic(tree, done)


@_of("site.unPublicFolder")
def _folder_unpublic(tree: Tree, done: Done) -> None:
    tree.folders[done.get("folderId")].active = False


@_of("landing.add", "landing.addByTemplate")
def _page_add(tree: Tree, done: Done) -> None:
    """The model does not know a template's blocks; they are read from the database, new and
    shown.
    """
    assert done.result not in tree.pages
    site = done.get("SITE_ID", done.get("siteId"))
    made = done.there.pages[done.result].drafts
    assert not made.keys() & {block for page in tree.pages.values() for block in page.drafts}
    assert all(block == BlockItem() for block in made.values())
    tree.pages[done.result] = PageItem(site, done.get("FOLDER_ID") or None, drafts=made)


@_of("landing.copy")
def _page_copy(tree: Tree, done: Done) -> None:
    source = tree.pages[done.page]
    made = done.there.pages[done.result].drafts
    kept = [block for block in source.drafts.values() if not block.deleted]
    drafts = dict(zip(made, [BlockItem(block.active) for block in kept], strict=True))
    site = done.get("toSiteId") or source.site
    tree.pages[done.result] = PageItem(site, done.get("toFolderId") or None, drafts=drafts)


@_of("landing.move")
def _page_move(tree: Tree, done: Done) -> None:
    site = done.get("toSiteId") or tree.pages[done.page].site
    tree.put_page(done.page, site, done.get("toFolderId") or None)


@_of("landing.update")
def _page_update(tree: Tree, done: Done) -> None:
    page, fields = tree.pages[done.page], done.params["fields"]
    site = fields.get("SITE_ID", page.site)
    folder = fields.get("FOLDER_ID", page.folder) or None
    tree.put_page(done.page, site, folder if site == page.site else None)
    if (deleted := fields.get("DELETED")) is not None:
        tree.mark_page(done.page, done.now, mark=deleted == "Y")
        page.active = False


@_of("landing.markDelete")
def _page_mark(tree: Tree, done: Done) -> None:
    tree.mark_page(done.page, done.now, mark=done.get("mark", True))


@_of("landing.markUnDelete")
def _page_unmark(tree: Tree, done: Done) -> None:
    tree.mark_page(done.page, done.now, mark=False)


@_of("landing.delete")
def _page_delete(tree: Tree, done: Done) -> None:
    tree.erase_pages([done.page])


@_of("landing.publication")
def _page_publication(tree: Tree, done: Done) -> None:
    tree.publish(done.page)


@_of("landing.unpublic")
def _page_unpublic(tree: Tree, done: Done) -> None:
    tree.pages[done.page].active = False


@_of("landing.addblock")
def _block_add(tree: Tree, done: Done) -> None:
    page = tree.pages[done.page]
    index = page.behind(done.get("AFTER_ID", 0)) or 0
    page.put(done.answered, BlockItem(done.get("ACTIVE", "Y") == "Y"), index)


@_of("landing.copyblock")
def _block_copy(tree: Tree, done: Done) -> None:
    page, after = tree.pages[done.page], done.get("params", {}).get("AFTER_ID", 0)
    index = page.behind(after)
    sources = [page.drafts.get(done.block) for page in tree.pages.values()]
    (source,) = filter(None, sources)
    page.put(done.answered, BlockItem(source.active), len(page.drafts) if index is None else index)


@_of("landing.moveblock")
def _block_move(tree: Tree, done: Done) -> None:
    target, after = tree.pages[done.page], done.get("params", {}).get("AFTER_ID", 0)
    assert done.answered == done.block
    if after == done.block and done.block in target.drafts:
        return
    source = next(page for page in tree.pages.values() if done.block in page.drafts)
    index = target.behind(after, done.block)
    if index is None:
        index = len(target.drafts.keys() - {done.block})
    item = source.drafts[done.block] if source is target else source.drafts.pop(done.block)
    target.put(done.block, item, index)


@_of("landing.upblock")
def _block_up(tree: Tree, done: Done) -> None:
    _step(tree, done, -1)


@_of("landing.downblock")
def _block_down(tree: Tree, done: Done) -> None:
    _step(tree, done, 1)


def _step(tree: Tree, done: Done, by: int) -> None:
    page = tree.pages[done.page]
    order = list(page.drafts)
    standing = [block for block in order if not page.drafts[block].deleted]
    neighbour = standing[standing.index(done.block) + by]
    page.put(done.block, page.drafts[done.block], order.index(neighbour))


@_of("landing.deleteblock")
def _block_delete(tree: Tree, done: Done) -> None:
    del tree.pages[done.page].drafts[done.block]


@_of("landing.removeEntities")
def _blocks_remove(tree: Tree, done: Done) -> None:
    page = tree.pages[done.page]
    for block in dict.fromkeys(done.params["data"].get("blocks", [])):
        if block in page.drafts and not page.drafts[block].deleted:
            del page.drafts[block]


@_of("landing.showblock")
def _block_show(tree: Tree, done: Done) -> None:
    tree.pages[done.page].drafts[done.block].active = True


@_of("landing.hideblock")
def _block_hide(tree: Tree, done: Done) -> None:
    tree.pages[done.page].drafts[done.block].active = False


@_of("landing.markdeletedblock")
def _block_mark(tree: Tree, done: Done) -> None:
    tree.pages[done.page].drafts[done.block].deleted = done.get("mark", True)


@_of("landing.markundeletedblock")
def _block_unmark(tree: Tree, done: Done) -> None:
    tree.pages[done.page].drafts[done.block].deleted = False


@_of("landing.history.undo", "landing.history.redo")
def _history(tree: Tree, done: Done) -> None:
    """The draft becomes the one before, or after, the answered history entry."""
    if done.result is None:
        return
    query = sa.select(HISTORY.block_id, HISTORY.before, HISTORY.after, HISTORY.undone)
    with done.service.kernel.store.session() as session:
        found = session.execute(query.where(HISTORY.id == done.result)).one()
    block, before, after, undone = found
    page, wanted = tree.pages[done.page], before if undone else after
    if "block" in wanted and wanted["block"] is None:
        del page.drafts[block]
        return
    item = page.drafts.get(block) or BlockItem()
    flags = wanted.get("block", wanted)
    item.active = flags.get("active", item.active)
    item.deleted = flags.get("deleted", item.deleted)
    if "after" in wanted:
        index = page.behind(wanted["after"], block) if wanted["after"] else 0
        assert index is not None
        page.put(block, item, index)
