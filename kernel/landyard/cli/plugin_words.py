"""Adds the commands of plugins to the command line."""

import sys
from contextlib import closing, redirect_stdout

import click
from msgspec import structs

from landyard.cli.console import PLUGIN, unloadable
from landyard.kernel import Kernel
from landyard.logs import configure
from landyard.plugin_host.switches import is_prepared
from landyard.settings import load_settings

Word = tuple[str, click.Command]
"""A word, behind the name of the plugin that brings it."""


class Extended(click.Group):
    """The kernel's words, or its commands of one word, followed by those of the plugins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        brought = self._brought(ctx)
        return [*self.commands, *sorted(brought.keys() - self.commands.keys())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        # The plugins that came with Landyard are searched first: loading another plugin may hang.
        found = self._brought(ctx, cmd_name, others=False).get(cmd_name)
        found = found or self._brought(ctx, cmd_name).get(cmd_name)
        if found is None:
            return None
        ctx.meta[PLUGIN], command = found
        return command

    def _brought(
        self, ctx: click.Context, wanted: str = "", *, others: bool = True
    ) -> dict[str, Word]:
        """Collect the words once in a run of the program: help asks for each of them."""
        group = (ctx.parent and self.name) or ""
        key = f"landyard.words {group} {others}"
        if key not in ctx.meta:
            ctx.meta[key] = plugin_words(wanted, group, others=others)
        known: dict[str, Word] = ctx.meta[key]
        return known


def plugin_words(wanted: str = "", group: str = "", *, others: bool = True) -> dict[str, Word]:
    """Collect the plugins' words by their names, or those of their groups of one name.

    Without `others` only plugins that came with Landyard are loaded. Raises `Unavailable` where the
    word `wanted` is missing and the database is away: the database says which plugins are on.
    """
    settings = load_settings()
    if not others:
        rules = {name: each for name, each in settings.plugins.items() if name == "plugins"}
        settings = structs.replace(settings, plugins=rules)  # the command tells of wrong ones
    elif settings.log_level == "info":
        configure("warning", settings.log_format)
    left_out = unloadable(settings) if others else {}
    with redirect_stdout(sys.stderr):  # a plugin that prints is no part of what a word prints
        opened = Kernel(settings, others=others, left_out=left_out)
    with closing(opened) as kernel:
        words = {}
        for plugin, word in kernel.words():
            if not group:
                words[word.name] = plugin, word
            elif word.name == group and isinstance(word, click.Group):
                words |= {name: (plugin, each) for name, each in word.commands.items()}
        if wanted and wanted not in words:
            is_prepared(kernel.store)
    return words
