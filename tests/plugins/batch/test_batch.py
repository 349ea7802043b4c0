"""`batch` runs many calls in one request and answers each of them (C16)."""

import tracemalloc
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from conftest import MakeService
from contract.worlds import block, everything, page, row, world
from kernel.sample import Brings, Nothing
from plugins.batch import landyard_batch_probe
from sqlalchemy import text
from tables import for_each

import landyard_batch
from landyard import Call, MethodGroup, Plugin
from landyard.testing import WEBHOOK, Service
from landyard.web.wire import Incoming

UPDATE = "landing.landing.update"
MAPS = ["result", "result_error", "result_total", "result_next", "result_time"]


@pytest.fixture(scope="module")
def probes() -> Iterator[Service]:
    with Service([landyard_batch, landyard_batch_probe], raise_crashes=False) as service:
        yield service


@pytest.fixture
def pages(make_service: MakeService) -> Service:
    return make_service(world=world(page(10, block(100)), page(11), page(12)))


def _batch(service: Service, cmd: Any, **more: Any) -> Any:
    answer = service.call("batch", {"cmd": cmd, **more})
    assert answer.status == 200
    assert list(answer.result) == MAPS
    return answer.result


def _title(page_id: Any, title: str) -> str:
    return f"{UPDATE}?lid={page_id}&fields[TITLE]={quote(title)}"


def test_commands_by_key_are_answered_under_their_keys(probes: Service) -> None:
    batch = _batch(probes, {"a": "probe.echo?value=x", "b": "probe.list", "c": "probe.none"})

    assert batch["result"] == {"a": "x", "b": [1, 2], "c": None}
    assert (batch["result_total"], batch["result_next"]) == ({"b": 9}, {"b": 2})
    assert batch["result_error"] == []
    assert list(batch["result_time"]) == ["a", "b", "c"]
    assert {"start", "finish", "duration", "operating"} <= batch["result_time"]["a"].keys()


def test_a_list_of_commands_is_answered_by_a_list(probes: Service) -> None:
    batch = _batch(probes, ["probe.echo?value=1", "PROBE.ECHO.json?value=2"])

    assert batch["result"] == ["1", "2"]
    assert len(batch["result_time"]) == 2


def test_C16_empty_maps_are_written_as_php_does(probes: Service) -> None:
    assert list(_batch(probes, {}).values()) == list(_batch(probes, []).values()) == [[]] * 5
    batch = _batch(probes, ["probe.refuse", "probe.echo?value=1"])
    assert batch["result"] == {"1": "1"}
    assert [each["error"] for each in batch["result_error"]] == ["PROBE_REFUSED"]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("probe.refuse", "PROBE_REFUSED"),
        ("probe.crash", "INTERNAL_SERVER_ERROR"),
        ("probe.failure", "SYSTEM_ERROR"),
        ("probe.odd", "INTERNAL_SERVER_ERROR"),
        ("probe.nowhere", "ERROR_METHOD_NOT_FOUND"),
        ("probe.file", "ERROR_BATCH_METHOD_NOT_ALLOWED"),
        ("batch?cmd[a]=probe.echo", "ERROR_BATCH_METHOD_NOT_ALLOWED"),
        ("BATCH.json", "ERROR_BATCH_METHOD_NOT_ALLOWED"),
        ("", "ERROR_METHOD_NOT_FOUND"),
        ("probe.echo?value=%FF", "INVALID_REQUEST"),
        ("probe.echo?" + "v" + "[a]" * 80 + "=1", "INVALID_REQUEST"),
        (["probe.echo"], "INVALID_REQUEST"),
        (None, "INVALID_REQUEST"),
        (7, "INVALID_REQUEST"),
    ],
)
def test_only_the_command_that_fails_has_an_error(probes: Service, command: Any, code: str) -> None:
    batch = _batch(probes, {"a": "probe.echo?value=1", "b": command, "c": "probe.echo?value=2"})

    assert batch["result"] == {"a": "1", "c": "2"}
    assert {key: each["error"] for key, each in batch["result_error"].items()} == {"b": code}
    assert list(batch["result_time"]) == ["a", "c"]


@pytest.mark.parametrize("halt", [1, True, "1", "Y"])
def test_halt_stops_at_the_first_failure(probes: Service, halt: Any) -> None:
    cmd = {"a": "probe.echo?value=1", "b": "probe.refuse", "c": "probe.echo?value=2"}

    batch = _batch(probes, cmd, halt=halt)

    assert (batch["result"], list(batch["result_error"])) == ({"a": "1"}, ["b"])
    assert list(_batch(probes, cmd, halt=0)["result"]) == ["a", "c"]


