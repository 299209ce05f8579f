"""Parts of pages, each shown by a function that takes the current :class:`~dashboard.compute.current.View`.

What every page uses: ``current`` (what to show now), ``sidebar``, ``chips`` (options that were changed),
``job_panel``, ``display`` (figures, tables, downloads) and ``widgets``. What belongs to one page:

- Stereotypes: ``audience``, ``towers``, ``evidence``, ``portraits``
- Hierarchy: ``ordering``, ``inclusions``
- People and items: ``people``, ``taste``, ``items``
- Compare: ``comparison``; Accuracy: ``accuracy``
- Data: ``upload``, ``mapping_form``, ``licence``

Imports ``compute``, ``figures``, ``export`` and ``nnm_core``, never ``views``.
"""
