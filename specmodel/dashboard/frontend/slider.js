// A slider that sends while it is dragged, one value at a time, and a box for an exact value.
// Python is the truth: data.value is shown whenever nobody is moving the slider and nothing is on its way.

const WATCHDOG_MS = 2000; // An echo later than this is taken for lost ...
const RETRIES = 3; // ... and the value is sent again, this often at most.
const PATIENCE_MS = 1000; // How long a step of a drag waits for the run before it to finish.
const LIVE_TOUCH_PX = 4; // A finger must move this far sideways before it counts as a drag and not a scroll.

const sliders = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  let slider = sliders.get(parentElement);
  if (!slider) {
    slider = new LiveSlider(parentElement.querySelector(".live-slider"));
    sliders.set(parentElement, slider);
  }
  slider.update(data, (event) => setTriggerValue("moved", event));
  return () => {
    slider.dispose();
    sliders.delete(parentElement);
  };
}

// Sends the newest value, at most one at a time: the next one leaves after Python's echo of the one before it, and
// (unless it is final) after that run has finished, because a new value would stop the run before it drew the charts.
class Courier {
  constructor(onQuiet) {
    this.onQuiet = onQuiet;
    this.lastId = Date.now();
  }

  get busy() {
    return Boolean(this.inFlight || this.next);
  }

  post(value, final) {
    if (!this.next && !this.inFlight && this.last?.value === value && (this.last.final || !final)) return;
    this.next = { value, final };
    this.flush();
  }

  flush() {
    if (this.inFlight || !this.next) return;
    if (this.resting && !this.next.final) return;
    this.stopResting();
    this.last = this.next;
    this.next = undefined;
    this.retries = 0;
    this.dispatch();
  }

  dispatch() {
    this.inFlight = { id: ++this.lastId, ...this.last };
    this.send(this.inFlight);
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.overdue(), WATCHDOG_MS);
  }

  // A run still going on, or a broken connection, explains the silence: keep waiting. Else send again.
  overdue() {
    if (!this.inFlight) return;
    if ((appState("Connection") ?? "CONNECTED") === "CONNECTED" && appState("Script") !== "running") {
      if (this.next || this.retries++ >= RETRIES) return this.landed();
      return this.dispatch();
    }
    this.watchdog = setTimeout(() => this.overdue(), WATCHDOG_MS);
  }

  echo(id) {
    if (this.inFlight && id === this.inFlight.id) this.landed();
  }

  landed() {
    clearTimeout(this.watchdog);
    this.inFlight = undefined;
    this.rest();
    if (this.next) this.flush();
    else this.onQuiet();
  }

  rest() {
    if (appState("Script") !== "running") return;
    const end = () => {
      this.stopResting();
      this.flush();
    };
    this.resting = new MutationObserver(() => appState("Script") !== "running" && end());
    this.resting.observe(app(), { attributes: true, attributeFilter: ["data-test-script-state"] });
    this.patience = setTimeout(end, PATIENCE_MS);
  }

  stopResting() {
    this.resting?.disconnect();
    this.resting = undefined;
    clearTimeout(this.patience);
  }

  // Python moved the value itself: what was sent last no longer says what Python has.
  forget() {
    this.last = undefined;
  }

  dispose() {
    clearTimeout(this.watchdog);
    this.stopResting();
    this.inFlight = this.next = undefined;
  }
}

class LiveSlider {
  constructor(host) {
    host.innerHTML = `
      <div class="head">
        <label for="range"></label>
        <button class="help" type="button" aria-describedby="tip"></button>
        <span class="box"><input type="text" inputmode="decimal" autocomplete="off" spellcheck="false"
          aria-describedby="message"><span class="unit" aria-hidden="true"></span></span>
      </div>
      <input id="range" type="range">
      <p class="message" id="message" role="alert"></p>
      <div class="tip" id="tip" role="tooltip" popover="manual"></div>`;
    this.host = host;
    const find = (selector) => host.querySelector(selector);
    this.label = find("label");
    this.range = find("#range");
    this.box = find(".box");
    this.text = find(".box input");
    this.unit = find(".unit");
    this.message = find(".message");
    this.courier = new Courier(() => this.settle());
    this.tip = new Tip(find(".help"), find(".tip"));
    this.listenToRange();
    this.listenToText();
  }

  update(data, send) {
    if (data.low !== this.data?.low || data.high !== this.data?.high) this.track = undefined;
    this.data = data;
    this.courier.send = send;
    this.label.textContent = data.label;
    this.unit.textContent = data.unit;
    this.text.setAttribute("aria-label", data.exactLabel);
    this.tip.update(data.help, data.helpLabel);
    this.value ??= data.value;
    this.courier.echo(data.ack);
    this.settle();
  }

