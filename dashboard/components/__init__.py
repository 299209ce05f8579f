"""Parts of pages, each shown by a function that takes the current :class:`~dashboard.compute.current.View`.

What every page uses: ``current`` (what to show now), ``sidebar``, ``job_panel``, ``charts``, ``tables``, ``downloads``,
``search``, ``live``. What belongs to one page: the towers (``summary``, ``towers``, ``names``, ``evidence``,
``lineage``), the hierarchy (``ordering``, ``epsilon``, ``inclusions``, ``inspector``), people (``people_map``,
``person``, ``taste``, ``recommendations``), ``items``, accuracy (``held_out``, ``error_curve``, ``convergence``) and
data (``upload``, ``mapping_form``, ``licence``).

Imports ``compute``, ``figures``, ``export`` and ``nnm_core``, never ``views``.
"""
