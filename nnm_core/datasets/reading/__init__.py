"""From what somebody hands over to a table.

- ``sources``: a path, folder, archive or upload becomes named files, nothing unpacked to disk;
- ``containers``: the sheets of a workbook and the tables of a database become files too;
- ``readers``: a file becomes a table, by its format; ``json_tables`` reads JSON;
- ``dialects`` and ``delimited``: how a text table is written, guessed from its beginning, and its rows;
- ``tables``: what a table is, for all of them.
"""
