"""The settings section `[files]`: who sends the uploaded files to visitors."""

from typing import Annotated

from msgspec import Meta, Struct


class FileSettings(Struct, frozen=True):
    """`accel_redirect`: nginx's internal path of the folder `files`, so that nginx sends the files.

    Empty where no nginx with access to the folder is in front.
    """

    accel_redirect: Annotated[str, Meta(pattern=r"^(/[A-Za-z0-9_.-]+)*$")] = ""
