// Making elements. Texts become text nodes, never HTML, so that no name of a game or a move can be a script.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: `on…` are listeners, other attributes are set as such; `true` is "", false and null are left out. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svgElement(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

export function button(label, onclick, attributes = {}) {
  return element("button", {type: "button", onclick, ...attributes}, ...[label].flat());
}

/** A `<label>` around a field, with its text before it. */
export function labelled(label, field) {
  return element("label", {class: "field"}, element("span", {}, label), field);
}

export function select(options, chosen, attributes = {}) {
  return element("select", attributes, options.map(([value, text]) =>
    element("option", {value, selected: value === chosen}, text)));
}

/** Replace the children of a node; empty ones are left out. */
export function put(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
}
