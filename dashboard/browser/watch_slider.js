// Sends a slider's value while it is dragged: Streamlit sends it only on release.
export default function ({ data, setTriggerValue }) {
  const slider = document.querySelector(`.st-key-${data.slider}`);
  if (!slider) return;
  const isWatched = Boolean(slider.send);
  slider.send = value => setTriggerValue("value", value);
  if (isWatched) {
    if (data.drawn === null) slider.sendAgain();
    return;
  }

  let sent = null, timer = null, start = null;
  const value = () => Number(slider.querySelector("input[type=range]")?.value);
  slider.sendAgain = () => { if (start !== null && sent !== start) slider.send(sent = value()); };
  const send = () => {
    timer = null;
    if (value() !== sent) slider.send(sent = value());
  };
  const move = () => { timer ??= setTimeout(send, data.every); };
  slider.addEventListener("pointerdown", () => {
    start = sent = value();
    addEventListener("pointermove", move, true);
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => {
        removeEventListener("pointermove", move, true);
        clearTimeout(timer);
        timer = start = null;
      }, { capture: true, once: true });
    }
  }, true);
}
