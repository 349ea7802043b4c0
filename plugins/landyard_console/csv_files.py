"""Writes CSV files that spreadsheet programs open."""

_MARK = "\ufeff"  # Excel reads a file with this mark as UTF-8


def csv_file(text: str) -> bytes:
    """Write CSV as a file that spreadsheets read as UTF-8."""
    return (_MARK + text.removeprefix(_MARK)).encode()
