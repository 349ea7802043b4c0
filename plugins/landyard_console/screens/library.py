"""The library: the files that were uploaded, and what uses each."""

from landyard_console.view import Answer, Shown, View


def show(view: View) -> Shown | Answer:
    """Show the files, the latest first; of a page, or those that nothing uses."""
    if view.path == ("upload",):
        return _upload(view)
    page, unused = view.query.get("page", ""), bool(view.query.get("unused"))
    wanted = {"page_id": int(page)} if page.isdecimal() and len(page) < 10 else {}
    part = view.part("landyard.file.list", view.start, **wanted, unused=unused, start=view.start)
    for each in part.items:
        each["name"] = each["src"].rpartition("/")[2]
        each["kib"] = max(1, round(each["size"] / 1024))
    alts: dict[int, str] = {}
    if view.can("landyard.picture.list"):
        for number in {each["page_id"] for each in part.items if each["page_id"]}:
            alts |= {
                it["id"]: it["alt"]
                for it in view.part("landyard.picture.list", 0, lid=number).items
            }
    main = view.html(
        "library.html",
        part=part,
        alts=alts,
        unused=unused,
        page_at=lambda start: f"/-/console/library?unused={'1' * unused}&start={start}",
    )
    return Shown(title=view.text("library.title"), main=main, scripts=["upload.js"])


def _upload(view: View) -> Answer:
    """Ask for files. They are a page's, by its first block: then who edits it may use them."""
    asked = {"select": ["ID", "TITLE"], "order": {"DATE_MODIFY": "DESC"}, "limit": 50}
    pages = []
    for each in view.call("landing.landing.getList", params=asked):
        blocks = view.call("landing.block.getlist", lid=each["ID"], params={"edit_mode": True})
        pages += [each | {"block": blocks[0]["id"]}] if blocks else []
    return view.dialog("upload_dialog.html", pages=pages)
