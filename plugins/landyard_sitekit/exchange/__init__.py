"""Exports of sites (format version 3): writes a site as one document, and reads it as a world."""

from landyard_sitekit.exchange.blocks import filled_block
from landyard_sitekit.exchange.writing import OWN, ExportOptions, write_export

__all__ = ["OWN", "ExportOptions", "filled_block", "write_export"]
