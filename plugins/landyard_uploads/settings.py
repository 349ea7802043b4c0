"""What an operator can set for uploads: the section `[uploads]`."""

from typing import Annotated

from msgspec import Meta, Struct


class UploadSettings(Struct, frozen=True):
    """Limits of pictures and of their downloads; sizes are bytes (U1, U4, U5, U7).

    `max_megapixels` counts all frames of a picture, in millions. `allow_hosts`: hosts, or hosts
    with a port, that may be fetched from although they are not public: for tests.
    """

    allow_svg: bool = False
    max_bytes: Annotated[int, Meta(ge=1)] = 20 * 1024 * 1024
    max_megapixels: Annotated[int, Meta(ge=1)] = 50
    download_seconds: Annotated[float, Meta(gt=0)] = 10.0
    max_redirects: Annotated[int, Meta(ge=0)] = 5
    allow_hosts: list[str] = []
    temp_hours: Annotated[float, Meta(ge=0)] = 24.0
