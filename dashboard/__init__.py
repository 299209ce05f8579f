"""The dashboard: pages over nnm_core."""
