// The help text, in the browser's top layer so that the sidebar does not clip it, with a link to its entry on the
// Reference page. The link stands beside the tooltip and not in it: it can be reached with the keyboard.
export class Tip {
  constructor(button, tip) {
    this.button = button;
    this.tip = tip;
    this.text = tip.querySelector("[role=tooltip]");
    this.link = document.createElement("a");
    this.link.target = "_blank"; // A tab of its own: this one keeps what the visitor has chosen.
    this.link.rel = "noopener";
    this.entry = "";
    button.addEventListener("focus", () => this.show());
    button.addEventListener("click", () => this.show());
    // A browser that focuses no links on a click would close the tip before the click arrives.
    this.link.addEventListener("mousedown", (event) => event.preventDefault());
    const parts = [button, this.link];
    for (const part of parts) {
      part.addEventListener("blur", (event) => !parts.includes(event.relatedTarget) && this.hide());
    }
    this.onEscape = (event) => event.key === "Escape" && this.hide(); // wherever the focus is
    // The pointer may move onto the text, to select it or to read it enlarged.
    for (const part of [button, tip]) {
      part.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && this.show());
      part.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hideSoon());
    }
  }

  update(text, label, entry, entryLabel) {
    this.button.hidden = !text;
    this.button.setAttribute("aria-label", label);
    this.text.textContent = text;
    this.entry = entry ?? "";
    this.link.textContent = entryLabel ?? "";
    if (entry) this.link.setAttribute("href", entry); // As seen from the page, behind whatever base path.
  }

  show() {
    clearTimeout(this.timer);
    if (this.tip.matches(":popover-open")) return;
    if (this.entry) this.tip.append(this.link); // Only while it is seen: a hidden one would come before the skip link.
    this.tip.showPopover();
    const at = this.button.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.tip;
    const room = { right: innerWidth - offsetWidth - 8, below: innerHeight - at.bottom - 8 };
    const left = Math.max(8, Math.min(at.left + at.width / 2 - offsetWidth / 2, room.right));
    const top = room.below > offsetHeight ? at.bottom + 4 : Math.max(8, at.top - offsetHeight - 4);
    Object.assign(this.tip.style, { left: `${left}px`, top: `${top}px` });
    this.onScroll = () => this.hide();
    window.addEventListener("scroll", this.onScroll, { capture: true, once: true });
    window.addEventListener("keydown", this.onEscape, true);
  }

  hideSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), 150);
  }

  hide() {
    clearTimeout(this.timer);
    window.removeEventListener("scroll", this.onScroll, { capture: true });
    window.removeEventListener("keydown", this.onEscape, true);
    if (this.tip.matches(":popover-open")) this.tip.hidePopover();
    this.link.remove();
  }
}
