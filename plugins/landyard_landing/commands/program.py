"""How another terminal starts the program that runs here."""

import os
import shlex
import sys
from pathlib import Path


def program(data: Path) -> str:
    """Return this program with the variables it wants in another folder."""
    places = {"LANDYARD_DATA": data}
    places["LANDYARD_CONFIG"] = Path(os.environ.get("LANDYARD_CONFIG", "landyard.toml"))
    here = {name: str(path.absolute()) for name, path in places.items() if path.exists()}
    words = [f"{name}={shlex.quote(path)}" for name, path in here.items()]
    return " ".join([*words, shlex.quote(str(Path(sys.argv[0]).absolute()))])
