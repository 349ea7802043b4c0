"""Generate from the code: references, compatibility, rules, the pictures of packages, the wire.

`--check` fails if a generated file is stale.
"""

import contextlib
import inspect
import re
import sys
import tempfile
import types
import typing
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import msgspec
from compatibility import TARGET as COMPATIBILITY
from compatibility import compatibility
from picture import PACKAGES, PLUGINS, packages_picture, plugins_picture
from python_reference import TARGET as PYTHON
from python_reference import python_reference
from rules import TARGET as RULES
from rules import rules
from snapshot import snapshot

from landyard import CallError, Kernel, Method, Settings
from landyard import hooks as hookspecs
from landyard.cli.main import main
from landyard.logs import configure
from landyard.plugin_host.switches import write_switch
from landyard_describe.error_codes import own_codes
from landyard_describe.markdown import as_json, parameters_table
from landyard_describe.texts import answers, deprecation, needs

TARGET = Path(__file__).parent / "reference.md"
SNAPSHOT = Path(__file__).parents[1] / "tests" / "contract" / "methods.schema.json"


_CALLING = """## Calling

`POST <base>/rest/<user>/<code>/<method>.json` with JSON and `Content-Type: application/json`; or
`/rest/<method>.json` with a token in `auth` or in `Authorization: Bearer`. Forms, query strings and
nested keys such as `fields[TITLE]=x` work as well. A success is 200 with `result` and `time`. A
failure has the status below, with `error` and `error_description`, and for some codes `error_data`
for programs. Unknown parameters are ignored.

A method that writes takes options beside its parameters, or as headers. With `idempotency_key`
(`Idempotency-Key`) a repeated call is done once. With `dry_run` (`Dry-Run`) a call answers its
changes and keeps none (see [safe writes](safe-writes.md)). Editing methods take the parameter
`revision`; reading methods answer it for `get_revision` (see [editing at once](at-once.md)).

Ids are integers or decimal strings. Booleans may be `true`, `1`, `"Y"` and similar values.
`scope` is the type of a site (`PAGE`, `KNOWLEDGE`, …), not a permission; the default is `PAGE`,
`STORE` and `SMN`. Numbers in `time` are seconds; `operating` is the time that the method has cost
this credential in ten minutes."""


def reference(kernel: Kernel) -> str:
    """Write the whole reference of a kernel and its plugins."""
    parts = [
        "# Reference\n\nWritten by `make docs` from the code; `make check` fails when it is stale.",
        _CALLING,
        "## Methods",
        *(_method(method) for method in kernel.methods),
        "## Errors\n\n" + _errors(kernel),
        "## Hooks\n\n" + _hooks(),
        "## Settings\n\n" + _settings(kernel),
        "## World file\n\n" + _world(kernel),
        "## Command line",
        *_words(kernel),
    ]
    return "\n\n".join(parts) + "\n"


def _method(method: Method) -> str:
    codes = ", ".join(f"`{each.code}`" for each in own_codes(method)) or "none of its own"
    parts = [
        f"### `{method.name}`",
        deprecation(method),
        method.doc,
        f"{needs(method)} Codes: {codes}.",
        parameters_table(method.params),
    ]
    if method.example is not None:
        parts.append(f"```json\n{as_json(method.example.params)}\n```")
        if not answers(method):
            answered = as_json({"result": method.example.result})
            parts += ["answers, beside `time`,", f"```json\n{answered}\n```"]
    return "\n\n".join(filter(None, parts))


def _errors(kernel: Kernel) -> str:
    rows = ["| code | status | raised by | when |", "|---|---|---|---|"]
    for error in _sorted(all_errors()):
        methods = [method.name for method in kernel.methods if error in method.errors]
        by = "any method" if error.system else ", ".join(f"`{name}`" for name in methods)
        rows.append(f"| `{error.code}` | {error.status} | {by} | {error.text} |")
    return "\n".join(rows)


def all_errors(root: type[CallError] = CallError) -> set[type[CallError]]:
    """Collect every error class that has a code, of the kernel and of the plugins."""
    found = {root} if "code" in vars(root) else set()
    for child in root.__subclasses__():
        found |= all_errors(child)
    return {error for error in found if not error.__module__.startswith(("test", "conftest"))}


def _sorted(errors: Iterable[type[CallError]]) -> list[type[CallError]]:
    return sorted(errors, key=lambda error: (error.code.lower(), error.__module__))


def _hooks() -> str:
    rows = ["| hook | arguments | purpose |", "|---|---|---|"]
    declaring_first = sorted(
        vars(hookspecs).items(), key=lambda it: not it[0].startswith("register_")
    )
    for name, hook in declaring_first:
        options = getattr(hook, "landyard_spec", None)
        if options is None:
            continue
        code = hook.__code__
        arguments = ", ".join(f"`{argument}`" for argument in code.co_varnames[: code.co_argcount])
        first = " First answer wins." if options["firstresult"] else ""
        text = " ".join((hook.__doc__ or "").split())
        rows.append(f"| `{name}` | {arguments} | {text}{first} |")
    return "\n".join(rows)


