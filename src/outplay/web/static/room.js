// The page of a game: the board, and beside it the players, the moves, what the search says, and tools.

import {Board} from "./board.js";
import {Curve} from "./curve.js";
import {ask, askWhich, enterText, saveRecord, share, showMap, stepPage} from "./dialogs.js";
import {button, element, put} from "./dom.js";
import {Explore} from "./explore.js";
import {icon} from "./icons.js";
import {Tree} from "./tree.js";
import {short} from "./values.js";
import {say, translated} from "./words.js";

export class Room {
  /**
   * `request` asks the engine; `onroom(room)` shows another room; `onnew(game)` starts a new game; `address(hash)` makes a
   * link, and is missing where there are none.
   */
  constructor({request, onroom, onnew, address}) {
    Object.assign(this, {request, onroom, onnew, address});
    this.board = new Board({
      onplay: id => this.play(id),
      onchoice: (actions, final) => this.choose(actions, final),
    });
    this.tree = new Tree({ongo: node => this.go(node)});
    this.explore = new Explore({
      onswitch: on => this.setExplore(on),
      onplay: id => this.play(id),
      onmap: () => showMap(this.position, this.canSetUp && this.position.svg, cell => this.act("map", {cell})),
      onsteps: () => stepPage(this.room.game.algorithms, algorithm => this.request("steps", {algorithm})),
    });
    this.curve = new Curve({ongo: node => this.go(node)});
    this.bar = element("div", {"aria-hidden": "true", hidden: true}, element("div"));
    this.players = element("section", {class: "players", "aria-label": say("opponent")});
    this.status = element("p", {class: "status", role: "status", "aria-live": "polite"});
    this.progress = element("p", {class: "progress faint"});
    this.notes = element("p", {class: "notes faint"});
    this.problem = element("p", {class: "error", role: "alert"});
    this.question = element("div", {class: "row wrap question", role: "alert"});
    this.actions = element("div", {class: "row wrap actions", role: "group", "aria-label": say("actions")});
    this.tools = element("div", {class: "row wrap tools", role: "group", "aria-label": say("tools")});
    this.typed = element("form", {class: "row typed", onsubmit: event => this.playTyped(event)},
      element("input", {"aria-label": say("type move"), placeholder: say("type move"), autocomplete: "off", spellcheck: "false"}));
    this.boardText = element("pre", {class: "board-text"});
    this.asText = element("details", {}, element("summary", {}, say("text board")), this.boardText);
    this.panel = element("div", {class: "panel"},
      this.players, this.status, this.progress, this.problem, this.question, this.actions, this.explore.node, this.curve.node, this.tree.node,
      this.tools, element("div", {class: "below"}, this.typed, this.notes, this.asText));
    this.node = element("main", {class: "room", id: "main", tabindex: -1},
      element("div", {class: "table"}, this.bar, this.board.node), this.panel);
  }

  /** Show a room from the engine, whose tree and position follow. */
  show(room, {explore = this.explore.on}) {
    this.room = room;
    this.position = null;
    this.seen = new Map();
    this.latest = null;
    this.wantsExplore = explore;
    this.tree.clear();
    this.hold();
    this.showTools();
  }

  /** Take what the engine sends by itself. */
  receive(message) {
    if (message.room && message.room !== this.room.room) return;
    const take = {
      position: () => this.takePosition(message),
      tree: () => this.tree.add(message.nodes),
      values: () => this.showValues(message),
      curve: () => this.curve.show(this.explore.on ? message.points : [], this.names()),
      thinking: () => this.thinking(message),
      seats: () => this.takeSeats(message.seats),
      notice: () => this.showProblem(message.text),
    }[message.type];
    take?.();
  }

  showProblem(text) {
    this.problem.textContent = text;
  }

  async act(type, fields = {}) {
    this.showProblem("");
    try {
      return await this.request(type, fields);
    } catch (error) {
      this.showProblem(error.message === "disconnected" ? say("lost") : error.message);
      return null;
    }
  }

  /** Take no more moves until the next position. */
  hold() {
    this.returnsFocus ||= this.actions.contains(document.activeElement);
    this.board.hold();
    put(this.actions);
  }

