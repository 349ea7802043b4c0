"""HTTP in and out: the ASGI application, requests read and replies written, plugins' routes."""

import os

# Litestar warns of every plain `def` route: it would block the event loop. The kernel runs each in
# its thread pool. Set here since a plugin imports `landyard` before it makes a route.
os.environ.setdefault("LITESTAR_WARN_IMPLICIT_SYNC_TO_THREAD", "0")
