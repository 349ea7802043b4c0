"""The numbers and levels of OWASP's Application Security Verification Standard 5.0.0."""

from corpora import read_data

# Of each section, the level of each requirement in its order: 1.2.6 is "2", 1.2.10 is "3".
_LEVELS = read_data(__file__, "LEVELS", dict[str, str])

LEVELS = {
    f"{section}.{number}": int(level)
    for section, levels in _LEVELS.items()
    for number, level in enumerate(levels, start=1)
}
"""The level of each requirement, by its number."""
