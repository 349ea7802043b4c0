"""The errors that any call with an idempotency key may get."""

from landyard import CallError


class IdempotencyKeyReused(CallError):
    code = "IDEMPOTENCY_KEY_REUSED"
    status = 409
    system = True
    text = "The key was used for another call: make a new key for each different call."


class IdempotencyAnswerLost(CallError):
    code = "IDEMPOTENCY_ANSWER_LOST"
    status = 409
    system = True
    text = (
        "A call with this key may have run, but its answer was lost. Check, then use another key."
    )