  async play(id) {
    this.hold();
    if (!await this.act("play", {action: id, node: this.position.node})) this.showPosition(this.position);
  }

  // -- the position ----------------------------------------------------------------------------------------------------

  takePosition(position) {
    const isFirst = this.latest === null;
    this.latest = position.node;
    this.seen.set(position.node, position);
    this.showPosition(position);
    if (isFirst) {
      this.turnForMe();
      const explores = this.wantsExplore && !this.explore.node.hidden;
      if (explores || this.explore.on) this.setExplore(explores);
    }
    if (document.activeElement === document.body && this.playable.some(({cells}) => cells.length)) this.board.focus();
  }

  /** Show a position of the tree; where others play too, only one that this page has seen, and for itself alone. */
  async go(node) {
    if (this.isGoing) return; // keys that are held down repeat faster than the engine answers
    this.isGoing = true;
    if (this.position.explore) await this.act("go", {node});
    else if (this.seen.has(node)) this.showPosition(this.seen.get(node));
    this.isGoing = false;
  }

  /** Whether an earlier position is shown while the game goes on elsewhere. */
  get looksBack() {
    return this.position.node !== this.latest;
  }

  /** The actions that this page may play now; others are sent for their names alone. */
  get playable() {
    const {turn, actions} = this.position;
    return !this.looksBack && ["you", "chance"].includes(turn) ? actions : [];
  }

  showPosition(position) {
    const isNew = position.node !== this.position?.node;
    const wasAsked = !isNew && this.position.asked && !this.position.asked.mine;
    const isNext = this.tree.nodes.get(position.node)?.parent === this.position?.node;
    this.position = position;
    const actions = this.playable;
    this.board.show({...position, actions}, {drops: this.room.game.drops, slides: isNext});
    this.boardText.textContent = position.text ?? "";
    this.asText.hidden = !position.svg;
    put(this.notes, (position.notes ?? []).join(" · "));
    if (isNew || position.fault) this.showProblem(position.fault ?? "");
    else if (wasAsked && !position.asked && position.turn !== "over") this.showProblem(say("declined"));
    this.showQuestion(position.asked);
    this.explore.node.hidden = !(position.values ?? position.explore);
    this.tree.mark(position.node);
    this.curve.mark(position.node);
    this.takeSeats(this.room.seats);
    this.showActions([]);
    this.showStatus();
    if (this.explore.on && isNew) this.explore.wait({over: position.turn === "over"});
    const isOver = position.turn === "over";
    this.typed.hidden = isOver || !this.mine().length;
    this.tree.node.hidden = this.room.game.hidden && !isOver;
    this.toolButtons.undo.hidden = !position.explore && (this.room.game.hidden || !this.mine().length);
    this.toolButtons.resign.hidden = isOver || !this.mine().length || this.room.game.players < 2;
  }

  showStatus() {
    const {turn, result, last, thinking} = this.position;
    const title = translated(this.position.player_title);
    const says = {
      over: () => translated(result) || say("over"),
      you: () => this.isMineAlone(this.position.player) ? say("your turn") : say("turn of", {player: title}),
      computer: () => thinking ? say("thinking", {player: title}) : say("turn of", {player: title}),
      chance: () => say(this.playable.length ? "enter what happens" : "rolling"),
      other: () => title ? say("waiting", {player: title}) : "",
      fault: () => "",
    };
    const now = this.looksBack ? say("looking back") : says[turn]();
    if (!thinking) this.progress.textContent = "";
    this.status.className = `status ${this.looksBack ? "back" : turn}`;
    put(this.status, last && element("span", {class: "last-move"}, this.moveText(last)), element("strong", {}, now));
  }

  /** A move with who made it. */
  moveText({name, player}) {
    return say("played", {player: player === "chance" ? say("chance") : this.names()[player], move: name});
  }

  /** Who asks to take a move back. */
  showQuestion(asked) {
    const answer = (key, yes) => button(say(key), () => this.act("agree", {yes}), {class: yes && "primary"});
    put(this.question, asked && (asked.mine
      ? [element("strong", {}, say("asks undo", {player: translated(asked.player)})), answer("allow", true), answer("decline", false)]
      : element("span", {class: "faint"}, say("asked undo"))));
  }

