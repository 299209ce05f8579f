"""Parts of the page Data: loading one's own ratings, saying what their columns mean, and everything that was kept."""
