"""Themes: what a site looks like, whatever it says."""
