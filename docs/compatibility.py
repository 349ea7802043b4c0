"""Writes `compatibility.md`: each documented method of the platform, and how ours differs.

The code shows missing and additional parameters and error codes. Other differences are in the file
`differences.json` of the plugin that brings the method.
"""

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from landyard import Kernel, Method
from landyard_describe.error_codes import own_codes, system_codes

TARGET = Path(__file__).parent / "compatibility.md"
_DOCUMENTED = Path(__file__).parent / "documented_methods.json"
_VARIABLE = re.compile(r"_?[\[<].*")  # the variable end of a code: `[...]`, `_<ERROR_CODE>`
_NO_CODES = ("Empty value", "Error deleting block")  # of the platform's texts, not codes

_TITLE = """# Compatibility

Written by `make docs` from the code and the platform's public documentation; `make check` fails
when it is stale. {done} of the {count} documented `landing.*` methods are here. A method that has
no difference below takes the documented parameters, answers with the documented keys and JSON
types, and refuses with the documented codes.

Common to all methods:

- `MISSING_PARAMS` names every missing parameter; `TYPE_ERROR` names the parameter and its type.
- Codes of errors are the documented ones; their texts are our own, and in English.
- Dates are written as `09/13/2024 10:28:08 am`, in the time zone of the setting `time_zone`.
- An empty map is `{{}}` where PHP writes `[]`.
- A page, site or block that the caller may not see gets the same answer as a missing one.
"""

# The client libraries of tests/clients, with notes for their users.
_CLIENTS = """
## Clients

These unmodified client libraries, with only another address, take a page through its whole life and
send a batch:

| library | language | notes |
|---|---|---|
| `@bitrix24/b24jssdk` | JavaScript | The webhook's address has to be HTTPS. |
| `b24pysdk` | Python | Calls only over HTTPS. |
| `fast_bitrix24` | Python | Reports the status of a refusal, not its code. |
| `a24wh` | Python | A refusal's code is in `details`; its `error_code` is the status. |
| `aiobitrix24` | Python | Pauses three seconds between calls, unless its `timeout` is set. |
| `bitrix24-api-client` | Python | Returns only the first value of an object, unless it has a \
`response_formatter`. A refusal's code is in `response_text`. |
| `pybitrix` | Python | |
| `pybitrix24` | Python | Calls only over HTTPS. |

A certificate (`landyard certificate` makes one) or a proxy brings HTTPS. `bitrix24-rest` and
`abx24` do not escape values in a query: the part of a value behind an `&` is lost before sending.
"""


class Documented(Struct, frozen=True):
    """A method as the platform documents it: its own parameters, and its error codes."""

    params: list[str]
    codes: list[str]


class _File(Struct, frozen=True):
    methods: dict[str, Documented]


def documented_methods() -> Mapping[str, Documented]:
    """Read the documented methods, by name."""
    return msgspec.json.decode(_DOCUMENTED.read_bytes(), type=_File).methods


def noted_differences(kernel: Kernel) -> Mapping[str, Sequence[str]]:
    """Read the differences noted by plugins; `ValueError` for a method of another plugin."""
    noted: dict[str, Sequence[str]] = {}
    for plugin in dict.fromkeys(method.plugin for method in kernel.methods):
        here = files(importlib.import_module(f"landyard_{plugin}")) / "differences.json"
        if not here.is_file():
            continue
        found = msgspec.json.decode(here.read_bytes(), type=dict[str, list[str]])
        for name in found:
            method = kernel.methods.find(name)
            if method is None or method.plugin != plugin or method.name != name:
                raise ValueError(f"{here}: plugin '{plugin}' has no method {name}")
        noted |= found
    return noted


def compatibility(kernel: Kernel) -> str:
    """Write the whole table, of a kernel and its plugins."""
    documented, noted = documented_methods(), noted_differences(kernel)
    ours = {method.name: method for method in kernel.methods}
    done = sum(name in ours for name in documented)
    lines = [_TITLE.format(done=done, count=len(documented))]
    for group, names in _groups(documented).items():
        lines += [f"## {group}.*\n", "| method | plugin | differences |", "|---|---|---|"]
        for name in names:
            method = ours.get(name)
            if method is None:
                lines.append(f"| `{name}` | not here | |")
                continue
            different = [*_visible_differences(method, documented[name]), *noted.get(name, ())]
            lines.append(f"| `{name}` | `{method.plugin}` | {' '.join(different)} |")
        lines.append("")
    lines += ["## Methods of Landyard's own\n", "| method | plugin | |", "|---|---|---|"]
    for method in kernel.methods:
        if method.name not in documented:
            first = method.doc.partition("\n\n")[0].replace("\n", " ")
            lines.append(f"| `{method.name}` | `{method.plugin}` | {first} |")
    return "\n".join(lines) + "\n" + _CLIENTS


def _groups(documented: Mapping[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in documented:
        found.setdefault(name.rpartition(".")[0], []).append(name)
    return found


def _visible_differences(method: Method, documented: Documented) -> Iterator[str]:
    """Say what differs between a method's code and its documentation."""
    ours = {field.encode_name for field in msgspec.structs.fields(method.params)}
    wire = set(documented.params)
    codes = {error.code for error in own_codes(method)}
    # Codes of any method are left out.
    named = {_VARIABLE.sub("", code) for code in documented.codes if code not in _NO_CODES}
    named -= {each.code for each in system_codes()}
    for words, names in (
        ("Ignores the parameter", wire - ours),
        ("Also reads", ours - wire),
        ("Never answers", named - codes),
        ("May also answer", codes - named),
    ):
        if names:
            yield f"{words} {', '.join(f'`{name}`' for name in sorted(names))}."
