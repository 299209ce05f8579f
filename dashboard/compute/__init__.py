"""What pages compute with: a store, jobs, data sets and models, and the view that a session looks at.

``bounded_store`` keeps everything that sessions share, within bounds in entries and bytes. ``jobs`` runs long work in
threads, with progress and cancel; a job's result goes into the store. ``store`` reads data sets and fits models as
jobs, keeps uploads for their owners, and removes them with all that was computed from them. ``current`` is what a
session looks at: the data set, the model, and their portraits and towers. Nothing here draws.
"""
