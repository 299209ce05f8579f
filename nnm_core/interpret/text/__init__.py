"""Models in words."""
