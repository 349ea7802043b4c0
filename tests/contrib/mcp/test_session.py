"""The session in docs/mcp.md equals one recorded from the SDK's client, word for word."""

import asyncio
import functools
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import user, webhook_of, world
from contrib.mcp.clients import BASE, basic, in_process, result, talk
from mcp import Client

DOC = Path(__file__).parents[3] / "docs" / "mcp.md"
BEGIN, END = "<!-- a session: written by tests/contrib/mcp/test_session.py -->\n", "<!-- end -->\n"
TITLE = ".landing-block-node-title"
BEN = 12
LONGEST = 72  # characters of a text
NAMED = re.compile(r"\b[0-9a-f]{20}\b")  # ids of requests
REVISION = re.compile(r"(?<=revision )\S+(?=\])")

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


class Session:
    """A conversation of two assistants; names that change from run to run are replaced by words."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._words: dict[str, str] = {}

    async def read(self, who: str, client: Client, page: int) -> str:
        """Read a page, starting with its cover; return the start of the answer."""
        [content] = (await client.read_resource(f"landyard://pages/{page}")).contents
        text: str = content.text  # type: ignore[union-attr]
        cover = text[text.index("[block 2; ly.cover;") :]
        self._name(REVISION.findall(cover)[0], "REVISION")
        self._tell(f"{who} reads landyard://pages/{page}, and there of the cover")
        for line in list(filter(None, cover.splitlines()))[:3]:
            self._tell(f"    {_short(line)}")
        return cover

    async def call(self, who: str, client: Client, tool: str, **arguments: Any) -> Any:
        """Call a tool."""
        answer = await client.call_tool(tool, arguments)
        body: Any = answer.structured_content
        if "request_id" in body:
            self._name(body["request_id"], "REQUEST")
        if "error_data" in body:
            self._name(body["error_data"]["revision"], "REVISION")
        self._tell(f"{who} calls {tool}")
        self._tell(f"    {json.dumps(arguments)}")
        self._tell(f"  {'is refused' if answer.is_error else 'is answered'}")
        self._tell(f"    {json.dumps(_short(body), ensure_ascii=False)}")
        return body

    def _name(self, name: str, word: str) -> None:
        known = sum(each.startswith(word) for each in self._words.values())
        self._words.setdefault(name, f"{word}-{known + 1}")

    def _tell(self, line: str) -> None:
        for name, word in self._words.items():
            line = line.replace(name, word)
        self.lines.append(line.rstrip())


def _short(value: Any) -> Any:
    """Cut long texts and lists."""
    match value:
        case str() if len(value) > LONGEST:
            return value[:LONGEST] + "…"
        case dict():
            return {name: _short(each) for name, each in value.items()}
        case list():
            return [_short(each) for each in value[:2]] + ["…"] * (len(value) > 2)
    return value


def test_the_session_in_the_documentation_equals_the_recorded_one(
    make_service: MakeService,
) -> None:
    built = world(users=[user(BEN, sites_access=True, rights={"*": ["edit", "publish"]})])
    service = make_service(world=built, plugins={"on": ["mcp"]}, public_base=BASE)
    session = Session()

    async def of_ben(tool: str, **arguments: Any) -> None:
        def tell() -> Any:
            said = functools.partial(session.call, "Ben", tool=tool, **arguments)
            return talk(in_process(service), said, authorization=basic(BEN, webhook_of(BEN)))

        await asyncio.to_thread(tell)

    async def story(ann: Client) -> None:
        call = session.call
        made = await call("Ann", ann, "landing-landing-addByTemplate", siteId=7, code="event")
        page = made["result"]
        cover = await session.read("Ann", ann, page)
        place = {"lid": page, "block": 2, "revision": REVISION.findall(cover)[0]}
        title = {"data": {TITLE: "Boats for small waters"}}
        edit = "landing-block-updatenodes"
        await call("Ann", ann, edit, **place, **title, dry_run=True)
        edited = await call("Ann", ann, edit, **place, **title)
        attribute = {TITLE: {"title": "Launch"}}
        await of_ben("landing-block-updateattrs", **place, data=attribute)
        other = {"data": {TITLE: "Boats for large waters"}}
        await of_ben(edit, **place, **other)
        undone = await call("Ann", ann, "landyard-call-undo", id=edited["request_id"])
        assert "error" not in undone
        await session.read("Ann", ann, page)
        html = await result(ann, "landing-block-getcontent", lid=page, block=2, editMode=1)
        assert 'title="Launch"' in html["content"]

    talk(in_process(service), story, authorization=basic())
    told = "```text\n" + "\n".join(session.lines) + "\n```\n"

    assert not NAMED.findall(told)
    before, _, rest = DOC.read_text().partition(BEGIN)
    recorded, _, after = rest.partition(END)
    if os.environ.get("LANDYARD_TEST_RECORD"):
        DOC.write_text(before + BEGIN + told + END + after)
    else:
        assert recorded == told, "LANDYARD_TEST_RECORD=1 writes it anew"
