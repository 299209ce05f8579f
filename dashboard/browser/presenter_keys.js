// Sends the keys of presenter mode: Streamlit has shortcuts for buttons only, and none for a whole page.
export default function ({ data, parentElement, setTriggerValue }) {
  const turns = { ArrowRight: "next", PageDown: "next", ArrowLeft: "previous", PageUp: "previous" };
  const onKey = event => {
    const target = event.composedPath()[0];
    const isField = target.closest?.("input, textarea, select, [role=slider], [role=combobox], [contenteditable=true]");
    const leaves = event.key === "Escape" && data.presenting && !document.querySelector("[role=dialog]");
    const action = event.key === "p" || leaves ? "present" : data.presenting && turns[event.key];
    if (isField || !action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    setTriggerValue("action", action);
  };
  // The button lies below the picture that is to be shown.
  if (data.presenting && !parentElement.presenting) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  parentElement.presenting = data.presenting;
  parentElement.stop?.();
  parentElement.stop = () => removeEventListener("keydown", onKey, true);
  addEventListener("keydown", onKey, true);
  return parentElement.stop;
}
