"""HTTP in and out: the ASGI application, requests read and replies written, plugins' routes."""

import importlib
import os
import sys
from types import ModuleType

# Litestar warns of every plain `def` route: it would block the event loop. The kernel runs each in
# its thread pool. Set here since a plugin imports `landyard` before it makes a route.
os.environ.setdefault("LITESTAR_WARN_IMPLICIT_SYNC_TO_THREAD", "0")


def _of_yaml(name: str) -> object:
    if sys.modules["yaml"] is _stand_in:
        del sys.modules["yaml"]
    return getattr(importlib.import_module("yaml"), name)


# Litestar imports it, 1 MiB, for descriptions that are off here: it is loaded where it is used.
_stand_in = ModuleType("yaml")
vars(_stand_in)["__getattr__"] = _of_yaml
sys.modules.setdefault("yaml", _stand_in)
