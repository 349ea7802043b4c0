"""The slow tests in four parts: `make slow QUARTER=n` runs one, and so does `.ci/run` each time.

A file is never divided, for its tests share fixtures. The quarter follows from the file's path
alone, so a new file moves no other. Run as a script with the report of
`make slow ARGS=--junit-xml=slow.xml`, this module prints the seconds of each quarter, as they are
and with the salt that balances them best.
"""

import hashlib
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

QUARTERS = 4
SALT = 5226
"""Chosen by this script: with it the quarters take about the same time."""
TRIED = 4_000
ROOT = Path(__file__).parents[1]


def quarter_of(file: str, salt: int = SALT) -> int:
    """Return the quarter, 0 to 3, of a test file, by its path from the root of the repository."""
    digest = hashlib.blake2b(f"{salt} {file}".encode(), digest_size=4).digest()
    return int.from_bytes(digest) % QUARTERS


def seconds_of_files(report: Path) -> dict[str, float]:
    """Add up the seconds of each test file in a report in JUnit's form."""
    seconds: dict[str, float] = defaultdict(float)
    for case in ET.parse(report).iter("testcase"):
        module = ROOT / case.attrib["classname"].replace(".", "/")
        if not module.with_suffix(".py").is_file():
            module = module.parent  # a class stands behind the module
        seconds[f"{module.relative_to(ROOT)}.py"] += float(case.attrib["time"])
    return seconds


def shares(seconds: Mapping[str, float], salt: int) -> list[float]:
    """Add up the seconds of each quarter."""
    total = [0.0] * QUARTERS
    for file, taken in seconds.items():
        total[quarter_of(file, salt)] += taken
    return total


if __name__ == "__main__":
    measured = seconds_of_files(Path(sys.argv[1]))
    best = min(range(TRIED), key=lambda salt: max(shares(measured, salt)))
    for salt in (SALT, best):
        print(f"SALT = {salt}:", *(f"{each:.0f} s" for each in shares(measured, salt)))
