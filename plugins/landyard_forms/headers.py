"""Headers of mails: the one place that writes text of callers and visitors into them."""

from email.message import EmailMessage

_ENCODED = "=?"  # an encoded word begins so (RFC 2047); mail programs and libraries decode it


def add_header(message: EmailMessage, name: str, text: str) -> None:
    """Add a header of one line that says `text` literally.

    The library decodes encoded words in a value, also into line breaks, and writes the result as
    it is: a title could add headers. So a space parts the signs that begin an encoded word.
    """
    message[name] = one_line(text).replace(_ENCODED, "= ?")


def is_decoded(text: str) -> bool:
    """Tell whether a mail program may read something else in a header than `text`."""
    return _ENCODED in text


def one_line(text: str) -> str:
    """Write on one line, without characters that cannot be printed."""
    return "".join(each for each in " ".join(text.split()) if each.isprintable())
