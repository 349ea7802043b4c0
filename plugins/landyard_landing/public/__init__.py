"""What visitors get: published pages, site maps, files and assets."""
