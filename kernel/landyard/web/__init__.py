"""HTTP: a kernel as a Litestar application, or inside of one.

`create_app(kernel)` builds the application that answers calls and serves pages. `LandyardPlugin`
puts a kernel into an application of somebody else. `app` is a factory for the command line of a
server, such as `uvicorn --factory landyard.web:app`.
"""

from landyard.web.application import LandyardPlugin, app, create_app

__all__ = ["LandyardPlugin", "app", "create_app"]
