// One slider: a native range with its own steps, and a box for an exact value. It posts what it is moved to.
// Python is the truth: data.value is shown whenever nobody is moving the slider and nothing is on its way.

import { parse } from "./parse.js";
import { Steps, Stops } from "./scale.js";
import { Tip } from "./tip.js";

const LIVE_TOUCH_PX = 4; // A finger must move this far sideways before it counts as a drag and not a scroll.
let made = 0;

export class Slider {
  // `courier` is { post(value, final, released), busy(), forget() }: the way to Python.
  constructor(host, courier) {
    const id = ++made;
    host.innerHTML = `
      <div class="head">
        <label for="range-${id}"></label>
        <button class="help" type="button" aria-describedby="tip-${id}"></button>
        <div class="tip" popover="manual"><span id="tip-${id}" role="tooltip"></span></div>
        <span class="box"><input type="text" inputmode="decimal" autocomplete="off" spellcheck="false"
          aria-describedby="message-${id}"><span class="unit" aria-hidden="true"></span></span>
      </div>
      <input id="range-${id}" type="range">
      <p class="message" id="message-${id}" role="alert"></p>`;
    this.host = host;
    const find = (selector) => host.querySelector(selector);
    this.label = find("label");
    this.range = find("input[type=range]");
    this.box = find(".box");
    this.text = find(".box input");
    this.unit = find(".unit");
    this.message = find(".message");
    this.courier = courier;
    this.tip = new Tip(find(".help"), find(".tip"));
    this.listenToRange();
    this.listenToText();
  }

  update(data) {
    if (data.low !== this.data?.low || data.high !== this.data?.high) this.track = undefined;
    this.data = data;
    this.label.textContent = data.label;
    this.unit.textContent = data.unit;
    this.text.setAttribute("aria-label", data.exactLabel);
    this.tip.update(data.help, data.helpLabel, data.entry, data.entryLabel);
    this.value ??= data.value;
    this.settle();
  }

  // Take Python's value, unless the user is moving the slider or a newer value is still on its way to Python.
  settle() {
    if (this.drag || this.holding || this.courier.busy()) return;
    const { value } = this.data;
    if (value !== this.value) {
      this.courier.forget();
      this.track = undefined;
      this.complain("");
    }
    this.value = value;
    this.stretch();
    this.render();
  }

  stretch() {
    const { low, high } = this.track ?? this.data;
    this.track = { low: Math.min(low, this.value), high: Math.max(high, this.value) };
    this.scale = this.data.stops.length ? new Stops(this.data, this.track) : new Steps(this.data, this.track);
  }

  render() {
    const { range, scale, data: { unit } } = this;
    const [low, high, at] = [scale.low, scale.high, this.value].map((value) => scale.toPosition(value));
    range.min = low;
    range.max = high;
    range.step = scale.nativeStep(this.value);
    range.value = at;
    const shown = this.format(this.value);
    range.setAttribute("aria-valuetext", unit ? `${shown} ${unit}` : shown);
    this.host.style.setProperty("--fill", (at - low) / (high - low || 1));
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

  clamp(value) {
    return Math.min(this.scale.high, Math.max(this.scale.low, value));
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
      const { scale } = this;
      const raw = scale.toValue(Number(range.value));
      const value = raw <= scale.low || raw >= scale.high ? this.clamp(raw) : this.clamp(scale.snap(raw));
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

  // A step of a drag: the first value that is sent makes the drag one that must be ended with a final.
  post(value) {
    this.drag.sent = true;
    this.courier.post(value, false);
  }

  grab(event) {
    if (event.button !== 0) return;
    this.abort?.abort();
    this.abort = new AbortController();
    const options = { signal: this.abort.signal, capture: true };
    this.drag = { from: this.value, x: event.clientX, live: event.pointerType !== "touch", id: event.pointerId };
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
    if (sent || this.value !== from) this.courier.post(this.value, true, true);
    else this.settle();
  }

  letGo() {
    if (!this.holding) return;
    this.holding = false;
    this.courier.post(this.value, true);
  }

  stepped(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const { scale } = this;
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 1, PageDown: -1 }[event.key];
    if (way) return this.clamp(scale.next(this.value, way, event.key.startsWith("Page")));
    return { Home: scale.low, End: scale.high }[event.key];
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
      if (event.ctrlKey || event.metaKey || event.altKey) return;
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
    this.abort?.abort();
    this.tip.hide();
  }
}
