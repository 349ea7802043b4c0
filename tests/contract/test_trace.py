"""How many files and returns between files one warm `updatenodes` call goes through."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import threading
import time
from pathlib import Path
from types import FrameType

import httpx
from msgspec import Struct

import landyard
import landyard_content
import landyard_landing
import landyard_public
import landyard_sitekit
from landyard.testing import WEBHOOK, Service

FILES, RETURNS = 31, 38  # write down here what you have reached
TOO_FAR = """One updatenodes goes through {files} files (it was {most_files}) and comes back to one
that it had left {returns} times (it was {most_returns}). Let one function do what functions of
several files do in turn, or do it once instead of at each call. The way it goes now:
{way}"""

_HOMES = {
    str(Path(str(module.__file__)).parents[1]) + "/"
    for module in (landyard, landyard_content, landyard_landing, landyard_public, landyard_sitekit)
}
_NO_PRODUCT = "/landyard/testing.py"
_HANDED_OVER = "call_soon_threadsafe"  # a thread's last word: the answer is the event loop's
_EDIT = {"lid": 10, "block": 101, "data": {".landing-block-node-title": "Hello"}}
_ROUNDS = 9


class Entry(Struct, frozen=True):
    """A function of the product that was entered, and the thread that entered it."""

    thread: int
    file: str


class Recorder:
    """Records the functions that all threads enter, as their profiler."""

    def __init__(self) -> None:
        """Start with an empty record."""
        self._entries: list[Entry] = []
        self._done: set[int] = set()
        self._on = False

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Record a function that is entered."""
        if not self._on or event != "call":
            return
        thread, file = threading.get_ident(), frame.f_code.co_filename
        if frame.f_code.co_name == _HANDED_OVER:
            self._done.add(thread)
        home = next((home for home in _HOMES if file.startswith(home)), None)
        if home and not file.endswith(_NO_PRODUCT) and thread not in self._done:
            self._entries.append(Entry(thread, file.removeprefix(home)))

    def start(self) -> None:
        """Clear the record and start recording."""
        self._entries, self._done, self._on = [], set(), True

    def stop(self) -> list[str]:
        """Return the files in the order in which the call went through them.

        First the event loop's thread, then the thread that ran the call, then the loop's again. The
        work of other threads meanwhile is not part of the call.
        """
        self._on = False
        loop = threading.get_ident()
        ran = {each.thread for each in self._entries if each.file.endswith("core/dispatch.py")}
        begun = next(at for at, each in enumerate(self._entries) if each.thread in ran)
        before = [each.file for each in self._entries[:begun] if each.thread == loop]
        called = [each.file for each in self._entries if each.thread in ran]
        after = [each.file for each in self._entries[begun:] if each.thread == loop]
        return before + called + after


def runs(files: list[str]) -> list[str]:
    """Merge repeated entries of one file into one stay."""
    return [file for at, file in enumerate(files) if not at or file != files[at - 1]]


async def traced(service: Service, recorder: Recorder) -> list[list[str]]:
    """Make the same edit a few times; return the stays in files of each."""
    url = f"/rest/1/{WEBHOOK}/landing.block.updatenodes.json"
    app = httpx.ASGITransport(service.web_app)
    ways = []
    async with httpx.AsyncClient(transport=app, base_url="http://landyard.example") as client:
        for _ in range(_ROUNDS):
            assert (await client.post(url, json=_EDIT)).status_code == 200
            time.sleep(0.02)  # noqa: ASYNC251 - the threads must come to rest
            recorder.start()
            answer = await client.post(url, json=_EDIT)
            ways.append(runs(recorder.stop()))
            assert answer.json()["result"] is True
    return ways


def test_one_edit_goes_through_few_files_and_seldom_returns() -> None:
    recorder = Recorder()
    threading.setprofile(recorder)
    gc.disable()  # objects freed by it are not part of the call
    try:
        with Service() as service:  # with the plugins that are on as shipped, undo among them
            declared = service.kernel.resolution.demo
            assert declared is not None
            demo = json.loads(declared.world)
            service.load({name: demo[name] for name in demo.keys() - {"webhooks", "tokens"}})
            sys.setprofile(recorder)
            ways = asyncio.run(traced(service, recorder))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        gc.enable()

    # A call that finds a stale cache goes through more files.
    way = min(ways, key=len)
    files, returns = len({*way}), len(way) - len({*way})
    figures = {"files": files, "returns": returns, "most_files": FILES, "most_returns": RETURNS}
    too_far = TOO_FAR.format(**figures, way="\n".join(way))
    assert files <= FILES, too_far
    assert returns <= RETURNS, too_far
