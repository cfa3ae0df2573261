/** Rows of a result, of which a page can show tens of thousands: words become elements only near the visible part. */

import { element } from "./dom.js";

const BLOCK = 25; // rows
const AT_ONCE = 8; // blocks that get their words at once

const shade = (sure) => (sure < 0.6 ? "p3" : sure < 0.8 ? "p2" : sure < 0.95 ? "p1" : "");
/** The probabilities of what the user has not fixed. */
const sureOf = ({ fix, sure }) => ({ core: fix?.core == null ? sure?.core : null, mark: fix?.mark == null ? sure?.mark : null });
const leastSure = (word) => Math.min(sureOf(word).core ?? 1, sureOf(word).mark ?? 1);

/**
 * Shows rows in `root`: `{ label, was, pieces, interim }`, with both sides if `isCompared`. A word that is activated goes to
 * `open(word, element)`. One word at a time can be tabbed to; the arrow keys choose it.
 */
export class ResultView {
  #root;
  #open;
  #rows = [];
  #blocks = []; // { node, key, isRich }
  #kind = {};
  #current = null; // the row and the piece of the word that can be tabbed to
  #places = new WeakMap(); // the rows and pieces of elements
  #observer;

  constructor(root, open) {
    [this.#root, this.#open] = [root, open];
    this.#observer = new IntersectionObserver((entries) => this.#seen(entries), { root, rootMargin: "600px 0px" });
    root.addEventListener("click", ({ target }) => this.#activate(target.closest?.(".w")));
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows rows in place of those before; blocks that stay the same keep their elements. */
  show(rows, { isCompared = false, hasControls = true } = {}) {
    const kind = { isCompared, hasControls };
    if (kind.isCompared !== this.#kind.isCompared || kind.hasControls !== this.#kind.hasControls) this.clear();
    const hadFocus = this.#root.contains(document.activeElement);
    [this.#rows, this.#kind] = [rows, kind];
    this.#root.classList.toggle("compared", isCompared);
    const count = Math.ceil(rows.length / BLOCK);
    for (let n = 0; n < count; n++) this.#update(n);
    for (const block of this.#blocks.splice(count)) {
      this.#observer.unobserve(block.node);
      block.node.remove();
    }
    if (!hasControls) return;
    const word = this.#current && rows[this.#current[0]]?.pieces[this.#current[1]];
    if (!word || typeof word === "string") this.#current = this.#next([0, -1], 1);
    const control = this.#control();
    if (hadFocus && control && document.activeElement !== control) control.focus({ preventScroll: true });
  }

  clear() {
    this.#observer.disconnect();
    this.#root.replaceChildren();
    [this.#rows, this.#blocks, this.#current, this.#kind] = [[], [], null, {}];
  }

  /** Moves the focus to the word that was opened last. */
  focus() {
    this.#control()?.focus();
  }

  #update(n) {
    const rows = this.#rows.slice(n * BLOCK, (n + 1) * BLOCK);
    const key = rows.map(keyOf).join("\n");
    const old = this.#blocks[n];
    if (old?.key === key) return;
    const node = element("div", "block");
    const block = { node, key, n, isRich: old ? old.isRich : n < AT_ONCE };
    node.append(...rows.map((row) => this.#rowNode(row)));
    node.style.containIntrinsicSize = `auto ${rows.length * (this.#kind.isCompared ? 56 : 30)}px`;
    if (old) {
      this.#observer.unobserve(old.node);
      old.node.replaceWith(node);
    } else {
      this.#root.append(node);
    }
    this.#blocks[n] = block;
    this.#fill(block);
    this.#observer.observe(node);
  }

  #rowNode(row) {
    const node = element("div", "row");
    if (this.#kind.isCompared) node.append(element("span", "at", row.label), element("div", "was", row.was), element("div", "now"));
    return node;
  }

  /** Writes the text of a block: with elements for words, or without. */
  #fill({ node, n, isRich }) {
    [...node.children].forEach((rowNode, at) => {
      const row = n * BLOCK + at;
      const { pieces, interim } = this.#rows[row];
      const cell = this.#kind.isCompared ? rowNode.lastChild : rowNode;
      cell.replaceChildren(
        ...(isRich
          ? pieces.map((piece, p) => (typeof piece === "string" ? document.createTextNode(piece) : this.#wordNode(piece, row, p)))
          : [pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("")]),
      );
      if (interim) cell.append(element("span", "interim", interim));
    });
  }

  #wordNode(word, row, piece) {
    const node = element(word.isChanged ? "mark" : "span", "w", word.text);
    const kind = shade(leastSure(word));
    const isDoubtful = kind > "p1"; // has a shade even if it stays as it was
    if (word.isChanged || isDoubtful) {
      if (kind) node.classList.add(kind);
      node.title = [word.isChanged ? `was: ${word.was}` : "unchanged", ...describe(word)].join(", ");
    }
    if (word.fix) node.classList.add("fixed");
    this.#places.set(node, [row, piece]);
    if (this.#current?.[0] === row && this.#current[1] === piece) setControl(node, true);
    return node;
  }

  #seen(entries) {
    const shown = this.#current && Math.floor(this.#current[0] / BLOCK);
    for (const { target, isIntersecting } of entries) {
      const block = this.#blocks.find(({ node }) => node === target);
      if (!block || block.isRich === isIntersecting || (!isIntersecting && block.n === shown)) continue;
      block.isRich = isIntersecting;
      this.#fill(block);
    }
  }

  /** The element of a place, whose block gets its words for it. */
  #nodeAt([row, piece]) {
    const block = this.#blocks[Math.floor(row / BLOCK)];
    if (!block.isRich) {
      block.isRich = true;
      this.#fill(block);
    }
    const rowNode = block.node.children[row % BLOCK];
    return (this.#kind.isCompared ? rowNode.lastChild : rowNode).childNodes[piece];
  }

  /** The element that can be tabbed to. */
  #control() {
    if (!this.#current) return null;
    const node = this.#nodeAt(this.#current);
    setControl(node, true);
    return node;
  }

  #choose(place) {
    const before = this.#current && this.#nodeAt(this.#current);
    if (before) setControl(before, false);
    this.#current = place;
    return this.#control();
  }

  #activate(node) {
    if (!node || !this.#kind.hasControls) return;
    const place = this.#places.get(node);
    this.#choose(place).focus();
    this.#open(this.#rows[place[0]].pieces[place[1]], node);
  }

  #key(event) {
    if (!this.#current || event.target !== this.#nodeAt(this.#current) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.#activate(event.target);
    }
    const [row] = this.#current;
    const ways = {
      ArrowRight: () => this.#next(this.#current, 1),
      ArrowLeft: () => this.#next(this.#current, -1),
      ArrowDown: () => this.#below(1),
      ArrowUp: () => this.#below(-1),
      Home: () => this.#next([row, -1], 1),
      End: () => this.#next([row, this.#rows[row].pieces.length], -1),
    };
    const place = ways[event.key]?.();
    if (!place) return;
    event.preventDefault();
    this.#choose(place).focus();
  }

  /** The place of the next word in a direction. */
  #next([row, piece], step) {
    for (; row >= 0 && row < this.#rows.length; row += step) {
      const { pieces } = this.#rows[row];
      if (piece == null) piece = step > 0 ? -1 : pieces.length;
      for (piece += step; piece >= 0 && piece < pieces.length; piece += step) {
        if (typeof pieces[piece] !== "string") return [row, piece];
      }
      piece = null;
    }
    return null;
  }

  /** The place of the word on the line below or above that is nearest. */
  #below(step) {
    const from = this.#nodeAt(this.#current).getBoundingClientRect();
    let [line, best, distance] = [null, null, Infinity];
    for (let place = this.#next(this.#current, step); place; place = this.#next(place, step)) {
      const box = this.#nodeAt(place).getBoundingClientRect();
      if (Math.abs(box.top - from.top) < box.height / 2) continue;
      line ??= box.top;
      if (Math.abs(box.top - line) > box.height / 2) break;
      if (Math.abs(box.left - from.left) >= distance) break;
      [best, distance] = [place, Math.abs(box.left - from.left)];
    }
    return best;
  }
}

/** Says how probable the case of a word and its punctuation are. */
export function describe(word) {
  const percent = (p) => `${Math.round(p * 100)} %`;
  const { core, mark } = sureOf(word);
  const parts = word.fix ? ["fixed by you"] : [];
  if (core != null) parts.push(`case ${percent(core)}`);
  if (mark != null) parts.push(`punctuation ${percent(mark)}`);
  return parts;
}

function keyOf({ label, was, pieces, interim = "" }) {
  const inside = pieces.map((piece) => (typeof piece === "string" ? piece : `${piece.text}\t${piece.was}\t${describe(piece)}`));
  return [label, was, interim, ...inside].join("\0");
}

function setControl(node, isControl) {
  if (!isControl) return ["role", "tabindex", "aria-haspopup"].forEach((name) => node.removeAttribute(name));
  node.setAttribute("role", "button");
  node.setAttribute("aria-haspopup", "dialog");
  node.tabIndex = 0;
}
