"""Words of the command line that plugins bring."""

from contextlib import closing

import click

from landyard.kernel import Kernel
from landyard.plugin_host.switches import is_prepared
from landyard.settings import load_settings


class Extended(click.Group):
    """The kernel's commands of a word, followed by those of plugins' groups of the same name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *sorted(plugin_words(group=self.name or ""))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        return own or plugin_words(cmd_name, self.name or "").get(cmd_name)


def plugin_words(wanted: str = "", group: str = "") -> dict[str, click.Command]:
    """Collect the plugins' words by their names, or those of their groups of one name.

    Raises `Unavailable` where the one that is `wanted` is not among them because the database,
    which says what is on, is away.
    """
    with closing(Kernel(load_settings())) as kernel:
        brought = kernel.commands()
        words = {word.name: word for word in brought if word.name}
        if group:
            same = [word for word in brought if word.name == group]
            groups = [word for word in same if isinstance(word, click.Group)]
            words = {name: word for each in groups for name, word in each.commands.items()}
        if wanted and wanted not in words:
            is_prepared(kernel.store)
    return words
