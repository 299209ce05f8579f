"""Pages, one per file."""
