"""What visitors have sent to forms: read, filtered by page, and as a file."""

from landyard_console.view import Answer, Shown, View


def show(view: View) -> Shown | Answer:
    """Show the pages with forms, or what was sent to those of a page."""
    if not view.path:
        part = view.part("landyard.form.pages", view.start, start=view.start)
        main = view.html(
            "submission_pages.html",
            part=part,
            page_at=lambda start: f"/-/console/submissions?start={start}",
        )
        return Shown(title=view.text("submissions.title"), main=main)
    page = view.path[0]
    if not page.isdecimal():
        view.lost()
    if view.path[1:] == ("export",):
        return _export(view, page)
    form = view.query.get("form", "")
    wanted = {"form": form} if form.isdecimal() else {}
    part = view.part("landyard.form.submissions", view.start, lid=page, **wanted, start=view.start)
    for each in part.items:
        each["sent"] = view.moment(each["sent_at"])
    titles = {"select": ["ID", "TITLE"], "filter": {"ID": page}}
    found = view.call("landing.landing.getList", params=titles)
    main = view.html(
        "submissions.html",
        page=found[0] if found else {"ID": page, "TITLE": page},
        forms=view.call("landyard.form.list", lid=page),
        form=form,
        part=part,
        page_at=lambda start: f"/-/console/submissions/{page}?form={form}&start={start}",
    )
    title = view.text("submissions.title")
    return Shown(title=title, main=main, scripts=["submissions.js"])


def _export(view: View, page: str) -> Answer:
    text = view.call("landyard.form.export", lid=page)
    told = {"Content-Disposition": f'attachment; filename="submissions-{page}.csv"'}
    return Answer(body=text.encode(), media_type="text/csv", headers=told)
