// The room around a figure.

const AXIS = /^[xy]axis\d*$/;

// What decides the margins of a figure beside the lengths of its tick labels, as text.
export function frameOf({ data, layout }, size) {
  const axes = Object.keys(layout).filter((name) => AXIS.test(name));
  const titles = axes.map((name) => [name, layout[name].title, layout[name].tickangle]);
  return JSON.stringify([size, titles, data.map(({ name, showlegend }) => [name, showlegend])]);
}

export function axesWith(layout, more) {
  const names = new Set(["xaxis", "yaxis", ...Object.keys(layout).filter((name) => AXIS.test(name))]);
  return Object.fromEntries([...names].map((name) => [name, { ...layout[name], ...more }]));
}

export function labelLengths(plot) {
  const longest = (kind) => Math.max(0, ...[...plot.querySelectorAll(kind)].map((text) => text.textContent.length));
  return `${longest(".xtick text")} ${longest(".ytick text")}`;
}

export function exportMargin(margin = {}) {
  const room = { l: 28, r: 28, t: 40, b: 28 };
  return { ...margin, ...Object.fromEntries(Object.entries(room).map(([side, px]) => [side, px + (margin[side] ?? 0)])) };
}
