"""What the methods of publishing share: their group."""

from landyard import MethodGroup

publishing = MethodGroup(scope="landing")
