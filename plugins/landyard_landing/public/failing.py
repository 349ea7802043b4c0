"""The look of pages of failure: that of the sites, written into the page itself."""

from base64 import b64encode
from importlib.resources import files

from landyard_landing.public.assets import assets


def failure_style() -> str:
    """Write the style sheet: a page that says what failed must not need another answer."""
    buoy = b64encode(assets()["pictures/buoy.svg"].content).decode()
    style = (files("landyard_landing") / "public" / "failing.css").read_text()
    return style.replace("{buoy}", f"data:image/svg+xml;base64,{buoy}")
