"""The page editor: a screen of the console, and the draft that it is drawn around."""

from landyard_console.editor.screen import show
from landyard_console.view import Screen

EDITOR = Screen(name="editor", title="editor.title", show=show)

__all__ = ["EDITOR"]
