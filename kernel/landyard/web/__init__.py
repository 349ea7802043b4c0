"""HTTP: `create_app(kernel)` is the Litestar application that answers calls and serves pages."""

from landyard.web.application import create_app

__all__ = ["create_app"]
