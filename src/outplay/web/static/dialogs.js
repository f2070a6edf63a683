// The dialogs of a game: which of several actions, links, set-up, records, steps, a question.

import {Board} from "./board.js";
import {dialog} from "./dialog.js";
import {button, element, labelled, select} from "./dom.js";
import {say, translated} from "./words.js";

/** Ask which of several actions that look the same on the board is meant. */
export function askWhich(actions, {onchoose, oncancel}) {
  const box = dialog(say("choose"), say("cancel"), element("div", {class: "row wrap choices"}, actions.map(action =>
    button(action.name, () => { box.onclose = null; box.close(); onchoose(action); }, {class: "action"}))));
  box.onclose = oncancel;
  box.querySelector(".action").focus();
}

/** Ask a question that is answered by yes or no. */
export function ask(question, onanswer) {
  const answer = yes => () => { box.close(); onanswer(yes); };
  const box = dialog(question, say("close"), element("div", {class: "row end"},
    button(say("no"), answer(false)), button(say("yes"), answer(true), {class: "primary"})));
}

/** Links to copy: pairs of a label and an address. */
export function share(links) {
  dialog(say("share"), say("close"), links.map(([label, address]) => {
    const field = element("input", {readonly: true, value: address, onfocus: event => event.target.select()});
    return element("div", {class: "link"}, labelled(label, field), copyButton(field));
  }));
}

/** A button that copies the text of a field. */
function copyButton(field) {
  const copy = button(say("copy"), async () => {
    field.select();
    const write = navigator.clipboard?.writeText(field.value) ?? Promise.reject(); // there is none without https
    await write.catch(() => document.execCommand("copy"));
    copy.textContent = say("copied");
  });
  return copy;
}

/** A text to enter or to read from a file; `onopen` may refuse it with an error, which is shown. */
export function enterText({title, hint, value = "", placeholder = "", withFile = false, onopen}) {
  const text = element("textarea", {rows: 8, spellcheck: "false", placeholder, "aria-label": title});
  text.value = value;
  const file = element("input", {type: "file", onchange: async () => { text.value = await file.files[0].text(); }});
  const problem = element("p", {class: "error", role: "alert"});
  const form = element("form", {onsubmit: event => {
    event.preventDefault();
    onopen(text.value).then(() => box.close(), error => { problem.textContent = error.message; });
  }}, element("p", {class: "faint"}, hint), text, withFile && labelled(say("file"), file), problem,
  element("div", {class: "row end"}, element("button", {type: "submit", class: "primary"}, say("open"))));
  const box = dialog(title, say("close"), form);
  text.focus();
}

/** A record of the game in one of its formats. `write(format)` resolves to its `name` and `text`. */
export function saveRecord(formats, write) {
  const text = element("textarea", {rows: 10, readonly: true, "aria-label": say("export")});
  const problem = element("p", {class: "error", role: "alert"});
  const link = element("a", {class: "button primary"}, say("download"));
  const show = async () => {
    try {
      const record = await write(format.value);
      text.value = record.text;
      link.href = URL.createObjectURL(new Blob([record.text], {type: "text/plain"}));
      link.download = record.name;
      problem.textContent = "";
    } catch (error) {
      text.value = "";
      problem.textContent = error.message;
    }
  };
  const format = select(formats.map(name => [name, name.toUpperCase()]), formats[0], {onchange: show});
  const copy = copyButton(text);
  dialog(say("export"), say("close"), element("div", {class: "stack"},
    labelled(say("format"), format), text, problem, element("div", {class: "row end"}, copy, link)));
  show();
}

/** A page of steps in a frame that may do nothing but run its own script. */
export function stepPage(algorithms, open) {
  const frame = element("iframe", {sandbox: "allow-scripts", title: say("steps")});
  const problem = element("p", {class: "error", role: "alert"});
  const show = async () => {
    problem.className = "faint";
    problem.textContent = say("searching");
    try {
      const {url, html} = await open(algorithm.value);
      if (html) frame.srcdoc = html;
      else frame.src = url;
      problem.textContent = "";
    } catch (error) {
      problem.className = "error";
      problem.textContent = error.message;
    }
  };
  const algorithm = select(algorithms.map(name => [name, name]), algorithms[0], {onchange: show});
  const box = dialog(say("steps"), say("close"), labelled(say("algorithm"), algorithm), problem, frame);
  box.classList.add("wide");
  show();
}

/**
 * A table: how many states have which value, and the longest way to it; and a board, on which a click on a piece shows
 * the values with this piece on each other place. `ask(cell)` resolves to those of a piece, and without a cell to the
 * counts, or to nothing.
 */
export async function showMap({svg, contents}, canSetUp, ask) {
  const counts = await ask();
  if (!counts) return;
  const cells = (tag, texts) => element("tr", {}, texts.map(text => element(tag, {}, text)));
  const rows = counts.values.map(({value, states, longest}) => cells("td", [value, states.toLocaleString(), longest ?? ""]));
  const hint = element("p", {class: "faint", role: "status"}, say(canSetUp ? "map hint" : "no map"));
  const pieces = Object.keys(contents).map((cell, id) => ({id, name: cell, cells: [cell]}));
  const board = new Board({onchoice: () => {}, onplay: async id => {
    board.last = pieces[id].cells;
    board.paint([]);
    hint.textContent = say("searching");
    const found = await ask(pieces[id].name);
    board.paint(found?.rows ?? []);
    hint.textContent = say(found?.rows.length ? "map shown" : "map empty", {piece: translated(contents[pieces[id].name])});
  }});
  const box = dialog(say("map"), say("close"), hint, canSetUp && board.node, element("table", {class: "map"},
    element("thead", {}, cells("th", [say("value"), say("states"), say("longest")])), element("tbody", {}, rows)));
  if (canSetUp) board.show({svg, contents, actions: pieces});
  box.classList.add("with-board");
}
