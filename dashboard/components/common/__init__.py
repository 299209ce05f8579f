"""What all pages have in common: the sidebar, figures and tables, progress of long work, sharing, and the tour."""
