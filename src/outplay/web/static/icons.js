// Icons as lines on a field of 24 by 24.

import {svgElement} from "./dom.js";

const LINES = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  previous: "M16 5l-9 7 9 7z",
  next: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  undo: "M9 7l-5 5 5 5M4 12h10a5 5 0 0 1 0 10",
  resign: "M6 21V4M6 4h12l-3 4 3 4H6",
  flip: "M8 4v16M4 8l4-4 4 4M16 20V4M12 16l4 4 4-4",
  share: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  "new game": "M12 5v14M5 12h14",
  "set up": "M4 7h9M19 7h1M4 17h1M11 17h9M16 4v6M8 14v6",
  export: "M12 4v11M7 10l5 5 5-5M5 20h14",
  import: "M12 16V5M7 10l5-5 5 5M5 20h14",
  close: "M6 6l12 12M18 6L6 18",
};

/** An icon, which says nothing by itself: the button around it has a label. */
export function icon(name) {
  return svgElement("svg", {class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true"}, svgElement("path", {d: LINES[name]}));
}
