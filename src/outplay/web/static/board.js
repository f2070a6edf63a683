// The board: shows the picture of a position, and turns clicks, drags and keys into an action.
//
// Over the picture lies a transparent copy of each place, which takes the clicks and the focus. Between them are the
// marks: tints below the pieces; the selection, targets, values and arrows above them.

import {element, put, svgElement} from "./dom.js";
import {bare, centre, drawnParts, flip, inItsGroup, picture, topmost} from "./drawing.js";
import {arrows, bestRows, outlines, targets, tints, valueTexts} from "./marks.js";
import {candidates, nextCells, pick} from "./picking.js";
import {say, translated} from "./words.js";

const DRAG_STARTS = 6; // pixels
const SLIDE = 180; // milliseconds
const LARGEST = 1.7; // times the size of the picture
const MOST_TARGETS = 60; // more are not marked one by one before anything is chosen
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

export class Board {
  /** `onplay(id)` plays an action; `onchoice(actions)` asks which of several that look the same on the board. */
  constructor({onplay, onchoice}) {
    this.onplay = onplay;
    this.onchoice = onchoice;
    this.node = element("div", {class: "board", role: "group", "aria-label": say("board")});
    this.actions = [];
    this.chosen = [];
    this.cells = new Map();
    this.tints = [];
    this.line = [];
    this.flipped = false;
    this.node.addEventListener("keydown", event => this.onkey(event));
    this.node.addEventListener("pointermove", event => this.onmove(event));
  }

  /** Whether the pieces of this owner stand on the upper side, so that the board is better turned around for him. */
  hasOnTop(owner) {
    const isOwn = cell => this.contents[cell].split(" ")[0] === owner;
    const full = [...this.cells.keys()].filter(cell => cell in this.contents);
    const height = cells => cells.reduce((sum, cell) => sum + this.cells.get(cell).y, 0) / cells.length;
    const all = [...this.cells.values()].map(({y}) => y);
    return height(full.filter(cell => !isOwn(cell))) - height(full.filter(isOwn)) > 0.3 * (Math.max(...all) - Math.min(...all));
  }

  /** Show a position: its picture or text, and the actions that can be picked on it. */
  show({svg, text, actions, last, contents = {}}, {drops = false, slides = false} = {}) {
    const focused = this.node.contains(document.activeElement) && document.activeElement.dataset.cell;
    this.stopDrag();
    this.actions = actions;
    this.chosen = [];
    this.contents = contents;
    this.drops = drops;
    this.tints = [];
    this.line = [];
    this.cells = new Map();
    if (svg) this.draw(svg);
    else put(this.node, element("pre", {class: "board-text", tabindex: 0}, text ?? ""));
    this.node.classList.toggle("is-text", !svg);
    this.last = last?.cells ?? [];
    this.mark();
    if (slides && svg && !this.dropped) this.slide(this.last);
    this.dropped = false;
    if (focused && this.cells.has(focused)) this.focus(focused);
  }

  draw(svg) {
    const drawing = picture(svg);
    drawing.style.maxWidth = `${LARGEST * drawing.viewBox.baseVal.width}px`;
    put(this.node, drawing);
    this.drawing = drawing;
    const places = [...drawing.querySelectorAll("[data-cell]")];
    if (this.flipped) flip(drawing, places);
    this.under = svgElement("g", {class: "under"});
    this.over = svgElement("g", {class: "over"});
    const hits = svgElement("g", {class: "hits"});
    for (const place of places) {
      const cell = place.dataset.cell;
      const box = place.getBBox();
      const hit = bare(place);
      hit.dataset.cell = cell;
      hit.setAttribute("role", "button");
      hit.setAttribute("tabindex", -1);
      this.listen(hit, cell);
      hits.append(hit);
      place.removeAttribute("data-cell");
      const middle = centre(place, box);
      this.cells.set(cell, {place, hit, ...middle, width: box.width, height: box.height});
    }
    if (places.length) topmost(places.at(-1), drawing).after(this.under);
    (drawing.querySelector(".board") ?? drawing).append(this.over, hits);
    this.cursor = [...this.cells.keys()].find(cell => this.isNext(cell)) ?? this.cells.keys().next().value;
  }

  // -- picking ---------------------------------------------------------------------------------------------------------

