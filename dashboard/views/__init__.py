"""The pages, one per file: ``render()`` shows it, and ``dashboard.app`` says where it is in the menu.

A page puts components in order and says what comes between them; what it shares or computes is in ``components`` and
``compute``. Imports both, and nothing imports a page but the app.
"""
