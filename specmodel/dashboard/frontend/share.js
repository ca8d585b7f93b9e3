// Keeps the browser's address and the language of the document equal to the state that Python sent; copies the address.

const PAUSE_MS = 250; // browsers limit how often an address may change; a drag changes the state many times a second
const KEPT = ["embed", "embed_options"]; // Streamlit's own

const shares = new WeakMap();

export default function mount({ parentElement, data }) {
  let share = shares.get(parentElement);
  if (!share) {
    share = new Share(parentElement.querySelector(".share"));
    shares.set(parentElement, share);
  }
  share.update(data);
  return () => {
    share.dispose();
    shares.delete(parentElement);
  };
}

class Share {
  constructor(host) {
    host.innerHTML = `<button type="button"></button>
      <p class="said" role="status"></p>
      <input class="manual" type="text" readonly hidden>`;
    this.button = host.querySelector("button");
    this.said = host.querySelector(".said");
    this.manual = host.querySelector(".manual");
    this.button.addEventListener("click", () => this.copy());
  }

  update(data) {
    this.data = data;
    if (document.documentElement.lang !== data.language) document.documentElement.lang = data.language;
    this.button.textContent = data.label;
    this.button.title = data.hint;
    if (this.query !== data.query) {
      this.say("");
      this.manual.hidden = true;
    }
    this.query = data.query;
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.write(), PAUSE_MS);
  }

  address() {
    const query = new URLSearchParams(this.data.query);
    for (const [name, value] of new URLSearchParams(location.search)) if (KEPT.includes(name)) query.append(name, value);
    const text = query.toString();
    return location.pathname + (text ? `?${text}` : "");
  }

  write() {
    if (location.pathname + location.search !== this.address()) history.replaceState(history.state, "", this.address());
  }

  async copy() {
    this.write();
    const link = location.origin + this.address();
    this.manual.value = link;
    try {
      await navigator.clipboard.writeText(link);
      this.say(this.data.copied);
    } catch {
      this.byHand(); // no clipboard without https
    }
  }

  byHand() {
    this.manual.hidden = false;
    this.manual.setAttribute("aria-label", this.data.manual);
    this.manual.select();
    this.say(document.execCommand?.("copy") ? this.data.copied : this.data.manual);
  }

  say(text) {
    this.said.textContent = text;
  }

  dispose() {
    clearTimeout(this.pause);
  }
}
