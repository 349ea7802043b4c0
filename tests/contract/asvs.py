"""The requirement numbers and levels of OWASP's Application Security Verification Standard
5.0.0.
"""

from corpora import read_data

# For each section, the levels of its requirements in order: 1.2.6 is "2", 1.2.10 is "3".
_LEVELS = read_data(__file__, "LEVELS", dict[str, str])

LEVELS = {
    f"{section}.{number}": int(level)
    for section, levels in _LEVELS.items()
    for number, level in enumerate(levels, start=1)
}
"""The level of each requirement, by its number."""
