"""Words of the command line that plugins bring."""

from contextlib import closing

import click
from msgspec import structs

from landyard.kernel import Kernel
from landyard.plugin_host.discovery import HOST, found
from landyard.plugin_host.loading import import_plugin
from landyard.plugin_host.switches import is_prepared
from landyard.settings import load_settings


class Extended(click.Group):
    """The kernel's words, or its commands of one word, followed by those of the plugins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        brought = plugin_words(group=(ctx.parent and self.name) or "")
        return [*self.commands, *sorted(brought.keys() - self.commands.keys())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        group = (ctx.parent and self.name) or ""
        # What came with Landyard is found without the others: one of them may hang as it is loaded.
        return own or (
            plugin_words(cmd_name, group, others=False).get(cmd_name)
            or plugin_words(cmd_name, group).get(cmd_name)
        )


def plugin_words(
    wanted: str = "", group: str = "", *, others: bool = True
) -> dict[str, click.Command]:
    """Collect the plugins' words by their names, or those of their groups of one name.

    Without `others` only plugins that came with Landyard are loaded. Raises `Unavailable` where the
    one that is `wanted` is not among them because the database, which says what is on, is away.
    """
    settings, plugins = load_settings(), None
    if not others:
        ours = [each for each in found() if each.distribution == HOST and not each.contrib]
        plugins = [import_plugin(each) for each in ours]
        rules = {name: each for name, each in settings.plugins.items() if name == "plugins"}
        settings = structs.replace(settings, plugins=rules)  # the sections may be the others'
    with closing(Kernel(settings, plugins)) as kernel:
        brought = kernel.commands()
        words = {word.name: word for word in brought if word.name}
        if group:
            groups = [it for it in brought if it.name == group and isinstance(it, click.Group)]
            words = {name: word for each in groups for name, word in each.commands.items()}
        if wanted and wanted not in words:
            is_prepared(kernel.store)
    return words
