// The first page: all games as cards, and the form that starts one.

import {dialog} from "./dialog.js";
import {button, element, labelled, put, select} from "./dom.js";
import {picture} from "./drawing.js";
import {grouped} from "./games.js";
import {say, translated} from "./words.js";

const CLOCKS = ["1:00+1", "3:00+2", "5:00+3", "10:00+5", "30:00"];

export class Lobby {
  /** `request` asks the engine; `onrecord()` opens a record. */
  constructor({request, onrecord}) {
    this.request = request;
    this.search = element("input", {
      type: "search", placeholder: say("find"), "aria-label": say("find"), oninput: () => this.list(),
    });
    this.cards = element("div", {class: "cards"});
    this.node = element("main", {class: "lobby", id: "main", tabindex: -1},
      element("div", {class: "welcome"},
        element("h1", {}, say("title")), element("p", {}, say("subtitle")),
        element("div", {class: "row"}, this.search, button(say("open record"), onrecord))),
      this.cards);
    this.inView = new IntersectionObserver(entries => {
      for (const {target, isIntersecting} of entries) if (isIntersecting) this.drawPicture(target);
    }, {rootMargin: "200px"});
  }

  show(games) {
    this.games = games;
    this.pictures = new Map();
    this.list();
  }

  list() {
    const wanted = this.search.value.trim().toLowerCase();
    const games = this.games.filter(game => `${game.title} ${game.name} ${game.line}`.toLowerCase().includes(wanted));
    const yours = games.filter(game => game.file);
    const groups = [[say("your games"), yours], ...grouped(games.filter(game => !game.file), say("games"))];
    put(this.cards, groups.filter(([, members]) => members.length).map(([title, members]) => element("section", {},
      element("h2", {}, title), element("ul", {}, members.map(game => this.card(game))))),
    games.length ? null : element("p", {class: "faint"}, say("nothing found")));
  }

  card(game) {
    const thumbnail = element("div", {class: "thumbnail", "data-game": game.name, "aria-hidden": "true"});
    const title = element("h3", {}, game.title);
    if (game.error) return element("li", {}, element("div", {class: "card"}, title, element("pre", {class: "error"}, game.error)));
    this.inView.observe(thumbnail);
    return element("li", {}, element("a", {class: "card", href: `#/new/${encodeURIComponent(game.name)}`},
      thumbnail, title, element("p", {class: "about"}, game.line), tags(game)));
  }

  async drawPicture(target) {
    this.inView.unobserve(target);
    const {game} = target.dataset;
    if (!this.pictures.has(game)) this.pictures.set(game, this.request("picture", {game}).catch(() => ({})));
    const {svg, text} = await this.pictures.get(game);
    if (svg || text) put(target, svg ? picture(svg) : element("pre", {}, text));
  }
}

function tags(game) {
  const words = [game.players === 1 ? say("one player") : game.players > 2 && say("players", {count: game.players}),
    game.chance && say("chance"), game.hidden && say("hidden")].filter(Boolean);
  return words.length ? element("p", {class: "tags"}, words.map(word => element("span", {}, word))) : null;
}

/** The form that starts a game: `onopen(fields, {explore})` gets what `open` needs. */
export function newGame(game, {players = [], chosen = {}, onopen, onclose}) {
  const seats = Array.from({length: game.players}, (_, player) =>
    translated(game.player_names?.[player]) ?? say("player", {player: player + 1}));
  const strengths = (game.levels ?? []).map(({text, title}) => [text, translated(title)]);
  const isFor = kinds => kinds.filter(Boolean);
  const opponent = select(isFor([
    game.players > 1 && ["computer", say(game.players > 2 ? "computers" : "computer")],
    game.players > 1 && ["here", say("here")],
    game.players > 1 && ["link", say("by link")],
    game.players === 1 && ["here", say("alone")],
    ["watch", say("watch")],
  ]), chosen.opponent ?? (game.players === 1 ? "here" : "computer"), {name: "opponent"});
  const sides = [...seats.map((name, player) => [String(player), name]), ["random", say("random side")]];
  const side = select(sides, chosen.side ?? "0", {name: "side"});
  const level = select(strengths, chosen.level ?? game.computer ?? strengths.at(-1)?.[0], {name: "level"});
  const clock = select([["", say("no clock")], ...CLOCKS.map(text => [text, text])], chosen.clock ?? "", {name: "clock"});
  const custom = seats.map((_, player) => element("input", {
    name: `seat-${player}`, list: "player-texts", autocomplete: "off", placeholder: "alpha-beta(level=3)",
  }));
  const entered = element("input", {type: "checkbox", name: "chance"});
  const start = element("textarea", {name: "start", rows: 2, spellcheck: "false", placeholder: game.start_text ?? ""});

  const personsSides = () => {
    if (opponent.value === "watch") return [];
    return opponent.value === "computer" ? [mine()] : seats.map((_, player) => player);
  };
  const mine = () => side.value === "random" ? Math.floor(Math.random() * seats.length) : Number(side.value);
  const fields = persons => ({
    game: game.name,
    seats: seats.map((_, player) => custom[player].value.trim() || (persons.includes(player) ? "person" : level.value || "random")),
    ...(clock.value && {clock: clock.value}),
    ...(entered.checked && {chance: "people"}),
    ...(start.value.trim() && {start: start.value.trim()}),
  });
  const open = (persons, options) => {
    const wanted = {opponent: opponent.value, side: side.value, level: level.value, clock: clock.value};
    const own = opponent.value === "link" ? mine() : null;
    onopen(fields(persons), {...options, side: own, wanted}).then(() => box.close(), showError);
  };
  const showError = error => put(problem, error.message);
  const problem = element("p", {class: "error", role: "alert"});
  const sideField = labelled(say("you play"), side);
  const levelField = labelled(say("level"), level);
  const update = () => {
    sideField.hidden = !["computer", "link"].includes(opponent.value) || seats.length < 2;
    levelField.hidden = !["computer", "watch"].includes(opponent.value) || !strengths.length;
  };
  opponent.addEventListener("change", update);
  update();
  const submit = event => {
    event.preventDefault();
    open(personsSides());
  };
  const form = element("form", {class: "new-game", onsubmit: submit},
    element("p", {class: "faint"}, game.line),
    labelled(say("opponent"), opponent), sideField, levelField, labelled(say("time"), clock),
    element("details", {}, element("summary", {}, say("more options")),
      game.chance && element("label", {class: "field check"}, entered, element("span", {}, say("enter chance"))),
      element("fieldset", {}, element("legend", {}, say("custom")), seats.map((name, player) => labelled(name, custom[player])),
        element("datalist", {id: "player-texts"}, players.map(player => element("option", {value: player.text}, player.title)))),
      game.can_set_up !== false && labelled(say("start from"), start)),
    problem,
    element("div", {class: "row end"},
      game.hidden ? null : button(say("explore"), () => open(seats.map((_, player) => player), {explore: true})),
      element("button", {type: "submit", class: "primary"}, say("play"))));
  const box = dialog(game.title, say("close"), form);
  box.addEventListener("close", onclose);
  form.querySelector("button.primary").focus();
  return box;
}
