"""The methods of blocks: `landing.block.` `getlist`, `updatenodes`, `updateattrs`, `removecard`."""

from msgspec import Struct

from landyard import MethodGroup, hookimpl
from landyard_blocks.group import BlockSettings, blocks

from . import getlist, removecard, updateattrs, updatenodes

requires = ("landing",)

__all__ = ["getlist", "removecard", "updateattrs", "updatenodes"]


@hookimpl
def register_methods() -> MethodGroup:
    return blocks


@hookimpl
def register_settings() -> type[Struct]:
    return BlockSettings