  isMineAlone(player) {
    const [seat, ...others] = this.mine();
    return seat?.player === player && others.length === 0;
  }

  /** The seats of this page. */
  mine() {
    return this.room.seats.filter(seat => seat.mine);
  }

  names() {
    return this.room.seats.map(seat => titleOf(seat));
  }

  takeSeats(seats) {
    this.room.seats = seats;
    if (!this.position) return;
    put(this.players, seats.map(seat => {
      const isToMove = this.position.player === seat.player && this.position.turn !== "over";
      const name = seat.who === "person" ? say(this.isMineAlone(seat.player) ? "you" : "person") : playerName(seat.who);
      const clock = this.position.clocks?.[seat.player];
      return element("div", {class: isToMove ? "seat to-move" : "seat", "aria-current": isToMove && "true"},
        mark(seat),
        element("span", {class: "seat-title"}, titleOf(seat)),
        element("span", {class: "seat-name faint"}, name),
        clock && element("time", {class: "clock", "data-player": seat.player, role: "timer", "aria-label": say("elapsed")},
          clockText(clock.seconds)));
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
      if (!field.isConnected) clearInterval(this.ticking); // another page is shown
      field.textContent = clockText(seconds - (performance.now() - start) / 1000);
    }, 200);
  }

  /** What the computer to move has searched so far. */
  thinking({depth, nodes, simulations, note}) {
    const count = simulations || nodes;
    const parts = [depth && say("depth", {depth}), count && say("nodes", {nodes: short(count)})];
    this.progress.textContent = translated(note) || parts.filter(Boolean).join(" · ");
  }

  // -- acting ----------------------------------------------------------------------------------------------------------

  /** Buttons for the actions that are not on the board, and for those that are chosen but could go on. */
  showActions(complete) {
    const {player, turn, svg, explore} = this.position;
    const title = translated(this.position.player_title);
    const actions = this.playable;
    const beside = complete.length ? complete : actions.filter(action => action.cells.length === 0 || !svg);
    const buttons = beside.map(action => button(action.odds ? `${action.name} (${percent(action.odds)})` : action.name,
      () => this.play(action.id), {class: "action"}));
    if (turn === "chance" && actions.length) buttons.push(button(say("roll"), () => this.act("roll"), {class: "action primary"}));
    if (this.looksBack) buttons.push(button(say("back to game"), () => this.go(this.latest), {class: "primary"}));
    else if (explore && this.waitsFor(player)) buttons.push(button(say("let play", {player: title}), () => this.act("go_on")));
    put(this.actions, buttons);
    if (this.returnsFocus && buttons.length) {
      this.returnsFocus = false;
      buttons[0].focus();
    }
  }

  /** Whether a computer is to move, but waits because an earlier position is looked at. */
  waitsFor(player) {
    return this.position.turn !== "over" && !this.position.thinking && (this.room.seats[player]?.who ?? "person") !== "person";
  }

  choose(complete, final) {
    if (final && complete.length > 1) {
      askWhich(complete, {onchoose: action => this.play(action.id), oncancel: () => this.board.clear()});
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
    this.explore.turn(on, {over: this.position.turn === "over"});
    this.panel.classList.toggle("exploring", on);
    this.bar.hidden = !on || this.room.seats.length !== 2;
    const [first, second] = this.room.seats;
    this.bar.className = `bar ${second?.colour || second?.title}`;
    this.bar.firstChild.className = `share ${first.colour || first.title}`;
    if (!on) {
      this.board.paint([]);
      this.board.point([]);
      this.curve.show([], this.names());
    }
    await this.act("explore", {on});
    await this.act("curve", {on});
  }

  showValues(values) {
    if (!this.explore.on || !this.position || values.node !== this.position.node) return;
    this.explore.show(values, {canSteps: this.room.game.algorithms?.length > 0});
    this.board.paint(values.rows);
    this.board.point(values.best_line ?? []);
    if (values.value) this.bar.firstChild.style.setProperty("--share", values.value.share);
  }

  get canSetUp() {
    return this.room.game.can_set_up && !this.room.game.hidden;
  }

  // -- tools -----------------------------------------------------------------------------------------------------------

  showTools() {
    const {game} = this.room;
    const tool = (label, onclick) => button([icon(label), say(label)], onclick, {title: say(label)});
    this.toolButtons = {
      undo: tool("undo", () => this.act("undo")),
      resign: tool("resign", () => ask(say("resign sure"), yes => yes && this.act("resign"))),
    };
    put(this.tools,
      this.toolButtons.undo,
      this.toolButtons.resign,
      game.has_picture && !game.drops && !game.hidden && tool("flip", () => this.turnBoard()),
      this.address && tool("share", () => this.share()),
      tool("new game", () => this.onnew(game)),
      this.canSetUp && tool("set up", () => this.setUp()),
      game.formats?.length > 0 && tool("export", () => saveRecord(game.formats, format => this.request("export", {format}))),
      tool("import", () => this.importRecord()));
  }

  turnBoard() {
    this.board.flipped = !this.board.flipped;
    this.showPosition(this.position);
  }

  /** Turn the board around if my pieces come from the upper side. */
  turnForMe() {
    const seat = this.mine().find(({player}) => this.isMineAlone(player));
    this.board.flipped = false;
    if (seat && !this.room.game.drops && this.board.hasOnTop(seat.title)) this.turnBoard();
  }

  async share() {
    const {room, tokens, game} = this.room;
    const position = game.hidden ? null : await this.request("link").catch(() => null);
    const seats = Object.entries(tokens).filter(([player]) => !this.isMineAlone(Number(player)));
    share([
      ...(position?.text ? [[say("link of position"), this.address(position.text)]] : []),
      ...seats.map(([player, token]) => [say("link of seat", {player: this.names()[player]}), this.address(`#/room/${room}/${token}`)]),
      [say("link to watch"), this.address(`#/room/${room}`)],
    ]);
  }

  setUp() {
    const {game} = this.room;
    enterText({title: say("set up"), hint: say("set up hint"), value: this.position.state ?? "", placeholder: game.start_text ?? "",
      onopen: async text => this.onroom(await this.request("set_up", {text}))});
  }

  importRecord() {
    enterText({title: say("import"), hint: say("import hint"), withFile: true,
      onopen: async text => this.onroom(await this.request("import", {text, game: this.room.game.name}))});
  }

  // -- keys ------------------------------------------------------------------------------------------------------------

  onkey(event) {
    if (!this.position) return;
    const {tree} = this;
    const steps = {ArrowLeft: () => tree.parent(), ArrowRight: () => tree.child(), Home: () => tree.root(), End: () => tree.end()};
    const named = this.actionOfKey(event.key);
    if (named) this.play(named.id);
    else if (event.key in steps) tree.go(steps[event.key]());
    else if (event.key === "f") this.turnBoard();
    else if (event.key === "e" && !this.explore.node.hidden) this.setExplore(!this.explore.on);
    else return;
    event.preventDefault();
  }

  /** In games with actions such as `left`, the arrow keys play them. */
  actionOfKey(key) {
    const direction = {ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down"}[key];
    return direction && this.playable.find(action => action.name === direction);
  }
}

/** The colour of a player's pieces; a ring if it is not known. */
function mark({colour, title}) {
  return element("span", {class: `mark ${colour || title}`, "aria-hidden": "true"});
}

/** A player's text in words: `alpha-beta(level=3)` is alpha-beta, level 3. */
function playerName(text) {
  return translated(text.replace(/\((.*)\)$/, ", $1").replaceAll("=", " "));
}

function titleOf({title, player}) {
  return title ? translated(title) : say("player", {player: player + 1});
}

function percent(share) {
  return `${(100 * share).toPrecision(3).replace(/\.?0+$/, "")} %`;
}

function clockText(seconds) {
  const left = Math.max(0, seconds);
  const minutes = Math.floor(left / 60);
  const rest = left < 10 ? (left % 60).toFixed(1).padStart(4, "0") : String(Math.floor(left % 60)).padStart(2, "0");
  return `${minutes}:${rest}`;
}
