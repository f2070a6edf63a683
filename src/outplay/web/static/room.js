// The page of a game: the board, and beside it the players, the moves, what the search says, and tools.

import {Board} from "./board.js";
import {Curve} from "./curve.js";
import {ask, askWhich, enterText, saveRecord, share, stepPage} from "./dialogs.js";
import {button, element, put} from "./dom.js";
import {Explore} from "./explore.js";
import {Tree} from "./tree.js";
import {say} from "./words.js";

export class Room {
  /** `request` asks the engine; `onroom(room)` shows another room; `onnew(game)` starts a new game; `address(hash)` makes a link. */
  constructor({request, onroom, onnew, address}) {
    Object.assign(this, {request, onroom, onnew, address});
    this.board = new Board({
      onplay: id => this.act("play", {action: id}),
      onchoice: (actions, final) => this.choose(actions, final),
    });
    this.tree = new Tree({ongo: node => this.act("go", {node})});
    this.explore = new Explore({
      onswitch: on => this.setExplore(on),
      onplay: id => this.act("play", {action: id}),
      onsteps: () => stepPage(this.room.algorithms, algorithm => this.request("steps", {algorithm})),
    });
    this.curve = new Curve({ongo: node => this.act("go", {node})});
    this.bar = element("div", {class: "bar", "aria-hidden": "true", hidden: true}, element("div", {class: "share"}));
    this.players = element("section", {class: "players", "aria-label": say("opponent")});
    this.status = element("p", {class: "status", role: "status", "aria-live": "polite"});
    this.notes = element("p", {class: "notes faint"});
    this.problem = element("p", {class: "error", role: "alert"});
    this.actions = element("div", {class: "row wrap actions", role: "group", "aria-label": say("actions")});
    this.tools = element("div", {class: "row wrap tools", role: "group", "aria-label": say("tools")});
    this.typed = element("form", {class: "row typed", onsubmit: event => this.playTyped(event)},
      element("input", {"aria-label": say("type move"), placeholder: say("type move"), autocomplete: "off", spellcheck: "false"}));
    this.boardText = element("pre", {class: "board-text"});
    this.asText = element("details", {}, element("summary", {}, say("text board")), this.boardText);
    this.panel = element("div", {class: "panel"}, this.players, this.status, this.problem, this.actions, this.explore.node, this.curve.node,
      this.tree.node, this.tools, element("div", {class: "below"}, this.typed, this.notes, this.asText));
    this.node = element("main", {class: "room", id: "main", tabindex: -1}, element("div", {class: "table"}, this.bar, this.board.node), this.panel);
  }

  /** Show a room from the engine. */
  show(room, {explore = this.explore.on} = {}) {
    const isOther = room.room !== this.room?.room;
    this.room = room;
    if (isOther) this.tree.shown = 0;
    this.explore.node.hidden = room.can_explore === false;
    this.tree.add({...room.tree, whole: true});
    this.showPosition(room.position);
    this.showTools();
    if (explore && room.can_explore !== false) this.setExplore(true);
  }

  /** Take what the engine sends by itself. */
  receive(message) {
    if (message.room && message.room !== this.room.room) return;
    if (message.type === "position") this.showPosition(message);
    else if (message.type === "tree") this.tree.add(message);
    else if (message.type === "values") this.showValues(message);
    else if (message.type === "curve") this.curve.show(message.points, this.names());
    else if (message.type === "thinking") this.thinking(message);
    else if (message.type === "seats") this.showSeats(message.seats);
    else if (message.type === "notice") this.problem.textContent = message.text;
    else if (message.type === "asked") this.answerUndo(message);
  }

  async act(type, fields = {}) {
    this.problem.textContent = "";
    try {
      return await this.request(type, fields);
    } catch (error) {
      this.problem.textContent = error.message;
      this.board.clear();
      return null;
    }
  }

  // -- the position ----------------------------------------------------------------------------------------------------

  showPosition(position) {
    const isNew = position.node !== this.position?.node;
    this.position = position;
    this.board.show(position, {drops: this.room.game.drops});
    this.boardText.textContent = position.text ?? "";
    this.asText.hidden = !position.svg;
    put(this.notes, (position.notes ?? []).join(" · "));
    this.tree.mark(position.node);
    this.curve.mark(position.node);
    this.showSeats(this.room.seats);
    this.showActions([]);
    this.showStatus();
    if (this.explore.on && isNew) this.explore.wait();
    this.typed.hidden = !position.actions.length;
  }

