// The whole page: what the address says is shown. `#/` all games, `#/new/GAME` the form that starts one,
// `#/room/ID/TOKEN` a game that is played, `#/play/GAME?moves=…` a position.

import {Connection} from "./connection.js";
import {enterText} from "./dialogs.js";
import {button, element, put} from "./dom.js";
import {described} from "./games.js";
import {icon} from "./icons.js";
import {Lobby, newGame} from "./lobby.js";
import {Room} from "./room.js";
import {chooseLanguage, language, remember, remembered, say} from "./words.js";

chooseLanguage();
document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
const page = document.querySelector(".outplay-page");
const header = element("header", {class: "top"});
const notice = element("div", {class: "notice", role: "status", "aria-live": "polite"});
let screen = null; // the lobby or a room
let room = null;
let hello = null;
let form = null;
let shownHash = null; // of the room that is shown
const invitations = new Map(); // the tokens of all seats, of games for which this page invites others by links

const engine = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
const connection = new Connection(engine, {onpush: receive, onstate: connected});
const request = (type, fields) => connection.request(type, fields);

page.replaceChildren(
  element("a", {class: "skip", href: "#main", onclick: skip}, say("skip")),
  header, notice, element("main", {id: "main"}, say("loading")));
window.addEventListener("hashchange", () => route());
document.addEventListener("keydown", event => {
  const isField = event.target.closest("input, textarea, select, dialog, iframe");
  if (room && !isField && !event.ctrlKey && !event.metaKey && !event.altKey) room.onkey(event);
});

async function connected(isOpen) {
  if (!isOpen) {
    put(notice, element("p", {class: "error"}, say(hello ? "lost" : "loading")));
    return;
  }
  takeGames(await request("hello", {language}));
  put(notice);
  showHeader();
  shownHash = null;
  await route();
}

function takeGames(message) {
  hello = {...hello, ...message, games: message.games.map(described)};
}

function receive(message) {
  if (message.type === "reloaded") showReloaded(message);
  else if (message.type === "games") {
    takeGames(message);
    if (screen instanceof Lobby) screen.show(hello.games);
  } else if (message.type === "gone") put(notice, element("p", {class: "error"}, message.reason));
  else if (room) room.receive(message);
}

/** A game's file was edited: offer a game by the new rules, or say what is wrong with them. */
function showReloaded({game, ok, text, line}) {
  const title = hello.games.find(({name}) => name === game)?.title ?? game;
  const close = button(icon("close"), () => put(notice), {class: "quiet", "aria-label": say("close")});
  const again = ok && room?.room.game.name === game && button(say("play new rules"), playAgain, {class: "primary"});
  const words = ok ? say("rules changed", {game: title})
    : [element("strong", {}, say("rules wrong", {game: title}), line ? ` ${say("line", {line})}` : ""), element("pre", {}, text)];
  put(notice, element("div", {class: ok ? "news" : "news error"}, element("div", {}, words), again, close));
}

/** A new game with the same players. */
async function playAgain() {
  const {game, seats} = room.room;
  try {
    enterRoom(await request("open", {game: game.name, seats: seats.map(({who}) => who)}));
  } catch (error) {
    showError(error);
  }
}

function showError(error) {
  put(notice, element("p", {class: "error"}, error.message));
}

function showHeader(title) {
  put(header,
    element("a", {class: "logo", href: "#/"}, element("img", {src: "/static/icon.svg", alt: "", width: 24, height: 24}), "outplay"),
    title && element("h1", {}, title),
    button(say("language"), switchLanguage, {class: "quiet language", lang: language === "en" ? "zh" : "en"}));
}

function switchLanguage() {
  chooseLanguage(language === "en" ? "zh" : "en");
  location.reload();
}

function skip(event) {
  event.preventDefault();
  (screen?.node.querySelector('.hit[tabindex="0"]') ?? screen?.node)?.focus();
}

// -- routes ------------------------------------------------------------------------------------------------------------

async function route() {
  if (!hello || location.hash === shownHash) return;
  shownHash = null;
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  try {
    const [place, first, second] = path.split("/").map(decodeURIComponent);
    if (place === "room") showRoom(await request("join", {room: first, tokens: second?.split(",") ?? []}));
    else if (place === "play") await playLink(first, new URLSearchParams(query));
    else showLobby(place === "new" ? first : null);
  } catch (error) {
    if (error.message === "disconnected") return;
    showLobby(null);
    showError(error);
  }
}

function showLobby(chosen) {
  form?.close();
  if (room) request("leave").catch(() => {}); // its computers need not play on
  room = null;
  if (!(screen instanceof Lobby)) {
    put(notice);
    showScreen(new Lobby({request, onrecord: openRecord}));
    showHeader();
    screen.show(hello.games);
    document.title = "outplay";
  }
  const game = hello.games.find(({name}) => name === chosen);
  if (game) startGame(game);
}

function startGame(game) {
  const chosen = JSON.parse(remembered(`form-${game.name}`) ?? "{}");
  form = newGame(game, {players: hello.players, chosen, onopen: openGame, onclose: () => {
    form = null;
    if (location.hash.startsWith("#/new/")) location.hash = "#/";
  }});
}

/** Open a game. With `side`, others play by links: this page then holds the seat of this side alone. */
async function openGame(fields, {explore = false, side = null, wanted}) {
  let opened = await request("open", fields);
  remember(`form-${fields.game}`, JSON.stringify(wanted));
  if (side !== null) {
    invitations.set(opened.room, opened.tokens);
    opened = await request("join", {room: opened.room, tokens: [opened.tokens[side]]});
  }
  enterRoom(opened, {explore});
}

async function playLink(game, query) {
  const start = query.get("start");
  enterRoom(await request("open", {game, moves: query.get("moves") ?? "", ...(start && {start})}), {replace: true});
}

/** Show a room, which from now on is the address of this page. */
function enterRoom(opened, {explore, replace = false} = {}) {
  const tokens = Object.values(opened.tokens);
  shownHash = ["#/room", opened.room, ...(tokens.length ? [tokens.join(",")] : [])].join("/");
  if (replace) location.replace(shownHash);
  else location.hash = shownHash;
  showRoom(opened, {explore});
}

function showRoom(opened, {explore} = {}) {
  put(notice);
  opened = {...opened, game: described(opened.game)};
  form?.close();
  if (!(screen instanceof Room)) {
    room = new Room({request, onroom: enterRoom, onnew: startGame, address: hash => location.href.split("#")[0] + hash});
    showScreen(room);
  }
  showHeader(opened.game.title);
  document.title = `${opened.game.title} · outplay`;
  const invited = invitations.get(opened.room);
  room.show({...opened, tokens: invited ?? opened.tokens}, {explore});
  if (invited && !opened.seats.every(seat => seat.taken)) room.share();
}

function showScreen(next) {
  document.querySelector("#main").replaceWith(next.node);
  screen = next;
}

function openRecord() {
  enterText({title: say("import"), hint: say("import hint"), withFile: true,
    onopen: async text => enterRoom(await request("import", {text}))});
}