  isNext(cell) {
    return nextCells(this.actions, this.chosen).has(this.meant(cell));
  }

  /** In games where pieces drop, a click anywhere in a column means the place where the piece comes to lie. */
  meant(cell) {
    if (!this.drops) return cell;
    const {x} = this.cells.get(cell);
    const inColumn = action => Math.abs(this.cells.get(action.cells[0])?.x - x) < 1;
    return this.actions.find(inColumn)?.cells[0] ?? cell;
  }

  pick(cell) {
    const result = pick(this.actions, this.chosen, this.meant(cell));
    this.chosen = result.chosen;
    if (result.final && result.complete.length === 1) {
      this.chosen = [];
      this.onplay(result.complete[0].id);
    } else {
      this.onchoice(result.complete, result.final);
    }
    this.mark();
  }

  /** Take no more clicks until the next position. */
  hold() {
    this.actions = [];
    this.mark();
  }

  /** Forget what was chosen so far. */
  clear() {
    this.chosen = [];
    this.onchoice([], false);
    this.mark();
  }

  listen(hit, cell) {
    hit.addEventListener("pointerdown", event => {
      if (event.button !== 0) return;
      const {chosen, final} = pick(this.actions, this.chosen, this.meant(cell));
      const starts = chosen.length === 1 && !final && !this.isSelected(cell);
      if (starts) this.pick(cell);
      this.drag = {cell, starts, x: event.clientX, y: event.clientY, pieces: [], end: new AbortController()};
      const {signal} = this.drag.end;
      for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, () => this.stopDrag(), {signal});
      hit.releasePointerCapture?.(event.pointerId);
    });
    hit.addEventListener("pointerup", event => {
      if (!this.drag || event.button !== 0) return;
      const {cell: from, starts} = this.drag;
      this.stopDrag();
      const isDrop = cell !== from && this.chosen.at(-1) === from && this.isNext(cell);
      this.dropped = isDrop; // it is there already, and need not slide
      if (cell === from ? !starts : isDrop) this.pick(cell);
    });
    hit.addEventListener("click", event => {
      if (event.detail === 0) this.pick(cell); // by assistive technology; a pointer's clicks are handled above
    });
    hit.addEventListener("focus", () => { this.cursor = cell; });
    hit.addEventListener("pointerenter", () => this.hover(cell, true));
    hit.addEventListener("pointerleave", () => this.hover(cell, false));
  }

  hover(cell, isOver) {
    this.cells.get(this.meant(cell))?.hit.classList.toggle("hover", isOver && this.isNext(cell));
  }

  isSelected(cell) {
    return this.chosen.at(-1) === cell;
  }

  // -- dragging --------------------------------------------------------------------------------------------------------

  onmove(event) {
    if (!this.drag || !this.isSelected(this.drag.cell)) return;
    const [right, down] = [event.clientX - this.drag.x, event.clientY - this.drag.y];
    if (!this.drag.pieces.length) {
      if (Math.hypot(right, down) < DRAG_STARTS) return;
      this.drag.pieces = this.lift(this.drag.cell);
      this.node.classList.add("dragging");
    }
    const scale = this.drawing.viewBox.baseVal.width / this.drawing.getBoundingClientRect().width;
    this.ghost.setAttribute("transform", `translate(${right * scale} ${down * scale})`);
  }

  /** Take what is drawn on a place above everything else, to move with the pointer. */
  lift(cell) {
    const pieces = this.piecesOn(cell);
    this.ghost = svgElement("g", {"text-anchor": "middle"}, pieces.map(piece => inItsGroup(piece)));
    this.over.append(this.ghost);
    for (const piece of pieces) piece.setAttribute("visibility", "hidden");
    return pieces;
  }

  stopDrag() {
    this.drag?.end.abort();
    for (const piece of this.drag?.pieces ?? []) piece.removeAttribute("visibility");
    this.ghost?.remove();
    this.ghost = this.drag = null;
    this.node.classList.remove("dragging");
  }

  /** What is drawn on a place. */
  piecesOn(cell) {
    const place = this.cells.get(cell);
    return drawnParts(this.drawing).filter(part => {
      const {x, y, width, height} = part.getBBox();
      const middle = centre(part, {x, y, width, height});
      return part !== place.place && width <= 1.1 * place.width && height <= 1.1 * place.height
        && Math.abs(middle.x - place.x) < place.width / 2 && Math.abs(middle.y - place.y) < place.height / 2;
    });
  }

  /** Let the pieces of the last move slide from its first cell to its last one. */
  slide(cells) {
    const [from, to] = [this.cells.get(cells[0]), this.cells.get(cells.at(-1))];
    if (!from || !to || from === to || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const pieces = this.piecesOn(cells.at(-1)).map(piece => [piece, piece.getAttribute("transform") ?? ""]);
    const start = performance.now();
    const step = now => {
      const left = Math.max(0, 1 - (now - start) / SLIDE) ** 2;
      const shift = `translate(${(from.x - to.x) * left} ${(from.y - to.y) * left}) `;
      for (const [piece, transform] of pieces) piece.setAttribute("transform", (left ? shift : "") + transform);
      if (left && this.drawing.contains(to.place)) requestAnimationFrame(step);
    };
    step(start);
  }

  // -- keys ------------------------------------------------------------------------------------------------------------

  onkey(event) {
    const cell = event.target.dataset?.cell;
    if (event.key === "Escape" && this.chosen.length) this.clear();
    else if (cell === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "Enter" || event.key === " ") this.pick(cell);
    else if (event.key in ARROWS) this.focus(this.neighbour(cell, ARROWS[event.key]) ?? cell);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  focus(cell = this.cursor) {
    if (!this.cells.has(cell)) return;
    this.cells.get(this.cursor)?.hit.setAttribute("tabindex", -1);
    this.cursor = cell;
    const {hit} = this.cells.get(cell);
    hit.setAttribute("tabindex", 0);
    hit.focus({preventScroll: true});
  }

  /** The closest cell in a direction. */
  neighbour(from, [right, down]) {
    const start = this.cells.get(from);
    let best = null;
    let least = Infinity;
    for (const [cell, {x, y}] of this.cells) {
      const along = (x - start.x) * right + (y - start.y) * down;
      const across = Math.abs((x - start.x) * down) + Math.abs((y - start.y) * right);
      if (along > 1 && across <= 2 * along && along + 2 * across < least) [best, least] = [cell, along + 2 * across];
    }
    return best;
  }

  // -- marks -----------------------------------------------------------------------------------------------------------

  /** Colour what can be picked by the values of actions: rows with `cells`, `share`, `kind` and `value_text`. */
  paint(rows) {
    this.tints = rows;
    this.mark();
  }

  /** Show the first actions of a line as arrows. */
  point(line) {
    this.line = line;
    this.mark();
  }

  mark() {
    if (!this.cells.size) return;
    const next = nextCells(this.actions, this.chosen);
    const takesFocus = next.size > 0 || this.node.contains(document.activeElement);
    for (const [cell, {hit}] of this.cells) {
      const isNext = next.has(cell);
      const isChosen = this.chosen.includes(cell);
      hit.setAttribute("class", isNext || (this.drops && this.isNext(cell)) ? "hit next" : "hit");
      hit.setAttribute("tabindex", takesFocus && cell === this.cursor ? 0 : -1);
      hit.setAttribute("aria-disabled", !isNext && !isChosen);
      hit.setAttribute("aria-pressed", isChosen);
      const parts = [cell, translated(this.contents[cell]), isNext && say(this.chosen.length ? "target" : "can move")];
      hit.setAttribute("aria-label", parts.filter(Boolean).join(", "));
    }
    const rows = bestRows(this.cells, candidates(this.tints, this.chosen), this.chosen.length);
    const isChoice = this.chosen.length > 0 || (next.size <= MOST_TARGETS && this.actions.every(action => action.cells.length < 2));
    put(this.under, outlines(this.cells, this.last, "last-cell"), tints(this.cells, rows));
    put(this.over,
      outlines(this.cells, this.chosen, "chosen"),
      isChoice && targets(this.cells, next.keys(), cell => cell in this.contents),
      valueTexts(this.cells, rows, this.chosen.length + 1),
      arrows(this.cells, this.line),
      this.ghost);
    this.node.classList.toggle("drags", this.actions.some(action => action.cells.length > 1));
  }
}
