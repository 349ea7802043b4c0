"""The plugin's command words: `init`, `site`, `page`, `trash`, `blocks`, `theme`, `templates`."""
