"""Tasks: what waits to be delivered behind an event, and what could not be: dead letters."""

from landyard_console.view import Shown, View


def show(view: View) -> Shown:
    """List dead letters and what waits."""
    state = view.query.get("state", "")
    wanted = {"state": state} if state in ("dead", "failing") else {}
    part = view.part("landyard.task.list", view.start, **wanted, start=view.start)
    main = view.html(
        "tasks.html",
        part=part,
        chosen=state,
        page_at=lambda start: f"/-/console/tasks?state={state}&start={start}",
    )
    return Shown(title=view.text("tasks.title"), main=main)
