"""Public answers for visitors: published pages, previews, feeds, site maps, files and assets."""
