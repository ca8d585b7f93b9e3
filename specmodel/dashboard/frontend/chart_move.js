// What changes from one figure to the next, as far as Plotly.animate can move it: values of the same traces, in the same
// frame. It leaves axes, legend, shapes and annotations as they are, so it also says whether the axes would stay.

const VALUES = ["x", "y", "text", "hovertext", "customdata", "base"];
const PLACES = ["textposition"]; // of a scatter trace: set anew wherever its texts are
const APART = ["autorangeoptions", "range", "shapes"]; // ranges follow when the value rests, shapes are set apart
const AT_EDGE = 0.15; // of an axis: what stays further inside does not decide its range
const LEAST = 0.5; // of an axis that new values must fill to be shown on it as it is

const ROOM = 0.3; // beyond values that leave an axis, so that those after them need no new axis
const NEAR = 0.2; // of an axis: a range that moves no further may wait until the value rests

// Nothing where they differ in more. `steady`: the axes stay; `fits`: the new values can be seen on the present ones.
export function moveOf(before, after, layout) {
  if (before.data.length !== after.data.length || frame(before.layout) !== frame(after.layout)) return undefined;
  const reshaped = JSON.stringify(before.layout.shapes) !== JSON.stringify(after.layout.shapes);
  const changed = new Map();
  for (let i = 0; i < after.data.length; i++) {
    const keys = changedKeys(before.data[i], after.data[i]);
    if (!keys) return undefined;
    if (keys.length) changed.set(i, keys);
  }
  // Plotly orders what it is given of one type before the rest: all of it keeps its order.
  const types = new Set([...changed.keys()].map((i) => after.data[i].type));
  after.data.forEach(({ type }, i) => types.has(type) && !changed.has(i) && changed.set(i, []));
  const traces = [...changed.keys()].sort((one, other) => one - other);
  const data = traces.map((i) => Object.fromEntries(changed.get(i).map((key) => [key, unpacked(after.data[i][key])])));
  return { traces, data, reshaped, ...axes(before, after, layout) };
}

function frame(layout) {
  return JSON.stringify(layout, (key, value) => (APART.includes(key) ? undefined : value));
}

function changedKeys(before, after) {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  if (!changed.length) return changed;
  const scatter = after.type === "scatter";
  if (!scatter && after.type !== "bar") return undefined;
  const movable = (key) => VALUES.includes(key) || (scatter && PLACES.includes(key));
  if (!changed.every((key) => movable(key) && key in before && key in after)) return undefined;
  for (const key of ["x", "y"]) {
    if (!changed.includes(key)) continue;
    const [old, now] = [unpacked(before[key]), unpacked(after[key])];
    if ([...old, ...now].some((value) => typeof value === "string")) return undefined; // names of places on the axis
    if (!scatter && old.length !== now.length) return undefined; // a new bar has no colour yet
  }
  return changed;
}

// A typed array out of the short form in which it travels.
export function unpacked(values) {
  if (!values?.bdata) return values;
  const bytes = Uint8Array.from(atob(values.bdata), (char) => char.charCodeAt(0));
  return new { f4: Float32Array, f8: Float64Array, i4: Int32Array }[values.dtype](bytes.buffer);
}

function axes(before, after, layout) {
  let [steady, fits] = [true, true];
  const outgrown = {}; // axes that new values leave at their end, and where the end is to be
  const names = new Set(after.data.flatMap((trace) => [axisOf(trace, "x"), axisOf(trace, "y")]));
  for (const name of names) {
    const { range, autorange } = layout[name] ?? {};
    const [was, is] = [before.layout[name] ?? {}, after.layout[name] ?? {}];
    if (String(was.range) !== String(is.range)) {
      steady = false;
      fits &&= is.range?.length === 2 && was.range?.length === 2 && near(is.range, range);
    }
    if (is.range || !autorange || !range) continue; // fixed by the figure, or by the visitor
    if (named(after, name)) {
      // places with names are the same as before; points at them are lost where only values move
      if (after.data.some((trace) => axisOf(trace, name[0]) === name && trace.type !== "bar")) [steady, fits] = [false, false];
      continue;
    }
    if (JSON.stringify(was.autorangeoptions) !== JSON.stringify(is.autorangeoptions)) steady = false;
    const [old, now] = [extents(before, name, is), extents(after, name, is)];
    const [low, high] = [Math.min(...range), Math.max(...range)];
    const edge = AT_EDGE * (high - low);
    const floor = low === 0 && (is.rangemode === "tozero" || is.autorangeoptions?.clipmin === 0);
    const above = now.map(([from], i) => [-from, -old[i][0]]);
    const below = now.map(([, to], i) => [to, old[i][1]]);
    const grounded = floor && above.flat().every((end) => end <= 0);
    if (!((grounded || stays(above, -low - edge)) && stays(below, high - edge))) steady = false;
    const [least, most] = [Math.min(...now.map(([from]) => from)), Math.max(...now.map(([, to]) => to))];
    const filled = most - Math.min(least, Math.max(low, 0)) >= LEAST * (high - low);
    if (!(least >= low - 1e-9 && most <= high + 1e-9 && filled)) fits = false;
    if (most > high + 1e-9) outgrown[name] = most + ROOM * (most - Math.min(least, low));
  }
  return { steady, fits, outgrown };
}

