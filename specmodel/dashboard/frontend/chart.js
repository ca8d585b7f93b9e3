// One plotly chart that stays in the page: each run of the script hands new data to Plotly.react.
// Streamlit calls mount() again whenever the data or the theme change, and the returned function at unmount.

import { BarPull } from "./bars.js";
import { configOf, EXPORT_FONT, saveButton } from "./chart_menu.js";
import { moveOf, roomy } from "./chart_move.js";
import { live } from "./live.js";
import { axesWith, exportMargin, frameOf, labelLengths } from "./margins.js";
import { pictureOf } from "./picture.js";
import { loadPlotly } from "./plotly_script.js";
import { readTheme, template } from "./theme.js";

const charts = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  let chart = charts.get(parentElement);
  if (!chart) {
    chart = new Chart(parentElement.querySelector(".live-chart"), parentElement.querySelector(".live-chart-title"));
    charts.set(parentElement, chart);
  }
  chart.send = (event) => setTriggerValue("pulled", event);
  chart.show(data);
  return () => {
    chart.dispose();
    charts.delete(parentElement);
  };
}

class Chart {
  constructor(host, title) {
    this.host = host;
    this.title = title;
    this.plot = document.createElement("div");
    host.replaceChildren(this.plot);
    this.save = saveButton(host, (format) => this.download(format));
    this.observer = new ResizeObserver(([entry]) => this.resized(Math.round(entry.contentRect.width)));
    this.observer.observe(host);
    this.seen = new IntersectionObserver((seen) => (this.visible = seen.at(-1).isIntersecting));
    this.seen.observe(host);
  }

  // What Python says. While the screen is ahead it waits: it belongs to a value that was left behind.
  show(data) {
    if (data === this.data) this.theme = undefined; // called for another reason than new data: a theme
    this.data = data;
    live().join(this, [data.name]);
    if (!live().ahead || !this.part) this.take(data.part);
    else if (!this.theme) this.take(this.part);
    this.pullable();
  }

  take(part) {
    this.part = part;
    this.title.textContent = this.title.title = part.title;
    this.title.hidden = !this.data.titled;
    this.host.style.height = `${part.height}px`;
    this.host.setAttribute("role", "figure");
    this.host.setAttribute("aria-label", part.alt);
    this.save.title = this.data.labels.png;
    this.save.setAttribute("aria-label", `${this.data.labels.png}: ${part.title}`);
    if (this.Plotly) return this.draw();
    loadPlotly(this.data.plotly).then(
      (Plotly) => {
        this.Plotly = Plotly;
        // A newer call may have arrived while the script loaded; only the newest data are drawn.
        if (this.part === part && !this.disposed) this.draw();
      },
      (error) => this.fail(error),
    );
  }

  move(name, part) {
    if (part && this.Plotly) this.take(part);
  }

  fade(name, faded) {
    this.host.classList.toggle("live-chart-faded", faded);
  }

  // Python's word again; one chart a frame, because exact axes may cost a whole drawing.
  told() {
    this.fade(this.data.name, false);
    live().later(() => !this.disposed && !live().ahead && this.take(this.data.part));
  }

  draw() {
    // Asking the page for the width here would lay it out anew for each chart; the observer tells it, and calls again
    // for a chart that has none yet, for instance in a closed tab.
    const width = this.width;
    if (!width) return;
    this.theme ??= readTheme(this.host);
    this.checkTheme();
    const { figure, height } = this.part;
    const around = JSON.stringify([this.data.labels, height, width, this.theme]);
    const drawn = JSON.stringify(figure);
    if (drawn === this.drawn && around === this.around && (this.exact || hurried())) return this.pullable();
    const move = this.drawn && around === this.around && moveOf(this.figure, figure, this.plot.layout);
    Object.assign(this, { drawn, around, figure });
    if (move && ((move.steady && this.exact) || (live().ahead && move.fits))) return this.animate(move);
    // Plotly writes into what it is given, so it gets a copy: the next theme flip starts from the same figure.
    const { data, layout } = structuredClone(figure);
    const frame = frameOf(figure, [width, height, this.theme]);
    const known = hurried() && this.room?.frame === frame ? this.room : undefined;
    const margins = known ? { ...axesWith(layout, { automargin: false }), margin: known.margin } : {};
    const room = known && move ? roomy({ ...layout, ...margins }, move.outgrown) : {};
    const full = { uirevision: "kept", ...layout, width, height, template: template(this.theme), ...margins, ...room };
    this.failed?.remove();
    this.exact = !known;
    this.Plotly.react(this.plot, data, full, this.newConfig()).then(
      () => this.drawnIn(frame, known),
      (error) => this.fail(error),
    );
  }

