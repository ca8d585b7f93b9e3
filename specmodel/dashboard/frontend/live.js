// What all elements of a page share: which of them shows which part of the page's answer, and whether the screen is
// ahead of Python. Kept at the window, because every element brings scripts of its own.
//
// A member has move(name, data), fade(name, whether), told(), and says whether it is visible. While the screen is ahead, members keep what Python
// tells them to themselves: it belongs to a value that was left behind. At the end each shows what it was told last.

export function live() {
  window.specmodelLive ??= new Live();
  return window.specmodelLive;
}

class Live {
  constructor() {
    this.members = new Map(); // the name of a part -> who shows it
    this.ahead = false;
    this.channel = undefined;
    this.waiting = [];
  }

  join(member, names) {
    this.leave(member);
    for (const name of names) if (name) this.members.set(name, member);
  }

  leave(member) {
    for (const [name, other] of this.members) if (other === member) this.members.delete(name);
  }

  // Of all parts, or of those that can be seen.
  names(all) {
    return [...this.members].filter(([, member]) => all || member.visible).map(([name]) => name);
  }

  // Everything of one answer at once; what nobody can see follows a frame later each, unless a newer answer comes. What
  // the answer does not hold fades, as do Streamlit's own elements.
  present(parts) {
    this.ahead = true;
    document.documentElement.dataset.live = "ahead";
    const answer = (this.answer = {});
    for (const [name, member] of this.members) {
      const there = name in parts;
      member.fade(name, !there);
      if (!there) continue;
      if (member.visible) member.move(name, parts[name]);
      else this.later(() => answer === this.answer && member.move(name, parts[name]));
    }
  }

  // One thing a frame, while no value is on its way to the screen.
  later(task) {
    this.waiting.push(task);
    if (this.waiting.length > 1) return;
    const next = () => {
      if (!this.channel?.asking) this.waiting.shift()();
      if (this.waiting.length) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }

  // Python has said the same, or has the last word; what was drawn in a hurry is drawn exactly, with a route or without.
  land() {
    this.ahead = false;
    this.answer = undefined;
    delete document.documentElement.dataset.live;
    for (const member of new Set(this.members.values())) member.told();
  }
}
