// The way of a value from a slider (or a bar that is held) to the screen: first to the server's live route, whose answer
// the elements show at once; then, when the value rests, to Python. One request is in flight, the newest value waits.
// Where the route does not answer, values go to Python alone.

import { live } from "./live.js";

const REST_MS = 250; // how long a value stands still before Python hears of it; between two presses of a key is less
const LONGEST_MS = 3000; // of one request
const RETRY_S = 2; // where the server does not say when to ask again
const REFUSALS = 3; // in a row, and the route is left alone on this page
const AGAIN = 503;

export class Channel {
  constructor(host) {
    this.host = host;
    this.couriers = new Set();
    this.waiting = new Map(); // key -> what Python is to hear
    this.changes = new Map(); // key of the link -> its value on the screen, as long as Python has not said the same
    this.control = new AbortController();
    const options = { signal: this.control.signal, capture: true };
    // Somebody turns to something else, which must find the value in Python.
    for (const type of ["pointerdown", "keydown"]) window.addEventListener(type, (event) => this.elsewhere(event), options);
    host.addEventListener("pointerleave", ({ buttons }) => buttons || this.flush(), options);
    window.addEventListener("pagehide", () => this.flush(), options);
    live().channel = this;
  }

  // What Python says: { path, query, keys }, or nothing where the link does not hold everything.
  tell(route) {
    if (route?.path !== this.route?.path) {
      this.refusals = 0;
      this.closed = false;
      this.changes.clear();
      this.turn = {};
    }
    this.route = route;
  }

  get open() {
    return Boolean(this.route) && !this.closed && !(this.until > performance.now());
  }

  // A value that is on its way to Python, or waits to be.
  holds(key) {
    return this.waiting.has(key);
  }

  // `change` is the key of the link and its new text; `released` that nothing follows: Python need not wait for a rest.
  move(courier, key, value, final, change, released) {
    this.couriers.add(courier);
    if (!this.open || !change?.[0]) return courier.post(key, value, final);
    const [name, text] = change;
    this.waiting.set(key, { courier, value, final });
    this.wanted ||= !released || this.changes.get(name) !== text;
    this.changes.set(name, text);
    this.whole = final; // what nobody sees need not follow a drag
    this.rest(released ? 0 : REST_MS);
    this.ask();
  }

  rest(pause) {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.rested = true;
      if (!this.asking) this.flush(); // else once its answer stands on the screen
    }, pause);
    this.rested = false;
  }

  elsewhere(event) {
    if (!this.waiting.size || event.composedPath().includes(this.host)) return;
    if (event.type === "pointerdown" || ["Enter", " ", "Tab"].includes(event.key)) this.flush();
  }

  flush() {
    clearTimeout(this.resting);
    const sent = [...this.waiting];
    this.waiting.clear();
    for (const [key, { courier, value, final }] of sent) courier.post(key, value, final);
    this.check();
  }

  address() {
    const query = new URLSearchParams(this.route.query);
    for (const [key, text] of this.changes) query.set(key, text);
    query.set("parts", live().names(this.whole).join(","));
    const streamlit = document.querySelector('script[src*="static/js/"]')?.src;
    const root = streamlit ? new URL("../../", streamlit) : document.baseURI;
    return new URL(`${this.route.path}?${query}`, root);
  }

  async ask() {
    if (this.asking || !this.wanted) return;
    this.wanted = false;
    this.asking = true;
    const { turn } = this;
    const answer = await this.fetched();
    this.asking = false;
    if (this.control.signal.aborted || turn !== this.turn) return this.flush(); // of another page
    if (!answer || answer.complaints.length) {
      this.wanted = false;
      return this.flush(); // as without a route
    }
    this.refusals = 0;
    this.ask(); // the next one is computed while this one is drawn
    live().present(answer.parts);
    if (this.rested && !this.asking) this.flush();
  }

  async fetched() {
    try {
      const response = await fetch(this.address(), { signal: AbortSignal.timeout(LONGEST_MS) });
      if (response.ok) return await response.json();
      this.refused(response.status === AGAIN, Number(response.headers.get("Retry-After")) || RETRY_S);
    } catch {
      this.refused(false);
    }
    return undefined;
  }

  refused(again, seconds) {
    this.refusals += 1;
    if (again && this.refusals < REFUSALS) this.until = performance.now() + seconds * 1000;
    else this.closed = true;
  }

  // Once nothing is on its way, and the run that heard the last value is over, Python has the last word.
  check() {
    if (!this.quiet) return;
    const [any] = this.couriers;
    any?.whenStill(() => requestAnimationFrame(() => requestAnimationFrame(() => this.quiet && this.land())));
  }

  get quiet() {
    return !this.waiting.size && !this.asking && [...this.couriers].every((courier) => courier.idle);
  }

  land() {
    this.changes.clear();
    live().land();
  }

  dispose() {
    this.flush();
    this.control.abort();
    if (live().channel === this) live().channel = undefined;
    live().land();
  }
}
