// The tour: a card in the corner of the window. Local storage remembers that this browser has seen it.

const SEEN = "nnm-tour";

export default function ({ data }) {
  const isAsked = data.asked && data.asked !== window.nnmTourAsked;
  window.nnmTourAsked = data.asked;
  const shown = document.querySelector("#nnm-tour");
  if (shown && !isAsked) return;
  if (localStorage.getItem(SEEN) && !isAsked) return;
  shown?.remove();

  const { ink, paper, accent } = data.colors;
  const card = document.createElement("section");
  card.id = "nnm-tour";
  card.setAttribute("role", "dialog");
  card.setAttribute("aria-label", "Tour");
  card.innerHTML = `<style>
    #nnm-tour { position: fixed; right: 1rem; bottom: 1rem; width: min(21rem, calc(100vw - 2rem)); z-index: 1000;
      box-sizing: border-box; padding: .9rem 1.1rem; color: ${ink}; background: ${paper}; border: 2px solid ${accent};
      border-radius: .5rem; font: 1rem/1.4 "Source Sans", sans-serif; box-shadow: 0 4px 18px rgb(0 0 0 / .25); }
    #nnm-tour h2 { font-size: 1.1rem; margin: 0 0 .3rem; padding: 0; }
    #nnm-tour p { margin: 0 0 .6rem; }
    #nnm-tour div { display: flex; gap: .5rem; align-items: center; }
    #nnm-tour span { margin-right: auto; }
    #nnm-tour button { font: inherit; color: inherit; background: none; border: 1px solid; border-radius: .3rem;
      min-height: 2.2rem; padding: 0 .8rem; cursor: pointer; }
    </style><h2></h2><p aria-live="polite"></p><div><span></span><button>Skip</button><button>Next</button></div>`;
  const [title, text, place] = ["h2", "p", "span"].map(tag => card.querySelector(tag));
  const [skip, next] = card.querySelectorAll("button");

  let step = 0, marked = null;
  const mark = target => {
    if (marked) marked.style.outline = "";
    marked = target ? document.querySelector(target) : null;
    if (marked) marked.style.outline = `3px solid ${accent}`;
  };
  const show = () => {
    const { title: name, text: said, target } = data.steps[step];
    title.textContent = name;
    text.textContent = said;
    place.textContent = `${step + 1} of ${data.steps.length}`;
    next.textContent = step + 1 < data.steps.length ? "Next" : "Done";
    mark(target);
  };
  const end = () => {
    localStorage.setItem(SEEN, "done");
    mark("");
    card.remove();
    removeEventListener("keydown", onKey);
  };
  const onKey = event => { if (event.key === "Escape") end(); };
  skip.onclick = end;
  next.onclick = () => { if (++step < data.steps.length) show(); else end(); };
  addEventListener("keydown", onKey);
  document.body.append(card);
  show();
}