  // The curves alone, in a fraction of the time. The axes follow once the value rests, be it by a hair.
  animate({ traces, data, reshaped }) {
    this.exact = false;
    this.pullable();
    if (reshaped) this.Plotly.relayout(this.plot, { shapes: structuredClone(this.figure.layout.shapes ?? []) });
    if (!traces.length) return;
    this.Plotly.animate(this.plot, { traces, data }, AT_ONCE).catch(() => {}); // a newer one took its place
  }

  // Finding the margins that the tick labels need takes plotly a fifth of an update. They are kept until the frame or
  // the length of a label changes; then the chart is drawn once more with margins of its own.
  drawnIn(frame, known) {
    if (this.disposed) return;
    this.plot.querySelectorAll("svg.main-svg").forEach((svg) => svg.setAttribute("aria-hidden", "true"));
    const { l, r, b } = this.plot._fullLayout?._size ?? {};
    this.pullable();
    if (!known) this.room = b && { frame, labels: labelLengths(this.plot), margin: { ...this.plot.layout.margin, l, r, b } };
    else this.checkRoom();
    if (this.listening) return;
    this.listening = true;
    this.plot.on("plotly_relayout", () => this.checkRoom());
  }

  pullable() {
    if (!this.plot.layout || (!this.data.pull && !this.bars)) return;
    this.bars ??= new BarPull(this.host);
    this.bars.update(this.plot, this.data.pull, this.send);
  }

  checkRoom() {
    if (!this.room || this.room.labels === labelLengths(this.plot)) return;
    this.room = this.drawn = undefined;
    this.draw();
  }

  // Reading the theme makes the browser style the page first: at each step of a drag that is better done afterwards.
  checkTheme() {
    clearTimeout(this.themeCheck);
    this.themeCheck = setTimeout(() => {
      const theme = readTheme(this.host);
      if (JSON.stringify(theme) === JSON.stringify(this.theme)) return;
      this.theme = theme;
      this.draw();
    }, THEME_PAUSE_MS);
  }

  resized(width) {
    if (width === this.width) return;
    this.width = width;
    cancelAnimationFrame(this.frame);
    if (this.Plotly) this.frame = requestAnimationFrame(() => this.draw());
  }

  // Nothing unless the texts changed: Plotly.react takes a config with new functions in it for a different one, and
  // then builds the whole chart again.
  newConfig() {
    const { labels } = this.data;
    const texts = JSON.stringify(labels);
    if (texts === this.texts) return undefined;
    this.texts = texts;
    return configOf(labels, (format) => this.download(format));
  }

  // What is on the screen (zoom and hidden entries too), on an opaque background, at one size on every screen.
  async download(format) {
    const { part } = this;
    const { caption, filename } = this.data;
    const { data, layout } = this.plot;
    // The page's web font is not part of the file, and a text measured in one font and drawn in another is cut off.
    const theme = { ...readTheme(this.host), font: EXPORT_FONT };
    const opaque = { paper_bgcolor: theme.background, plot_bgcolor: theme.background };
    const margins = { ...axesWith(layout, { automargin: true }), margin: exportMargin(part.figure.layout.margin) };
    const whole = { ...layout, ...opaque, ...margins, template: template(theme) };
    const link = document.createElement("a");
    const lines = [caption, location.href].filter(Boolean);
    const said = { title: part.title, lines, font: EXPORT_FONT, theme };
    link.href = await pictureOf(this.Plotly, data, whole, part.height, format, said);
    link.download = `${filename}.${format}`;
    link.click();
  }

  fail(error) {
    if (this.disposed) return;
    console.error("specmodel chart:", error);
    this.drawn = undefined;
    this.failed?.remove();
    this.failed = document.createElement("p");
    this.failed.className = "live-chart-failed";
    this.failed.setAttribute("role", "alert");
    this.failed.textContent = this.data.labels.failed;
    this.host.prepend(this.failed);
  }

  dispose() {
    this.disposed = true;
    live().leave(this);
    this.observer.disconnect();
    this.seen.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.themeCheck);
    this.bars?.dispose();
    this.Plotly?.purge(this.plot);
  }
}

// While values follow each other what is nearly right now is better than what is wholly right later.
function hurried() {
  const { ahead, channel } = live();
  return ahead || Boolean(channel && !channel.open && !channel.quiet);
}

const AT_ONCE = { frame: { duration: 0, redraw: false }, transition: { duration: 0 }, mode: "immediate" };
const THEME_PAUSE_MS = 150;
