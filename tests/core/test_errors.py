"""Messages of others within sentences of ours."""

import pytest

from nnm_core.errors import in_short


@pytest.mark.parametrize(
    ("message", "short"),
    [
        ("It is damaged.", "It is damaged"),
        ("It is damaged.. ", "It is damaged"),
        ("Either this. Or that.\nAnd more.", "Either this. Or that"),
        ("", "OSError"),
        ("x" * 300, "x" * 200),
    ],
)
def test_foreign_message_becomes_part_of_a_sentence(message, short):
    assert in_short(OSError(message)) == short
