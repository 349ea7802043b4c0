"""What these methods share: their groups."""

from landyard import ADMIN, MethodGroup

admin = MethodGroup(scope=ADMIN)
files = MethodGroup(scope="landing")  # of which editors are told some as well
GROUPS = (admin, files)
