"""The methods of blocks: `landing.block.getlist` and `landing.block.updatenodes`."""

from msgspec import Struct

from landyard import MethodGroup, hookimpl
from landyard_blocks.group import blocks
from landyard_blocks.settings import BlockSettings

from . import getlist, updatenodes

requires = ("landing",)

__all__ = ["getlist", "updatenodes"]


@hookimpl
def register_methods() -> MethodGroup:
    return blocks


@hookimpl
def register_settings() -> type[Struct]:
    return BlockSettings
