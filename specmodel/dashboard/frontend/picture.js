// A figure as a file that explains itself: its title above, the values behind it and the link in small type below.

const [WIDTH, LEAST, SIDE] = [1100, 480, 28];
const [TITLE, SMALL, LINE] = [20, 13, 18];
const HEAD = 48;

// `said` is { title, lines, font, theme }. Resolves to the address of the file.
export async function pictureOf(Plotly, data, layout, height, format, said) {
  const size = { width: WIDTH, height: Math.max(height, LEAST) };
  const lines = said.lines.flatMap((text) => wrapped(text, said.font));
  const whole = size.height + HEAD + lines.length * LINE + SIDE / 2;
  const texts = [{ text: said.title, size: TITLE, weight: 600, y: 32, color: said.theme.text }];
  lines.forEach((text, i) => {
    texts.push({ text, size: SMALL, weight: 400, y: HEAD + size.height + (i + 0.5) * LINE, color: said.theme.muted });
  });
  const drawn = await Plotly.toImage({ data, layout }, { format, ...size, scale: format === "png" ? 2 : 1 });
  const frame = { whole, texts, ...said };
  return format === "png" ? await painted(drawn, size, frame) : framed(drawn, frame);
}

// Words in lines as long as the picture is wide; a link has no words, so that it may be cut anywhere.
function wrapped(text, font) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${SMALL}px ${font}`;
  const lines = [""];
  for (const word of text.split(/(?<=[ &?/])/)) {
    if (lines.at(-1) && pen.measureText(lines.at(-1) + word).width > WIDTH - 2 * SIDE) lines.push("");
    lines[lines.length - 1] += word;
  }
  return lines;
}

async function painted(address, size, { whole, texts, font, theme }) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * WIDTH, height: 2 * Math.round(whole) });
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.fillStyle = theme.background;
  pen.fillRect(0, 0, WIDTH, whole);
  pen.drawImage(image, 0, HEAD, size.width, size.height);
  for (const each of texts) {
    pen.fillStyle = each.color;
    pen.font = `${each.weight} ${each.size}px ${font}`;
    pen.fillText(each.text, SIDE, each.y);
  }
  return canvas.toDataURL("image/png");
}

function framed(address, { whole, texts, font, theme }) {
  const text = decodeURIComponent(address.slice(address.indexOf(",") + 1));
  const inner = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const outer = document.implementation.createDocument(SVG, "svg").documentElement;
  const add = (name, values, content) => {
    const made = outer.ownerDocument.createElementNS(SVG, name);
    Object.entries(values).forEach(([key, value]) => made.setAttribute(key, value));
    if (content) made.textContent = content;
    outer.append(made);
  };
  Object.entries({ width: WIDTH, height: whole, viewBox: `0 0 ${WIDTH} ${whole}` }).forEach(([key, value]) =>
    outer.setAttribute(key, value),
  );
  add("rect", { width: WIDTH, height: whole, fill: theme.background });
  inner.setAttribute("y", HEAD);
  outer.append(outer.ownerDocument.importNode(inner, true));
  for (const { text, size, weight, y, color } of texts) {
    add("text", { x: SIDE, y, fill: color, "font-size": size, "font-weight": weight, "font-family": font }, text);
  }
  return URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(outer)], { type: "image/svg+xml" }));
}

const SVG = "http://www.w3.org/2000/svg";
