"""The code of the built-in theme."""

USUAL_THEME = "harbour"
"""The code of the built-in theme, for sites without another one; `landyard.css` has its values."""
