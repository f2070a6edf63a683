// The board in a notebook: a game as on the page, whose engine is in the kernel.

import {element} from "./dom.js";
import {described} from "./games.js";
import {newGame} from "./lobby.js";
import {ModelConnection} from "./model_connection.js";
import {Room} from "./room.js";
import {chooseLanguage} from "./words.js";

/** What anywidget calls to show a widget. */
function render({model, el}) {
  chooseLanguage();
  const connection = new ModelConnection(model, {onpush: message => room.receive(message)});
  const request = (type, fields) => connection.request(type, fields);
  const show = (opened, {explore = room.explore.on} = {}) => room.show({...opened, game: described(opened.game)}, {explore});
  const startGame = game => newGame(game, {
    onopen: async (fields, {explore}) => show(await request("open", fields), {explore}),
    onclose: () => {},
  });
  const room = new Room({request, onroom: show, onnew: startGame});
  el.append(element("div", {class: "outplay-page in-notebook", "data-lm-suppress-shortcuts": "true"}, room.node));
  request("open", model.get("opening")).then(
    opened => show(opened, {explore: model.get("explores")}),
    error => el.replaceChildren(element("pre", {}, error.message)),
  );
  return () => connection.close();
}

export default {render};
