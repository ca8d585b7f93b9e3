// One plotly chart that stays in the page: each run of the script hands new data to Plotly.react.
// Streamlit calls mount() again whenever the data or the theme change, and the returned function at unmount.

import { BarPull } from "./bars.js";
import { axesWith, exportMargin, frameOf, labelLengths } from "./margins.js";
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

// One load for all charts of the page. A failed load is forgotten, so that the next chart tries again.
function loadPlotly(path) {
  window.specmodelPlotly ??= new Promise((resolve, reject) => {
    const streamlit = document.querySelector('script[src*="static/js/"]')?.src;
    const root = streamlit ? new URL("../../", streamlit) : document.baseURI;
    const script = document.createElement("script");
    script.src = new URL(path, root).href;
    script.onload = () => (window.Plotly ? resolve(quicker(window.Plotly)) : reject(new Error("plotly.js is empty")));
    script.onerror = () => reject(new Error(`plotly.js did not load from ${script.src}`));
    document.head.append(script);
  }).catch((error) => {
    window.specmodelPlotly = undefined;
    throw error;
  });
  return window.specmodelPlotly;
}

// At every update plotly walks its whole schema to find which attributes of a trace are arrays, 0.6 ms a trace. The
// answer depends on the shape of the trace alone (and serves its hover events alone), so it is found once a shape.
function quicker(Plotly) {
  const schema = Plotly.PlotSchema;
  const find = schema?.findArrayAttributes;
  if (!find) return Plotly;
  const found = new Map();
  const shape = (name, value) => {
    if (Array.isArray(value) || ArrayBuffer.isView(value)) return [];
    return typeof value === "object" || SHAPING.includes(name) ? value : 0;
  };
  schema.findArrayAttributes = (trace) => {
    const key = JSON.stringify([trace.type, trace.visible, trace._input], shape);
    if (!found.has(key)) found.set(key, find(trace));
    return found.get(key);
  };
  return Plotly;
}

class Chart {
  constructor(host, title) {
    this.host = host;
    this.title = title;
    this.plot = document.createElement("div");
    host.replaceChildren(this.plot);
    this.observer = new ResizeObserver(([entry]) => this.resized(Math.round(entry.contentRect.width)));
    this.observer.observe(host);
  }

  show(data) {
    if (data === this.data) this.theme = undefined; // called for another reason than new data: a theme
    this.data = data;
    this.title.textContent = this.title.title = data.title;
    this.title.hidden = !data.title;
    this.host.style.height = `${data.height}px`;
    this.host.setAttribute("role", "figure");
    this.host.setAttribute("aria-label", data.alt);
    loadPlotly(data.plotly).then(
      (Plotly) => {
        this.Plotly = Plotly;
        // A newer call may have arrived while the script loaded; only the newest data are drawn.
        if (this.data === data && !this.disposed) this.draw();
      },
      (error) => this.fail(error),
    );
  }

  draw() {
    // Asking the page for the width here would lay it out anew for each chart; the observer tells it, and calls again
    // for a chart that has none yet, for instance in a closed tab.
    const width = this.width;
    if (!width) return;
    this.theme ??= readTheme(this.host);
    this.checkTheme();
    const { figure, labels, height } = this.data;
    const drawn = JSON.stringify([figure, labels, height, width, this.theme]);
    if (drawn === this.drawn) return this.pullable();
    this.drawn = drawn;
    // Plotly writes into what it is given, so it gets a copy: the next theme flip starts from the same figure.
    const { data, layout } = structuredClone(figure);
    const frame = frameOf(figure, [width, height, this.theme]);
    const known = this.room?.frame === frame ? this.room : undefined;
    const margins = known ? { ...axesWith(layout, { automargin: false }), margin: known.margin } : {};
    const full = { uirevision: "kept", ...layout, width, height, template: template(this.theme), ...margins };
    this.failed?.remove();
    this.Plotly.react(this.plot, data, full, this.newConfig()).then(
      () => this.drawnIn(frame, known),
      (error) => this.fail(error),
    );
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
    if (!this.data.pull && !this.bars) return;
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
    const words = {
      Zoom: labels.zoom,
      Pan: labels.pan,
      "Reset axes": labels.reset,
      "Double-click to zoom back out": labels.hint,
    };
    const button = (format) => ({
      name: `download-${format}`,
      title: labels[format],
      icon: ICONS[format],
      click: () => this.download(format),
    });
    return {
      displaylogo: false,
      showSendToCloud: false, // Since plotly.js 4 on by default: it uploads the chart to another company.
      plotlyServerURL: "",
      displayModeBar: "hover",
      responsive: false,
      locale: "page",
      locales: { page: { dictionary: words, format: {} } },
      modeBarButtonsToRemove: UNUSED_BUTTONS,
      modeBarButtonsToAdd: [button("png"), button("svg")],
    };
  }

  // What is on the screen (zoom and hidden entries too), on an opaque background, at one size on every screen.
  async download(format) {
    const { data, layout } = this.plot;
    // The page's web font is not part of the file, and a text measured in one font and drawn in another is cut off.
    const theme = { ...readTheme(this.host), font: EXPORT_FONT };
    const opaque = { paper_bgcolor: theme.background, plot_bgcolor: theme.background };
    const margins = { ...axesWith(layout, { automargin: true }), margin: exportMargin(this.data.figure.layout.margin) };
    const picture = { data, layout: { ...layout, ...opaque, ...margins, template: template(theme) } };
    const size = { width: 1100, height: Math.max(this.data.height, 480) };
    const address = await this.Plotly.toImage(picture, { format, ...size, scale: format === "png" ? 2 : 1 });
    const link = document.createElement("a");
    link.href = address;
    link.download = `${this.data.filename}.${format}`;
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
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.themeCheck);
    this.bars?.dispose();
    this.Plotly?.purge(this.plot);
  }
}

const SHAPING = ["0", "1", "type", "mode", "visible", "fill"]; // 0 and 1 are places in the list itself
const THEME_PAUSE_MS = 150;

const UNUSED_BUTTONS = [
  "toImage", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d",
  "hoverClosestCartesian", "hoverCompareCartesian", "toggleSpikelines",
];

const EXPORT_FONT = "Arial, 'Hiragino Sans', 'Yu Gothic', 'Noto Sans CJK JP', sans-serif";

// Drawn for this element: a picture frame with a hill, and a path with its two handles.
const ICONS = {
  png: {
    width: 24,
    height: 24,
    path: "M3 4h18v16H3zM5 6v9l4-4 4 4 2-2 4 4V6zM15 7.5a1.75 1.75 0 1 1 0 3.5 1.75 1.75 0 0 1 0-3.5z",
  },
  svg: {
    width: 24,
    height: 24,
    path: "M2 16h6v2c5-1 7-3 8-8h-2V4h6v6h-2c-1 7-4 10-10 10v2H2zM4 18v2h2v-2zM16 6v2h2V6z",
  },
};
