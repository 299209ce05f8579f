"""Parts of pages, each shown by a function that takes the current :class:`~dashboard.compute.current.View`.

What every page uses: ``current`` (what to show now), ``sidebar``, ``chips`` (options that were changed), ``job_panel``,
``display`` (figures, tables, downloads), ``widgets``. What belongs to one page: ``audience``, ``towers``, ``evidence``
and ``portraits``; ``ordering`` and ``inclusions`` (the hierarchy, and what it says); ``people`` and ``taste``;
``items``; ``comparison``; ``accuracy``; and for the data ``upload``, ``mapping_form`` and ``licence``.
"""