def _settings(kernel: Kernel) -> str:
    rows = [
        "A plugin's settings are in its section of `landyard.toml`, under its heading below.",
        "In the environment a list is JSON, as here, or comma-separated; texts have no quotes.",
        "",
        "| setting | environment | default | meaning |",
        "|---|---|---|---|",
    ]
    for field in msgspec.structs.fields(Settings):
        if field.name not in {"plugins", "file_sections"}:  # contents of a file or of plugins
            variable = f"LANDYARD_{field.name.upper()}"
            shown, meaning = _as_written(field.default), DESCRIBED[field.name]
            rows.append(f"| `{field.name}` | `{variable}` | `{shown}` | {meaning} |")
    for plugin, section in kernel.resolution.sections.items():
        # The heading names the section, so the text need not.
        text = _WHICH.sub("", inspect.getdoc(section) or "").strip()
        rows += ["", f"### `[{plugin}]`", "", text, ""]
        rows += ["| setting | environment | default |", "|---|---|---|"]
        for field in msgspec.structs.fields(section):
            variable = f"LANDYARD_{plugin}__{field.name}".upper()
            shown = _as_written(getattr(section, field.name))
            rows.append(f"| `{plugin}.{field.name}` | `{variable}` | `{shown}` |")
    return "\n".join(rows)


_WHICH = re.compile(r" ?The section `\[\w+\]`( of the settings)?\.")


def _as_written(default: Any) -> str:
    """Write a default as the environment would have it."""
    return msgspec.json.encode(default, enc_hook=str).decode().strip('"')


DESCRIBED = {
    name: " ".join(text.split())
    for name, text in re.findall(
        r"^`(\w+)`: (.+?\.)$(?=\n`|\Z)",
        inspect.getdoc(Settings) or "",
        re.DOTALL | re.MULTILINE,
    )
}
"""The description of each setting of the kernel, from the docstring of `Settings`."""


def _world(kernel: Kernel) -> str:
    """List the keys of each list; one list may have keys of several owners."""
    parts = [
        "The keys of each list; `?` marks optional ones. Listed fields win, unlisted rows stay."
    ]
    for name in dict.fromkeys(each.name for each in kernel.world.lists):
        items = [each.item for each in kernel.world.lists if each.name == name]
        rows = dict.fromkeys(row for item in items for row in _keys(item))
        parts.append(f"### `{name}`\n\n| key | type |\n|---|---|\n" + "\n".join(rows))
    return "\n\n".join(parts)


def _keys(item: type[msgspec.Struct], above: str = "") -> Iterator[str]:
    hints = typing.get_type_hints(item)
    for field in msgspec.structs.fields(item):
        hint = hints[field.name]
        yield f"| `{above}{field.encode_name}`{'' if field.required else '?'} | {_written(hint)} |"
        inner = [each for kind in typing.get_args(hint) for each in typing.get_args(kind)]
        for nested in inner:
            if isinstance(nested, type) and issubclass(nested, msgspec.Struct):
                yield from _keys(nested, f"{above}{field.encode_name}[].")


def _written(hint: Any) -> str:
    unions = (typing.Union, types.UnionType)
    kinds = typing.get_args(hint) if typing.get_origin(hint) in unions else (hint,)
    names = {int: "number", str: "string", bool: "boolean", dict: "object", list: "list"}
    names |= {datetime: "date and time with a zone", type(None): "null"}
    found = (names.get(typing.get_origin(kind) or kind) for kind in kinds)
    return " or ".join(name for name in found if name)


def _words(kernel: Kernel) -> Iterator[str]:
    words = {word.name: word for word in kernel.commands()}
    context = click.Context(main, info_name="landyard", terminal_width=90)
    for name in main.list_commands(context):
        # The kernel's words first: they include a plugin's group of the same name.
        word = main.commands.get(name) or words.get(name) or main.get_command(context, name)
        assert word is not None
        yield from _word(word, context, name)


def _word(word: click.Command, above: click.Context, name: str) -> Iterator[str]:
    context = click.Context(word, info_name=name, parent=above, terminal_width=90)
    yield f"### `{context.command_path}`\n\n```text\n{word.get_help(context)}\n```"
    if isinstance(word, click.Group):
        for inner in word.list_commands(context):
            command = word.get_command(context, inner)
            assert command is not None
            yield from _word(command, context, inner)


def generate() -> dict[Path, str]:
    """Generate every document, and the snapshot, for all that this distribution ships."""
    # In an empty folder: the service of `make run` may have other plugins switched on.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        kernel = Kernel(Settings(data=Path(folder)))
        try:
            configure("warning")
            kernel.prepare()
            with kernel.store.unit(writes=True) as unit:
                for name in ("oauth", "apps"):  # they start switched off and bring methods
                    at = kernel.now()
                    write_switch(unit.connection, name, is_on=True, at=at, by="docs")
            kernel.lifecycle.refresh()
            wire = msgspec.json.format(msgspec.json.encode(snapshot(kernel.methods)), indent=2)
            return {
                TARGET: reference(kernel),
                SNAPSHOT: f"{wire.decode()}\n",
                COMPATIBILITY: compatibility(kernel),
                PACKAGES: packages_picture(),
                PLUGINS: plugins_picture(),
                PYTHON: python_reference(),
                RULES: rules(),
            }
        finally:
            kernel.close()


if __name__ == "__main__":
    written = generate()
    if sys.argv[1:] != ["--check"]:
        for path, text in written.items():
            path.write_text(text, encoding="utf-8")
    for path, text in written.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.parent.name}/{path.name} is stale: run `make docs`")
