"""The method group of this plugin."""

from landyard import MethodGroup

publishing = MethodGroup(scope="landing")
