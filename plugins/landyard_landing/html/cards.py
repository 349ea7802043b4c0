"""Removes a card, a repeated part of a block, from its HTML (`B13`)."""

from landyard_landing.html.manifests import Manifest, split_position
from landyard_landing.html.markup import Markup


def remove_card(content: str, key: str, manifest: Manifest) -> str | None:
    """A block's HTML without the card that a selector with a position names.

    The position counts the elements of that selector alone, from zero, in document order; cards
    inside cards among them. None when the key has no `@`, its selector is none of the manifest's
    cards, or there is no such card (contract 4.5).
    """
    selector, index = split_position(key)
    if index is None or selector not in manifest.cards:
        return None
    markup = Markup(content)
    found = markup.select(selector)
    if index >= len(found):
        return None
    markup.remove(found[index])
    return markup.source()
