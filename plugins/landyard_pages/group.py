"""The group that the methods of pages belong to, and their permission scope."""

from landyard import MethodGroup

pages = MethodGroup(scope="landing")
