"""Sanitises the HTML of blocks in a world file."""

from landyard import Loader
from landyard_content import blocks
from landyard_html.embeds import without_refused
from landyard_html.policy import clean_block


def clean_html(loader: Loader, html: str) -> str:
    """Sanitise the HTML of a whole block, and remove frames whose host the service refuses."""
    return without_refused(clean_block(html), lambda: blocks.rules_for(loader))
