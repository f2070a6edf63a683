// What a value looks like. Colours are seen from the player to move.

import {translated} from "./words.js";

/** Whether a value is good, bad or even for the player to move. */
export function quality({kind, share}) {
  if (kind === "win") return "good";
  if (kind === "loss") return "bad";
  return kind === "draw" || Math.abs(share - 0.5) < 0.02 ? "even" : share > 0.5 ? "good" : "bad";
}

/** A value with at most two digits after the point. */
export function brief(text) {
  if (!/^[+-]?\d*\.\d{3,}$/.test(text)) return translated(text);
  const rounded = Number(text).toFixed(2);
  return Number(rounded) === 0 ? "0.00" : text.startsWith("+") ? `+${rounded}` : rounded;
}

/** The number of a value such as `+1.34 discs`; other texts as they are. */
export function withoutUnit(text) {
  return text.match(/^[+-]?[\d.]+(?= )/)?.[0] ?? text;
}

/** A large number in a few letters. */
export function short(number) {
  if (number < 10_000) return String(number);
  return number < 1e6 ? `${Math.round(number / 1e3)} k` : `${(number / 1e6).toPrecision(3)} M`;
}
