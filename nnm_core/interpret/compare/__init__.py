"""Models compared with one another."""
