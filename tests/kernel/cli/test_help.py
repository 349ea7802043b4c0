"""`--help` shows whole sentences, also on a narrow terminal."""

import importlib
from collections.abc import Iterator

import click
import pytest
from kernel.commands import Run

from landyard.cli.main import main
from landyard.plugin_host.discovery import HOST, found


def test_no_first_sentence_of_a_command_is_cut_at_80_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    lines = list(listed(everything()))

    assert len(lines) > 70
    assert {"user", "db", "undo", "app"} <= {line.split()[0] for line in lines}
    assert [line for line in lines if line.endswith("...")] == []


def everything() -> click.Group:
    """The program with the commands of all its plugins, including those that are off."""
    modules = [importlib.import_module(each.value) for each in found() if each.distribution == HOST]
    hooks = [module.register_commands for module in modules if hasattr(module, "register_commands")]
    words: dict[str, click.Command] = {}
    for word in (*main.commands.values(), *(word for hook in hooks for word in hook())):
        known = words.get(word.name)
        if isinstance(known, click.Group):
            inner = {**word.commands, **known.commands}
            words[word.name] = click.Group(word.name, inner, help=known.help)
        else:
            words[word.name] = word
    return click.Group("landyard", words)


def listed(group: click.Group, above: click.Context | None = None) -> Iterator[str]:
    """The help lines of the commands in a group and in its subgroups."""
    context = click.Context(group, info_name=group.name, parent=above)
    formatter = context.make_formatter()
    click.Group.format_commands(group, context, formatter)
    yield from formatter.getvalue().strip().splitlines()[1:]
    for word in group.commands.values():
        if isinstance(word, click.Group):
            yield from listed(click.Group(word.name, word.commands), context)


@pytest.mark.parametrize("noun", ["user", "webhook", "token"])
def test_commands_that_nouns_share_name_the_noun(landyard: Run, noun: str) -> None:
    lines = landyard(noun, "--help").stdout.partition("Commands:")[2].strip().splitlines()

    assert len(lines) >= 3
    assert [line for line in lines if noun not in line] == []
    assert f"Switch a {noun} off" in landyard(noun, "revoke", "--help").stdout
