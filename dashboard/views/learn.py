"""Page: the model in seven scenes, for somebody who has not read the paper."""

from __future__ import annotations


def render() -> None:
    """Show the page; its scenes are imported only now, since other pages need none of them."""
    from dashboard.learn import page

    page.show()
