"""The codes that a call with an idempotency key may be refused with, whatever its method."""

from landyard import CallError


class IdempotencyKeyReused(CallError):
    code = "IDEMPOTENCY_KEY_REUSED"
    status = 409
    system = True
    text = "The key was used for another call: make a new key for each call that is another."


class IdempotencyAnswerLost(CallError):
    code = "IDEMPOTENCY_ANSWER_LOST"
    status = 409
    system = True
    text = "A call with this key may be done, and its answer was lost. Look, then use another key."
