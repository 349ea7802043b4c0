"""Sites and folders: found with the caller's rights, listed, changed, published, trashed."""
