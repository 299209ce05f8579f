"""Sliders that act while they are dragged: Streamlit's own tell the server only where they were let go."""

from __future__ import annotations

import streamlit as st

_EVERY = 120
"""Milliseconds between two things that a dragged slider tells: a page needs about as long to follow."""

_SCRIPT = """
export default function ({ data, setTriggerValue }) {
  const slider = document.querySelector(`.st-key-${data.slider}`);
  if (!slider) return;
  const isWatched = Boolean(slider.tell);
  slider.tell = value => setTriggerValue("value", value);
  if (isWatched) return;

  let told = null, timer = null;
  const value = () => Number(slider.querySelector("input[type=range]")?.value);
  const tell = () => {
    timer = null;
    if (value() !== told) slider.tell(told = value());
  };
  const move = () => { timer ??= setTimeout(tell, data.every); };
  slider.addEventListener("pointerdown", () => {
    told = value();
    addEventListener("pointermove", move, true);
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => {
        removeEventListener("pointermove", move, true);
        clearTimeout(timer);
        timer = null;
      }, { capture: true, once: true });
    }
  }, true);
}
"""

_watch = st.components.v2.component("live_slider", js=_SCRIPT)


def dragged(slider: str) -> float | None:
    """Where somebody holds the slider of that key just now; None while nobody does.

    It is what a browser says: whoever asks keeps it within the slider's bounds.
    """
    data = {"slider": slider, "every": _EVERY}
    held = _watch(key=f"live-{slider}", data=data, on_value_change=lambda: None).value
    return float(held) if isinstance(held, (int, float)) else None