  showStatus() {
    const {turn, player_title: title, live, result, last, actions} = this.position;
    const parts = [];
    if (last && live !== false) parts.push(say("played", {player: last.player_title ?? "", move: last.name}).replace(/^[:：]\s*/, ""));
    if (live === false) parts.push(say("looking back"));
    else if (turn === "over") parts.push(result ?? say("over"));
    else if (turn === "you") parts.push(this.mine().length > 1 ? say("turn of", {player: title}) : say("your turn"));
    else if (turn === "computer") parts.push(say("thinking", {player: title}));
    else if (turn === "chance") parts.push(say(actions.length ? "enter what happens" : "rolling"));
    else parts.push(say("waiting", {player: title}));
    this.status.className = `status ${live === false ? "back" : turn}`;
    put(this.status, parts.length > 1 ? [element("span", {class: "last-move"}, parts[0]), " ", element("strong", {}, parts[1])]
      : element("strong", {}, parts[0]));
  }

  mine() {
    return this.room.seats.filter(seat => seat.mine);
  }

  names() {
    return this.room.seats.map(seat => seat.title ?? seat.name ?? `${seat.player + 1}`);
  }

  showSeats(seats) {
    this.room.seats = seats;
    put(this.players, seats.map(seat => {
      const isToMove = this.position.player === seat.player && this.position.turn !== "over";
      const name = seat.who === "person" ? say(seat.mine && this.mine().length === 1 ? "you" : "person") : seat.name ?? seat.who;
      const clock = this.position.clocks?.[seat.player];
      return element("div", {class: isToMove ? "seat to-move" : "seat", "aria-current": isToMove && "true"},
        element("span", {class: `mark player-${seat.player}`}),
        element("span", {class: "seat-title"}, seat.title ?? say("seat", {player: seat.player + 1})),
        element("span", {class: "seat-name faint"}, name),
        clock && element("time", {class: "clock", "data-player": seat.player, role: "timer", "aria-label": say("elapsed")}, clockText(clock.seconds)));
    }));
    this.runClocks();
  }

  runClocks() {
    clearInterval(this.ticking);
    const start = performance.now();
    const running = this.position.clocks?.findIndex(clock => clock.running) ?? -1;
    const field = this.players.querySelector(`[data-player="${running}"]`);
    if (!field) return;
    const {seconds} = this.position.clocks[running];
    this.ticking = setInterval(() => {
      field.textContent = clockText(seconds - (performance.now() - start) / 1000);
    }, 200);
  }

  thinking({depth, nodes}) {
    if (this.position.turn === "computer") this.status.dataset.search = [depth && say("depth", {depth}), nodes && say("nodes", {nodes})].filter(Boolean).join(" · ");
  }

  // -- acting ----------------------------------------------------------------------------------------------------------

  /** Buttons for the actions that are not on the board, and for those that are chosen but could go on. */
  showActions(complete) {
    const {actions, live, turn, player_title: title} = this.position;
    const beside = complete.length ? complete : actions.filter(action => action.cells.length === 0 || !this.position.svg);
    const buttons = beside.map(action => button(action.odds ? `${action.name} (${action.odds})` : action.name,
      () => this.act("play", {action: action.id}), {class: "action"}));
    if (turn === "chance" && actions.length) buttons.push(button(say("roll"), () => this.act("roll"), {class: "action primary"}));
    if (live === false) buttons.push(button(say("back to game"), () => this.act("go", {node: this.tree.current}), {class: "primary"}));
    if (live === false && this.position.can_vary && ["computer", "other"].includes(turn)) {
      buttons.push(button(say("let play", {player: title}), () => this.act("resume")));
    }
    put(this.actions, buttons);
  }

  choose(complete, final) {
    if (final && complete.length > 1) {
      askWhich(complete, {onchoose: action => this.act("play", {action: action.id}), oncancel: () => this.board.clear()});
    } else {
      this.showActions(complete);
    }
  }

  async playTyped(event) {
    event.preventDefault();
    const field = this.typed.querySelector("input");
    if (field.value.trim() && await this.act("play_text", {text: field.value.trim()})) field.value = "";
  }

