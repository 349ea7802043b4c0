"""The settings in section `[uploads]`: limits of pictures, downloads and decoders."""

from typing import Annotated

from msgspec import Meta, Struct, field


class UploadSettings(Struct, frozen=True):
    """Limits of pictures and of their downloads; sizes are bytes (U1, U4, U5, U7).

    `max_megapixels` counts all frames of a picture, in millions. `downloads`: the most simultaneous
    downloads of a worker. `allow_hosts`: hosts, or hosts with a port, that are allowed although not
    public, for tests. `decoders`: a worker's processes that decode pictures, each with
    `decode_seconds` of processor time for one and `decode_megabytes` of memory. `remove_location`:
    whether to remove the place of recording from uploaded pictures.
    """

    allow_svg: bool = False
    max_bytes: Annotated[int, Meta(ge=1)] = 20 * 1024 * 1024
    max_megapixels: Annotated[int, Meta(ge=1)] = 50
    download_seconds: Annotated[float, Meta(gt=0)] = 10.0
    max_redirects: Annotated[int, Meta(ge=0)] = 5
    download_ports: list[Annotated[int, Meta(ge=1, le=65535)]] = field(
        default_factory=lambda: [80, 443]
    )
    downloads: Annotated[int, Meta(ge=1)] = 4
    allow_hosts: list[str] = []
    temp_hours: Annotated[float, Meta(ge=0)] = 24.0
    decoders: Annotated[int, Meta(ge=1)] = 1
    decode_seconds: Annotated[float, Meta(gt=0)] = 10.0
    decode_megabytes: Annotated[int, Meta(ge=64)] = 1024
    remove_location: bool = False
