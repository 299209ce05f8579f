"""Around the pages: who may come in, what every request passes, and what whoever runs the server looks at.

- ``guard``: what every request passes before Streamlit sees it: sign-in, limits, headers that protect the browser;
- ``visitors``: who a visitor is, and ``owner_cookie``, which tells browsers apart where nobody signs in;
- ``download_route``: where browsers fetch the files that pages offer;
- ``readiness``, ``metrics`` and ``logs``: whether the server can take work, what it counts, and what it writes down.
"""
