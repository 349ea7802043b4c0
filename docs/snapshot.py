"""The snapshot of the wire: a test compares it with `tests/contract/methods.schema.json`."""

from collections.abc import Iterable
from typing import Any

from landyard import Method
from landyard_describe.error_codes import own_codes, system_codes
from landyard_describe.json_schema import Components, is_paged
from landyard_describe.texts import component


def snapshot(methods: Iterable[Method]) -> dict[str, Any]:
    """Describe parameters, results, codes with their statuses, scopes and rights."""
    components = Components()
    described = {}
    for method in methods:
        owner = component(method.name)
        described[method.name] = {
            **({"aliases": sorted(aliases)} if (aliases := [*method.named][1:]) else {}),
            "scope": method.scope,
            "right": method.right,
            "writes": method.writes,
            "params": components.params(method.params, owner),
            "result": _without_texts(components.result(method.result, owner)),
            "paged": is_paged(method),
            "codes": {each.code: each.status for each in own_codes(method)},
        }
    return {
        "methods": described,
        "system": [{"code": each.code, "status": each.status} for each in system_codes()],
        "schemas": _without_texts(components.schemas, names=True),
    }


def _without_texts(schema: Any, *, names: bool = False) -> Any:
    """Leave out descriptions and titles; with `names` the keys are a client's, and all stay."""
    if isinstance(schema, list):
        return [_without_texts(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value if key == "default" else _without_texts(value, names=key == "properties")
        for key, value in schema.items()
        if names or key not in ("description", "title")
    }
