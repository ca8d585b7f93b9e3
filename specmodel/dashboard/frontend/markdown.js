// The Markdown that sentences of the app use, as nodes: paragraphs, lists, line ends, bold and slanted type, code, links.
// A backslash takes any sign for itself. Nothing of a text ever becomes markup.

const MARKS = /\\([^\w\s])|(`+)(.+?)\2|\*\*(?=\S)([^]+?\S)\*\*(?!\*)|\*(?=\S)([^*]+?)\*|\[((?:\\.|[^\]\\])+)\]\(([^()\s]+)\)|( {2}|\\)\n/g;
const SAFE = /^(https?:\/\/|[\w./?#&=%-]+$)/i;

export function written(text) {
  return text.split(/\n{2,}/).filter((each) => each.trim()).map(paragraph);
}

function paragraph(text) {
  const lines = text.split("\n");
  if (!lines.every((line) => /^\s*[-*] /.test(line))) return filled("p", text);
  const list = document.createElement("ul");
  list.append(...lines.map((line) => filled("li", line.replace(/^\s*[-*] /, ""))));
  return list;
}

function filled(tag, text) {
  const node = document.createElement(tag);
  node.append(...inline(text));
  return node;
}

function inline(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(MARKS)) {
    const [whole, escaped, , code, bold, slanted, label, address] = found;
    nodes.push(text.slice(from, found.index));
    from = found.index + whole.length;
    if (escaped) nodes.push(escaped);
    else if (code !== undefined) nodes.push(coded(code));
    else if (bold) nodes.push(filled("strong", bold));
    else if (slanted) nodes.push(filled("em", slanted));
    else if (label) nodes.push(linked(label, address));
    else nodes.push(document.createElement("br"));
  }
  nodes.push(text.slice(from));
  return nodes;
}

function coded(text) {
  const node = document.createElement("code");
  node.textContent = text.replace(/^ (.*) $/, "$1");
  return node;
}

function linked(label, address) {
  const node = filled("a", label);
  if (!SAFE.test(address)) return node;
  node.href = address;
  node.target = "_blank"; // as Streamlit's own
  node.rel = "noopener noreferrer";
  return node;
}
