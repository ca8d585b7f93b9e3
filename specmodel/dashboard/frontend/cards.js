// Numbers with their definitions. The cards stay in the page; a run of the script changes their texts only.

import { Tip } from "./tip.js";

export class Row {
  constructor() {
    this.root = document.createElement("dl");
    this.cards = [];
  }

  update({ cards }) {
    while (this.cards.length > cards.length) this.cards.pop().remove();
    while (this.cards.length < cards.length) this.cards.push(new Card(this.root, this.cards.length));
    cards.forEach((data, index) => this.cards[index].update(data));
  }

  dispose() {
    this.cards.forEach((card) => card.remove());
  }
}

class Card {
  constructor(list, index) {
    this.root = document.createElement("div");
    this.root.className = "card";
    this.root.innerHTML = `
      <dt><span class="label"></span><button class="help" type="button" aria-describedby="tip-${index}"></button>
        <div class="tip" popover="manual"><span id="tip-${index}" role="tooltip"></span></div></dt>
      <dd class="value"></dd>
      <dd class="pinned" hidden></dd>`;
    const find = (selector) => this.root.querySelector(selector);
    this.label = find(".label");
    this.value = find(".value");
    this.pinned = find(".pinned");
    this.tip = new Tip(find(".help"), find(".tip"));
    list.append(this.root);
  }

  update({ label, value, pinned, help, helpLabel, entry, entryLabel }) {
    write(this.label, label);
    write(this.value, value);
    write(this.pinned, pinned);
    this.pinned.hidden = !pinned;
    this.tip.update(help, helpLabel, entry, entryLabel);
  }

  remove() {
    this.tip.hide();
    this.root.remove();
  }
}

function write(part, text) {
  if (part.textContent !== text) part.textContent = text;
}
