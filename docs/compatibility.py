"""Writes `compatibility.md`: each documented method of the platform, and how ours differs.

That a code or a parameter is missing, or is ours alone, is told from the code. What cannot be seen
there stands in the file `differences.json` of the plugin that brings the method.
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
_VARIABLE = re.compile(r"_?[\[<].*")  # the end of a code that says more: `[...]`, `_<ERROR_CODE>`
_NO_CODES = ("Empty value", "Error deleting block")  # of the platform's texts, not codes

_TITLE = """# Compatibility

Written by `make docs` from the code and the platform's public documentation; `make check` fails
when it is stale. {done} of the {count} documented `landing.*` methods are here. A method that has
no difference below takes the documented parameters, answers with the documented keys and JSON
types, and refuses with the documented codes.

What holds for all of them:

- `MISSING_PARAMS` names all that is missing; `TYPE_ERROR` names the parameter and what it must be.
- Codes of errors are the documented ones; their texts are our own, and in English.
- Dates are written as `09/13/2024 10:28:08 am`, in the time zone of the setting `time_zone`.
- An empty map is `{{}}` where PHP writes `[]`.
- A page, site or block that the caller may not see is answered as one that there is not.
"""

# What tests/clients runs is that; what their users have to know of them besides an address.
_CLIENTS = """
## Clients

These client libraries do a page's whole life and a batch unmodified, given only another address:

| library | for | what to know |
|---|---|---|
| `@bitrix24/b24jssdk` | JavaScript | A webhook's address has to be HTTPS. |
| `b24pysdk` | Python | Calls over HTTPS alone. |
| `fast_bitrix24` | Python | Of a refusal it tells the status, not the code. |
| `a24wh` | Python | A refusal's code is in `details`; its `error_code` is the status. |
| `aiobitrix24` | Python | Pauses three seconds between calls, unless its `timeout` is set. |
| `bitrix24-api-client` | Python | Of an object it gives the first value, unless it is given a \
`response_formatter`. A refusal's code is in `response_text`. |
| `pybitrix` | Python | |
| `pybitrix24` | Python | Calls over HTTPS alone. |

A certificate (`landyard certificate` makes one) or a proxy brings HTTPS. `bitrix24-rest` and
`abx24` put values into a query as they are: what stands behind an `&` in a value is lost before it
is sent.
"""


class Documented(Struct, frozen=True):
    """A method as the platform documents it: its own parameters, and the codes it may say."""

    params: list[str]
    codes: list[str]


class _File(Struct, frozen=True):
    methods: dict[str, Documented]


def documented_methods() -> Mapping[str, Documented]:
    """Read the documented methods, by name."""
    return msgspec.json.decode(_DOCUMENTED.read_bytes(), type=_File).methods


def told_differences(kernel: Kernel) -> Mapping[str, Sequence[str]]:
    """Read what plugins tell of their methods; `ValueError` for a method that is not theirs."""
    told: dict[str, Sequence[str]] = {}
    for plugin in dict.fromkeys(method.plugin for method in kernel.methods):
        here = files(importlib.import_module(f"landyard_{plugin}")) / "differences.json"
        if not here.is_file():
            continue
        found = msgspec.json.decode(here.read_bytes(), type=dict[str, list[str]])
        for name in found:
            method = kernel.methods.find(name)
            if method is None or method.plugin != plugin or method.name != name:
                raise ValueError(f"{here}: plugin '{plugin}' has no method {name}")
        told |= found
    return told


def compatibility(kernel: Kernel) -> str:
    """Write the whole table, of a kernel and its plugins."""
    documented, told = documented_methods(), told_differences(kernel)
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
            different = [*_seen(method, documented[name]), *told.get(name, ())]
            lines.append(f"| `{name}` | `{method.plugin}` | {' '.join(different)} |")
        lines.append("")
    lines += ["## Methods that are not among them\n", "| method | plugin | |", "|---|---|---|"]
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


def _seen(method: Method, documented: Documented) -> Iterator[str]:
    """Say what differs between a method's code and its documentation."""
    ours = {field.encode_name for field in msgspec.structs.fields(method.params)}
    wire = set(documented.params)
    codes = {error.code for error in own_codes(method)}
    # What any method may say is not of this one.
    named = {_VARIABLE.sub("", code) for code in documented.codes if code not in _NO_CODES}
    named -= {each.code for each in system_codes()}
    for words, names in (
        ("Passes over the parameter", wire - ours),
        ("Reads besides", ours - wire),
        ("Never says", named - codes),
        ("May say besides", codes - named),
    ):
        if names:
            yield f"{words} {', '.join(f'`{name}`' for name in sorted(names))}."
