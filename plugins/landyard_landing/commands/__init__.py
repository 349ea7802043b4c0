"""The plugin's commands: `init`, `site`, `page`, `trash`, `blocks`, `theme`, `templates`."""
