"""The runner of jobs, as a server has it."""

from landyard import Kernel
from landyard.serving.jobs import JobRunner


def run_due(kernel: Kernel) -> None:
    """Run all due jobs as a server does, and wait until they are done."""
    runner = JobRunner(kernel)
    runner.run_due()
    runner._background.close(60)
