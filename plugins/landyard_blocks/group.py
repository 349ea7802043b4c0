"""The group that the methods of blocks belong to, and their permission scope."""

from landyard import Bounds, MethodGroup

# The nodes of a block may hold whole articles.
blocks = MethodGroup(scope="landing", bounds=Bounds(size=8 * 1024 * 1024))
