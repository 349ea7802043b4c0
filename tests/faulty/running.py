"""Faults that show while the service runs: the plugin is quarantined, and says why.

Each brings the method `faulty.<name>`. What a hook does wrong it does once the kit is armed: a
file `armed` stands beside the modules.
"""

from textwrap import dedent, indent

from faulty.kit import Fault

_MODULE = '''
import ctypes
import json
import os
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

from msgspec import Struct
from sqlalchemy import text

from landyard import Call, CallError, Job, MethodGroup, hookimpl

group = MethodGroup(scope="faulty")
armed = Path(__file__).with_name("armed").exists
kept = []


class Nothing(Struct, frozen=True):
    pass


class Surprise(CallError):
    code = "FAULTY_SURPRISE"
    description = "Nobody was told of this one."


class Odd(BaseException):
    pass


@group.method("faulty.{name}", writes={writes}, slow={slow}, seconds=1.0)
def go(call: Call, params: Nothing) -> object:
    """Do what this plugin does wrong."""
{body}


@hookimpl
def register_methods():
    return group


{more}
'''


def _fault(
    name: str,
    body: str,
    reason: str,
    *,
    writes: bool = False,
    slow: bool = False,
    more: str = "",
    state: str = "quarantined",
) -> Fault:
    done = indent(dedent(body).strip(), "    ")
    module = _MODULE.format(
        name=name, writes=writes, slow=slow, body=done, more=dedent(more).strip()
    )
    return Fault(name, module, reason, state)


KILLING = [
    _fault("exiting", "os._exit(1)", "worker"),
    _fault("reading_nothing", "ctypes.string_at(0)", "worker"),
    _fault("killed", "os.kill(os.getpid(), 9)", "worker"),
]

_FOREVER = """
while True:
    try:
        time.sleep(0.001)
    except Exception:
        pass
"""
HANGING = [
    _fault("looping", "while True: pass", "ran longer than"),
    _fault("sleeping", "time.sleep(3600)", "ran longer than"),
    _fault("swallowing", _FOREVER, "ran longer than"),
    _fault("deaf", _FOREVER.replace("Exception", "BaseException"), "ran longer than"),
    _fault("slow_sleeping", "time.sleep(3600)", "ran longer than", slow=True),
    _fault(
        "holding",
        "call.connection.execute(text('SELECT 1'))\ntime.sleep(3600)",
        "ran longer than|kept",
        writes=True,
    ),
    _fault("locking", "lock = threading.Lock()\nlock.acquire()\nlock.acquire()", "ran longer than"),
]

RAISING = [
    _fault("dividing", "return 1 / 0", "ZeroDivisionError"),
    _fault("leaving", "raise SystemExit(3)", "SystemExit"),
    _fault("interrupting", "raise KeyboardInterrupt", "KeyboardInterrupt"),
    _fault("generator", "raise GeneratorExit", "GeneratorExit"),
    _fault("stopping", "raise StopIteration", "StopIteration"),
    _fault("odd", "raise Odd", "Odd"),
    _fault("deep", "return go(call, params)", "RecursionError"),
    _fault("unencodable", "return object()", "TypeError"),
    _fault("nested", "made = []\nmade.append(made)\nreturn made", "RecursionError"),
    _fault("nameless_text", "return '\\ud800'", "Unicode"),
    _fault("undeclared", "raise Surprise", "Undeclared"),
    _fault("writing_by_the_way", "raise Odd", "Odd", writes=True),
    _fault("committing", "call.connection.commit()", "RuntimeError", writes=True),
    _fault("rolling_back", "call.connection.rollback()", "RuntimeError", writes=True),
    _fault(
        "past_the_engine",
        "call.connection.connection.driver_connection.execute('COMMIT')\nreturn True",
        "transaction|OperationalError|Error",
        writes=True,
    ),
    _fault("closing", "call.connection.close()\nreturn True", "Error|clos", writes=True),
    _fault(
        "asking_nothing", "call.connection.execute(text('SELECT * FROM nowhere'))", "Operational"
    ),
]

HOARDING = [
    _fault(
        "threads",
        """
        for _ in range(20):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        return True
        """,
        "thread",
    ),
    _fault("memory", "kept.append(b'x' * 2**26)\nreturn True", "MiB|memory"),
    _fault("huge", "return 'x' * (300 * 2**20)", "MiB|memory|bytes|large"),
]

MEDDLING = [
    _fault("patching", "json.loads = lambda *_, **__: {}\nreturn True", "json.loads"),
    _fault("unloading", "sys.modules.pop('json', None)\nreturn True", "sys.modules.json"),
    _fault("limiting", "sys.setrecursionlimit(200)\nreturn True", "setrecursionlimit"),
    _fault("switching", "sys.setswitchinterval(60)\nreturn True", "setswitchinterval"),
    _fault("moving", "os.chdir('/')\nreturn True", "chdir"),
]

_HOOK = "@hookimpl\ndef {takes}:\n    if armed():\n        {does}\n"


def _armed(takes: str, does: str) -> str:
    return _HOOK.format(takes=takes, does=does)


_JOBS = """
def work(kernel):
    if armed():
        {does}


@hookimpl
def register_jobs():
    return [Job("faulty.{name}", timedelta(seconds=1), work)]
"""
_PAGE = """
@hookimpl
def register_routes(kernel):
    from litestar import get

    @get("/faulty/{name}", sync_to_thread={threaded})
    def page() -> str:
        {does}

    return [page]
"""
_OBSERVE = "call_finished(request, actor, reply, crash)"

HOOKS = [
    _fault("observing", "return True", "call_finished", more=_armed(_OBSERVE, "1 / 0")),
    _fault(
        "observing_out", "return True", "call_finished", more=_armed(_OBSERVE, "raise SystemExit")
    ),
    _fault(
        "observing_slowly", "return True", "call_finished", more=_armed(_OBSERVE, "time.sleep(0.5)")
    ),
    _fault("mapping", "1 / 0", "map_error", more=_armed("map_error(error)", "return error.there")),
    _fault(
        "mapping_oddly",
        "1 / 0",
        "in faulty.mapping_oddly",
        more=_armed("map_error(error)", "return 42"),
    ),
    _fault(
        "authenticating",
        "return True",
        "authenticate",
        more=_armed("authenticate(credential, session, now)", "1 / 0"),
    ),
    _fault(
        "teardown",
        "call.when_kept(lambda: 1 / 0)\ncall.connection\nreturn True",
        "ZeroDivisionError",
        writes=True,
    ),
    _fault(
        "undoing",
        "call.when_undone(lambda: 1 / 0)\ncall.connection\nraise Surprise",
        "ZeroDivisionError|Undeclared",
        writes=True,
    ),
    _fault(
        "page",
        "return True",
        "ZeroDivisionError|page",
        more=_PAGE.format(name="page", threaded=True, does="return str(1 / 0)"),
    ),
]

JOBS = [
    _fault(
        "working",
        "return True",
        "ZeroDivisionError",
        more=_JOBS.format(name="working", does="1 / 0"),
    ),
    _fault(
        "working_long",
        "return True",
        "job",
        more=_JOBS.format(name="working_long", does="time.sleep(3600)"),
    ),
]
"""It takes a while until they are due."""

RUNNING = [*KILLING, *HANGING, *RAISING, *HOARDING, *MEDDLING, *HOOKS, *JOBS]
PATHS = {
    "faulty_page": "/faulty/page",
    "faulty_authenticating": "/rest/1/of-nobody-0123456789/faulty.authenticating.json",
}
"""What is asked instead of the method."""
