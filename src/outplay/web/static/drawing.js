// The picture of a board as outplay draws it: an SVG, whose places have `data-cell`.

import {translated} from "./words.js";

const HALF_LINE = 10; // pixels

/** The drawing without its style, which the page has; it refers to nothing outside. */
export function picture(svg) {
  const text = svg.replace(/<style>.*?<\/style>/gs, "");
  const drawing = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  drawing.removeAttribute("role"); // it is no image, for its places are buttons
  drawing.querySelector("title")?.remove();
  for (const line of drawing.querySelectorAll("text")) {
    if (/ to (move|play)$/.test(line.textContent)) line.textContent = translated(line.textContent);
  }
  return drawing;
}

/** A copy of something drawn, with the look of the group that it is in. */
export function inItsGroup(part) {
  const group = part.parentNode.matches(".board") ? null : part.parentNode.cloneNode(false);
  const copy = part.cloneNode(true);
  group?.append(copy);
  return group ?? copy;
}

/** A copy of a place without its look. */
export function bare(place) {
  const copy = place.cloneNode(false);
  for (const name of ["fill", "stroke", "stroke-opacity", "stroke-width", "class", "data-cell", "fill-opacity"]) {
    copy.removeAttribute(name);
  }
  return copy;
}

/** The middle of something drawn, whose box is known. */
export function centre(place, {x, y, width, height}) {
  const matrix = place.transform.baseVal.consolidate()?.matrix ?? {a: 1, b: 0, c: 0, d: 1, e: 0, f: 0};
  const [right, down] = [x + width / 2, y + height / 2];
  return {x: matrix.a * right + matrix.c * down + matrix.e, y: matrix.b * right + matrix.d * down + matrix.f};
}

/** The part of the board that contains this. */
export function topmost(node, drawing) {
  const board = drawing.querySelector(".board") ?? drawing;
  while (node.parentNode !== board) node = node.parentNode;
  return node;
}

/** All that is drawn but groups and the marks of this page. */
export function drawnParts(drawing) {
  return [...drawing.querySelectorAll(".board *")].filter(part =>
    part.getBBox && part.tagName !== "g" && !part.closest(".hits, .over, .under"));
}

/** Turn the board around: places and lines by half a turn, pieces and names upright to where their places are now. */
export function flip(drawing, places) {
  const boxes = places.map(place => place.getBBox());
  const width = Math.min(...boxes.map(box => box.x)) + Math.max(...boxes.map(box => box.x + box.width));
  const height = Math.min(...boxes.map(box => box.y)) + Math.max(...boxes.map(box => box.y + box.height));
  const parts = drawnParts(drawing).filter(part => !places.includes(part)).map(part => [part, part.getBBox()]);
  const lines = parts.filter(([part]) => part.getAttribute("text-anchor") === "start").map(([, box]) => box.y + box.height / 2);
  for (const place of places) place.setAttribute("transform", `rotate(180 ${width / 2} ${height / 2})`);
  for (const [part, box] of parts) {
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const isInLine = lines.some(line => Math.abs(y - line) < HALF_LINE); // the text below the board stays there
    const home = boxes.find(place => contains(place, x, y) && box.width <= 1.1 * place.width && box.height <= 1.1 * place.height);
    const from = home ? {x: home.x + home.width / 2, y: home.y + home.height / 2} : {x, y};
    if (!isInLine) part.setAttribute("transform", `translate(${width - 2 * from.x} ${height - 2 * from.y})`);
  }
}

function contains(box, x, y) {
  return x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
}
