// A modal dialog with a title and a button that closes it; Esc and a click beside it do so too.

import {button, element} from "./dom.js";
import {icon} from "./icons.js";

/** Open a dialog, which is removed once it is closed. */
export function dialog(title, closeLabel, ...children) {
  const heading = element("h2", {id: "dialog-title", tabindex: -1, autofocus: true}, title);
  const box = element("dialog", {"aria-labelledby": "dialog-title"},
    element("header", {}, heading, button(icon("close"), () => box.close(), {class: "quiet", "aria-label": closeLabel})), children);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", event => { if (event.target === box) box.close(); });
  document.querySelector(".outplay-page").append(box);
  box.showModal();
  return box;
}
