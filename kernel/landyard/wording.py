"""Wording: texts that strangers had a hand in, made fit for a terminal, a log and a database."""

_MOST = 300  # characters
_MARK = "\N{REPLACEMENT CHARACTER}"


def fit(text: str) -> str:
    """Return a reason in one line: no more than 300 characters, and none that steers a terminal."""
    line = "".join(each if each.isprintable() else _MARK for each in " ".join(text.split()))
    return line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"


def visible(text: str) -> str:
    """Return a text of any length and its own lines, without what steers a terminal."""
    return "".join(each if each.isprintable() or each in "\n\t" else _MARK for each in text)
