"""Checks of an installed plugin: does it keep the contract, and how does it behave?

- `trial` starts the plugin in a process of its own, and survives whatever it does there;
- `__main__` is that process: one stage after the other, each told before it begins;
- `declared` looks at what it declares: hooks, methods, settings, jobs;
- `behaving` at how it answers: its examples, odd values, strangers, its jobs and pages;
- `migrating` at its tables: up, down, up again, and as the models say;
- `leaving` at what it leaves behind: changed modules, threads, hooks that failed.
"""

from landyard.checks.findings import Finding, Level, Verdict
from landyard.checks.trial import UnknownPlugin, examine

__all__ = ["Finding", "Level", "UnknownPlugin", "Verdict", "examine"]
