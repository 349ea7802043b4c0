"""The screen of webhooks and tokens: their lists, and the dialogs to add and rotate one."""

from datetime import datetime
from typing import Any

from landyard_console.view import Answer, Shown, View

KINDS = ("webhook", "token")


def show(view: View) -> Shown | Answer:
    """Return the list of credentials of a kind, or a dialog."""
    kind, *behind = view.path or (KINDS[0],)
    if kind not in KINDS:
        view.lost()
    if behind:
        return _dialog(view, kind, behind)
    part = view.part(f"landyard.{kind}.list", view.start, start=view.start)
    names = names_of(view)
    for each in part.items:
        each["state"] = _state(view, each)
        each["user"] = names.get(each["user_id"], str(each["user_id"]))
    main = view.html(
        "keys.html",
        kinds=KINDS,
        kind=kind,
        part=part,
        page_at=lambda start: f"/-/console/keys/{kind}?start={start}",
    )
    return Shown(title=view.text(f"keys.{kind}s"), main=main)


def names_of(view: View) -> dict[int, str]:
    """Return the names of all users by their ids."""
    names: dict[int, str] = {}
    start: int | None = 0
    while start is not None and start < 1000:
        part = view.part("landyard.user.list", start, start=start)
        names |= {each["id"]: each["name"] for each in part.items}
        start = part.next
    return names


def _dialog(view: View, kind: str, behind: list[str]) -> Answer:
    number = behind[1] if len(behind) > 1 else "0"
    values = {"kind": kind, "act": behind[0], "number": number}
    if behind[0] == "new":
        scopes = {method.scope for method in view.host.methods if method.scope}
        return view.dialog("key_dialog.html", **values, users=names_of(view), scopes=sorted(scopes))
    if behind[0] != "rotate" or not number.isdecimal():
        view.lost()
    return view.dialog("key_dialog.html", **values)


def _state(view: View, row: dict[str, Any]) -> str:
    if not row["active"]:
        return "revoked"
    ends = row["expires_at"]
    if ends and datetime.fromisoformat(ends) <= view.host.now():
        return "expired"
    return "replaced" if row["replaced_by"] else "on"
