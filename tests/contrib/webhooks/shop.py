"""A plugin of the tests: a paid order is an event."""

from msgspec import Struct

from landyard import Call, Event, MethodGroup, MissingParams, WrongType, hookimpl

group = MethodGroup()


class Paid(Event, frozen=True):
    """An order was paid, for the `turn`th time."""

    topic = "shop.order.paid"

    order: int
    turn: int = 0

    @property
    def subject(self) -> str:
        return f"order:{self.order}"


class Order(Struct, frozen=True):
    order: int
    turn: int = 0


@group.method("shop.pay", errors=[MissingParams, WrongType], writes=True)
def pay(call: Call, params: Order) -> bool:
    """Pay an order."""
    call.publish(Paid(params.order, params.turn))
    return True


@hookimpl
def register_methods() -> MethodGroup:
    return group
