"""Signatures follow the specification of Standard Webhooks."""

import base64
import time

import pytest
from contrib.webhooks.receiver import verified

from landyard_webhooks.signing import new_secret, signed


def test_the_example_of_the_reference_implementation_is_reproduced() -> None:
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'

    assert signed("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body, [secret]) == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_secret_is_256_random_bits() -> None:
    secrets = {new_secret() for _ in range(100)}

    assert len(secrets) == 100
    assert {len(base64.b64decode(each.removeprefix("whsec_"))) for each in secrets} == {32}


def test_during_a_rotation_both_secrets_verify() -> None:
    old, new, other = new_secret(), new_secret(), new_secret()

    headers = signed("evt_1", int(time.time()), b"{}", [new, old])

    assert [verified(each, headers, b"{}") for each in (old, new, other)] == [True, True, False]


@pytest.mark.parametrize("changed", ["id", "timestamp", "signature", "body"])
def test_a_changed_message_is_not_verified(changed: str) -> None:
    secret, now = new_secret(), int(time.time())
    headers = signed("evt_1", now, b"{}", [secret])
    others = {"id": "evt_2", "timestamp": f"{now + 1}", "signature": "v1,"}
    body = b"[]" if changed == "body" else b"{}"

    assert verified(secret, headers, b"{}")
    assert not verified(secret, headers | {f"webhook-{changed}": others.get(changed, "")}, body)
