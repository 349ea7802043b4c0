"""The screen of submissions to forms, by page and form, also as a CSV file."""

import re
from typing import Any
from urllib.parse import quote

from landyard_console.csv_files import csv_file
from landyard_console.view import Answer, Shown, View

_MAIL = re.compile(r"[^\s@<>\"'`,;:()]+@[^\s@<>\"'`,;:()]+\.[^\W\d_]{2,}")


def show(view: View) -> Shown | Answer:
    """Return the list of pages with submissions, or the submissions to a page."""
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
    form_filter = {"form": form} if form.isdecimal() else {}
    if view.path[1:] == ("export",):
        return _export(view, page, form_filter)
    part = view.part(
        "landyard.form.submissions", view.start, lid=page, **form_filter, start=view.start
    )
    for each in part.items:
        each["sent"] = view.moment(each["sent_at"])
        for answer in each["answers"]:
            answer["mailto"] = _mailto(answer["value"])
    shown_page = _page(view, page)
    forms = view.call("landyard.form.list", lid=page)
    main = view.html(
        "submissions.html",
        page=shown_page,
        forms=forms,
        names=_names(view, forms, shown_page["TITLE"]),
        form=form,
        mailed=view.call("landyard.form.recipients", lid=page),
        part=part,
        page_at=lambda start: f"/-/console/submissions/{page}?form={form}&start={start}",
    )
    title = view.text("submissions.title")
    return Shown(title=title, main=main, scripts=["submissions.js"])


def _names(view: View, forms: list[dict[str, Any]], title: str) -> dict[int, str]:
    """Return unique names of forms by their ids; a form without one has its page's title."""
    names: dict[int, str] = {}
    for each in forms:
        usual = title or view.text("pages.untitled")
        gone_name = "" if each["fields"] else view.text("submissions.form_gone")
        name, number = each["name"] or gone_name or usual, 1
        unique = name
        while unique in names.values():
            number += 1
            unique = view.text("submissions.form_same", n=number, name=name)
        names[each["id"]] = unique
    return names


def _export(view: View, page: str, form_filter: dict[str, str]) -> Answer:
    text = view.call("landyard.form.export", lid=page, **form_filter)
    today = view.host.now().astimezone(view.host.settings.zone)
    name = f"{_page(view, page)['CODE']}-{today:%Y-%m-%d}.csv"
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    headers = {"Content-Disposition": disposition}
    return Answer(body=csv_file(text), media_type="text/csv", headers=headers)


def _page(view: View, page: str) -> dict[str, Any]:
    """Return a page's title and code, also from the trash."""
    fields = {"ID": page, "DELETED": ["Y", "N"]}
    params = {"select": ["ID", "TITLE", "CODE"], "filter": fields}
    pages: list[dict[str, Any]] = view.call("landing.landing.getList", params=params)
    return pages[0] if pages else {"ID": page, "TITLE": page, "CODE": f"submissions-{page}"}


def _mailto(value: str) -> str:
    """Return a `mailto:` address with everything quoted; "" if the value is no mail address."""
    return f"mailto:{quote(value, safe='@')}" if _MAIL.fullmatch(value) else ""
