"""Sites as clients exchange them: written as an export (format version 3), read into a world."""
