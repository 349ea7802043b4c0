"""Exports of sites (format version 3): writes a site as one document, and makes a site of it."""