  // Take Python's value, unless the user is moving the slider or a newer value is still on its way to Python.
  settle() {
    if (this.drag || this.holding || this.courier.busy) return;
    const { value, low, high } = this.data;
    if (value !== this.value) {
      this.courier.forget();
      this.track = undefined;
      this.complain("");
    }
    this.value = value;
    this.track ??= { low, high };
    this.stretch();
    this.render();
  }

  stretch() {
    const { low, high } = this.track;
    this.track = { low: Math.min(low, this.value), high: Math.max(high, this.value) };
  }

  render() {
    const { low, high } = this.track;
    const { step, unit } = this.data;
    const range = this.range;
    // On the grid the browser's own steps serve assistive technology; off the grid they would move the value.
    const onGrid = low === this.data.low && Math.abs(this.snap(this.value) - this.value) < step * 1e-6;
    range.min = low;
    range.max = high;
    range.step = onGrid ? step : "any";
    range.value = this.value;
    const shown = this.format(this.value);
    range.setAttribute("aria-valuetext", unit ? `${shown} ${unit}` : shown);
    this.host.style.setProperty("--fill", (this.value - low) / (high - low || 1));
    if (!this.typing) this.write(shown);
  }

  write(shown) {
    this.text.value = shown;
    this.text.style.width = `${shown.length + 0.5}ch`;
  }

  // As many decimals as declared, more only if the value has them: a typed value is never shown rounded.
  format(value) {
    const { decimals } = this.data;
    return value.toLocaleString("en-US", {
      minimumFractionDigits: decimals,
      maximumFractionDigits: Math.max(decimals, 6),
    });
  }

  snap(value) {
    const { low, step } = this.data;
    return Number((low + Math.round((value - low) / step) * step).toPrecision(12));
  }

  clamp(value) {
    return Math.min(this.track.high, Math.max(this.track.low, value));
  }

  set(value, final) {
    this.value = value;
    this.complain("");
    this.render();
    this.courier.post(value, final);
  }

  listenToRange() {
    const range = this.range;
    range.addEventListener("pointerdown", (event) => this.grab(event));
    range.addEventListener("input", () => {
      const raw = Number(range.value);
      const { low, high } = this.track;
      const value = raw <= low || raw >= high ? this.clamp(raw) : this.clamp(this.snap(raw));
      if (value === this.value) return this.render();
      this.value = value;
      this.complain("");
      this.render();
      if (!this.drag) this.courier.post(value, true); // Assistive technology moved it.
      else if (this.drag.live) this.post(value);
    });
    range.addEventListener("keydown", (event) => {
      const value = this.stepped(event);
      if (value === undefined) return;
      event.preventDefault();
      this.holding = event.repeat;
      if (value !== this.value) this.set(value, !event.repeat);
    });
    for (const type of ["keyup", "blur"]) range.addEventListener(type, () => this.letGo());
  }

  // Called for each step of a drag: the first value that is sent makes the drag one that must be ended with a final.
  post(value) {
    this.drag.sent = true;
    this.courier.post(value, false);
  }

  grab(event) {
    if (event.button !== 0) return;
    this.abort?.abort();
    this.abort = new AbortController();
    const options = { signal: this.abort.signal, capture: true };
    const touch = event.pointerType === "touch";
    this.drag = { from: this.value, x: event.clientX, live: !touch, id: event.pointerId };
    const mine = (handle) => (other) => other.pointerId === this.drag?.id && handle(other);
    const move = (other) => {
      if (this.drag.live || Math.abs(other.clientX - this.drag.x) < LIVE_TOUCH_PX) return;
      this.drag.live = true;
      if (this.value !== this.drag.from) this.post(this.value);
    };
    window.addEventListener("pointermove", mine(move), options);
    window.addEventListener("pointerup", mine(() => this.release(true)), options);
    window.addEventListener("pointercancel", mine(() => this.release(false)), options);
  }

  // A cancelled touch was a scroll of the page: the slider goes back to where it was.
  release(keep) {
    this.abort.abort();
    const { from, sent } = this.drag;
    this.drag = undefined;
    if (!keep) this.value = from;
    this.render();
    if (sent || this.value !== from) this.courier.post(this.value, true);
    else this.settle();
  }

  letGo() {
    if (!this.holding) return;
    this.holding = false;
    this.courier.post(this.value, true);
  }

  stepped(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const { low, high } = this.track;
    const { step } = this.data;
    const leap = Math.max(step, Math.round((high - low) / 10 / step) * step);
    const by = {
      ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step, PageUp: leap, PageDown: -leap,
    }[event.key];
    if (by) return this.beside(by);
    return { Home: low, End: high }[event.key];
  }

