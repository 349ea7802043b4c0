"""The plugin host: plugins are found, loaded, resolved and switched."""
