// Tells Python of the keys that step through a lesson: arrows, Page Up and Down, Escape. Not while somebody types.

const NAMES = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", Escape: "leave" };
const OWN = "input, textarea, select, [contenteditable], [role=slider], [role=combobox], [role=listbox], .js-plotly-plot";

const listeners = new WeakMap();

export default function mount({ parentElement, setTriggerValue }) {
  listeners.get(parentElement)?.abort();
  const control = new AbortController();
  listeners.set(parentElement, control);
  const pressed = (event) => {
    const name = NAMES[event.key];
    if (!name || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(OWN)) return;
    event.preventDefault();
    setTriggerValue("pressed", { name, id: Date.now() });
  };
  window.addEventListener("keydown", pressed, { signal: control.signal });
  return () => control.abort();
}
