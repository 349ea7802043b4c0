"""Reasons why a request is refused or fails; they are logged, and not told to a caller."""

from enum import StrEnum


class Reason(StrEnum):
    """What stood in the way, as the log names it."""

    UNREADABLE = "address_unreadable"
    SCHEME = "scheme_not_http"
    USER = "user_in_address"
    HOST = "host_unreadable"
    PORT = "port_not_allowed"
    DOWNGRADE = "redirected_from_https_to_http"
    NOT_FOUND = "host_not_found"
    NOT_PUBLIC = "host_not_public"
    UNREACHABLE = "host_not_reached"
    OTHER_PEER = "connected_elsewhere"
    CERTIFICATE = "tls_failed"
    BROKEN = "answer_broken"
    STATUS = "status_not_ok"
    LOCATION = "redirect_without_one_address"
    REDIRECTS = "redirected_too_often"
    TOO_LARGE = "too_large"
    ENCODED = "content_encoded"
    TIME = "out_of_time"
    BUSY = "too_many_downloads"
    DISK = "disk_failed"


class Refused(Exception):
    """A request that is not made, or whose answer is not taken; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason
