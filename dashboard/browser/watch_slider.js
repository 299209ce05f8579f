// Sends a slider's value while it is dragged: Streamlit sends it only on release.
const sliders = {};

export default function ({ data, setTriggerValue }) {
  const slider = sliders[data.slider] ??= watch(`.st-key-${data.slider}`, data.every);
  slider.send = value => setTriggerValue("value", value);
  if (data.drawn === null) slider.sendAgain();
}

// Listens to the document and not to the slider, because one with another range is a new element. Its value is looked at
// again and again, because it changes a moment after the pointer has moved.
function watch(place, every) {
  let input = null, start = null, sent = null, timer = null;
  const slider = { sendAgain: () => { if (start !== null && sent !== start) slider.send(sent = Number(input.value)); } };
  const look = () => { if (Number(input.value) !== sent) slider.send(sent = Number(input.value)); };
  const end = () => { clearInterval(timer); start = null; };
  addEventListener("pointerdown", event => {
    end();
    input = event.target.closest?.(place)?.querySelector("input[type=range]");
    if (!input) return;
    start = sent = Number(input.value);
    timer = setInterval(look, every);
  }, true);
  for (const ending of ["pointerup", "pointercancel"]) addEventListener(ending, end, true);
  return slider;
}
