"""Fitting models to ratings."""
