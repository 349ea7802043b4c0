"""Errors of block methods that no other plugin raises."""

from landyard import CallError


class CardNotFound(CallError):
    code = "CARD_NOT_FOUND"
    text = "The block has no such card; write a card's selector of the manifest, `@` and its index."


class NodesNotFound(CallError):
    code = "NODES_NOT_FOUND"
    text = "Nothing in data names an element of the block that this method may change."


class IncorrectAffected(CallError):
    code = "INCORRECT_AFFECTED"
    text = "The changed block could not be confirmed as saved; nothing was changed."
