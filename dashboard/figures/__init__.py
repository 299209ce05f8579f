"""The pictures, one file per subject: data in, ``plotly.graph_objects.Figure`` out.

Every figure has the same shape, ``xyz_figure(data, look, *, options)``: it lists its traces and its layout as plain
dictionaries and hands them to :func:`dashboard.theme.make_figure`, which adds the house style. ``drawing`` has what
pictures share. A figure knows nothing of Streamlit or pages.
"""
