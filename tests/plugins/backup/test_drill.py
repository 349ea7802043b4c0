"""The restore drill: a service is backed up while clients write, and is restored elsewhere."""

import re
import threading
from pathlib import Path
from typing import Self

import msgspec
import pytest
from contract.pictures import PNG, picture
from contract.worlds import webhook_of
from faulty.load import CLIENTS, DRAFT, PAGE, PAGE_PATH, WORLD, Caller
from kernel.commands import Run, done
from kernel.processes import serving
from kernel.supervised import until
from plugins.backup.places import Go, go, surroundings

__all__ = ["go"]
BOTH = ["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.soak])]
REST = f"/rest/1/{webhook_of(1)}/landing.block."


class Writers:
    """Clients that edit a block each and upload pictures while the `with` block runs."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(n,)) for n in range(CLIENTS)]
        self.answered: dict[int, int] = {}  # by client: its last answered edit
        self.uploaded: list[str] = []

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _write(self, client: int) -> None:
        caller = Caller(self._port)
        turn, block = 0, DRAFT + client
        while not self._over.wait(0.01):
            turn += 1
            sent = {"block": block, "picture": picture(PNG)}
            made = caller.ask(f"{REST}uploadfile", sent).told["result"]["src"]
            data = {".title": f"Edit {turn}"}
            edit = caller.ask(f"{REST}updatenodes", {"lid": PAGE, "block": block, "data": data})
            assert edit.status == 200, edit
            self.answered[client] = turn
            self.uploaded.append(made)
        caller.close()


def edits(port: int) -> dict[int, int]:
    """The last edit of each client, as the restored database holds it."""
    caller = Caller(port)
    shown = caller.ask(
        f"{REST}getlist", {"lid": PAGE, "params": {"edit_mode": True, "get_content": True}}
    )
    caller.close()
    titles = {each["id"] - DRAFT: each["content"] for each in shown.told["result"]}
    found = {client: re.search(r">Edit (\d+)</h2>", text) for client, text in titles.items()}
    return {client: int(edit[1]) if edit else 0 for client, edit in found.items()}


@pytest.mark.parametrize("go", BOTH, indirect=True)
def test_a_backup_contains_every_change_answered_before_it(
    landyard: Run, go: Go, tmp_path: Path
) -> None:
    go("here")
    done(landyard("load", "-", given=msgspec.json.encode(WORLD)))
    with serving(tmp_path, **surroundings()) as server, Writers(server.port) as writers:
        until(lambda: len(writers.uploaded) > 8)
        answered, uploaded = dict(writers.answered), list(writers.uploaded)
        done(landyard("db", "backup", "one.tar.gz"))
        # the clients went on writing
        until(lambda: min(writers.answered.values()) > max(answered.values()))
    go("there")
    done(landyard("db", "restore", "one.tar.gz"))
    with serving(tmp_path, **surroundings()) as server:
        there = edits(server.port)
        served = {server.ask("GET", src)[0] for src in uploaded}
        page = server.ask("GET", PAGE_PATH)

    assert [client for client, turn in answered.items() if there[client] < turn] == []
    assert served == {200}
    assert (page[0], b"landing-block" in page[2]) == (200, True)
