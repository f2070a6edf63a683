// What is marked on a board. Each function gets the cells: the `place` of each, its middle, `width` and `height`.

import {svgElement} from "./dom.js";
import {bare} from "./drawing.js";
import {brief, quality, withoutUnit} from "./values.js";

const LINE_SHOWN = 3; // actions of a line
const NARROWEST = 22; // for a text
const MOST_TEXTS = 30; // of more values without short labels,
const BEST = 12; // only the best ones are written

/** The outlines of some of the cells. */
export function outlines(cells, names, look) {
  return [...new Set(names)].filter(cell => cells.has(cell)).map(cell => outline(cells.get(cell), look));
}

function outline({place}, look) {
  const copy = bare(place);
  copy.setAttribute("class", look);
  return copy;
}

/** Of rows of values, the best one for each cell that comes next in it, after so many that are chosen. */
export function bestRows(cells, rows, chosen) {
  const best = new Map();
  for (const row of rows) {
    const cell = row.cells[chosen];
    if (cells.has(cell) && (best.get(cell)?.share ?? -1) < row.share) best.set(cell, row);
  }
  return best;
}

/** Cells in the colours of their values: the better or the worse, the stronger. */
export function tints(cells, rows) {
  return [...rows].map(([cell, row]) => {
    const tint = outline(cells.get(cell), `tint ${quality(row)}`);
    if (tint.tagName === "circle") tint.setAttribute("r", 0.6 * tint.getAttribute("r")); // a point: room between the tints
    tint.setAttribute("fill-opacity", row.kind === "draw" ? 0.45 : 0.15 + 1.1 * Math.abs(row.share - 0.5));
    return tint;
  });
}

/** The values of actions that end with the next cell, which is the one of this number; of many, of the best ones. */
export function valueTexts(cells, rows, number) {
  const all = [...rows];
  const best = all.length > MOST_TEXTS && !all[0][1].label ? all.slice(0, BEST) : all;
  return best.filter(([cell, row]) => row.cells.length === number && cells.get(cell).width > NARROWEST).map(([cell, row]) => {
    const {x, y, width, height} = cells.get(cell);
    const text = row.label ?? withoutUnit(brief(row.value_text));
    const size = Math.min(13, 1.5 * width / Math.max(3, text.length));
    return svgElement("text", {class: "cell-value", x, y: y + height / 2 - 4, "font-size": size}, text);
  });
}

/** A dot on each cell that can be chosen, or a ring around what is on it. */
export function targets(cells, names, isFull) {
  return [...names].filter(cell => cells.has(cell)).map(cell => {
    const {x, y, width, height} = cells.get(cell);
    const side = Math.min(width, height);
    const [look, share] = isFull(cell) ? ["take", 0.45] : ["target", 0.13];
    return svgElement("circle", {class: look, cx: x, cy: y, r: Math.max(3, share * side)});
  });
}

/** The first actions of a line: arrows from their first to their last cells, or numbers where these are the same. */
export function arrows(cells, line) {
  return line.slice(0, LINE_SHOWN).flatMap((action, number) => {
    const [from, to] = [cells.get(action.cells[0]), cells.get(action.cells.at(-1))];
    if (!from || !to) return [];
    const mark = from === to ? numbered(to, number + 1) : [arrow(from, to)];
    return [svgElement("g", {class: `arrow step-${number}`}, mark)];
  });
}

function numbered({x, y}, number) {
  return [svgElement("circle", {cx: x, cy: y, r: 11}), svgElement("text", {class: "arrow-number", x, y: y + 5}, number)];
}

function arrow(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [right, down] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const [tip, neck] = [length - 6, length - 22];
  const at = ([along, across]) => `${from.x + right * along - down * across} ${from.y + down * along + right * across}`;
  const corners = [[8, -4], [neck, -4], [neck, -11], [tip, 0], [neck, 11], [neck, 4], [8, 4]].map(at);
  return svgElement("path", {d: `M${corners.join("L")}z`});
}
