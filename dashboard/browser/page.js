// What every page needs besides Streamlit's own scripts; it begins once and lasts as long as the tab.
export default function ({ setTriggerValue }) {
  if (window.isAttended) return;
  window.isAttended = true;

  // Gives every action that changes the address one entry in the browser's history. Streamlit itself replaces the entry
  // when a bound widget changes, and adds one for each parameter that a page sets.
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  let isNew = true;  // whether the current entry belongs to what somebody did last
  const write = (...entry) => {
    const add = isNew ? replace : push;
    isNew = true;
    add(...entry);
  };
  history.pushState = history.replaceState = write;
  for (const action of ["pointerdown", "keydown"]) addEventListener(action, () => { isNew = false; }, true);
  addEventListener("popstate", () => { isNew = true; }, true);

  // Tells apart controls that look alike to a screen reader: Streamlit has no argument for their names.
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const name = (element, ...parts) => {
    const label = parts.join(" ").trim();
    if (element && parts.every(Boolean) && element.ariaLabel !== label) element.ariaLabel = label;
  };
  const giveNames = () => {
    name(document.querySelector("[data-testid=stExpandSidebarButton]"), "Menu: pages and options");
    for (const stars of all("[data-testid=stFeedback] [role=radiogroup]")) {
      const row = stars.closest("[data-testid=stHorizontalBlock]");
      name(stars, "Your rating of", row?.querySelector("[data-testid=stMarkdownContainer]")?.innerText);
    }
    for (const field of all("[data-testid=stFileUploaderDropzone]"))
      name(field.querySelector("button"), "Upload:", field.ariaLabel);
    for (const words of all("[class*=st-key-words-]"))
      for (const button of all("[data-testid=stButton] button", words))
        name(button, button.querySelector("p")?.innerText, words.querySelector("strong")?.innerText);
    for (const picture of all("[data-testid=stPlotlyChart]"))
      for (const camera of all(".modebar-btn", picture)) name(camera, camera.dataset.title + ":", picture.ariaLabel);
  };
  let waiting = null;
  const soon = () => { waiting ??= setTimeout(() => { waiting = null; giveNames(); }, 300); };
  new MutationObserver(soon).observe(document.body, { childList: true, subtree: true });
  soon();

  // Closes the sidebar on a phone, where it hides the page, once somebody has chosen something in it.
  const closeOnPhone = () => {
    if (innerWidth <= 640) document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  };
  let field = null;  // the select box of the sidebar whose list is open
  addEventListener("pointerdown", ({ target }) => {
    const isOption = field && target.closest("[role=option]");
    if (!isOption) field = target.closest("[data-testid=stSidebar] [data-testid=stSelectbox]");
    const isChoice = "[data-testid=stSidebar] [data-testid=stSlider], [data-testid=stSidebarNavLink]";
    if (isOption || target.closest(isChoice))
      addEventListener("pointerup", () => setTimeout(closeOnPhone, 300), { capture: true, once: true });
  }, true);

  // Runs the page again after a change between light and dark: Streamlit does not, and pictures keep their colours.
  const paper = () => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor;
  let before = paper();
  setInterval(() => {
    if (paper() !== before) setTriggerValue('theme', before = paper());
  }, 500);

  // Downloads files in place: Streamlit's links open a new tab, which a phone would leave empty.
  addEventListener("click", event => {
    const file = event.target.closest?.("a[href*='download/']");
    if (file) {
      file.removeAttribute("target");
      file.download = "";
    }
  }, true);
}
