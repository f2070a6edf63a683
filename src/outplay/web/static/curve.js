// The values over the game as a curve; a click shows the position.

import {element, put, svgElement} from "./dom.js";
import {say} from "./words.js";

const WIDTH = 300;
const HEIGHT = 80;

export class Curve {
  constructor({ongo}) {
    this.ongo = ongo;
    this.points = [];
    this.drawing = svgElement("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img"});
    this.node = element("section", {class: "curve", "aria-label": say("curve"), hidden: true}, this.drawing);
    this.drawing.addEventListener("click", event => {
      const {left, width} = this.drawing.getBoundingClientRect();
      const index = Math.round((event.clientX - left) / width * (this.points.length - 1));
      if (this.points[index]) this.ongo(this.points[index].node);
    });
  }

  /** Points in the order of the game: a node, and a share from 0 to 1 for each player. */
  show(points, players) {
    this.points = points;
    this.node.hidden = points.length < 2;
    if (this.node.hidden) return;
    this.drawing.setAttribute("aria-label", say("curve label", {player: players[0]}));
    const count = players.length === 2 ? 1 : players.length;
    const curves = Array.from({length: count}, (_, player) => this.curve(player));
    const area = count === 1 && svgElement("path", {class: "area", d: `${curves[0].getAttribute("d")}V${HEIGHT}H0z`});
    this.now = svgElement("line", {class: "now", y1: 0, y2: HEIGHT});
    const middle = svgElement("line", {class: "zero", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2});
    put(this.drawing, area, middle, curves, this.now);
    this.mark(this.shown);
  }

  curve(player) {
    const line = this.points.map(({shares}, index) => `${this.x(index)} ${((1 - shares[player]) * (HEIGHT - 4) + 2).toFixed(1)}`);
    return svgElement("path", {class: `line player-${player}`, d: `M${line.join("L")}`});
  }

  x(index) {
    return (index / Math.max(1, this.points.length - 1) * WIDTH).toFixed(1);
  }

  mark(node) {
    this.shown = node;
    const index = this.points.findIndex(point => point.node === node);
    this.now?.setAttribute("visibility", index < 0 ? "hidden" : "visible");
    for (const name of ["x1", "x2"]) this.now?.setAttribute(name, this.x(Math.max(0, index)));
  }
}
