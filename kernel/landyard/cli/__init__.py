"""The command line `landyard`: its commands for operators and plugin authors."""
