"""The screen of tasks: events waiting for delivery, and dead letters."""

from landyard_console.view import Shown, View


def show(view: View) -> Shown:
    """Return the list of dead letters and waiting events."""
    state = view.query.get("state", "")
    state_filter = {"state": state} if state in ("dead", "failing") else {}
    part = view.part("landyard.task.list", view.start, **state_filter, start=view.start)
    main = view.html(
        "tasks.html",
        part=part,
        chosen=state,
        page_at=lambda start: f"/-/console/tasks?state={state}&start={start}",
    )
    return Shown(title=view.text("tasks.title"), main=main)
