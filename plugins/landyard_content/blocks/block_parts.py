"""A draft block without its place: the columns that the history keeps whole."""

from typing import Any

from msgspec import Struct

from landyard_html.policy import POLICY_VERSION


class BlockParts(Struct, frozen=True):
    """A draft block without its place; `policy` is the policy version that its HTML passed."""

    code: str
    content: str
    params: dict[str, Any] = {}
    anchor: str | None = None
    active: bool = True
    deleted: bool = False
    policy: int = POLICY_VERSION
