// The moves of a game: the main line, its variations indented, and the way through them.

import {button, element, put} from "./dom.js";
import {icon} from "./icons.js";
import {say} from "./words.js";

export class Tree {
  /** `ongo(node)` shows a position. */
  constructor({ongo}) {
    this.ongo = ongo;
    this.nodes = new Map();
    this.shown = 0;
    this.tip = 0; // the end of the line in which people look around
    this.list = element("div", {class: "moves", tabindex: 0, role: "group", "aria-label": say("moves")});
    const step = (label, to) => button(icon(label), () => this.go(to()), {"aria-label": say(label), title: say(label)});
    this.steps = element("div", {class: "row steps"},
      step("first", () => this.root()), step("previous", () => this.parent()),
      step("next", () => this.child()), step("last", () => this.end()));
    this.node = element("section", {class: "tree", "aria-label": say("moves")}, this.list, this.steps);
  }

  clear() {
    this.nodes.clear();
    this.shown = this.tip = 0;
  }

  /** Take nodes that are new. */
  add(nodes) {
    for (const node of nodes) {
      const children = this.nodes.get(node.id)?.children ?? [];
      this.nodes.set(node.id, {...node, children});
      const siblings = this.nodes.get(node.parent)?.children;
      if (siblings && !siblings.includes(node.id)) siblings.push(node.id);
    }
    this.render();
  }

  /** Mark the position that is shown. */
  mark(node) {
    this.shown = node;
    if (!this.path(this.tip).includes(node)) this.tip = node;
    for (const move of this.list.querySelectorAll("button")) {
      const isShown = Number(move.dataset.node) === node;
      if (isShown) {
        move.setAttribute("aria-current", "true");
        scrollWithin(this.list, move);
      } else {
        move.removeAttribute("aria-current");
      }
    }
    const [first, previous, next, last] = this.steps.children;
    first.disabled = previous.disabled = this.parent() === null;
    next.disabled = last.disabled = this.child() === null;
  }

  go(node) {
    if (node !== null && node !== undefined && node !== this.shown) this.ongo(node);
  }

  root() {
    return [...this.nodes.values()].find(node => node.parent === null || node.parent < 0)?.id ?? null;
  }

  parent(node = this.shown) {
    const parent = this.nodes.get(node)?.parent;
    return this.nodes.has(parent) ? parent : null;
  }

  /** The next position of the line in which people look around, else of the main one. */
  child(node = this.shown) {
    const children = this.nodes.get(node)?.children ?? [];
    const ahead = new Set(this.path(this.tip));
    return children.find(child => ahead.has(child)) ?? children[0] ?? null;
  }

  end() {
    let node = this.shown;
    while (this.child(node) !== null) node = this.child(node);
    return node;
  }

  /** The nodes from the root to a node. */
  path(node) {
    const path = [];
    for (let id = node; id !== null && this.nodes.has(id); id = this.nodes.get(id).parent) path.unshift(id);
    return path;
  }

  render() {
    const root = this.root();
    const hasMoves = root !== null && this.nodes.get(root).children.length > 0;
    put(this.list, hasMoves ? this.line(root, 0) : element("p", {class: "faint"}, say("no moves")));
    this.mark(this.shown);
  }

  /** The line from a node on, with the variations after the move that they replace. */
  line(from, round) {
    const parts = [];
    let numbered = false;
    for (let node = this.nodes.get(from); node.children.length;) {
      const [main, ...others] = node.children.map(id => this.nodes.get(id));
      const isFirst = main.player === 0 && this.startsRound(node);
      if (isFirst) round += 1;
      parts.push(this.move(main, isFirst || !numbered ? `${Math.max(1, round)}${isFirst ? "." : "…"}` : ""));
      numbered = true;
      for (const other of others) {
        const before = other.player === 0 && isFirst ? round - 1 : round;
        parts.push(element("div", {class: "variation", role: "group", "aria-label": say("variation")}, this.variation(other, before)));
        numbered = false;
      }
      node = main;
    }
    return parts;
  }

  variation(node, round) {
    const isFirst = node.player === 0;
    const here = isFirst ? round + 1 : round;
    return [this.move(node, `${Math.max(1, here)}${isFirst ? "." : "…"}`), ...this.line(node.id, here)];
  }

  /** Whether a move of the first player after this node begins a new round: nobody else, or chance alone, moved between. */
  startsRound(node) {
    return node.player !== 0;
  }

  move(node, number) {
    const player = node.player === "chance" ? "chance" : `player-${node.player}`;
    return element("span", {class: "move"}, number && element("span", {class: "number"}, number),
      button(node.name, () => this.go(node.id), {"data-node": node.id, class: player}));
  }
}

/** Scroll a list, not the page, so that an item is seen. */
function scrollWithin(list, item) {
  const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  list.scrollTop += Math.min(0, inner.top - outer.top) + Math.max(0, inner.bottom - outer.bottom);
}