def test_more_than_fifty_commands_are_refused(probes: Service) -> None:
    batch = _batch(probes, [f"probe.echo?value={number}" for number in range(53)])

    assert batch["result"] == [str(number) for number in range(50)]
    assert {each["error"] for each in batch["result_error"].values()} == {
        "ERROR_BATCH_LENGTH_EXCEEDED"
    }
    assert list(batch["result_error"]) == ["50", "51", "52"]


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("$result[a][ID]", 7),
        ("$result[a][DEPARTMENT][1]", 5),
        ("$result[a][DEPARTMENT]", [3, 5]),
        ("$result[a][ROWS][0][ID]", 11),
        ("$result[a][DONE]", True),
        ("$result['a']['NAME']", "Ann"),
        ("x-$result[a][NAME]-$result[a][ID]", "x-Ann-7"),
        ("x$result[a][ROWS]$result[no]", "x"),
        ("$result[a][DEPARTMENT][9]", None),
        ("$result[a][DEPARTMENT][x]", None),
        ("$result[a][NAME][0]", None),
        ("$result[b]", None),
        ("$result[no][ID]", None),
        ("$result[a", "$result[a"),
        ("$result", "$result"),
    ],
)
@pytest.mark.parametrize("written", ["raw", "encoded"])
def test_a_reference_is_replaced_by_an_earlier_answer(
    probes: Service, reference: str, value: Any, written: str
) -> None:
    sent = reference if written == "raw" else quote(reference)
    batch = _batch(
        probes,
        {"a": "probe.record", "b": "probe.refuse", "c": f"probe.echo?value[in][]={sent}"},
    )

    assert batch["result"]["c"] == {"in": [value]}


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        (r"Use \$result[x][y] now", "Use $result[x][y] now"),
        (r"\$result[a][ID]", "$result[a][ID]"),
        (r"\$result[a][ID] is $result[a][ID]", "$result[a][ID] is 7"),
        (r"\\$result[a][ID]", r"\$result[a][ID]"),
        (r"$$result[a][ID]", "$7"),
        (r"\$result", r"\$result"),
        (r"\$result[a", r"\$result[a"),
    ],
)
@pytest.mark.parametrize("written", ["raw", "encoded"])
def test_a_backslash_before_a_reference_keeps_its_text(
    probes: Service, sent: str, value: str, written: str
) -> None:
    said = sent if written == "raw" else quote(sent)
    batch = _batch(probes, {"a": "probe.record", "c": f"probe.echo?value={said}"})

    assert batch["result"]["c"] == value


@pytest.mark.parametrize(
    ("sent", "lost"),
    [
        ("Use $result[x][y] now", ["$result[x][y]"]),
        ("$result[x][y]", ["$result[x][y]"]),
        ("$result[a][NONE] $result[a][ROWS]", ["$result[a][NONE]", "$result[a][ROWS]"]),
        ("$result[a][DEPARTMENT][9]", ["$result[a][DEPARTMENT][9]"]),
        ("$result[b]", ["$result[b]"]),
        ("$result[a][ID] $result[a][NAME]", []),
        ("$result[a][ROWS]", []),
        (r"\$result[x][y]", []),
        ("$result", []),
    ],
)
def test_a_reference_that_names_nothing_is_an_error(
    probes: Service, sent: str, lost: list[str]
) -> None:
    cmd = {"a": "probe.record", "b": "probe.refuse", "c": f"probe.echo?value={quote(sent)}"}

    answer = probes.request("POST", f"/rest/1/{WEBHOOK}/batch", json={"cmd": cmd, "halt": 0})

    header = answer.headers.get("Landyard-Warning", "")
    assert [each for each in lost if each not in header] == []
    assert bool(header) is bool(lost)


def test_each_command_commits_for_itself(pages: Service) -> None:
    batch = _batch(pages, [_title(10, "One & a half"), _title(99, "Two"), _title(12, "Three")])

    assert batch["result"] == {"0": True, "2": True}
    assert [row(pages, number)["title"] for number in (10, 12)] == ["One & a half", "Three"]


def test_an_atomic_batch_is_done_whole_or_not_at_all(pages: Service) -> None:
    before = everything(pages)
    failing = {"a": _title(10, "One"), "b": _title(99, "Two"), "c": _title(12, "Three")}

    batch = _batch(pages, failing, atomic=True)

    assert batch["result"] == batch["result_time"] == []
    assert {key: each["error"] for key, each in batch["result_error"].items()} == {
        "b": "ACCESS_DENIED"
    }
    assert everything(pages) == before
    done = _batch(pages, [_title(10, "One"), _title(12, "Three")], atomic=True)
    assert done["result"] == [True, True]
    assert [row(pages, number)["title"] for number in (10, 12)] == ["One", "Three"]


def test_commands_of_an_atomic_batch_that_only_read_see_one_state(
    make_service: MakeService,
) -> None:
    group = MethodGroup()

    @group.method("probe.name")
    def name(call: Call, params: Nothing) -> str:
        """Read the title, then let another caller write."""
        found = str(call.connection.scalar(text("SELECT min(name) FROM landyard_user")))
        with service.kernel.store.unit(writes=True) as unit:
            unit.connection.execute(text("UPDATE landyard_user SET name = 'Bea'"))
        return found

    service = make_service([landyard_batch, Plugin("probe", Brings(group))])

    batch = _batch(service, ["probe.name", "/probe.name.json?a=1"], atomic=True)

    assert batch["result"] == ["Admin", "Admin"]
    assert _batch(service, ["probe.name"], atomic=True)["result"] == ["Bea"]


