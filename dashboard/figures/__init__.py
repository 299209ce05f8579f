"""Pictures: data in, plotly figure out."""
