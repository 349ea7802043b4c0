"""Authentication: users, webhooks and tokens, their look-up, and a short-lived cache."""
