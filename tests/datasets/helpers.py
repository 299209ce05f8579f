"""What several tests of this folder use: small limits, what an import costs, and ids of any kind."""

from __future__ import annotations

import time
import tracemalloc

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from nnm_core.datasets import Limits

SMALL = Limits(max_unpacked=20_000_000, free_unpacked=1_000_000, max_line=1_000_000)
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

words = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp", "Cf"), max_codepoint=0x1F9FF),
    min_size=1,
    max_size=8,
)
# words for "missing" are no ids
named = words.filter(lambda text: text.lower() not in ("na", "n/a", "nan", "null", "none", "#n/a", "<na>", "\\n"))
ids = st.one_of(named, st.integers(0, 10**6).map(str), st.from_regex(r"[A-Z0-9]{4,14}", fullmatch=True))


class Counted:
    """Peak of what Python allocates, and the processor's time that it takes."""

    def __enter__(self) -> Counted:
        tracemalloc.start()
        self._begin = time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.process_time() - self._begin
        self.peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
