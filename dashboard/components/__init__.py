"""Parts of pages, each shown by a function that takes the current :class:`~dashboard.compute.current.View`.

- ``common``: what all pages use
- Stereotypes: ``audience``, ``towers``, ``evidence``, ``portraits``, ``over_time``
- Hierarchy: ``ordering``, ``inclusions``
- People and items: ``people``, ``taste``, ``items``
- Compare: ``comparison``; Accuracy: ``accuracy``, ``convergence``, ``lists``; Export: ``report``
- Data: ``data``

Imports ``compute``, ``figures``, ``export`` and ``nnm_core``, never ``views``.
"""
