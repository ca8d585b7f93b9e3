// The buttons of a chart.

export function configOf(labels, download) {
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
    click: () => download(format),
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

// A quiet button that is always there; the others come with the pointer or the focus.
export function saveButton(host, download) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "live-chart-save";
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS.save}"/></svg>`;
  button.addEventListener("click", () => download("png"));
  host.append(button);
  return button;
}

const UNUSED_BUTTONS = [
  "toImage", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d",
  "hoverClosestCartesian", "hoverCompareCartesian", "toggleSpikelines",
];

export const EXPORT_FONT = "Arial, 'Hiragino Sans', 'Yu Gothic', 'Noto Sans CJK JP', sans-serif";

// Drawn for this element: an arrow onto a line, a picture frame with a hill, and a path with its two handles.
const ICONS = {
  save: "M11 4h2v8.2l3-3 1.4 1.4L12 16l-5.4-5.4L8 9.2l3 3zM5 18h14v2H5z",
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
