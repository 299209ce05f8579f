"""Everything compiled: the only place with numba."""
