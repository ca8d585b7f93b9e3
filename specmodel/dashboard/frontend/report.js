// The button that downloads the page as a report. Python makes the text when it is asked; the figures are drawn here,
// because only a browser can, and put into their places as SVG.

import { EXPORT_FONT } from "./chart_menu.js";
import { axesWith } from "./margins.js";
import { loadPlotly } from "./plotly_script.js";
import { template } from "./theme.js";

const reports = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  let report = reports.get(parentElement);
  if (!report) {
    report = new Report(parentElement.querySelector(".report"));
    reports.set(parentElement, report);
  }
  report.update(data, (id) => setTriggerValue("asked", id));
  return () => reports.delete(parentElement);
}

class Report {
  constructor(host) {
    host.innerHTML = `<button type="button"></button><p role="alert"></p>`;
    this.button = host.querySelector("button");
    this.said = host.querySelector("p");
    this.button.addEventListener("click", () => this.ask());
  }

  ask() {
    this.asked = Date.now();
    this.button.disabled = true;
    this.said.textContent = "";
    this.send(this.asked);
  }

  update(data, send) {
    this.send = send;
    this.button.textContent = data.label;
    this.button.title = data.hint;
    if (data.file?.id !== this.asked || !this.asked) return;
    this.asked = undefined;
    written(data.file)
      .then((text) => give(text, data.file.name))
      .catch((error) => {
        console.warn("specmodel report:", error);
        this.said.textContent = data.failed;
      })
      .finally(() => (this.button.disabled = false));
  }
}

async function written({ text, figures, plotly }) {
  const page = new DOMParser().parseFromString(text, "text/html");
  if (page.querySelector("[data-figure]")) await fill(page, figures, await loadPlotly(plotly));
  return `<!doctype html>\n${page.documentElement.outerHTML}`;
}

// Draws the figures into their places; the command line has a Chromium do the same.
export async function fill(page, figures, Plotly) {
  for (const place of page.querySelectorAll("[data-figure]")) {
    const svg = await drawing(Plotly, figures[place.dataset.figure]);
    place.append(page.importNode(svg, true));
  }
}

// A drawing on white whatever the theme of the screen is; its numbers need no more than a hundredth of a pixel.
async function drawing(Plotly, { figure, height }) {
  const { data, layout } = structuredClone(figure);
  const paper = { paper_bgcolor: PAPER.background, plot_bgcolor: PAPER.background };
  const whole = { ...layout, ...axesWith(layout, { automargin: true }), ...paper, template: template(PAPER) };
  const size = { format: "svg", width: WIDTH_PX, height: Math.max(height, LEAST_PX) };
  const address = await Plotly.toImage({ data, layout: whole }, { ...size, imageDataOnly: true });
  const short = address.replace(/-?\d+\.\d{3,}/g, (number) => String(Math.round(number * 100) / 100));
  const svg = new DOMParser().parseFromString(short, "image/svg+xml").documentElement;
  svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  return svg;
}

function give(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const [WIDTH_PX, LEAST_PX] = [900, 320];
const PAPER = {
  font: EXPORT_FONT,
  text: "#1c2430",
  muted: "#5a6472",
  background: "#ffffff",
  line: "#c3c9d2",
  grid: "#e4e7ec",
  colorway: [],
};
