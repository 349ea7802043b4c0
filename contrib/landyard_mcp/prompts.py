"""Prompts that a person can pick by name; they have the assistant try a change first."""

from collections.abc import Mapping

import mcp_types as types
from mcp import MCPError

PROMPTS = [
    types.Prompt(
        name="edit-page",
        title="Edit a page",
        description="Change a page's draft: tried first, shown to you, done when you agree.",
        arguments=[
            types.PromptArgument(name="page", description="the page's id", required=True),
            types.PromptArgument(name="wish", description="what to change", required=True),
        ],
    )
]

_EDIT = """\
Change the draft of page {page}: {wish}

1. Read the resource landyard://pages/{page}, or the page's blocks, with their revisions.
2. Call each tool with `dry_run: true` and the block's `revision`. Tell me what would change.
3. When I agree make the same calls without `dry_run`, and tell me the `request_id` of each.
4. Where a call answers REVISION_CONFLICT, show me both versions and ask.
5. Publish nothing before I have said so.
"""


def fill_in(name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """Fill in a prompt's arguments; raises `MCPError` if the prompt or an argument is missing."""
    prompt = next((each for each in PROMPTS if each.name == name), None)
    if prompt is None:
        raise MCPError(types.INVALID_PARAMS, f"There is no prompt {name[:100]!r}.")
    missing = [each.name for each in prompt.arguments or () if not arguments.get(each.name)]
    if missing:
        raise MCPError(types.INVALID_PARAMS, f"The prompt lacks {', '.join(missing)}.")
    text = types.TextContent(text=_EDIT.format(page=arguments["page"], wish=arguments["wish"]))
    message = types.PromptMessage(role="user", content=text)
    return types.GetPromptResult(description=prompt.title, messages=[message])
