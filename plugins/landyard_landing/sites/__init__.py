"""Sites and their pages: look-up with rights, lists, codes, URLs, moves, trash, translations."""
