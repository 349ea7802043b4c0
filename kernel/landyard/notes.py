"""Notes on methods: facts that a method's author states and that several plugins read.

`MethodGroup.method` takes them, and `Irreversible in method.notes` finds one by its type. The
kernel itself reads none. A plugin may have types of its own for notes on its own methods.
"""

from msgspec import Struct


class Irreversible(Struct, frozen=True):
    """A call of the method cannot be undone: it sends a mail, or removes a file for good."""


class Secret(Struct, frozen=True):
    """A parameter or the result holds a secret: nobody stores the parameters or the answer."""
