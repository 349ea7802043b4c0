"""Writes the style sheet of the kernel's failure pages, one for all sites, with its picture."""

from base64 import b64encode
from importlib.resources import files

from landyard_public.assets import assets


def failure_style() -> str:
    """Write the style sheet with its picture inside: a failure page must load nothing more."""
    buoy = b64encode(assets()["pictures/buoy.svg"].content).decode()
    style = (files("landyard_public") / "failure.css").read_text()
    return style.replace("{buoy}", f"data:image/svg+xml;base64,{buoy}")
