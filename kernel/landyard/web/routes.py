"""Routes: the pages of the plugins that are on, built at the start and after each switch."""

from collections.abc import Mapping

from landyard.kernel import Kernel
from landyard.plugin_host.resolution import Resolution
from landyard.storage.changes import Changes
from landyard.web.answer_cache import KeptAnswers
from landyard.web.failure_pages import STYLE
from landyard.web.plugin_routes import application


class Routes:
    """The pages of the plugins that are on now.

    `pages` answers; `style` is that of pages of failure. A plugin whose pages cannot be built has
    failed.
    """

    pages: KeptAnswers

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._changes = Changes(kernel.store.reading)
        self.style = STYLE
        kernel.lifecycle.follow(self._build)

    def _build(self, resolution: Resolution) -> Mapping[str, str]:
        """Build the pages of a resolution; answer whose cannot be used, the first, and why."""
        style = resolution.failure_style or STYLE
        app, failed = application(self._kernel, resolution, style)
        if not failed:
            self.pages, self.style = KeptAnswers(app, self._changes, self._kernel), style
        return failed
