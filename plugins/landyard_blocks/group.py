"""The group that the methods of blocks belong to, and their permission scope."""

from landyard import MethodGroup

blocks = MethodGroup(scope="landing")
