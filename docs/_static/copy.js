// A button on each block of code that copies what a reader would type: without prompts and outputs.
"use strict";

function typed(block) {
  const code = block.querySelector("pre").cloneNode(true);
  if (!code.querySelector(".gp")) return code.textContent;
  const lines = [""];
  for (const part of code.childNodes) {
    if (part.nodeType === Node.ELEMENT_NODE && part.classList.contains("go")) continue;
    if (part.nodeType === Node.ELEMENT_NODE && part.classList.contains("gp")) {
      lines[lines.length - 1] = "\0"; // a line that begins with a prompt
      continue;
    }
    const [first, ...more] = part.textContent.split("\n");
    lines[lines.length - 1] += first;
    lines.push(...more);
  }
  return lines.filter((line) => line.startsWith("\0")).map((line) => line.slice(1) + "\n").join("");
}

document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(typed(block));
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "copy"), 1500);
    });
    block.append(button);
  }
});
