// plotly.js out of the app's own route, and quicker than it comes.

// One load for all charts of the page. A failed load is forgotten, so that the next chart tries again.
export function loadPlotly(path) {
  window.specmodelPlotly ??= Promise.all([script(path), fonts()])
    .then(([Plotly]) => Plotly)
    .catch((error) => {
      window.specmodelPlotly = undefined;
      throw error;
    });
  return window.specmodelPlotly;
}

function script(path) {
  return new Promise((resolve, reject) => {
    const streamlit = document.querySelector('script[src*="static/js/"]')?.src;
    const root = streamlit ? new URL("../../", streamlit) : document.baseURI;
    const script = document.createElement("script");
    script.src = new URL(path, root).href;
    script.onload = () => (window.Plotly ? resolve(quicker(window.Plotly)) : reject(new Error("plotly.js is empty")));
    script.onerror = () => reject(new Error(`plotly.js did not load from ${script.src}`));
    document.head.append(script);
  });
}

// Plotly measures its labels once: drawn in another font, the room around a figure is another. A font that does not
// come is not waited for.
function fonts() {
  return Promise.race([document.fonts.ready, new Promise((resolve) => setTimeout(resolve, LONGEST_MS))]);
}

const LONGEST_MS = 1000;

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

const SHAPING = ["0", "1", "type", "mode", "visible", "fill"]; // 0 and 1 are places in the list itself
