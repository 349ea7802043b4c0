"""Headers of mails, written safely from texts of callers and visitors."""

from email.message import EmailMessage

_ENCODED = "=?"  # the start of an encoded word (RFC 2047), which mail programs and libraries decode


def add_header(message: EmailMessage, name: str, text: str) -> None:
    """Add a one-line header with exactly this text.

    The library decodes encoded words in a value, even into line breaks, and writes the result
    unchanged, so a title could add headers. A space is therefore put into the start of an encoded
    word.
    """
    message[name] = one_line(text).replace(_ENCODED, "= ?")


def is_decoded(text: str) -> bool:
    """Tell whether a mail program may decode `text` in a header to something else."""
    return _ENCODED in text


def one_line(text: str) -> str:
    """Return the text on one line, without unprintable characters."""
    return "".join(each for each in " ".join(text.split()) if each.isprintable())
