"""Normalized nonnegative models: every user a mixture of stereotypes, every item a random variable."""
