"""The command `undo`: undoes a call by the id of its request, or lists those that are kept."""

import uuid

import click
import msgspec

from landyard import Console, Credential, Failure, Request
from landyard_undo.watching import UNDO, Watch

_COLUMNS = ("at", "id", "user", "method", "subject", "undone_by")


@click.command()
@click.argument("request_id", required=False)
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@Console.json_option
@click.pass_obj
def undo(console: Console, request_id: str | None, dry_run: bool, as_json: bool) -> None:
    """Undo a call; without an id list the latest calls.

    REQUEST_ID is the `X-Request-Id` of the call's answer. It is refused where what the call changed
    was changed since, and says by which calls.
    """
    with console.host() as host:
        request = Request(
            "landyard.call.list" if request_id is None else UNDO,
            {} if request_id is None else {"id": request_id},
            Credential("token", host.plugins.kept(Watch).let_operator_in()),
            id=uuid.uuid4().hex[:12],
            options={"dry_run": True} if dry_run and request_id else {},
        )
        reply = host.dispatch(request)
    if isinstance(reply, Failure):
        raise click.ClickException(f"{reply.error}: {reply.error_description}")
    result = msgspec.json.decode(msgspec.json.encode(reply.result))
    if request_id is None:
        listed = [tuple(each[column] for column in _COLUMNS) for each in result]
        console.table(_COLUMNS, listed[::-1], as_json=as_json)
        return
    rows = [(each["table"], each["id"], each["kind"]) for each in result["changes"]]
    console.table(("table", "id", "kind"), rows, as_json=as_json)
    if not as_json and not dry_run:
        console.say(f"undone; to take that back: landyard undo {result['id']}")
