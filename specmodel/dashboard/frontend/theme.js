// The theme of the page, as a template for plotly.

export function readTheme(host) {
  const style = getComputedStyle(host);
  const read = (name, fallback) => {
    const text = style.getPropertyValue(`--st-${name}`).trim();
    return text && text !== "unset" ? text : fallback;
  };
  const list = (name) => read(name, "").split(/,(?![^(]*\))/).filter(Boolean);
  return {
    font: read("font", "sans-serif"),
    text: read("text-color", "#31333f"),
    muted: read("gray-text-color", "#6b7280"),
    background: read("background-color", "#ffffff"),
    line: read("border-color", "rgba(128, 128, 128, 0.35)"),
    grid: read("border-color-light", "rgba(128, 128, 128, 0.2)"),
    colorway: list("chart-categorical-colors"),
    sequential: ramp(list("chart-sequential-colors")),
    diverging: ramp(list("chart-diverging-colors")),
  };
}

function ramp(colors) {
  return colors.length > 1 ? colors.map((color, index) => [index / (colors.length - 1), color]) : undefined;
}

// As a template every one of these is a default: what the figure says itself wins.
export function template(theme) {
  const clear = "rgba(0, 0, 0, 0)";
  const font = { family: theme.font, color: theme.text, size: 13 };
  const muted = { ...font, color: theme.muted, size: 12 };
  const axis = {
    automargin: true,
    gridcolor: theme.grid,
    linecolor: theme.line,
    zerolinecolor: theme.line,
    tickcolor: theme.line,
    tickfont: muted,
    title: { font, standoff: 10 },
    spikecolor: theme.muted,
    spikethickness: 1,
    spikedash: "solid",
  };
  const colorbar = { outlinewidth: 0, tickfont: muted, tickcolor: theme.line, title: { font } };
  const barred = ["heatmap", "contour", "histogram2d", "histogram2dcontour", "surface"];
  return {
    layout: {
      font,
      paper_bgcolor: clear,
      plot_bgcolor: theme.background, // Not clear: plotly takes the halo of hover lines from it.
      ...(theme.colorway.length ? { colorway: theme.colorway } : {}),
      colorscale: { sequential: theme.sequential, diverging: theme.diverging },
      coloraxis: { colorbar },
      margin: { l: 12, r: 16, t: 32, b: 12 },
      xaxis: { ...axis, showgrid: false, zeroline: false, showline: true, ticks: "outside", ticklen: 4 },
      yaxis: { ...axis, zeroline: false, ticks: "outside", ticklen: 4, tickcolor: clear },
      polar: { bgcolor: clear, radialaxis: axis, angularaxis: axis },
      legend: { orientation: "h", x: 0, xanchor: "left", y: 1.02, yanchor: "bottom", bgcolor: clear, font },
      hoverlabel: { bgcolor: theme.background, bordercolor: theme.line, font, align: "left" },
      modebar: { bgcolor: theme.background, color: theme.muted, activecolor: theme.text },
      annotationdefaults: { font, arrowcolor: theme.muted },
      shapedefaults: { line: { color: theme.muted, width: 1 } },
      // A finger on a chart must be able to scroll the page.
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    },
    data: {
      ...Object.fromEntries(barred.map((type) => [type, [{ type, colorbar }]])),
      scatter: [{ type: "scatter", line: { simplify: false } }], // Simplified curves have visible corners.
    },
  };
}
