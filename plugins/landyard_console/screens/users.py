"""The screen of users, with a matrix of their rights on sites."""

from typing import Any

from landyard_console.view import Answer, Shown, View

RIGHTS = ("view", "edit", "settings", "publish", "delete")


def show(view: View) -> Shown | Answer:
    """Return the users with their rights, or a dialog."""
    if view.path[:1] == ("new",):
        return view.dialog("user_dialog.html", kind="new", user={"name": "", "id": 0})
    if len(view.path) == 2 and view.path[0] in ("edit", "password"):
        user = _user(view, view.path[1])
        return view.dialog("user_dialog.html", kind=view.path[0], user=user)
    part = view.part("landyard.user.list", view.start, start=view.start)
    rights = view.part("landyard.right.list", view.start, start=view.start)
    sites = view.call("landing.site.getList", params={"select": ["ID", "TITLE"], "limit": 50})
    main = view.html(
        "users.html",
        part=part,
        rights={each["user_id"]: each for each in rights.items},
        sites=sites,
        names=RIGHTS,
        page_at=lambda start: f"/-/console/users?start={start}",
    )
    return Shown(title=view.text("users.title"), main=main, scripts=["rights.js"])


def _user(view: View, number: str) -> dict[str, Any]:
    start: int | None = 0
    while start is not None:
        part = view.part("landyard.user.list", start, start=start)
        match = next((each for each in part.items if str(each["id"]) == number), None)
        if match:
            return match
        start = part.next
    return view.lost()