  // The neighbouring value on the grid, so that a step from an exact typed value lands on a round one.
  beside(by) {
    const { step } = this.data;
    const snapped = this.snap(this.value + by);
    const onGrid = Math.abs(this.snap(this.value) - this.value) < step * 1e-6;
    if (onGrid || Math.abs(by) > step) return this.clamp(snapped);
    const near = this.snap(this.value);
    return this.clamp((near - this.value) * by > 0 ? near : snapped);
  }

  listenToText() {
    const text = this.text;
    this.box.addEventListener("pointerdown", (event) => {
      if (event.target === text) return;
      event.preventDefault();
      text.focus();
    });
    text.addEventListener("focus", () => text.select());
    text.addEventListener("input", () => {
      this.typing = true;
      text.style.width = `${Math.max(text.value.length, 2) + 0.5}ch`;
    });
    text.addEventListener("blur", () => {
      if (this.typing) this.commit();
      this.typing = false;
      this.render();
    });
    text.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter" && this.commit()) text.select();
      if (event.key === "Escape") this.undo();
      if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
      event.preventDefault();
      this.typing = false;
      this.set(this.stepped(event), true);
    });
  }

  undo() {
    this.typing = false;
    this.complain("");
    this.render();
    this.text.select();
  }

  // A good value is sent; a bad one is named in a message, and the value stays what it was.
  commit() {
    if (!this.typing) return true;
    const typed = this.text.value;
    const { hardLow, hardHigh, decimals, refused } = this.data;
    const value = parse(typed, this.data.unit);
    const inside = value >= (hardLow ?? -Infinity) && value <= (hardHigh ?? Infinity);
    if (!inside || (decimals === 0 && !Number.isInteger(value))) {
      const text = typed.length > 24 ? `${typed.slice(0, 24)}…` : typed;
      this.complain(refused.replace("{text}", () => text));
      return false;
    }
    this.typing = false;
    if (value === this.value) {
      this.complain("");
      this.render();
      return true;
    }
    this.value = value;
    this.stretch();
    this.set(value, true);
    return true;
  }

  complain(message) {
    if (this.message.textContent !== message) this.message.textContent = message;
    this.box.classList.toggle("wrong", Boolean(message));
    this.text.setAttribute("aria-invalid", String(Boolean(message)));
  }

  dispose() {
    this.courier.dispose();
    this.abort?.abort();
    this.tip.hide();
  }
}

// The help text, in the browser's top layer so that the sidebar does not clip it.
class Tip {
  constructor(button, tip) {
    this.button = button;
    this.tip = tip;
    button.addEventListener("focus", () => this.show());
    button.addEventListener("click", () => this.show());
    button.addEventListener("blur", () => this.hide());
    button.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
    // The pointer may move onto the text, to select it or to read it enlarged.
    for (const part of [button, tip]) {
      part.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && this.show());
      part.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hideSoon());
    }
  }

  update(text, label) {
    this.button.hidden = !text;
    this.button.setAttribute("aria-label", label);
    this.tip.textContent = text;
  }

  show() {
    clearTimeout(this.timer);
    if (this.tip.matches(":popover-open")) return;
    this.tip.showPopover();
    const at = this.button.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.tip;
    const room = { right: innerWidth - offsetWidth - 8, below: innerHeight - at.bottom - 8 };
    const left = Math.max(8, Math.min(at.left + at.width / 2 - offsetWidth / 2, room.right));
    const top = room.below > offsetHeight ? at.bottom + 4 : Math.max(8, at.top - offsetHeight - 4);
    Object.assign(this.tip.style, { left: `${left}px`, top: `${top}px` });
    this.onScroll = () => this.hide();
    window.addEventListener("scroll", this.onScroll, { capture: true, once: true });
  }

  hideSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), 150);
  }

  hide() {
    clearTimeout(this.timer);
    window.removeEventListener("scroll", this.onScroll, { capture: true });
    if (this.tip.matches(":popover-open")) this.tip.hidePopover();
  }
}

// Full-width digits of an input method, thousands separators, a decimal comma and the unit itself are all understood.
function parse(typed, unit) {
  let text = typed.normalize("NFKC").replace(/[\s_]/g, "").replace("−", "-");
  const suffix = unit.normalize("NFKC").replace(/\s/g, "");
  if (suffix && text.endsWith(suffix)) text = text.slice(0, -suffix.length);
  if (/^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(text)) text = text.replaceAll(",", "");
  else if (/^[-+]?\d*,\d+$/.test(text)) text = text.replace(",", ".");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

function app() {
  return document.querySelector('[data-testid="stApp"]');
}

// "running", "notRunning", "CONNECTED"; undefined if Streamlit ever drops these attributes: then nothing is waited for.
function appState(kind) {
  return app()?.getAttribute(`data-test-${kind.toLowerCase()}-state`) ?? undefined;
}
