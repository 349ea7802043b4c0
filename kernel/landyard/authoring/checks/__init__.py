"""`landyard plugins check`: does an installed plugin keep the contract, and how does it behave?

- `trial` starts a child process for the plugin, and survives what the plugin does to it;
- `examination` is what that process does: one check after the other;
- `declared` checks what the plugin declares: hooks and methods;
- `behaving` calls it: its examples, odd values, its jobs and pages;
- `migrating` runs its migrations up, down and up again, and compares the tables with the models;
- `leaving` finds what it leaves behind: threads, failed hooks.
"""

from landyard.authoring.checks.findings import Finding, Verdict
from landyard.authoring.checks.trial import UnknownPlugin, examine

__all__ = ["Finding", "UnknownPlugin", "Verdict", "examine"]
