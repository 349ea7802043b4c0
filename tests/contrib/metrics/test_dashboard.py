"""The dashboard uses only existing metrics and labels."""

import re
from importlib.resources import files
from typing import Any

import msgspec
import pytest

from landyard_metrics.families import FAMILIES

DASHBOARD = msgspec.json.decode((files("landyard_metrics") / "dashboard.json").read_bytes())
LABELS = {
    **{each.name: set(each.labels) for each in FAMILIES if each.kind != "histogram"},
    **{
        f"{each.name}_{end}": {*each.labels, *(["le"] if end == "bucket" else [])}
        for each in FAMILIES
        if each.kind == "histogram"
        for end in ("bucket", "sum", "count")
    },
}
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def named(expression: str) -> list[str]:
    return re.findall(r"\blandyard_\w+", expression)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_panel_uses_existing_metrics(expression: str) -> None:
    assert named(expression)
    for name in named(expression):
        assert name in LABELS
        for by in re.findall(r"by \((\w+)\)", expression):
            assert by in LABELS[name]
        # Prometheus' own labels of the target
        assert set(re.findall(r"[{,](\w+)=", expression)) == {"job"}


def test_every_metric_is_in_a_panel() -> None:
    shown = {name for expression in EXPRESSIONS for name in named(expression)}

    assert shown == set(LABELS)


def test_a_legend_names_labels_of_its_query() -> None:
    targets: list[dict[str, Any]] = [each for p in DASHBOARD["panels"] for each in p["targets"]]
    for target in targets:
        used = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
        assert used <= set(re.findall(r"by \((\w+)\)", target["expr"]))


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells


def test_the_services_are_selected_by_a_metric() -> None:
    (query,) = [
        each["query"]["query"]
        for each in DASHBOARD["templating"]["list"]
        if each["type"] == "query"
    ]

    assert set(named(query)) <= set(LABELS)
