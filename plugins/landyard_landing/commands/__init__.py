"""The landing plugin's commands: `init`, `site`, `page`, `trash`, `blocks` and `templates`."""
