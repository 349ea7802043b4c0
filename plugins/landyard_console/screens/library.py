"""The library: the files that were uploaded, what uses each, and one in the place of another."""

from collections.abc import Iterable
from typing import Any

from landyard_console.view import Answer, Refused, Shown, View


def show(view: View) -> Shown | Answer:
    """Show the files, the latest first; of a page, or those that nothing uses."""
    if view.path == ("upload",):
        return _upload(view)
    if view.path[:1] == ("replace",):
        return _replace(view, view.path[-1])
    unused = bool(view.query.get("unused"))
    asked = {**_of_page(view), "unused": unused, "start": view.start}
    part = view.part("landyard.file.list", view.start, **asked)
    for each in part.items:
        each["name"] = _name(each)
        each["kib"] = max(1, round(each["size"] / 1024))
    pages = _known(view, part.items)
    main = view.html(
        "library.html",
        part=part,
        alts=_alts(view, part.items),
        titles={number: page["TITLE"] for number, page in pages.items()},
        sites=_sites(view, part.items),
        editable=_editable(view, pages.values()),
        unused=unused,
        page_at=lambda start: f"/-/console/library?unused={'1' * unused}&start={start}",
    )
    return Shown(title=view.text("library.title"), main=main, scripts=["upload.js"])


def _of_page(view: View) -> dict[str, int]:
    page = view.query.get("page", "")
    return {"page_id": int(page)} if page.isdecimal() and len(page) < 10 else {}


def _name(file: dict[str, Any]) -> str:
    return str(file["src"].rpartition("/")[2])


def _alts(view: View, files: Iterable[dict[str, Any]]) -> dict[int, str]:
    """Read what is said of pictures, by their ids; of a page that is gone there is none."""
    alts: dict[int, str] = {}
    pages = {each["page_id"] for each in files if each["page_id"]}
    for number in pages if view.can("landyard.picture.list") else ():
        start: int | None = 0
        while start is not None:
            try:
                part = view.part("landyard.picture.list", start, lid=number, start=start)
            except Refused:
                break
            alts |= {each["id"]: each["alt"] for each in part.items}
            start = part.next
    return alts


def _known(view: View, files: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Read the pages that files are of or that use them, by their ids; in the trash as well."""
    pages = sorted({page for each in files for page in (each["page_id"], *each["pages"])})
    if not pages:
        return {}
    fields = ["ID", "TITLE", "SITE_ID", "DELETED"]
    asked = {"select": fields, "filter": {"ID": pages, "DELETED": ["Y", "N"]}}
    found = view.call("landing.landing.getList", params=asked)
    return {each["ID"]: each for each in found}


def _sites(view: View, files: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Read the titles of the sites that use files, by their ids."""
    sites = sorted({site for each in files for site in each["sites"]})
    if not sites:
        return {}
    asked = {"select": ["ID", "TITLE"], "filter": {"ID": sites, "DELETED": ["Y", "N"]}}
    return {each["ID"]: each["TITLE"] for each in view.call("landing.site.getList", params=asked)}


def _editable(view: View, pages: Iterable[dict[str, Any]]) -> set[str]:
    """Say which pages the user may edit: none that are in the trash."""
    standing = [each for each in pages if each["DELETED"] == "N"]
    sites = {each["SITE_ID"] for each in standing}
    if not view.actor.admin:  # whose rights are all
        rights = {each: view.call("landing.site.getRights", id=int(each)) for each in sites}
        sites = {each for each in sites if "edit" in rights[each]}
    return {each["ID"] for each in standing if each["SITE_ID"] in sites}


def _upload(view: View) -> Answer:
    """Ask for files. They are a page's, by its first block: then who edits it may use them."""
    return view.dialog("upload_dialog.html", pages=_pages(view))


def _replace(view: View, number: str) -> Answer:
    """Ask for a picture that takes the place of another one."""
    if not view.can("landyard.file.replace"):
        view.lost()
    file = _file(view, number)
    # The new one is for the page of the old one, else for one that uses it.
    places = [file["page_id"] * (file["page_id"] > 0), *file["pages"]]
    pages = [each for page in filter(None, places) if (each := _page(view, page))]
    return view.dialog(
        "replace_dialog.html",
        file=file,
        name=_name(file),
        alt=_alts(view, [file]).get(file["id"], ""),
        pages=pages[:1] or _pages(view),
    )


def _file(view: View, number: str) -> dict[str, Any]:
    start: int | None = 0
    while start is not None:
        part = view.part("landyard.file.list", start, **_of_page(view), start=start)
        found = next((each for each in part.items if str(each["id"]) == number), None)
        if found:
            return found
        start = part.next
    return view.lost()


def _pages(view: View) -> list[dict[str, Any]]:
    """List pages that have a block and that the user may edit, the latest first."""
    fields = ["ID", "TITLE", "SITE_ID", "DELETED"]
    asked = {"select": fields, "order": {"DATE_MODIFY": "DESC"}, "limit": 50}
    every = view.call("landing.landing.getList", params=asked)
    editable = _editable(view, every)
    own = [each for each in every if each["ID"] in editable]
    return [page | {"block": block} for page in own if (block := _block(view, page["ID"]))]


def _page(view: View, number: int) -> dict[str, Any] | None:
    try:
        block = _block(view, number)
    except Refused:  # it is gone
        return None
    return {"ID": number, "block": block} if block else None


def _block(view: View, number: Any) -> int | None:
    blocks = view.call("landing.block.getlist", lid=number, params={"edit_mode": True})
    return blocks[0]["id"] if blocks else None
