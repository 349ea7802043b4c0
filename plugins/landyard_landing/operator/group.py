"""What these methods share: their group."""

from landyard import ADMIN, MethodGroup

admin = MethodGroup(scope=ADMIN)
