// The talk with the engine of a server, over a WebSocket. An engine within the page needs another class of `Requests`.

import {Requests} from "./requests.js";

const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;

export class Connection extends Requests {
  /** `onstate(open)` tells when the connection opens and breaks. */
  constructor(url, {onpush, onstate}) {
    super(onpush);
    this.url = url;
    this.onstate = onstate;
    this.wait = FIRST_WAIT;
    this.open();
  }

  open() {
    this.socket = new WebSocket(this.url);
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.onstate(true);
    };
    this.socket.onmessage = event => this.receive(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.fail();
      this.onstate(false);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
  }

  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) throw new Error("disconnected");
    this.socket.send(JSON.stringify(message));
  }
}
