// Text and numbers of a page, one below the other: what is said, cards, notices, small print. They stay in the page; a
// run of the script, or a slider that moves, changes their texts only.

import { Row } from "./cards.js";
import { live } from "./live.js";
import { written } from "./markdown.js";

const all = new WeakMap();

export default function mount({ parentElement, data }) {
  let blocks = all.get(parentElement);
  if (!blocks) {
    blocks = new Blocks(parentElement.querySelector(".blocks"));
    all.set(parentElement, blocks);
  }
  blocks.tell(data);
  return () => {
    blocks.dispose();
    all.delete(parentElement);
  };
}

class Blocks {
  constructor(host) {
    this.host = host;
    this.visible = true; // text costs next to nothing
    this.shown = new Map(); // name -> the block that is on the screen
  }

  tell(data) {
    this.data = data;
    live().join(this, data.live);
    const known = data.names.some((name) => this.shown.has(name));
    if (!live().ahead || !known) this.told();
  }

  told() {
    const { names, parts } = this.data;
    for (const name of this.shown.keys()) if (!names.includes(name)) this.remove(name);
    for (const name of names) {
      this.move(name, parts[name]);
      this.fade(name, false);
    }
  }

  // Nothing for a part that is not there; a kind of part that stands in no block waits for Python.
  move(name, data) {
    const make = data && KINDS[data.kind];
    let block = this.shown.get(name);
    if (block && block.make !== make) {
      this.remove(name);
      block = undefined;
    }
    if (!make) return;
    if (!block) {
      block = new make();
      block.make = make;
      this.shown.set(name, block);
      this.host.insertBefore(block.root, this.after(name));
    }
    block.update(data);
  }

  after(name) {
    const { names } = this.data;
    const later = names.slice(names.indexOf(name) + 1).find((other) => this.shown.has(other));
    return this.shown.get(later)?.root ?? null;
  }

  fade(name, faded) {
    this.shown.get(name)?.root.classList.toggle("faded", faded);
  }

  remove(name) {
    const block = this.shown.get(name);
    block?.dispose?.();
    block?.root.remove();
    this.shown.delete(name);
  }

  dispose() {
    live().leave(this);
    [...this.shown.keys()].forEach((name) => this.remove(name));
  }
}

class Words {
  constructor() {
    this.root = document.createElement("div");
  }

  update({ kind, text }) {
    if (this.kind !== kind) {
      this.kind = kind;
      this.root.className = BOXES.includes(kind) ? `box ${kind}` : kind;
      if (BOXES.includes(kind)) {
        this.root.setAttribute("role", "alert"); // as Streamlit's own boxes have it, and their name
        this.root.dataset.testid = "stAlert";
      } else {
        this.root.removeAttribute("role");
        delete this.root.dataset.testid;
      }
    }
    if (this.text === text) return;
    this.text = text;
    this.root.replaceChildren(...written(text));
  }
}

const BOXES = ["success", "error", "warning", "info"];
const KINDS = { cards: Row, note: Words, text: Words, ...Object.fromEntries(BOXES.map((kind) => [kind, Words])) };
