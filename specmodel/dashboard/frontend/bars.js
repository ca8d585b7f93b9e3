// Grouped bars whose tops follow the pointer: pulling one sends its series, its place and the new value to Python.

import { Courier } from "./courier.js";
import { live } from "./live.js";

const BELOW_PX = 14; // A bar of height 0 is held below the axis.

export class BarPull {
  constructor(host) {
    this.host = host;
    this.courier = new Courier(() => live().channel?.check());
    const { signal } = (this.control = new AbortController());
    host.addEventListener("pointerdown", (event) => this.start(event), { signal, capture: true });
    host.addEventListener("pointermove", (event) => this.move(event), { signal, capture: true });
    for (const end of ["pointerup", "pointercancel"]) {
      host.addEventListener(end, (event) => this.end(event), { signal, capture: true });
    }
    // Plotly zooms on mouse events, not on pointer events: they must not reach it where a bar is pulled.
    for (const name of ["mousedown", "touchstart"]) {
      host.addEventListener(name, (event) => this.inside(event) && event.stopPropagation(), { signal, capture: true });
    }
  }

  update(plot, pull, send) {
    this.plot = plot;
    this.pull = pull;
    this.courier.send = send;
    this.courier.echo(pull?.ack);
    this.host.classList.toggle("live-chart-pull", Boolean(pull));
  }

  // The plot area on the screen; nothing while bars cannot be pulled.
  inside(event) {
    const area = this.pull && this.plot?.querySelector(".nsewdrag")?.getBoundingClientRect();
    const { clientX: x, clientY: y } = event.touches?.[0] ?? event;
    return area && x >= area.left && x <= area.right && y >= area.top && y <= area.bottom + BELOW_PX ? area : undefined;
  }

  start(event) {
    const area = this.inside(event);
    if (!area || event.button !== 0) return;
    const { xaxis, yaxis } = this.plot._fullLayout;
    const at = xaxis.p2c(event.clientX - area.left);
    const place = Math.round(at);
    const count = this.plot._fullData[0].x.length;
    if (place < 0 || place >= count) return;
    // The bars of a place stand side by side in the order of the series.
    const { series } = this.pull;
    const which = Math.min(Math.max(Math.floor((at - place + 0.5) * series.length), 0), series.length - 1);
    this.held = { key: `${series[which]}:${place}`, value: (y) => yaxis.p2c(y - area.top) };
    this.host.setPointerCapture(event.pointerId);
    this.post(event, false);
  }

  move(event) {
    if (this.held) this.post(event, false);
  }

  end(event) {
    if (!this.held) return;
    this.post(event, true);
    this.held = undefined;
  }

  post(event, final) {
    event.preventDefault();
    event.stopPropagation();
    const value = Math.min(Math.max(this.held.value(event.clientY), 0), 1);
    const { key } = this.held;
    const rounded = Math.round(value * 1000) / 1000;
    const { channel } = live();
    if (channel) channel.move(this.courier, key, rounded, final, ["pull", `${key}:${rounded}`], final);
    else this.courier.post(key, rounded, final);
  }

  dispose() {
    this.control.abort();
    this.courier.dispose();
  }
}
