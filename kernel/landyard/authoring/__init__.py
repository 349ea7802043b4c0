"""For plugin authors: checks of an installed plugin."""
