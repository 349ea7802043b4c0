"""The library screen: uploaded files, the pages that use them, upload and replacement."""

from collections.abc import Iterable
from typing import Any

from landyard_console.view import Answer, Refused, Shown, View


def show(view: View) -> Shown | Answer:
    """Return the list of files, the latest first, of a page or unused ones, or a dialog."""
    if view.path == ("upload",):
        return _upload(view)
    if view.path[:1] == ("replace",):
        return _replace(view, view.path[-1])
    unused = bool(view.query.get("unused"))
    params = {**_of_page(view), "unused": unused, "start": view.start}
    part = view.part("landyard.file.list", view.start, **params)
    for each in part.items:
        each["name"] = _name(each)
        each["kib"] = max(1, round(each["size"] / 1024))
    pages = _pages_by_id(view, part.items)
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
    """Return the alternative texts of pictures by their ids; none for pages that are gone."""
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


def _pages_by_id(view: View, files: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the pages of files, and those that use them, by id, including the trash."""
    pages = sorted({page for each in files for page in (each["page_id"], *each["pages"])})
    if not pages:
        return {}
    fields = ["ID", "TITLE", "SITE_ID", "DELETED"]
    params = {"select": fields, "filter": {"ID": pages, "DELETED": ["Y", "N"]}}
    listed = view.call("landing.landing.getList", params=params)
    return {each["ID"]: each for each in listed}


def _sites(view: View, files: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return the titles of the sites that use files, by their ids."""
    sites = sorted({site for each in files for site in each["sites"]})
    if not sites:
        return {}
    params = {"select": ["ID", "TITLE"], "filter": {"ID": sites, "DELETED": ["Y", "N"]}}
    return {each["ID"]: each["TITLE"] for each in view.call("landing.site.getList", params=params)}


def _editable(view: View, pages: Iterable[dict[str, Any]]) -> set[str]:
    """Return the ids of the pages that the user may edit, without those in the trash."""
    in_use = [each for each in pages if each["DELETED"] == "N"]
    sites = {each["SITE_ID"] for each in in_use}
    if not view.actor.admin:  # an administrator has all rights
        rights = {each: view.call("landing.site.getRights", id=int(each)) for each in sites}
        sites = {each for each in sites if "edit" in rights[each]}
    return {each["ID"] for each in in_use if each["SITE_ID"] in sites}


def _upload(view: View) -> Answer:
    """Return the dialog to upload files for a page's editors, by its first block."""
    return view.dialog("upload_dialog.html", pages=_pages(view))


def _replace(view: View, number: str) -> Answer:
    """Return the dialog to replace a picture by another one."""
    if not view.can("landyard.file.replace"):
        view.lost()
    file = _file(view, number)
    # The new picture belongs to the page of the old one, else to a page that uses it.
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
        match = next((each for each in part.items if str(each["id"]) == number), None)
        if match:
            return match
        start = part.next
    return view.lost()


def _pages(view: View) -> list[dict[str, Any]]:
    """Return the pages with a block that the user may edit, the latest first."""
    fields = ["ID", "TITLE", "SITE_ID", "DELETED"]
    params = {"select": fields, "order": {"DATE_MODIFY": "DESC"}, "limit": 50}
    every = view.call("landing.landing.getList", params=params)
    editable = _editable(view, every)
    own = [each for each in every if each["ID"] in editable]
    return [page | {"block": block} for page in own if (block := _block(view, page["ID"]))]


def _page(view: View, number: int) -> dict[str, Any] | None:
    try:
        block = _block(view, number)
    except Refused:  # the page is gone
        return None
    return {"ID": number, "block": block} if block else None


def _block(view: View, number: Any) -> int | None:
    blocks = view.call("landing.block.getlist", lid=number, params={"edit_mode": True})
    return blocks[0]["id"] if blocks else None