  // -- exploring -------------------------------------------------------------------------------------------------------

  async setExplore(on) {
    this.explore.turn(on);
    this.bar.hidden = !on || this.room.seats.length !== 2;
    if (!on) {
      this.board.paint([]);
      this.board.point([]);
      this.curve.show([], this.names());
    }
    await this.act("explore", {on});
    await this.act("curve", {on});
  }

  showValues(values) {
    if (!this.explore.on || values.node !== this.position.node) return;
    this.explore.show(values, {canSteps: this.room.algorithms?.length > 0});
    this.board.paint(values.rows);
    this.board.point(values.best_line ?? []);
    if (values.value) this.bar.firstChild.style.setProperty("--share", values.value.share);
  }

  // -- tools -----------------------------------------------------------------------------------------------------------

  showTools() {
    const {game} = this.room;
    const isPlayer = this.mine().length > 0;
    const tool = (sign, label, onclick) => button([element("span", {"aria-hidden": "true"}, sign), " ", say(label)], onclick);
    put(this.tools,
      isPlayer && tool("↶", "undo", () => this.undo()),
      isPlayer && game.players > 1 && tool("⚑", "resign", () => ask(say("resign sure"), yes => yes && this.act("resign"))),
      game.has_picture !== false && tool("⇅", "flip", () => this.turnBoard()),
      tool("🔗", "share", () => this.share()),
      tool("＋", "new game", () => this.onnew(game)),
      game.can_set_up && tool("⚙", "set up", () => this.setUp()),
      game.formats?.length > 0 && tool("⤓", "export", () => saveRecord(game.formats, format => this.request("export", {format}))),
      tool("⤒", "import", () => this.importRecord()));
  }

  turnBoard() {
    this.board.flipped = !this.board.flipped;
    this.showPosition(this.position);
  }

  async undo() {
    const answer = await this.act("undo");
    if (answer?.asked) this.problem.textContent = say("asked");
  }

  answerUndo({player}) {
    ask(say("asks undo", {player: this.names()[player]}), yes => this.act("agree", {what: "undo", yes}));
  }

  async share() {
    const {room, seats, tokens = {}} = this.room;
    const links = [[say("link to watch"), this.address(`#/room/${room}`)]];
    for (const {player} of seats) {
      if (tokens[player]) links.push([say("link of seat", {player: this.names()[player]}), this.address(`#/room/${room}/${tokens[player]}`)]);
    }
    const position = this.room.game.hidden ? null : await this.request("link").catch(() => null);
    if (position?.text) links.unshift([say("link of position"), this.address(position.text)]);
    share(links);
  }

  setUp() {
    const {game} = this.room;
    enterText({title: say("set up"), hint: say("set up hint"), value: this.position.state_text ?? "", placeholder: game.start_text ?? "",
      onopen: async text => this.onroom(await this.request("set_up", {text}))});
  }

  importRecord() {
    enterText({title: say("import"), hint: say("import hint"), withFile: true,
      onopen: async text => this.onroom(await this.request("import", {text, game: this.room.game.name}))});
  }

  // -- keys ------------------------------------------------------------------------------------------------------------

  onkey(event) {
    const steps = {ArrowLeft: () => this.tree.parent(), ArrowRight: () => this.tree.child(), Home: () => this.tree.root(), End: () => this.tree.end()};
    const named = this.actionOfKey(event.key);
    if (named) this.act("play", {action: named.id});
    else if (event.key in steps) this.tree.go(steps[event.key]());
    else if (event.key === "f") this.turnBoard();
    else if (event.key === "e" && !this.explore.node.hidden) this.setExplore(!this.explore.on);
    else return;
    event.preventDefault();
  }

  /** In games with actions such as `left`, the arrow keys play them. */
  actionOfKey(key) {
    const direction = {ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down"}[key];
    return direction && this.position.actions.find(action => action.name === direction);
  }
}

function clockText(seconds) {
  const left = Math.max(0, seconds);
  const minutes = Math.floor(left / 60);
  const rest = left < 10 ? (left % 60).toFixed(1).padStart(4, "0") : String(Math.floor(left % 60)).padStart(2, "0");
  return `${minutes}:${rest}`;
}
