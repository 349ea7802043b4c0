"""Downloads a picture from an address a caller gave, from the public internet only."""