// The axes of a figure with room for values that go on growing: the next ones need no new axes.
export function roomy(layout, outgrown) {
  const wider = (axis, most) => {
    const { clipmax, ...options } = axis?.autorangeoptions ?? {};
    const log = axis?.type === "log";
    const end = log ? 10 ** most : most;
    return { ...axis, autorangeoptions: { ...options, include: end, ...(clipmax === undefined ? {} : { clipmax: end }) } };
  };
  return Object.fromEntries(Object.entries(outgrown).map(([name, most]) => [name, wider(layout[name], most)]));
}

function named({ data }, name) {
  const letter = name[0];
  return data.some((trace) => axisOf(trace, letter) === name && typeof unpacked(trace[letter] ?? [])[0] === "string");
}

// Whether the furthest end is that of a trace which kept it, and those that move are well below it.
function stays(ends, inside) {
  const [now, before] = [0, 1].map((i) => Math.max(...ends.map((each) => each[i])));
  const kept = ends.some(([end, was]) => end === was && end === now);
  return now === before && kept && ends.every(([end, was]) => end === was || Math.max(end, was) < inside);
}

function near(range, present) {
  const most = NEAR * Math.abs(present[1] - present[0]);
  return range.every((end, i) => Math.abs(end - present[i]) <= most);
}

function axisOf(trace, letter) {
  return (trace[`${letter}axis`] ?? letter).replace(letter, `${letter}axis`);
}

// From where to where each trace reaches on an axis, in the units of its range; all bars together.
function extents({ data, layout }, name, { type, autorangeoptions }) {
  const letter = name[0];
  const { clipmin = -Infinity, clipmax = Infinity } = autorangeoptions ?? {};
  const clipped = (value) => Math.min(Math.max(value, clipmin), clipmax);
  const scaled = (value) => (type === "log" ? Math.log10(value) : value);
  const span = (values) => {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
      if (value === null || !Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return [scaled(clipped(low)), scaled(clipped(high))];
  };
  const mine = data.filter((trace) => axisOf(trace, letter) === name && trace.visible !== false);
  const bars = mine.filter((trace) => trace.type === "bar");
  const others = mine.filter((trace) => trace.type !== "bar").map((trace) => span(unpacked(trace[letter]) ?? []));
  return bars.length ? [...others, span(barEnds(bars, letter, layout.barmode))] : others;
}

function barEnds(bars, letter, mode) {
  const along = (bar) => (bar.orientation === "h" ? "x" : "y");
  if (along(bars[0]) !== letter) return bars.flatMap((bar) => [...unpacked(bar[letter])]);
  const stacked = mode === "stack" || mode === "relative";
  const sums = new Map();
  const ends = [];
  for (const bar of bars) {
    const places = unpacked(bar[letter === "y" ? "x" : "y"]) ?? [];
    unpacked(bar[letter]).forEach((value, i) => {
      const base = Number(Array.isArray(bar.base) ? bar.base[i] : (bar.base ?? 0));
      const key = `${places[i]} ${value < 0}`;
      ends.push(base); // an axis that starts at 0 does so because bars without a base of their own do
      const end = base + value + (stacked ? (sums.get(key) ?? 0) : 0);
      if (stacked) sums.set(key, end);
      ends.push(end);
    });
  }
  return ends;
}
