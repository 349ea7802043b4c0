"""What the methods of blocks share: their group."""

from landyard import Bounds, MethodGroup

# The nodes of a block may hold whole articles.
blocks = MethodGroup(scope="landing", bounds=Bounds(size=8 * 1024 * 1024))
