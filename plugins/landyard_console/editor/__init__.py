"""The page editor: a screen of the console, with the rendered draft in a frame."""

from landyard_console.editor.screen import show
from landyard_console.view import Screen

EDITOR = Screen(name="editor", title="editor.title", show=show)

__all__ = ["EDITOR"]
