// Scrolls to a container and puts the cursor into its text field: Streamlit can do neither.
export default function ({ data }) {
  const isNew = window.lastScroll !== data.turn;
  window.lastScroll = data.turn;
  if (isNew) setTimeout(() => {
    const place = document.querySelector(`.st-key-${data.place}`);
    place?.scrollIntoView({ behavior: "smooth", block: "nearest" });
    place?.querySelector("input[type=text]:not([role])")?.focus({ preventScroll: true });
  }, 150);
}
