"""What can go wrong with pages and blocks, in the contract's codes (section 7)."""

from landyard import CallError


class AccessDenied(CallError):
    code = "ACCESS_DENIED"
    text = "Insufficient permissions."


class LandingNotExist(CallError):
    code = "LANDING_NOT_EXIST"
    text = "Landing not found"


class BlockNotFound(CallError):
    code = "BLOCK_NOT_FOUND"
    text = "Block not found"
