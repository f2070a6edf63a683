// What the search says of the position that is shown: the value of each action, live, and the best line.

import {button, element, put} from "./dom.js";
import {brief, quality, short} from "./values.js";
import {say, translated} from "./words.js";

const ROWS = 12;

export class Explore {
  /** `onswitch(on)`, `onplay(id)` for a row, `onsteps()` for the page with the steps, `onmap()` for that of a table. */
  constructor({onswitch, onplay, onsteps, onmap}) {
    this.onplay = onplay;
    this.switch = element("input", {type: "checkbox", role: "switch", onchange: () => onswitch(this.switch.checked)});
    this.summary = element("p", {class: "summary"});
    this.rows = element("tbody");
    this.table = element("table", {}, element("caption", {class: "unseen"}, say("value of")),
      element("thead", {class: "unseen"},
        element("tr", {}, ["move", "value", "estimate"].map(key => element("th", {scope: "col"}, say(key))))),
      this.rows);
    this.line = element("p", {class: "best-line"});
    this.steps = button(say("why"), onsteps, {class: "quiet"});
    this.map = button(say("map"), onmap, {class: "quiet"});
    this.more = element("div", {class: "row wrap"}, this.steps, this.map);
    this.details = element("div", {class: "details", hidden: true}, this.summary,
      element("div", {class: "values", tabindex: 0, role: "group", "aria-label": say("value of")}, this.table), this.line, this.more);
    this.node = element("section", {class: "explore", "aria-label": say("explore")},
      element("label", {class: "switch"}, this.switch, element("span", {}, say("explore"))), this.details);
  }

  get on() {
    return this.switch.checked;
  }

  turn(on, {over}) {
    this.switch.checked = on;
    this.details.hidden = !on;
    if (on) this.wait({over});
  }

  /** Until values of a new position come; none come if the game is over. */
  wait({over = false} = {}) {
    this.more.hidden = true;
    put(this.summary, say(over ? "no values" : "searching"));
    put(this.rows);
    put(this.line);
  }

  show(values, {canSteps}) {
    const {rows, best_line: line = [], depth, nodes, exact, done, source, note} = values;
    this.more.hidden = false;
    this.steps.hidden = !canSteps;
    this.map.hidden = source !== "table";
    put(this.summary, translated(note) || [
      source === "table" ? say("from table") : source === "book" ? say("from book") : exact ? say("proved") : say("estimate"),
      source === "search" && depth ? say("depth", {depth}) : "",
      source === "search" && nodes ? say("nodes", {nodes: short(nodes)}) : "",
      done || source !== "search" ? "" : "…",
    ].filter(Boolean).join(" · "));
    this.showRows(rows);
    const label = line.length > 0 && element("span", {class: "faint"}, `${say("best line")}: `);
    put(this.line, label, line.map(({name}) => name).join("  "));
  }

  /** The rows of the table. Those that are there already stay, so that they keep the focus. */
  showRows(rows) {
    const shown = this.all ? rows : rows.slice(0, ROWS);
    const known = new Map([...this.rows.children].map(line => [line.dataset.id, line]));
    const lines = shown.map(row => this.row(row, known.get(String(row.id))));
    if (shown.length < rows.length) lines.push(this.moreRows(rows));
    if (lines.length !== known.size || lines.some((line, index) => line !== this.rows.children[index])) put(this.rows, lines);
  }

  row(row, known) {
    const line = known ?? element("tr", {"data-id": row.id},
      element("th", {scope: "row"}, button(row.name, () => this.onplay(row.id), {class: "quiet"})), element("td"), element("td"));
    const [, value, scale] = line.children;
    put(value, element("span", {class: `badge ${quality(row)}`, title: row.value_text}, brief(row.value_text)),
      row.book && element("span", {class: "badge even", title: effort(row.book)}, say("book")));
    put(scale, interval(row));
    return line;
  }

  moreRows(rows) {
    const more = button(`+ ${rows.length - ROWS}`, () => { this.all = true; this.showRows(rows); }, {class: "quiet"});
    return element("tr", {}, element("td", {colspan: 3}, more));
  }
}

/** How far the value of a book was searched; nothing for one that is proved. */
function effort({depth, nodes}) {
  return depth || nodes ? `${say("depth", {depth})} · ${say("nodes", {nodes: short(nodes)})}` : null;
}

/** The value as a point on a scale from loss to win, with its interval. */
function interval(row) {
  const scale = element("div", {class: "scale", "aria-hidden": "true"});
  const [low, high] = [row.low ?? row.share, row.high ?? row.share];
  const bar = element("span", {class: `interval ${quality(row)}`});
  bar.style.left = `${100 * low}%`;
  bar.style.width = `${100 * (high - low)}%`;
  const point = element("span", {class: `point ${quality(row)}`});
  point.style.left = `${100 * row.share}%`;
  scale.append(bar, point);
  return scale;
}
