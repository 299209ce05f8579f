"""The looks, light and dark."""

from dashboard.theme import DARK, LIGHT, look, translucent, wordmark


def test_a_stereotype_has_one_colour_per_mood():
    assert len(LIGHT.colors) == len(DARK.colors) == len(set(LIGHT.colors)) == len(set(DARK.colors))
    assert (look("dark"), look("light"), look(None)) == (DARK, LIGHT, LIGHT)
    assert translucent("#0a0b0c", 0.5) == "rgba(10, 11, 12, 0.5)"
    assert all(color in wordmark(DARK) for color in DARK.colors[:3])
