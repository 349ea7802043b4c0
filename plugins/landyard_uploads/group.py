"""The group that the methods of uploads belong to, and their permission scope."""

from landyard import Bounds, MethodGroup

# A picture is one long text; how long is the operator's to say (`max_body`).
uploads = MethodGroup(scope="landing", bounds=Bounds(size=None, values=1_000))
