"""For plugin authors: a new plugin's package, and checks of an installed one."""
