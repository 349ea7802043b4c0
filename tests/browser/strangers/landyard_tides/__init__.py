"""A third-party plugin: a block with nodes of three types, and panels for two of them."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from landyard import Host, Record, hookimpl
from landyard_console import Panel
from landyard_content.blocks import NodeType
from landyard_content.blocks.folders import read_block_types
from landyard_html.node_types import NodeElement

requires = ("console", "content")

HERE = Path(__file__).parent
FATHOMS = Annotated[int, Meta(ge=0, le=50)]
FAULTY = "export default () => { throw new Error('the chart is lost') }\n"


class Tide(Struct):
    low: FATHOMS
    high: FATHOMS


def reading(name: str) -> Callable[[NodeElement], str]:
    return lambda element: element.attribute(f"data-{name}") or ""


def clean_tide(value: Any) -> Tide:
    return msgspec.json.decode(value, type=Tide) if isinstance(value, str) else _tide(value)


def _tide(value: Any) -> Tide:
    return msgspec.convert(value, Tide)


def write_tide(element: NodeElement, value: Tide) -> None:
    element.set_attribute("data-tide", msgspec.json.encode(value).decode())
    element.set_html(f"{value.low} to {value.high} fathoms")


def clean_depth(value: Any) -> int:
    depth: int = msgspec.convert(value, FATHOMS, strict=False)
    return depth


def write_number(name: str) -> Callable[[NodeElement, int], None]:
    def write(element: NodeElement, value: int) -> None:
        element.set_attribute(f"data-{name}", str(value))
        element.set_html(f"{value} fathoms")

    return write


@hookimpl
def register_records() -> list[Record]:
    return [
        *read_block_types(HERE / "blocks"),
        NodeType("tide", "a low and a high", reading("tide"), clean_tide, write_tide),
        NodeType("depth", "fathoms", reading("depth"), clean_depth, write_number("depth")),
        NodeType("buoy", "fathoms", reading("buoy"), clean_depth, write_number("buoy")),
        Panel(node="tide", module="/tides/panel.js"),
        Panel(node="buoy", module="/tides/faulty.js"),
    ]


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from litestar import Response, get

    @get("/tides/panel.js")
    def panel() -> Response[str]:
        return Response((HERE / "panel.js").read_text(), media_type="text/javascript")

    @get("/tides/faulty.js")
    def faulty() -> Response[str]:
        return Response(FAULTY, media_type="text/javascript")

    return [panel, faulty]