def test_an_atomic_batch_refuses_a_method_of_several_transactions(pages: Service) -> None:
    batch = _batch(pages, ["landing.block.uploadfile?block=100&picture=x"], atomic=True)

    assert batch["result_error"][0]["error"] == "ERROR_BATCH_METHOD_NOT_ALLOWED"


def test_references_let_a_batch_make_a_page_and_edit_it(pages: Service) -> None:
    batch = _batch(
        pages,
        {
            "blocks": "landing.block.getlist?lid=10&params[edit_mode]=1",
            "edit": "landing.block.updatenodes?lid=10&block=$result[blocks][0][id]"
            "&data[.title]=Open+house",
            "missing": "landing.block.getlist?lid=$result[nothing][id]",
        },
    )

    assert batch["result"]["edit"] is True
    assert batch["result_error"]["missing"]["error"] == "MISSING_PARAMS"
    again = pages.result(
        "landing.block.getlist", {"lid": 10, "params": {"edit_mode": True, "get_content": True}}
    )
    assert "Open house" in again[0]["content"]


def test_each_command_needs_its_scope_and_right(make_service: MakeService) -> None:
    general = {"user": 1, "code": "batch-general-0123456789", "scopes": []}
    made = world(page(10, block(100)))
    service = make_service(world=made | {"webhooks": [*made["webhooks"], general]})

    answer = service.result(
        "batch", {"cmd": ["landing.block.getlist?lid=10", "methods"]}, webhook=general["code"]
    )

    assert answer["result_error"][0]["error"] == "insufficient_scope"
    assert "batch" in answer["result"]["1"]


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "MISSING_PARAMS"),
        ({"cmd": None}, "MISSING_PARAMS"),
        ({"cmd": "probe.echo"}, "TYPE_ERROR"),
        ({"cmd": 7}, "TYPE_ERROR"),
        ({"cmd": [], "halt": "perhaps"}, "TYPE_ERROR"),
        ({"cmd": [], "atomic": []}, "TYPE_ERROR"),
    ],
)
def test_parameters_that_are_no_batch_are_refused(probes: Service, params: Any, code: str) -> None:
    assert probes.call("batch", params).error == code


def test_commands_in_a_query_string_are_encoded_twice(probes: Service) -> None:
    command = quote("probe.echo?value=" + quote("John & Co"))
    answer = probes.send(
        Incoming("GET", f"/1/{WEBHOOK}/batch", query=f"cmd[0]={command}&halt=0".encode())
    )

    assert answer.result["result"] == ["John & Co"]


KIB = 1024
LONG = "x" * (64 * KIB)


def _again(number: int) -> str:
    return f"$result[{f'b{number - 1}' if number else 'a'}]" * 10


def _times(key: str, count: int) -> str:
    return "".join(f"&v[]=$result[{key}]" for _ in range(count))


GROWN: list[tuple[dict[str, str], str]] = [
    (
        {
            "a": f"probe.echo?value={LONG}",
            **{f"b{n}": f"probe.echo?value={_again(n)}" for n in range(7)},
        },
        "b1",
    ),
    (
        {
            "a": f"probe.echo?value={LONG}",
            "b": f"probe.echo?value[]={LONG}{_times('a', 20).replace('v[]', 'value[]')}",
        },
        "b",
    ),
    (
        {
            "a": "probe.many",
            "b": f"probe.echo?x=1{_times('a', 2).replace('v[]', 'value[]')}",
        },
        "b",
    ),
    ({"a": "probe.deep", "b": "probe.echo?value[x]=$result[a]"}, "b"),
]


@pytest.mark.rule("B18")
@for_each("cmd, refused", GROWN)
def test_B18_a_methods_bounds_hold_for_values_of_references(
    probes: Service, cmd: dict[str, str], refused: str
) -> None:
    tracemalloc.start()
    batch = _batch(probes, cmd, halt=True)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert batch["result_error"][refused]["error"] == "INVALID_REQUEST"
    assert refused not in batch["result"]
    assert most < 40 * KIB * KIB


@pytest.mark.rule("B18")
def test_B18_the_answers_of_a_batch_have_a_total_size_limit() -> None:
    plugins = [landyard_batch, landyard_batch_probe]
    with Service(plugins, batch={"answer_bytes": 100 * KIB}) as service:
        batch = _batch(service, [f"probe.echo?value={LONG}"] * 3)

        assert list(batch["result"]) == [LONG]
        assert [each["error"] for each in batch["result_error"].values()] == ["INVALID_REQUEST"] * 2


@pytest.mark.rule("B18")
def test_B18_an_atomic_batch_has_a_size_limit(make_service: MakeService) -> None:
    """Other writers wait while it holds the write lock."""
    service = make_service(world=world(page(10)), batch={"atomic_bytes": 100 * KIB})
    cmd = {"a": _title(10, "x"), "b": _title(10, "y" * 60 * KIB), "c": _title(10, "z" * 60 * KIB)}

    batch = _batch(service, cmd, atomic=True)

    assert batch["result_error"]["c"]["error"] == "INVALID_REQUEST"
    assert batch["result"] == []
