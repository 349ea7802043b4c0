"""Block methods: `landing.block.getlist`, `updatenodes`, `updateattrs` and `removecard`."""

from landyard import MethodGroup, hookimpl
from landyard_blocks.group import blocks

from . import getlist, removecard, updateattrs, updatenodes

requires = ("landing",)

__all__ = ["getlist", "removecard", "updateattrs", "updatenodes"]


@hookimpl
def register_methods() -> MethodGroup:
    return blocks
