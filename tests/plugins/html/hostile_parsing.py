"""Texts that different parsers read differently, each named by the parsing rule it exploits.

Written from the HTML standard's tokenizer and tree builder. Placeholders as in `hostile_elements`.
"""

from corpora import read_data

_IMG = "<img src=/assets/none onerror=RUN>"

RAW_TEXT = read_data(__file__, "RAW_TEXT", dict[str, str])

COMMENTS = read_data(__file__, "COMMENTS", dict[str, str])

NAMESPACES = read_data(__file__, "NAMESPACES", dict[str, str])

TREES = read_data(__file__, "TREES", dict[str, str])

CHARACTERS = read_data(__file__, "CHARACTERS", dict[str, str])
PARSING = {**RAW_TEXT, **COMMENTS, **NAMESPACES, **TREES, **CHARACTERS}
