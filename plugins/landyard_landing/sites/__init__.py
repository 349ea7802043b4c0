"""Sites and their pages: found with the caller's rights, addressed, moved, trashed."""
