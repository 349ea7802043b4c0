"""The console's own screens, in the order of the navigation."""

from landyard_console.editor import EDITOR
from landyard_console.screens import pages
from landyard_console.view import Screen

SCREENS = (
    Screen(
        name="pages",
        title="pages.title",
        show=pages.show,
        group="content",
        icon="pages",
        needs="landing.site.getList",
    ),
    EDITOR,
)
