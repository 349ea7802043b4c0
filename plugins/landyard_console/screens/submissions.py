"""What visitors have sent to forms: read, filtered by page, and as a file."""

import re
from typing import Any
from urllib.parse import quote

from landyard_console.view import Answer, Shown, View
from landyard_landing import csv_file

_MAIL = re.compile(r"[^\s@<>\"'`,;:()]+@[^\s@<>\"'`,;:()]+\.[^\W\d_]{2,}")


def show(view: View) -> Shown | Answer:
    """Show the pages with forms, or what was sent to those of a page."""
    if not view.path:
        part = view.part("landyard.form.pages", view.start, start=view.start)
        main = view.html(
            "submission_pages.html",
            part=part,
            page_at=lambda start: f"/-/console/submissions?start={start}",
        )
        return Shown(title=view.text("submissions.title"), main=main, scripts=["submissions.js"])
    page = view.path[0]
    if not page.isdecimal():
        view.lost()
    form = view.query.get("form", "")
    wanted = {"form": form} if form.isdecimal() else {}
    if view.path[1:] == ("export",):
        return _export(view, page, wanted)
    part = view.part("landyard.form.submissions", view.start, lid=page, **wanted, start=view.start)
    for each in part.items:
        each["sent"] = view.moment(each["sent_at"])
        for answer in each["answers"]:
            answer["mailto"] = _mailto(answer["value"])
    shown = _page(view, page)
    forms = view.call("landyard.form.list", lid=page)
    main = view.html(
        "submissions.html",
        page=shown,
        forms=forms,
        names=_names(view, forms, shown["TITLE"]),
        form=form,
        mailed=view.call("landyard.form.recipients", lid=page),
        part=part,
        page_at=lambda start: f"/-/console/submissions/{page}?form={form}&start={start}",
    )
    title = view.text("submissions.title")
    return Shown(title=title, main=main, scripts=["submissions.js"])


def _names(view: View, forms: list[dict[str, Any]], title: str) -> dict[int, str]:
    """Name forms, by their ids; what has no name has its page's, and no two have the same."""
    names: dict[int, str] = {}
    for each in forms:
        usual = title or view.text("pages.untitled")
        gone = "" if each["fields"] else view.text("submissions.form_gone")
        name, number = each["name"] or gone or usual, 1
        said = name
        while said in names.values():
            number += 1
            said = view.text("submissions.form_same", n=number, name=name)
        names[each["id"]] = said
    return names


def _export(view: View, page: str, wanted: dict[str, str]) -> Answer:
    text = view.call("landyard.form.export", lid=page, **wanted)
    today = view.host.now().astimezone(view.host.settings.zone)
    name = f"{_page(view, page)['CODE']}-{today:%Y-%m-%d}.csv"
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    told = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    headers = {"Content-Disposition": told}
    return Answer(body=csv_file(text), media_type="text/csv", headers=headers)


def _page(view: View, page: str) -> dict[str, Any]:
    """Ask for a page's title and code, in the trash as well."""
    fields = {"ID": page, "DELETED": ["Y", "N"]}
    asked = {"select": ["ID", "TITLE", "CODE"], "filter": fields}
    found: list[dict[str, Any]] = view.call("landing.landing.getList", params=asked)
    return found[0] if found else {"ID": page, "TITLE": page, "CODE": f"submissions-{page}"}


def _mailto(value: str) -> str:
    """Write the address of a link to a mail address; what a visitor adds to one is part of it."""
    return f"mailto:{quote(value, safe='@')}" if _MAIL.fullmatch(value) else ""
