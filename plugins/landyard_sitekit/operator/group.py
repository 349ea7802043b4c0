"""The method groups of the operator's methods: scope `admin`, and scope `landing` for files."""

from landyard import ADMIN, MethodGroup

admin = MethodGroup(scope=ADMIN)
files = MethodGroup(scope="landing")  # editors may list files as well
GROUPS = (admin, files)
