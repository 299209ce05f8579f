"""Pages start sooner in tests as they do in the server: nothing is searched for that we do not have."""

from dashboard import streamlit_compat

streamlit_compat.skip_component_discovery()
