"""The reasons why a request is refused or fails; they are logged, never answered to callers."""

from enum import StrEnum


class Reason(StrEnum):
    """The reason of a refusal, as named in the log."""

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
    """A request was not made, or its answer not accepted; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason
