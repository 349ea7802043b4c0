"""`python -m landyard.cli`, where no script is installed."""

from landyard.cli.main import main

main()
