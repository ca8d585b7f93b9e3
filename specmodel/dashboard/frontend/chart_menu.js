// The buttons of a chart, and the picture that they download.

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

// What a plot shows, as the address of a picture on the theme's background.
export function pictureOf(Plotly, plot, layout, height, format) {
  const size = { width: 1100, height: Math.max(height, 480) };
  return Plotly.toImage({ data: plot.data, layout }, { format, ...size, scale: format === "png" ? 2 : 1 });
}

const UNUSED_BUTTONS = [
  "toImage", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d",
  "hoverClosestCartesian", "hoverCompareCartesian", "toggleSpikelines",
];

export const EXPORT_FONT = "Arial, 'Hiragino Sans', 'Yu Gothic', 'Noto Sans CJK JP', sans-serif";

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
