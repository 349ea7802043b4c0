"""The method group of this plugin, with its bounds for requests."""

from landyard import Bounds, MethodGroup

# The nodes of a block may hold whole articles.
blocks = MethodGroup(scope="landing", bounds=Bounds(size=8 * 1024 * 1024))
