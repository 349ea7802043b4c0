"""Themes of sites: design tokens, fonts, style sheets, and each site's own values."""
