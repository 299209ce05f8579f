"""Tags ordered by inclusion."""
