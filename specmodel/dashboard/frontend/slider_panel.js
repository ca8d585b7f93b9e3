// All sliders of the sidebar in one element, some of them in a group that can be folded. They share one courier.

import { Channel } from "./channel.js";
import { Courier } from "./courier.js";
import { Slider } from "./slider.js";

const panels = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  let panel = panels.get(parentElement);
  if (!panel) {
    panel = new Panel(parentElement.querySelector(".slider-panel"));
    panels.set(parentElement, panel);
  }
  panel.update(data, (event) => setTriggerValue("moved", event));
  return () => {
    panel.dispose();
    panels.delete(parentElement);
  };
}

class Panel {
  constructor(host) {
    host.innerHTML = `<div class="sliders"></div>
      <details class="more" hidden><summary></summary><div class="sliders"></div></details>`;
    [this.main, this.folded] = host.querySelectorAll(".sliders");
    this.more = host.querySelector(".more");
    this.summary = host.querySelector("summary");
    this.sliders = new Map();
    this.courier = new Courier(() => this.quiet());
    this.channel = new Channel(host);
  }

  update(data, send) {
    this.courier.send = send;
    this.channel.tell(data.live);
    for (const each of data.sliders) this.slider(each).update(each);
    this.fold(data.more);
    this.courier.echo(data.ack); // Last: what an echo sets free shows the new values.
  }

  slider({ key, more }) {
    let slider = this.sliders.get(key);
    if (!slider) {
      const host = document.createElement("div");
      host.className = "live-slider";
      (more ? this.folded : this.main).append(host);
      const { courier, channel } = this;
      slider = new Slider(host, {
        busy: () => channel.holds(key) || courier.busy(key),
        post: (value, final, released) => {
          const change = [channel.route?.keys[key], String(value)];
          channel.move(courier, key, value, final, change, released);
        },
        forget: () => courier.forget(key),
      });
      this.sliders.set(key, slider);
    }
    return slider;
  }

  quiet() {
    this.channel.check();
    this.sliders.forEach((slider) => slider.settle());
  }

  // Python can ask for the group to open, not to close: a value back at its default must not hide its own slider.
  fold(more) {
    this.more.hidden = !more;
    if (!more) return;
    this.summary.textContent = more.label;
    if (more.open && !this.asked) this.more.open = true;
    this.asked = more.open;
  }

  dispose() {
    this.channel.dispose();
    this.courier.dispose();
    this.sliders.forEach((slider) => slider.dispose());
  }
}
