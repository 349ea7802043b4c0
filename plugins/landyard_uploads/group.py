"""The group that the methods of uploads belong to, and their permission scope."""

from landyard import MethodGroup

uploads = MethodGroup(scope="landing")
