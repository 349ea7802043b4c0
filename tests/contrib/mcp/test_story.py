"""Assistants edit a page of a served service: with two workers, and two assistants at once."""

import asyncio
import json
import re
import shlex
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from contrib.mcp.clients import ADDRESS, BEFORE, LATEST, basic, body, refused, result, talk
from kernel.processes import PATIENCE, Server, landyard, serving
from mcp import Client

from landyard_mcp.settings import McpSettings

FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TITLE = ".landing-block-node-title"
MARK = re.compile(r"^\[block (\d+); (\S+); revision (\S+)\]$", re.MULTILINE)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    on = {"LANDYARD_PLUGINS__ON": "mcp", "LANDYARD_LOG_FORMAT": "json"}
    with serving(folder, "--demo", "--workers", "2", **on) as server:
        yield server


def with_assistant(server: Server, story: Any, **options: Any) -> Any:
    _, _, user, code, _ = server.webhook.split("/")
    base = f"http://127.0.0.1:{server.port}"
    return talk(None, story, base=base, authorization=basic(int(user), code), **options)


async def read(client: Client, page: int) -> tuple[str, dict[str, tuple[int, str]]]:
    """Read a page's draft: its text, and the id and revision of each block by its code."""
    [content] = (await client.read_resource(f"landyard://pages/{page}")).contents
    text: str = content.text  # type: ignore[union-attr]
    return text, {code: (int(block), revision) for block, code, revision in MARK.findall(text)}


@pytest.mark.parametrize("mode", [LATEST, BEFORE])
def test_a_page_is_made_from_a_template_tried_edited_by_two_at_once_and_merged(
    server: Server, mode: str
) -> None:
    async def story(ann: Client) -> None:
        page = await result(ann, "landing-landing-addByTemplate", siteId=1, code="event")
        before, blocks = await read(ann, page)
        block, revision = blocks["ly.cover"]
        place = {"lid": page, "block": block, "revision": revision}
        title = {"data": {TITLE: "Boats for small waters"}}

        tried = await body(ann, "landing-block-updatenodes", **place, **title, dry_run=True)
        assert (tried["dry_run"], "request_id" in tried) == (True, False)
        assert {each["table"] for each in tried["changes"]} >= {"landing_block"}
        assert (await read(ann, page))[0] == before

        done = await asyncio.gather(
            body(ann, "landing-block-updatenodes", **place, **title),
            asyncio.to_thread(
                with_assistant,
                server,
                lambda ben: body(
                    ben, "landing-block-updateattrs", **place, data={TITLE: {"title": "Launch"}}
                ),
            ),
        )
        assert all(each["result"] and each["request_id"] for each in done)
        after, _ = await read(ann, page)
        html = await result(ann, "landing-block-getcontent", lid=page, block=block, editMode=True)
        assert "# Boats for small waters" in after
        assert 'title="Launch"' in html["content"]

        other = {"data": {TITLE: "Boats for large waters"}}
        conflict = await refused(ann, "landing-block-updatenodes", **place, **other)
        assert conflict["error"] == "REVISION_CONFLICT"
        assert "small waters" in conflict["error_data"]["theirs"]
        assert "large waters" in conflict["error_data"]["yours"]
        assert (await read(ann, page))[0] == after

    with_assistant(server, story, mode=mode)


def test_all_workers_serve_a_connection_and_keep_its_keys_and_log_its_calls(server: Server) -> None:
    async def story(client: Client) -> None:
        made = {"siteId": 1, "code": "event", "idempotency_key": "one of many"}
        pages: set[int] = set()
        workers: set[str] = set()
        until = time.monotonic() + PATIENCE
        while len(workers) < 2:
            assert time.monotonic() < until
            answer = await body(client, "landing-landing-addByTemplate", **made)
            pages.add(answer["result"])
            workers.add(answer["request_id"][:12])  # identifies the process that answered
        assert len(pages) == 1

    with_assistant(server, story)
    refusal = with_assistant(server, lambda it: refused(it, "landing-block-getlist", lid=99))
    lines = [msgspec.json.decode(each) for each in server.err.splitlines() if "{" in each]
    [line] = [
        each
        for each in lines
        if each.get("request_id") == refusal["request_id"] and each["event"] == "call_failed"
    ]
    assert (line["method"], line["plugin"], line["error"], line["status"], line["user"]) == (
        *("landing.block.getlist", "blocks", "LANDING_NOT_EXIST", 400, 1),
    )
    assert server.webhook.split("/")[3] not in server.err


def test_the_how_to_is_true_word_for_word(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text()
    blocks: dict[str, list[str]] = {}
    for kind, code in FENCED.findall(text):
        blocks.setdefault(kind, []).append(code)
    [script], [program] = blocks["sh"], blocks["python"]

    outputs = [landyard(server.folder, *shlex.split(line)[1:]).out for line in script.splitlines()]
    token = re.search(r"lyt_\S+", outputs[1])
    assert "mcp is on" in outputs[0]
    assert token is not None, outputs
    for place in (":8000", "Bearer TOKEN"):
        assert place in program
    program = program.replace(":8000", f":{server.port}").replace("TOKEN", token[0])
    exec(compile(program, "docs/mcp.md", "exec"), {})
    output = capsys.readouterr().out
    assert "# Small wooden boats" in output
    assert "'table': 'landing_block'" in output

    direct, between = (json.loads(each)["mcpServers"]["landyard"] for each in blocks["json"])
    assert direct["url"].endswith(ADDRESS)
    assert between["args"][2] == direct["url"]
    [settings] = blocks["toml"]
    written = tomllib.loads(settings)["mcp"]
    assert written.keys() == set(McpSettings.__struct_fields__)
    assert msgspec.convert(written, McpSettings).requests == 64
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == written.keys()


def test_an_assistant_undoes_its_call_by_the_id_of_the_request(server: Server) -> None:
    async def story(client: Client) -> None:
        made = await body(client, "landing-landing-addByTemplate", siteId=1, code="event")
        page = made["result"]
        before, blocks = await read(client, page)
        block, revision = blocks["ly.cover"]
        edit = {"lid": page, "block": block, "revision": revision, "data": {TITLE: "Regretted"}}
        edited = await body(client, "landing-block-updatenodes", **edit)
        assert "# Regretted" in (await read(client, page))[0]

        back = {"id": edited["request_id"]}
        tried = await body(client, "landyard-call-undo", **back, dry_run=True)
        assert "landing_block" in {each["table"] for each in tried["changes"]}
        undone = await body(client, "landyard-call-undo", **back)
        assert (await read(client, page))[0] == before
        assert "error" in await refused(client, "landyard-call-undo", **back)

        await body(client, "landyard-call-undo", id=undone["request_id"])
        assert "# Regretted" in (await read(client, page))[0]
        listed = await result(client, "landyard-call-list")
        assert listed[0]["undoes"] == [undone["request_id"]]
        assert made["request_id"] in {each["id"] for each in listed}

    with_assistant(server, story)
